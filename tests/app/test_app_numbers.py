"""Every number on the pages equals that of the public functions, and opens its definition."""

import math
import os
import re

import numpy as np
import pyarrow as pa
import pytest
from visit import Visit, plain

import hierviz as hv
from hierviz.app.widgets.numbers import FIRST
from hierviz.diagnosis.mistakes import mistakes
from hierviz.evaluation.worked import worked_numbers
from hierviz.metrics.registry import METRICS

MODELS = ("flat-softmax", "conditional-sigmoid", "soft-max-margin")
COUNTS = ("tp", "tn", "fp", "fn", "depth_dist")
# What a sample of scores shows at least.
NUMBERS = (
    *("softmax_win", "softmax_win_raw", "neg_log_win", "cross_entropy", "one_hot_win"),
    *("tp", "fp", "fn", "tn", "hp", "hr", "hf1", "exact", "correct"),
    *(f"{prefix}_{what}" for prefix in ("info", "depth") for what in ("precision", "recall", "f1", "dist")),
)
VERDICTS = {"exact": ":green[exact]", "coarse": ":blue[correct but coarse]", "wrong": ":orange[wrong]"}
VERDICTS["no_answer"] = ":gray[no answer]"


def some_samples(demo):
    """20 samples with a seed, a quarter of them with a truth at an inner node."""
    rng, truth = np.random.default_rng(2026), demo.first.predictions.truth
    is_inner = ~demo.taxonomy.is_leaf[truth]
    rows = [
        *rng.choice(np.flatnonzero(is_inner), 5, replace=False),
        *rng.choice(np.flatnonzero(~is_inner), 15, replace=False),
    ]
    return [str(demo.first.predictions.sample_id(int(row))) for row in rows]


AT_ONE_TAU = ("majority_f1", "f1", "mcc")


def as_shown(key, value):
    """The text of a number at the precision that pages use."""
    if key in ("exact", "correct", "no_answer"):
        return {0: "no", 1: "yes"}[int(value)]
    if key in COUNTS:
        return str(int(value))
    if math.isinf(value):
        return "∞"
    # Three decimals, or more where the number would read 0 or 1 without being it.
    texts = (f"{value:.{decimals}f}" for decimals in range(3, 8))
    return next((text for text in texts if float(text) == value or float(text) not in (0, 1)), f"{value:.0e}")


def expected_numbers(taxonomy, p, truth, answer, best_leaf):
    """Every number of a sample, from the public functions alone."""
    t, a = np.array([truth]), np.array([answer])
    win = float(hv.win(taxonomy, t, p[None])[0])
    with np.errstate(divide="ignore"):
        logs = {"neg_log_win": -np.log(win), "cross_entropy": -np.log(p[truth])}
    path, leaf_path = taxonomy.path(truth), taxonomy.path(best_leaf)
    shared = len(set(path) & set(leaf_path)) - 1
    found = {
        "softmax_win": win,
        "softmax_win_raw": (1 + win) / 2,
        **logs,
        # Wu et al.: 1 when the leaf is right, else 1 - 2^-(levels shared).
        "one_hot_win": 1.0 if truth in leaf_path else 1 - 0.5**shared,
    }
    found |= {key: float(value[0]) for key, value in hv.metrics.path_metrics(taxonomy, t, a).items()}
    found |= {key: float(value[0]) for key, value in hv.confusion(taxonomy, t, a).per_sample.items()}
    return found


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(key, marks=[pytest.mark.long] * (key in ("conditional-sigmoid", "soft-max-margin")))
        for key in MODELS
    ],
)
def test_numbers_of_twenty_samples(no_charts, demo, model):
    """A third of the twenty each day, all before a release."""
    taxonomy, evaluation = demo.taxonomy, demo.models[model]
    predictions = evaluation.predictions
    rule, threshold = {"flat-softmax": ("threshold", 0.5), "conditional-sigmoid": ("leaf", 0.5)}.get(
        model, ("threshold", 0.85)
    )
    visit = None
    for sample in some_samples(demo)[:: 1 if os.environ.get("HIERVIZ_LONG") else 3]:
        query = {"model": model, "sample": sample, "rule": rule, "threshold": f"{threshold:.3f}", "tree": "list"}
        visit = visit.go(**query) if visit else Visit("example", **query)
        assert visit.sample == sample
        row = predictions.row_of[sample]
        p, truth = predictions.node_probabilities([row])[0], int(predictions.truth[row])
        answer = int(
            hv.infer(taxonomy, p[None], rule=rule, **({"threshold": threshold} if rule == "threshold" else {}))[0]
        )
        best_leaf = int(hv.infer(taxonomy, p[None], rule="top_down")[0])
        expected = expected_numbers(taxonomy, p, truth, answer, best_leaf)
        worked = worked_numbers(taxonomy, truth, answer, p, best_leaf)
        numbers = visit.numbers()
        assert set(NUMBERS) <= set(numbers)
        for key, block in numbers.items():
            where = (sample, key)
            label, shown = re.fullmatch(r"(.+?)  \*\*(.+)\*\*", block.proto.popover.label).groups()
            assert label == METRICS[key].label, where
            assert shown == as_shown(key, expected[key]) == as_shown(key, worked[key].value), where
            arithmetic, sentence = (one.value for one in block.markdown)
            assert plain(sentence) == f"**{METRICS[key].label}.** {METRICS[key].sentence}", where
            assert METRICS[key].formula in block.get("latex")[0].value, where
            assert METRICS[key].source in block.caption[0].value, where
            assert plain(arithmetic) == f"**This sample:** {worked[key].arithmetic}", where
        text = visit.text
        assert f"Truth: **{taxonomy.title(truth)}**" in text
        kind = "exact" if truth in taxonomy.path(answer) else "coarse" if answer in taxonomy.path(truth) else "wrong"
        kind = "no_answer" if kind == "coarse" and answer == 0 else kind
        assert f"Answer: **{taxonomy.title(answer)}** — {VERDICTS[kind]}" in text


def test_arithmetic_reaches_its_number(no_charts, demo):
    visit = Visit("example", sample=some_samples(demo)[0])
    for key, block in visit.numbers().items():
        shown = re.search(r"\*\*(.+)\*\*", block.proto.popover.label)[1]
        worked = plain(block.markdown[0].value).partition(": weight times probability")[0]
        last = re.findall(r"[\d.]+", worked)
        if key in ("exact", "correct", "no_answer") or shown == "∞":
            continue
        assert float(last[-1].rstrip(".")) == pytest.approx(float(shown), abs=6e-4), key


def shown_table(visit, column):
    """The table of a page that has this column, by its model column."""
    element = next(one for one in visit.at.dataframe if column in one.value.columns and "model" in one.value.columns)
    return element, element.value.set_index("model")


def first_cells(element):
    """(row, column) of the cells whose text carries the sign of the best number."""
    shown = pa.ipc.open_stream(element.proto.arrow_data.styler.display_values).read_all().to_pandas()
    return {(row, column) for row, column in zip(*np.nonzero(shown.map(lambda text: FIRST in str(text)).to_numpy()))}


def check_table(element, table, expected, least):
    """A table of models against `expected` (model -> key -> value), and the sign of the best against the best values."""
    keys = {entry.label: key for key, entry in METRICS.items()}
    assert list(table.index) == list(expected)
    assert len(table.columns) >= least
    marked = first_cells(element)
    assert "bold" not in element.proto.arrow_data.styler.styles  # which is a verdict by intervals
    for place, label in enumerate(table.columns, 1):
        key = keys[label]
        values = np.array([one[key] for one in expected.values()], dtype=float)
        assert table[label].to_numpy(dtype=float) == pytest.approx(values, abs=1e-12, nan_ok=True), label
        best = np.nanmin(values) if METRICS[key].better == "lower" else np.nanmax(values)
        # One threshold means different things for different models: it shows no best one.
        firsts = set() if key in AT_ONE_TAU else set(np.flatnonzero(values == best).tolist())
        assert {row for row, column in marked if column == place} == firsts, label


def test_overview_table_is_evaluate(demo):
    entries = hv.evaluate(list(demo.models.values()))["models"]
    flat = {
        entry["name"]: {
            key: entry[METRICS[key].block][key] for key in METRICS if key in (entry.get(METRICS[key].block) or {})
        }
        for entry in entries
    }
    visit = Visit("overview").all_metrics()
    check_table(*shown_table(visit, METRICS["softmax_win"].label), flat, 8)
    opened = {block.key for block in visit.popovers()}
    assert {
        f"definition-overview-{key}" for key in ("ac", "ap", "softmax_win", "argmax_leaf_accuracy", "mcc")
    } <= opened


def test_curve_table_is_the_summary(demo):
    names = ("flat-softmax", "log-win-flat-start", "soft-max-margin")
    expected = {}
    for name in names:
        model = demo.models[name]
        entry = hv.evaluate(model)["models"][0]
        more = {"hf1_auc": entry["labels"]["hf1_auc"], "softmax_win": entry["distribution"]["softmax_win"]}
        expected[model.predictions.name] = model.curve.summary() | more
    visit = Visit("curves", models=",".join(names), panel="models")
    check_table(*shown_table(visit, METRICS["ap"].label), expected, 8)


def test_sentence_of_the_overview(demo):
    text, first = Visit("overview").text, demo.first
    inner = int((~demo.taxonomy.is_leaf[first.truth]).sum())
    assert f"**{len(demo.models)} models** on **{first.predictions.n_samples} samples**" in text
    assert f"({first.n_judged} with known truth, {inner} of them labelled with an inner class)" in text
    assert f"**{demo.taxonomy.n_leaves} leaf classes** in {demo.taxonomy.n_nodes} nodes" in text


def test_six_worst_mistakes_are_the_first_of_the_list(demo):
    visit = Visit("overview", rule="leaf")
    worst = mistakes(demo.first, "leaf", outcome="wrong")
    title = demo.taxonomy.title
    for place in range(6):
        assert f"{title(worst.truth[place])} → :orange[{title(worst.predicted[place])}]" in visit.text
    assert f"All {len(worst)} mistakes" in visit.text
