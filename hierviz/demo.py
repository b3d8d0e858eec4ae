"""The bundled demos: drawn vehicles with ONNX models that are run here and now, and openings of Wikipedia articles."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from hierviz.readers.attach import attach_truth
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.pictures import Pictures
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.taxonomy_file import load_taxonomy

# In the order in which screens list them.
MODELS = (
    "flat_softmax",
    "conditional_softmax",
    "conditional_sigmoid",
    "multilabel_sigmoid",
    "parameter_sharing",
    "softmax_margin",
    "log_win",
)
# Demos by what the command line calls them, with what they are.
DEMOS = {"vehicles": "Demo: drawn vehicles", "wikipedia": "Demo: Wikipedia articles"}
# Prediction files of the demo of texts, and what screens call them.
TEXT_MODELS = {"flat": "Flat softmax", "per_node": "A classifier per class"}
CREDIT = (
    "Texts: openings of English Wikipedia articles by their authors, CC BY-SA 4.0. Taxonomy and classes: Hierarchical WikiVitals "
    "(Plaud et al., CoNLL 2024), MIT License. Predictions: hierviz."
)


def bundle_folder():
    """Folder that holds app.py, models and assets: inside an installed package, else the clone."""
    package = Path(__file__).parent
    bundle = package / "bundle"
    return bundle if bundle.is_dir() else package.parent


def load_demo(models=MODELS, progress=None):
    """Run the demo's models on its pictures.

    Parameters
    ----------
    models : sequence of str
        File names without suffix, of those in `MODELS`.
    progress : callable, optional
        Called as progress(rows done, rows in all) after each model.

    Returns
    -------
    taxonomy : Taxonomy
        61 kinds of vehicle, with the attribute ``train_count``: training pictures of a class and all below it.
    predictions : list of Predictions
        One per model, with truth, pictures and the conditions of each picture as attributes.
    """
    from hierviz.onnx.model import load_model

    folder = bundle_folder()
    assets = folder / "assets" / "demo"
    taxonomy = load_node_attributes(assets / "nodes.csv", load_taxonomy(assets / "taxonomy.csv"))
    with ThreadPoolExecutor(2) as pool:  # they wait for processes, which load and run the models
        loading = [pool.submit(load_model, folder / "models" / f"{name}.onnx", taxonomy) for name in models]
        # All demo models take the same pictures: decode them once.
        pictures = Pictures.from_path(assets / "pictures.zip")
        array = np.stack([pictures.array(name) for name in pictures.names])
        names = {"image": np.array(pictures.names)}

        def run(loaded):
            model = loaded.result()
            inputs = {model.inputs[0].name: array}
            predictions = model.predict(inputs, sample_ids=pictures.stems, attributes=names)
            return attach_truth(predictions, assets / "examples.csv").replace(media=pictures)

        read = []
        for predictions in pool.map(run, loading):
            read.append(predictions)
            if progress is not None:
                progress(len(array) * len(read), len(array) * len(models))
    return taxonomy, read


def load_wikipedia(stage=lambda name, unit="rows": None):
    """Read the demo of texts: openings of Wikipedia articles in 1,187 classes, with the scores of two models.

    Parameters
    ----------
    stage : callable
        As of `load_predictions`.

    Returns
    -------
    taxonomy : Taxonomy
        With the attribute ``train_count``: training texts of a class and all below it.
    predictions : list of Predictions
        Of `TEXT_MODELS` in order, 2,003 samples each, with truth and texts; ``detected["credit"]`` says whose these are.
    """
    folder = bundle_folder() / "assets" / "wikipedia"
    taxonomy = load_node_attributes(folder / "nodes.csv", load_taxonomy(folder / "taxonomy.csv"))
    predictions = []
    for name, title in TEXT_MODELS.items():
        path, truth = folder / f"{name}.parquet", folder / "examples.csv"
        read = load_predictions(path, taxonomy, name=title, truth=truth, stage=stage)
        predictions.append(read.replace(detected={"credit": CREDIT, **read.detected}))
    return taxonomy, predictions
