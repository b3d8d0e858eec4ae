"""The label of the field for each parameter that an error or a note names; the forms take their labels from here."""

from hierviz.cli.parameter_flags import FLAGS
from hierviz.predictions.parametrisation import PARAMETRISATIONS

LABELS = {
    "classes": "Class names of the columns",
    "outputs": "Output with the scores",
    "scores": "What the scores are",
    "parametrisation": "What the scores are",
    "missing": "Classes without a score",
    "truth": "Truth",
    "truth_column": "Column of the truth",
    "ids": "Sample ids",
    "percent": "Scores in percent",
    "model": "ONNX model",
    "media": "Pictures to show",
    "only_known": "Classes that count",
    "unseen": "Truths outside the known classes",
    "ignore": "Columns to leave out",
    "sum_repeated": "Sum the columns of one class",
    "strict": "Stop at a picture that cannot be read",
    "preprocessing.layout": "Order of the axes",
    "preprocessing.size": "Size of the pictures",
    "preprocessing.resize": "How pictures get that size",
    "preprocessing.crop": "How pictures get that size",
    "preprocessing.resample": "Resampling",
    "preprocessing.pad": "Grey level of the borders",
    "preprocessing.colour": "Order of the colour channels",
    "preprocessing.range": "Range of the pixel values",
    "preprocessing.mean": "Subtract mean",
    "preprocessing.std": "Divide by std",
}
# Parameters without a field: options of `hierviz app`.
AT_START = (
    "taxonomy_classes",
    "text_column",
    "columns",
    "columns_by_input",
    "limits.cpu_seconds",
    "limits.memory_mb",
)


def field(name, value=None):
    """Words for `hierviz.messages.parameters.named`: the field, with the value where one is meant."""
    if name in AT_START:
        return f"{FLAGS[name]} (when the app is started)"
    label = f"'{LABELS[name]}'"
    return label if value is None else f"{label}: {' | '.join(choice(name, part) for part in value.split(' | '))}"


def choice(name, value):
    """A value of a parameter as the field offers it."""
    if name == "parametrisation":
        return PARAMETRISATIONS[value].label
    return value.replace("_", " ").capitalize() if name == "scores" else value
