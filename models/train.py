"""Train, export and measure the seven demo models.

    python models/train.py                      all bundled models, models/*.onnx, and their tables in models/README.md
    python models/train.py --seeds 3            also the table over three seeds
    python models/train.py --examples           also redraw assets/demo
    python models/train.py --only log_win       one model; README does not change

Needs torch, onnx, onnxruntime and Pillow: pip install -e ".[dev]"
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from card import write_card
from drawing import edges
from export import INPUT, run_onnx, write_onnx
from measure import node_probabilities
from methods import EPOCHS, LESSON_METHODS, LOG_WIN_FROM, MARGIN, METHODS
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


def train_one(name, seed, path, with_field, cache):
    """Train one model in a process of its own, with one thread: the weights are the same however many there are.

    Parameters
    ----------
    path : Path or None
        Where to write the model, if it ships.
    with_field : bool
        Whether to measure it on the series FIELD.

    Returns
    -------
    on_examples, on_field : ndarray of float64, shape (n, n_nodes), or None
        Node probabilities of a model that ships, and of one that is measured.
    note : str
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    began, method, tree = time.process_time(), (METHODS | LESSON_METHODS)[name], Tree(edges())
    pictures, rows = _drawn(ARCHIVE, cache)
    drawn = np.array([tree.number[row.drawn_as] for row in rows])
    loss = partial(method.loss_of_epoch, tree)
    network = train(len(method.columns(tree)), pictures, drawn, loss, seed=seed, epochs=EPOCHS)
    on_examples = on_field = None
    note = f"{name}, seed {seed}: {time.process_time() - began:.0f} s of processor"
    if path:
        examples, _ = read_examples(DEMO)
        write_onnx(path, network, metadata(tree, method, seed))
        gap = check_export(path, network, examples)
        note += f", {path.stat().st_size} bytes, onnxruntime within {gap:.0e}"
        on_examples = node_probabilities(tree, run_onnx(path, examples), method.parametrisation)
    if with_field:
        field, _ = _drawn(FIELD, cache)
        on_field = node_probabilities(tree, scores_of(network, field), method.parametrisation)
    return on_examples, on_field, note


@lru_cache
def _drawn(series, cache):
    return draw_series(series, cache)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the models (default: models/)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the shipped models (default: 0)")
    parser.add_argument(
        "--seeds",
        type=int,
        default=1,
        help="seeds to train; more than one give the second table of README (default: 1)",
    )
    parser.add_argument("--only", metavar="NAME", choices=[*METHODS, *LESSON_METHODS], help="train one model")
    parser.add_argument("--examples", action="store_true", help="redraw assets/demo")
    parser.add_argument("--cache", type=Path, help="folder for the drawn training pictures (default: temporary folder)")
    parser.add_argument("--processes", type=int, default=2, help="networks trained at a time (default: 2)")
    options = parser.parse_args(argv)
    started = time.perf_counter()

    names = [options.only] if options.only else list(METHODS)
    with_field = options.seeds > 1 and not options.only
    options.out.mkdir(parents=True, exist_ok=True)
    if options.examples:
        write_examples(DEMO, *draw_series(EXAMPLES, options.cache))
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        list(pool.map(_draw, [ARCHIVE, FIELD][: 1 + with_field], [options.cache] * 2))
        print(f"pictures ready after {time.perf_counter() - started:.0f} s", flush=True)
        jobs = []
        for seed in range(options.seed, options.seed + (options.seeds if with_field else 1)):
            for name in names:
                path = options.out / f"{name}.onnx" if seed == options.seed else None
                jobs.append((name, pool.submit(train_one, name, seed, path, with_field, options.cache)))
        on_examples, on_field = {}, {name: [] for name in names}
        for name, job in jobs:
            examples, field, note = job.result()
            print(note, flush=True)
            if examples is not None:
                on_examples[name] = examples
            if field is not None:
                on_field[name].append(field)
    if not options.only:
        field_rows = draw_series(FIELD, options.cache)[1] if with_field else None
        write_card(options.out, Tree(edges()), on_examples, read_examples(DEMO)[1], on_field, field_rows)
    print(f"done after {time.perf_counter() - started:.0f} s")


def _draw(series, cache):
    """Draw a series into the cache; nothing is sent back."""
    draw_series(series, cache)


if __name__ == "__main__":
    main()
