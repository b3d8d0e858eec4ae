"""The losses the demo models are trained with, in torch, are those of hierviz: values and gradients.

What torch says on random trees is committed as `golden/torch_losses.json` (written by models/golden_losses.py) and
compared always. Where torch is installed it is asked again: on more trees, and whether the file is still what it says.
"""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import hierviz as hv
from hierviz.losses.registry import LOSSES, loss
from hierviz.predictions.parametrisation import default_columns

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "torch_losses.json").read_text(encoding="utf-8"))
HEADS = (
    "flat_ce",
    "conditional_softmax",
    "conditional_sigmoid",
    "multilabel_bce",
    "ps_softmax",
    "soft_max_margin",
    "log_win",
)
RANDOM_CASES = 150


def assert_equal(ours, theirs, case):
    """To 1e-6 of each number; 1e-12 for what is left of numbers that cancel."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape, case
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-12, err_msg=str(case))


def ours(case):
    """(values, gradient) by hierviz."""
    edges = [(f"n{parent}", f"n{node}") for node, parent in enumerate(case["parents"], 1)]
    taxonomy = hv.Taxonomy.from_edges(edges)
    assert taxonomy.names == tuple(f"n{node}" for node in range(len(edges) + 1))
    return loss(case["loss"], taxonomy, np.array(case["truth"]), np.array(case["scores"]), **case["options"])


def test_the_golden_holds_every_loss():
    assert list(dict.fromkeys(case["loss"] for case in GOLDEN["cases"])) == list(HEADS)
    for key in HEADS:
        cases = [case for case in GOLDEN["cases"] if case["loss"] == key]
        assert len(cases) >= 10
        sizes = [len(case["parents"]) for case in cases]
        assert (min(sizes) < 5, max(sizes)) == (True, 60)  # up to the taxonomy of the demo
        # Most say something: neither a tree of one leaf nor a loss that is nowhere above zero.
        assert sum(np.abs(case["gradient"]).max() > 1e-3 for case in cases) >= 6


@pytest.mark.parametrize("key", HEADS)
def test_golden(key):
    for case in GOLDEN["cases"]:
        if case["loss"] == key:
            values, gradient = ours(case)
            assert_equal(values, case["values"], case)
            assert_equal(gradient, case["gradient"], case)


# Where torch is ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def models():
    """The modules of models/ by name, found as models/train.py finds them."""
    torch = pytest.importorskip("torch", reason="torch comes with the dev extra only; the golden file stands in for it")
    torch.set_num_threads(1)
    sys.path.insert(0, str(ROOT / "models"))
    try:
        yield {name: importlib.import_module(name) for name in ("golden_losses", "methods", "torch_losses", "tree")}
    finally:
        sys.path.remove(str(ROOT / "models"))


@pytest.mark.parametrize("key", HEADS)
def test_equal_on_random_trees(key, models):
    cases = list(models["golden_losses"].cases(key, RANDOM_CASES, seed=1))
    assert len({json.dumps(case) for case in cases}) > 100
    for case in cases:
        values, gradient = ours(case)
        by_torch = models["golden_losses"].by_torch(case)
        assert_equal(values, by_torch[0], case)
        assert_equal(gradient, by_torch[1], case)


def test_the_golden_is_what_torch_says(models):
    for case in GOLDEN["cases"]:
        values, gradient = models["golden_losses"].by_torch(case)
        assert_equal(values, case["values"], case)
        assert_equal(gradient, case["gradient"], case)


def test_a_training_step_in_single_precision(models):
    """As in training: float32 scores of the demo's width, to what 24 bits allow."""
    import torch

    taxonomy = hv.load_taxonomy(ROOT / "assets" / "demo" / "taxonomy.csv")
    tree = models["tree"].Tree([(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges])
    rng = np.random.default_rng(0)
    truth = rng.choice(taxonomy.leaves, 64)
    for name, method in models["methods"].METHODS.items():
        scores = rng.normal(0, 2, (64, len(method.columns(tree)))).astype(np.float32)
        given = torch.tensor(scores, requires_grad=True)
        # The last epoch: before it, log-win is still flat.
        values = method.loss_of_epoch(tree, models["methods"].EPOCHS - 1)(given, torch.tensor(truth))
        values.sum().backward()
        options = {"tau": models["methods"].MARGIN} if method.loss == "soft_max_margin" else {}
        expected, gradient = loss(method.loss, taxonomy, truth, scores, **options)
        np.testing.assert_allclose(values.detach(), expected, rtol=1e-4, atol=1e-5, err_msg=name)
        np.testing.assert_allclose(given.grad, gradient, rtol=1e-4, atol=1e-5, err_msg=name)


def test_every_head_is_trained_as_hierviz_reads_it(models):
    taxonomy = hv.load_taxonomy(ROOT / "assets" / "demo" / "taxonomy.csv")
    tree = models["tree"].Tree([(taxonomy.names[a], taxonomy.names[b]) for a, b in taxonomy.edges])
    assert tree.names == taxonomy.names
    assert {method.loss for method in models["methods"].METHODS.values()} == set(HEADS)
    for name, method in models["methods"].METHODS.items():
        assert method.parametrisation == LOSSES[method.loss].parametrisation, name
        np.testing.assert_array_equal(list(method.columns(tree)), default_columns(taxonomy, method.parametrisation))
