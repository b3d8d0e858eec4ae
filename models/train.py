"""Train, export and measure the seven demo models.

    python models/train.py                      everything: models/*.onnx and the tables of models/README.md
    python models/train.py --examples           also draw assets/demo anew
    python models/train.py --only log_win       one model; README is left alone

Needs torch, onnx, onnxruntime and Pillow: pip install -e ".[dev]"
"""

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from card import write_card
from drawing import edges
from export import INPUT, run_onnx, write_onnx
from measure import node_probabilities
from methods import EPOCHS, LOG_WIN_FROM, MARGIN, METHODS
from network import scores_of, train
from pictures import ARCHIVE, EXAMPLES, FIELD, draw_series, read_examples, write_examples
from tree import Tree

HERE = Path(__file__).resolve().parent
DEMO = HERE.parent / "assets" / "demo"
TOLERANCE = 1e-5


def metadata(tree, method, seed):
    """What `hierviz.` keys of a model's metadata say."""
    training = {
        "seed": seed,
        "epochs": EPOCHS,
        "pictures": ARCHIVE[3],
        "difficulty": ARCHIVE[4],
        "optimiser": "AdamW, one cycle to 2e-3",
        "weight_decay": 1e-3,
        "batch": 64,
        "torch": torch.__version__.split("+")[0],
    }
    if method.loss == "log_win":
        training["flat_ce_epochs"] = LOG_WIN_FROM
    if method.loss == "soft_max_margin":
        training["tau"] = MARGIN
    return {
        "format": "1",
        "title": method.title,
        "parametrisation": method.parametrisation,
        "loss": method.loss,
        "nodes": [tree.names[node] for node in method.columns(tree)],
        "taxonomy_sha256": tree.sha256,
        "input": INPUT,
        "training": training,
    }


def check_export(path, network, pictures):
    """Largest difference between onnxruntime and torch, as a share of the larger of the score and 1."""
    ours, theirs = scores_of(network, pictures), run_onnx(path, pictures)
    gap = float((np.abs(ours - theirs) / np.maximum(1, np.abs(ours))).max())
    if gap > TOLERANCE:
        raise RuntimeError(f"{path.name}: onnxruntime and torch differ by {gap:.1e}, expected at most {TOLERANCE:.0e}")
    return gap


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models (default: models/)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the shipped models (default: 0)")
    parser.add_argument(
        "--repeats", type=int, default=3, help="seeds to train for the second table of README (default: 3)"
    )
    parser.add_argument("--only", metavar="NAME", choices=METHODS, help=f"train one model: {', '.join(METHODS)}")
    parser.add_argument("--examples", action="store_true", help="draw assets/demo anew")
    parser.add_argument("--cache", type=Path, help="folder for the drawn training pictures (default: temporary folder)")
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    started = time.perf_counter()

    tree = Tree(edges())
    if options.examples:
        write_examples(DEMO, *draw_series(EXAMPLES, options.cache))
    pictures, rows = draw_series(ARCHIVE, options.cache)
    drawn = np.array([tree.number[row.drawn_as] for row in rows])
    examples, example_rows = read_examples(DEMO)
    field, field_rows = draw_series(FIELD, options.cache)
    print(f"pictures ready after {time.perf_counter() - started:.0f} s", flush=True)

    names = [options.only] if options.only else list(METHODS)
    options.out.mkdir(parents=True, exist_ok=True)
    on_examples, on_field = {}, {name: [] for name in names}
    for seed in range(options.seed, options.seed + (1 if options.only else options.repeats)):
        for name in names:
            method, began = METHODS[name], time.perf_counter()
            network = train(
                len(method.columns(tree)),
                pictures,
                drawn,
                partial(method.loss_of_epoch, tree),
                seed=seed,
                epochs=EPOCHS,
            )
            note = ""
            if seed == options.seed:
                path = options.out / f"{name}.onnx"
                write_onnx(path, network, metadata(tree, method, seed))
                note = f", {path.stat().st_size} bytes, onnxruntime within {check_export(path, network, examples):.0e}"
                on_examples[name] = node_probabilities(tree, run_onnx(path, examples), method.parametrisation)
            on_field[name].append(node_probabilities(tree, scores_of(network, field), method.parametrisation))
            print(f"{name}, seed {seed}: {time.perf_counter() - began:.0f} s{note}", flush=True)
    if not options.only:
        write_card(options.out, tree, on_examples, example_rows, on_field, field_rows)
    print(f"done after {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
