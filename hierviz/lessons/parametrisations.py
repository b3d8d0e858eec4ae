"""Numbers of lesson 7: logits, sigmoids and conditionals, and seven parametrisations of one tree."""

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Number, Selector, Slider
from hierviz.lessons.quantities import bars_figure, tree_figure
from hierviz.lessons.samples import TRIO, Sample
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.predictions.parametrisation import default_columns

SEVEN = (
    "flat_softmax",
    "conditional_softmax",
    "ps_softmax",
    "conditional_sigmoid",
    "multilabel_sigmoid",
    "deep_rtc",
    "softmax_all_nodes",
)
LABELS = {hv.PARAMETRISATIONS[key].label: key for key in SEVEN}
# Raw scores of all classes; a parametrisation takes those of its columns.
START = {"fruit": 0.5, "bread": 0.0, "apple": 1.5, "pear": 1.0, "roll": 2.0, "loaf": -1.0}
TOLERANCE = 1e-9
N = 40
CONTROLS = {
    "scores": tuple(Slider(name, f"Score of {name}", -5.0, 5.0, value, 0.1) for name, value in START.items()),
    "kind": Selector("kind", "Parametrisation", tuple(LABELS), "Flat softmax"),
    "threshold": Slider("threshold", "Threshold τ", 0.0, 1.0, 0.5, 0.01),
}


def read_as(key, scores):
    """The sample of raw scores by one parametrisation; the root has the score 0."""
    values = {"thing": 0.0} | scores
    row = [values[TRIO.names[node]] for node in default_columns(TRIO, key)]
    return Sample(TRIO, hv.node_probabilities(TRIO, np.array([row]), parametrisation=key)[0])


def many_scores():
    """Random raw scores, drawn with a seed."""
    rng = np.random.default_rng(7)
    return [dict(zip(START, row)) for row in rng.normal(0, 2, (N, len(START))).tolist()]


def above_parent(p):
    """How far the worst child is above its parent, at least 0."""
    return max(0.0, float((p[1:] - p[TRIO.parent[1:]]).max()))


def not_shared_out(p):
    """The largest gap between a class and the sum of its children."""
    gaps = (abs(float(p[node] - p[below].sum())) for node, below in enumerate(TRIO.children) if len(below))
    return max(round(gap, 12) for gap in gaps)


def labels_of(keys):
    """Names of parametrisations."""
    return [hv.PARAMETRISATIONS[key].label for key in keys]


def one_row_seven_readings(kind, **scores):
    """The same raw scores, read in seven ways."""
    sample, rows = read_as(LABELS[kind], scores), []
    for label, key in LABELS.items():
        some = read_as(key, scores)
        best = some.answer("leaf")
        cells = {"parametrisation": label, "best leaf": TRIO.title(best)}
        rows.append(cells | {"p of it": some.probability(best), "p(fruit)": some.probability("fruit")})
    at_start = sorted({read_as(key, START).answer("leaf") for key in SEVEN})
    return {
        "n_leaves": len(at_start),
        "is_one": len(at_start) == 1,
        "leaves": ", ".join(map(TRIO.title, at_start)),
        "fruit": sample.probability("fruit"),
        "bread": sample.probability("bread"),
        "readings": rows,
        "tree": sample.tree((), sample.answer("leaf")),
    }


def of_all(scores, what, heading, name):
    """A table of one number of all parametrisations, and those where it is 0 for all random rows of scores."""
    rows = [
        {
            "parametrisation": label,
            heading: Number(heading, what(read_as(key, scores).p), "", (name, TRIO, key, tuple(scores.items()))),
        }
        for label, key in LABELS.items()
    ]
    return rows, [key for key in SEVEN if all(what(read_as(key, row).p) <= TOLERANCE for row in many_scores())]


def shown_scores(kind, scores):
    """The tree with the raw scores of its classes, and with their probabilities."""
    values = [f"{scores[name]:.1f}".replace("-", "−") if name in scores else "" for name in TRIO.names]
    return {"scores": tree_figure(TRIO, values=values), "tree": read_as(LABELS[kind], scores).tree()}


def coherent(kind, **scores):
    """Whether a child can be above its parent."""
    rows, kept = of_all(scores, above_parent, "worst child above its parent by", "above parent")
    breaks = labels_of(key for key in SEVEN if key not in kept)
    return {"names": " and ".join(breaks), "children": rows, **shown_scores(kind, scores)}


def exhaustive(kind, **scores):
    """Whether the children share out their parent."""
    sample = read_as(LABELS[kind], scores)
    rows, exact = of_all(scores, not_shared_out, "largest gap between a class and its children", "gap")
    return {
        "names": ", ".join(labels_of(exact)),
        "is_sigmoid_exhaustive": "conditional_sigmoid" in exact,
        "is_softmax_exhaustive": "softmax_all_nodes" in exact,
        **{name: sample.probability(name) for name in ("fruit", "apple", "pear")},
        "gaps": rows,
        **shown_scores(kind, scores),
    }


def micro_f1(threshold):
    """Micro F1 and micro hF1 of coherent and incoherent scores."""
    truth, level = np.random.default_rng(1).choice(TRIO.leaves, N), float(threshold)

    def both(key):
        p = np.array([read_as(key, row).p for row in many_scores()])
        counts = LabelSetCounts(TRIO, threshold=level)
        counts.add(truth, p)
        found, (name,) = counts.summary(), labels_of([key])
        return [
            Number(f"{label}, {name}", found[what], what, (f"sets {what}", TRIO, tuple(truth.tolist()), p, level))
            for label, what in (("micro F1", "micro_f1"), ("micro hF1", "hf1_micro"))
        ]

    (flat, by_sets), (plain, augmented) = both("conditional_softmax"), both("multilabel_sigmoid")
    series = {"micro F1": (flat, plain), "micro hF1": (by_sets, augmented)}
    return {
        "flat": flat,
        "by_sets": by_sets,
        "plain": plain,
        "augmented": augmented,
        "tree": read_as("multilabel_sigmoid", many_scores()[0]).tree(int(truth[0])),
        "bars": bars_figure("f1", series, ("conditional softmax", "multi-label sigmoid")),
    }


def incoherent_row():
    """An incoherent row, read in a coherent way."""
    scores = dict(START, fruit=-2.0, apple=3.0)
    readings = {kind: read_as(f"{kind}_sigmoid", scores) for kind in ("multilabel", "conditional")}
    return {
        **{
            f"{name}_{kind}": sample.probability(name, f"{name}, {kind.replace('multilabel', 'sigmoid')}")
            for kind, sample in readings.items()
            for name in ("fruit", "apple")
        },
        "tree": readings["multilabel"].tree(name="exercise"),
    }
