"""From what the scores are to a parametrisation: which ones fit a kind of score, and the change of the numbers it needs.

Scores brought into the form that a parametrisation takes: logarithms, shares of a row, a softmax of each depth.

Conventions
-----------
Nothing is guessed: a kind and a set of columns lead to one parametrisation, or to an `OpenQuestion` that lists those which
fit. A parametrisation that was declared is kept, and checked against the numbers.
"""

import numpy as np

from hierviz.messages.errors import HiervizError, ModelError, PredictionsError, near_miss
from hierviz.messages.parameters import Sentence
from hierviz.onnx.description.open_question import OpenQuestion, Question
from hierviz.onnx.scores.score_kind import ENOUGH_ROWS, KINDS, ROUNDING
from hierviz.predictions.parametrisation import PARAMETRISATIONS, SUM_TOLERANCE, column_order

_TINY = 1e-30


def changed(where, scores, change, detected, taxonomy, nodes, key, notes):
    """Scores as a parametrisation wants them.

    Parameters
    ----------
    where : str
    scores : ndarray, shape (n_samples, n_scores)
    change : str
        From `choose`.
    detected : ScoreKind
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_scores,)
        -1 for a column of no node, which goes in the end.
    key : str
        The parametrisation.
    notes : list of str
        Grows by what was done.

    Returns
    -------
    scores : ndarray of float32, shape (n_samples, n_kept)
    nodes : ndarray of int, shape (n_kept,)

    Raises
    ------
    ModelError
        If the scores cannot be of the declared kind.
    """
    wrong, low, high = "", f"{detected.low:.4g}", f"{detected.high:.4g}"
    if change in ("log", "logit", "log shares", "shares") and detected.low < -ROUNDING:
        wrong = f"no score below 0, got {low}"
    elif (change in ("log", "logit") or (not change and key in PROBABILITIES)) and not detected.in_range:
        wrong = f"scores from 0 to 1, got {low} to {high}"
    elif change == "exp" and detected.high > ROUNDING:
        wrong = f"no score above 0 (logarithms of probabilities), got {high}"
    if wrong:
        raise ModelError(f"{where}: expected {wrong}. Leave {{scores}} out, or pass another kind.")
    kept = (nodes >= 0) & np.isin(nodes, without_root(key, nodes))
    if kept.sum() < (nodes >= 0).sum():
        notes.append(f"the column of the root {taxonomy.names[0]!r} was left out: {key} has no score for it")
    if change or not kept.all():
        scores = np.asarray(scores[:, kept], dtype=np.float64)
    nodes = nodes[kept]
    if change == "exp":
        scores = np.exp(scores)
    elif change == "softmax of each depth":
        scores = _softmax_of_depths(scores, taxonomy.depth[nodes])
        notes.append("a softmax was applied to the nodes of each depth")
    if key == "leaf_probabilities" and (change in ("exp", "shares") or detected.in_range):
        scores = _shares(scores, detected, change, not kept.all(), notes)
    if change in ("log", "log shares"):
        scores = np.log(np.maximum(scores, _TINY))
    elif change == "logit":
        inside = np.clip(scores, 1e-12, 1 - 1e-7)
        scores = np.log(inside) - np.log1p(-inside)
    with np.errstate(over="ignore"):
        scores = np.array(scores, dtype=np.float32)
    if key in PROBABILITIES:
        rounded = (scores > 1) & (scores <= 1 + ROUNDING) | (scores < 0) & (scores >= -ROUNDING)
        scores[rounded] = np.clip(scores[rounded], 0, 1)
    return scores, nodes


def _shares(scores, detected, change, has_dropped, notes):
    """Rows divided by their sums, where these are off."""
    off = max(abs(share - 1) for share in detected.sums)
    if off <= SUM_TOLERANCE and not has_dropped:
        return scores
    # In C order, or the order of the sum would depend on the number of rows.
    total = np.ascontiguousarray(scores).sum(axis=1, keepdims=True)
    nothing = total[:, 0] <= 0
    if nothing.any():
        notes.append(
            f"{int(nothing.sum())} rows have no probability on any leaf: a uniform distribution over the leaves was used"
        )
    if has_dropped:
        notes.append("each row was divided by its sum after columns that are not in the taxonomy were left out")
    else:
        notes.append(
            f"each row was divided by its sum ({detected.sums[0]:.4g} to {detected.sums[1]:.4g}), which should have been 1"
        )
    return np.where(nothing[:, None], 1 / scores.shape[1], scores / np.where(nothing[:, None], 1, total))


def _softmax_of_depths(scores, depth):
    order = np.argsort(depth, kind="stable")
    start = np.flatnonzero(np.diff(depth[order], prepend=-1))
    lengths = np.diff(np.append(start, len(order)))
    grouped = scores[:, order]
    grouped = np.exp(grouped - np.repeat(np.maximum.reduceat(grouped, start, axis=1), lengths, axis=1))
    made = np.empty_like(grouped)
    made[:, order] = grouped / np.repeat(np.add.reduceat(grouped, start, axis=1), lengths, axis=1)
    return made


PROBABILITIES = ("leaf_probabilities", "node_probabilities")
_SOFTMAX = ("flat_softmax", "softmax_all_nodes", "ps_softmax")
# Of scores that are in [0, 1] the sigmoid was taken already.
_LEAF_SIGMOID = ("leaf_sigmoid_noisy_or", "leaf_sigmoid_max")
_SIGMOID = ("multilabel_sigmoid", "conditional_sigmoid", "deep_rtc")
# By kind: the parametrisations that can take it, and what must be done to the numbers first.
READINGS = {
    "logits": {key: "" for key in PARAMETRISATIONS if key not in PROBABILITIES},
    "log_probabilities": {"leaf_probabilities": "exp", "flat_softmax": "", "softmax_all_nodes": ""},
    "probabilities": {"leaf_probabilities": "", "flat_softmax": "log", "softmax_all_nodes": "log"},
    "independent": {"node_probabilities": "", "multilabel_sigmoid": "logit"} | dict.fromkeys(_LEAF_SIGMOID, "logit"),
    "conditional": {"conditional_sigmoid": "logit"},
    "siblings": {"conditional_softmax": "log"},
    "levels": {"node_probabilities": ""},
    "percentages": {"leaf_probabilities": "shares", "softmax_all_nodes": "log shares"},
}


def fitting(taxonomy, nodes, keys=PARAMETRISATIONS):
    """The parametrisations among `keys` that score exactly these nodes; a column of the root may be more than they want.

    Parameters
    ----------
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_scores,)
    keys : iterable of str
    """
    fits = []
    for key in keys:
        try:
            if PARAMETRISATIONS[key].tree_only:
                taxonomy.require_tree(key)
            kept = without_root(key, nodes)
            column_order(taxonomy, key, len(kept), kept)
        except HiervizError:
            continue
        fits.append(key)
    return fits


def without_root(key, nodes):
    """`nodes` without the root, where the parametrisation `key` gives it no score."""
    return nodes[nodes > 0] if PARAMETRISATIONS[key].columns == "nodes" and key != "node_probabilities" else nodes


def require_kind(kind):
    """Raise a ModelError unless `kind` is None or a key of `KINDS`."""
    if kind is not None and kind not in KINDS:
        raise ModelError(
            f"scores ({{scores}}): expected one of {', '.join(KINDS)}, got {kind!r}."
            f"{near_miss(str(kind), list(KINDS))} Choose one."
        )


def choose(where, detected, taxonomy, nodes, *, kind=None, parametrisation=None):
    """The parametrisation to use for scores.

    Parameters
    ----------
    where : str
        What errors call the scores.
    detected : ScoreKind
    taxonomy : Taxonomy
    nodes : ndarray of int, shape (n_scores,)
        Without columns of no node.
    kind : str, optional
        Key of `KINDS`, as declared; it overrides `detected`.
    parametrisation : str, optional
        As declared.

    Returns
    -------
    key : str
    change : str
        What `score_changes.changed` is to do.
    why : str
        In words.

    Raises
    ------
    OpenQuestion
        If several parametrisations fit, or the numbers fit two kinds.
    ModelError
        If none fits.
    """
    if parametrisation is not None and kind is None:
        is_done = parametrisation in _LEAF_SIGMOID and detected.in_range and not detected.is_log
        return parametrisation, "logit" if is_done else "", "as declared"
    of = kind or detected.kind
    readings = READINGS[of]
    fits = fitting(taxonomy, nodes, readings)
    if parametrisation is None and kind is None and not detected.is_certain:
        question = scores_question(where, detected, taxonomy, nodes)
        if question.choices:
            raise OpenQuestion(question)
    if parametrisation is not None:
        if parametrisation not in fits:
            raise ModelError(
                f"{where}: expected scores that {parametrisation} can take, got {of} ({KINDS[of]}). "
                f"Leave {{parametrisation}} out, or pass one of: {', '.join(fits) or 'none fits these columns'}."
            )
        return parametrisation, _change(readings[parametrisation], of, detected), f"{of}, as given"
    if not fits:
        raise ModelError(
            f"{where}: expected scores that fit their columns ({_COLUMNS[detected.columns]}), got {of}: {detected.why}. "
            "No parametrisation fits; pass {scores}, or {parametrisation} with one of: "
            f"{', '.join(fitting(taxonomy, nodes)) or 'none fits these columns'}."
        )
    is_open = kind == "independent" and len(fits) > 1 and detected.columns == "leaves"
    is_open |= of == "logits" and ((len(fits) > 1 and detected.columns != "leaves") or detected.columns == "all")
    if is_open:
        raise OpenQuestion(scores_question(where, detected, taxonomy, nodes, kind))
    return fits[0], _change(readings[fits[0]], of, detected), f"{of}, as given" if kind else detected.why


def scores_question(where, detected, taxonomy, nodes, kind=None):
    """What to ask when the numbers leave open what they mean."""
    choices = []
    if (kind or detected.kind) == "logits":
        keys = fitting(taxonomy, nodes, READINGS["logits"])
        choices = [("parametrisation", key, PARAMETRISATIONS[key].sentence) for key in keys]
    if detected.kind == "independent" and fitting(taxonomy, nodes, ["node_probabilities"]):
        choices = [("parametrisation", "node_probabilities", "the probability of each node, unchanged")]
    if (kind or detected.kind) == "independent" and not choices:
        keys = fitting(taxonomy, nodes, _LEAF_SIGMOID)
        choices = [("parametrisation", key, PARAMETRISATIONS[key].sentence) for key in keys]
    if kind is None:
        others = [other for other in _other_kinds(detected) if fitting(taxonomy, nodes, READINGS[other])]
        means = KINDS | ({"levels": "a softmax over the nodes of each depth"} if detected.kind == "logits" else {})
        choices += [("scores", other, means[other]) for other in others]
    values = {}
    for word, value, _ in choices:
        values.setdefault(word, []).append(value)
    answers = ", or ".join(f"{{{word}={' | '.join(ones)}}}" for word, ones in values.items())
    why = detected.why if kind is None else f"{kind} as given, for {_COLUMNS[detected.columns]}"
    return Question(
        "scores",
        f"What do the scores mean? {why[0].upper()}{why[1:].rstrip('?')}.",
        ("parametrisation", "scores"),
        tuple(choices),
        "running",
        f"{where}: expected to know what its scores mean, got several possible readings: {why.rstrip('?')}. "
        f"Pass {answers}.",
    )


def _other_kinds(detected):
    """Kinds to offer as an answer."""
    if detected.kind == "logits":
        return [] if detected.columns == "leaves" else ["levels"]
    if detected.kind in ("siblings", "levels"):
        return ["siblings", "levels"]
    if detected.kind == "independent":
        return ["probabilities"] if detected.columns == "leaves" else ["conditional"]
    return [detected.kind, "logits"] + (["independent"] if detected.in_range and detected.columns != "leaves" else [])


_COLUMNS = {
    "leaves": "the leaves",
    "nodes": "all nodes but the root",
    "all": "all nodes with the root",
    "other": "a selection of nodes",
}


def _change(change, kind, detected):
    """`change` for numbers that may be logarithms already, or not yet in [0, 1]."""
    if kind in ("siblings", "levels") and not detected.in_range:
        if kind == "siblings":
            return ""  # the softmax does not mind a constant, and raw scores are what it is for
        return "exp" if detected.is_log else "softmax of each depth"
    return change


def check_flat(where, detected, n_rows, notes):
    """Note that probabilities lie as close together as a softmax of probabilities brings them."""
    most = np.e / (np.e + detected.n_scores - 1)
    is_flat = detected.high <= most * (1 + ROUNDING) and detected.low >= most / np.e * (1 - ROUNDING)
    if detected.kind == "probabilities" and n_rows >= ENOUGH_ROWS and detected.n_scores > 2 and is_flat:
        notes.append(
            f"{where}: in no row does a class have more than {most:.2g}, the most that a softmax of probabilities can give: "
            "a softmax may have been applied twice when the model was exported, which makes answers less specific."
        )


def check_declared(where, detected, key, origin, notes):
    """Compare a declared parametrisation with the numbers.

    Parameters
    ----------
    where : str
    detected : ScoreKind
    key : str
    origin : str
        Who declared it.
    notes : list of str
        Grows by a warning when the numbers look as if `key` would be applied a second time.

    Raises
    ------
    PredictionsError
        If probabilities were declared and the scores are none.
    """
    said = f"{where}: {detected.why}; {key} ({origin})"
    if key in PROBABILITIES:
        if not detected.in_range:
            better = "a {parametrisation} that takes raw scores, or another {scores}"
            if detected.kind in ("log_probabilities", "percentages"):
                better = f"{{scores={detected.kind}}}"
            raise PredictionsError(
                f"{where}: expected a probability from 0 to 1 in every column, as {key} ({origin}) requires, got {detected.why}. "
                f"Pass {better}."
            )
        if key == "leaf_probabilities" and max(abs(share - 1) for share in detected.sums) > SUM_TOLERANCE:
            raise PredictionsError(
                f"{where}: expected leaf probabilities that sum to 1, as {key} ({origin}) requires, got "
                f"{detected.why.rstrip('?')}. "
                "Pass {scores=probabilities} to divide each row by its sum, or another {parametrisation}."
            )
        if detected.kind == "siblings" and detected.is_certain:
            given_parent = "If they are probabilities given the parent, pass {scores=siblings}."
            notes.append(Sentence(f"{said} takes them as probabilities of the nodes. {given_parent}"))
        return
    if detected.is_log or not (detected.in_range or detected.kind == "percentages"):
        return
    warning = ""
    if key in _SOFTMAX and detected.kind == "percentages":
        warning = (
            "would apply a softmax to them: in nearly every row one class gets a probability near 1. "
            "Pass {scores=percentages} if that is what they are."
        )
    elif key in _SOFTMAX:
        most = np.e / (np.e + detected.n_scores - 1)
        what = "a second softmax to probabilities" if detected.kind == "probabilities" else "a softmax"
        warning = (
            f"applies {what}. The order of the classes stays the same, but none of the {detected.n_scores} can get more than "
            f"{most:.2g}, so that answers become less specific. Pass {{scores={detected.kind}}} "
            "if the model's outputs are probabilities already."
        )
    elif key == "conditional_softmax" and detected.kind == "siblings":
        warning = (
            "applies a second softmax among the children of each node, which makes them nearly equal, "
            "so that answers become less specific. Pass {scores=siblings}."
        )
    elif key in _SIGMOID:
        warning = (
            "applies a sigmoid to scores that may be probabilities already: all results are between 0.5 and 0.73. "
            f"Pass {{scores={detected.kind}}} if so."
        )
    if warning:
        notes.append(Sentence(f"{said} {warning}"))
