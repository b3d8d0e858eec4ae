"""Checks of the arguments of public functions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hierviz.messages.errors import PredictionsError, listed, near_miss, shown
from hierviz.taxonomy.from_memory import constructor_for
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.taxonomy.taxonomy import Taxonomy

MOST_THREADS = 1024
KINDS = {"f": "floats", "i": "integers", "u": "integers", "b": "booleans", "U": "texts"}


def checked_probabilities(taxonomy: Taxonomy, p: ArrayLike) -> np.ndarray:
    """`p` as float64; a PredictionsError unless its shape is (n_samples, n_nodes) and all values are finite."""
    check_taxonomy(taxonomy)
    p = of_tensor(in_order_of(p, taxonomy.names, "p"), "p")
    try:
        p = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        raise PredictionsError(
            f"p: expected an array of numbers, got {type(p).__name__}. Pass node probabilities."
        ) from None
    if p.ndim != 2 or p.shape[1] != taxonomy.n_nodes:
        raise PredictionsError(
            f"p: expected shape (n_samples, {taxonomy.n_nodes}), got {p.shape}. Pass node probabilities."
        )
    if not np.isfinite(p).all():
        row, node = np.argwhere(~np.isfinite(p))[0]
        raise PredictionsError(
            f"p: expected finite numbers, got {p[row, node]} in row {row} at {taxonomy.names[node]!r}. Remove it."
        )
    return p


# What makes an object of a class; names, as most of them are made of what is checked here.
WAYS = {
    "Taxonomy": "Create one with hierviz.Taxonomy.from_edges(edges) or hierviz.load_taxonomy(path).",
    "Predictions": "Create them with hierviz.Predictions.from_scores(taxonomy, scores, ...) or .from_labels(...).",
    "Evaluation": "Create one with hierviz.Evaluation.from_predictions(predictions).",
    "OperatingCurve": "Create one with hierviz.operating_curve(taxonomy, truth, table) or Evaluation.curve.",
    "ParetoTable": "Create one with hierviz.pareto_table(taxonomy, p).",
    "Resamples": "Create them with hierviz.uncertainty.Resamples.draw(n_samples, n_resamples).",
}
WAYS["StepCurve"] = WAYS["OperatingCurve"]


def check_kind(what: str, value: object, kind: type, advice: str = "Check the order of the arguments.") -> None:
    """Raise a PredictionsError that calls the argument `what` unless `value` is of a class."""
    if not isinstance(value, kind):
        name = kind.__name__
        article = "an" if name[0] in "AEIOU" else "a"
        way = f" {WAYS[name]}" if name in WAYS and WAYS[name] not in advice else ""
        raise PredictionsError(f"{what}: expected {article} {name}, got {type(value).__name__}. {advice}{way}")


def check_taxonomy(taxonomy: object, advice: str = "It comes first.") -> None:
    """Raise a PredictionsError unless `taxonomy` is one; `advice` says which argument it is."""
    if not isinstance(taxonomy, Taxonomy) and (way := constructor_for(taxonomy)) not in ("", "from_edges"):
        raise PredictionsError(
            f"taxonomy: expected a Taxonomy, got {type(taxonomy).__name__}. {advice} Create one with hierviz.Taxonomy.{way}(...)."
        )
    check_kind("taxonomy", taxonomy, Taxonomy, advice)


def check_one_of(what: str, value: object, allowed: Iterable[str]) -> None:
    """Raise a PredictionsError that calls the argument `what` unless `value` is one of some texts."""
    choices = tuple(allowed)
    if not isinstance(value, str) or value not in choices:
        hint = near_miss(value, choices) if isinstance(value, str) else ""
        raise PredictionsError(f"{what}: expected one of {', '.join(choices)}, got {shown(value)}.{hint} Choose one.")


def listed_values(what: str, values: Any, of: str) -> list[Any]:
    """The values as a list; a PredictionsError that calls the argument `what`, of what `of` says, where they are no list."""
    is_one = isinstance(values, (str, bytes)) or (isinstance(values, np.ndarray) and not values.ndim)
    if is_one or not isinstance(values, Iterable):
        raise PredictionsError(f"{what}: expected a list of {of}, got {shown(values)}. Pass a list, even for one.")
    return list(values)


def check_whole(what: str, value: object, least: int, most: int | None = None, advice: str = "Choose one.") -> None:
    """Raise a PredictionsError that calls the argument `what` unless `value` is a whole number >= `least`, and <= `most`."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not least <= value <= (value if most is None else most):  # type: ignore[operator]
        span = f">= {least}" if most is None else f"from {least} to {most}"
        raise PredictionsError(f"{what}: expected a whole number {span}, got {shown(value)}. {advice}")


def check_seed(seed: object) -> None:
    """Raise a PredictionsError unless `seed` is a whole number, at least 0."""
    check_whole("seed", seed, 0)


def check_share(what: str, value: object, *, with_ends: bool = False) -> None:
    """Raise a PredictionsError that calls the argument `what` unless `value` is a number in (0, 1), or in [0, 1] with ends."""
    if not is_within(value, 0, 1) or (value in (0, 1) and not with_ends):
        wanted = "from 0 to 1" if with_ends else "between 0 and 1"
        raise PredictionsError(f"{what}: expected a number {wanted}, got {shown(value)}. Choose one in that range.")


def check_threads(threads: Any, what: str = "threads") -> None:
    """Raise a PredictionsError unless `threads` is None or a whole number from 1 to `MOST_THREADS`: each holds a block."""
    if threads is not None:
        check_whole(what, threads, 1, MOST_THREADS, "Leave it out for all processors.")


def check_key(what: str, key: object) -> None:
    """Raise a PredictionsError unless `key` can be a key of a registry: a keyword, a flag, a column and a field of a link."""
    if not isinstance(key, str) or not key.isidentifier() or not key.isascii():
        raise PredictionsError(f"{what}: expected a key of letters, digits and _, got {shown(key)}. Rename it.")


def of_tensor(values: Any, what: str) -> Any:
    """A tensor of torch, jax or another library as an array of the same memory; anything else as it is.

    What is on another device, or of a type that numpy lacks (bfloat16), is copied.
    """
    if isinstance(values, np.ndarray) or hasattr(values, "iloc"):
        return values
    if all(hasattr(values, name) for name in ("detach", "cpu", "numpy")):
        tensor = values.detach().cpu()
        try:
            return tensor.numpy()
        except TypeError:
            return tensor.float().numpy()
    if hasattr(values, "__dlpack__") and hasattr(values, "__dlpack_device__"):
        try:
            return np.from_dlpack(values)
        except (BufferError, RuntimeError, TypeError, ValueError):
            if not hasattr(values, "__array__"):
                raise PredictionsError(
                    f"{what}: expected an array in the memory of the processor, got {type(values).__name__} on another device. "
                    "Copy it there first."
                ) from None
    return values


def array_of_rows(values: object, what: str) -> np.ndarray:
    """`values` as an array, tensors without a copy where they allow it; a PredictionsError where its rows differ in length."""
    values = of_tensor(values, what)
    try:
        return np.asarray(values)
    except ValueError:
        raise PredictionsError(
            f"{what}: expected rows of equal length, got different lengths. Make them equally long."
        ) from None


def _column_names(values):
    """Names of the columns of a frame of pandas, polars or Arrow; None of anything else."""
    columns = getattr(values, "column_names", getattr(values, "columns", None))
    return None if columns is None or callable(columns) else columns


def is_counted(values: Any) -> bool:
    """Whether the columns of a DataFrame are only counted, 0, 1, 2, ...; False of anything else."""
    columns = _column_names(values)
    if columns is None:
        return False
    return [str(column).strip() for column in columns] == [str(place) for place in range(len(columns))]


def in_order_of(values: Any, names: Sequence[str], what: str) -> Any:
    """Columns of a DataFrame in the order of `names`; anything else, and a frame whose columns are only counted, as it is.

    Where the names are these numbers too, in whatever order, the columns are called by them.

    Raises
    ------
    PredictionsError
        If the columns have other names.
    """
    columns = _column_names(values)
    if columns is None:
        return values
    given, wanted = [str(column).strip() for column in columns], [str(name).strip() for name in names]
    if is_counted(values) and sorted(given) != sorted(wanted):
        return values
    if sorted(given) != sorted(wanted) or len(set(given)) < len(given):
        raise PredictionsError(
            f"{what}: expected a DataFrame with the columns {listed(wanted, 3)}, got {listed(given, 3)}. Rename its columns, or "
            "pass its values (to_numpy()) if their order is right."
        )
    place = {name: k for k, name in enumerate(given)}
    return np.asarray(values)[:, [place[name] for name in wanted]]


def check_truth_first(truth: object, then: str = "probabilities", *, is_one_sample: bool = False) -> None:
    """Raise a PredictionsError when `truth` is what comes after it in every signature: scores, probabilities or a table.

    Parameters
    ----------
    truth : object
        Node numbers, shape (n_samples,), or NodeLists.
    then : str
        What comes after the truth, for the message.
    is_one_sample : bool
        True where the truth of a single sample is expected, and its row of probabilities has one axis too.
    """
    if isinstance(truth, NodeLists):
        return
    if hasattr(truth, "scores"):
        got = f"a {type(truth).__name__}"
    else:
        try:
            values = np.asarray(truth)
        except ValueError:
            raise PredictionsError(
                "truth: expected one list, got lists of different lengths. For several truths a sample pass "
                "hierviz.NodeLists.from_lists(truth)."
            ) from None
        if values.ndim < 2 and not (is_one_sample and values.ndim == 1 and values.dtype.kind == "f" and values.size):
            return
        got = f"{KINDS.get(values.dtype.kind, values.dtype)} of shape {values.shape}"
    raise PredictionsError(f"truth: expected node numbers of shape (n_samples,), got {got}. Truth comes before {then}.")


def array_of_numbers(values: object, what: str) -> np.ndarray:
    """`values` as float64, of any shape; a PredictionsError where they are no real numbers."""
    array = array_of_rows(values, what)
    if array.dtype.kind not in "iufb" and array.size:
        raise PredictionsError(f"{what}: expected a number or numbers, got {shown(values)}. Choose one.")
    return array.astype(np.float64)


def one_truth_each(truth: object, then: str = "probabilities") -> np.ndarray:
    """`truth` as an array, one entry a sample; a PredictionsError where it is missing, lists, or what comes after it."""
    check_truth_first(truth, then)
    return one_each("truth", truth)


def one_each(what: str, nodes: object) -> np.ndarray:
    """`nodes` as an array; a PredictionsError that calls them `what` where they are lists, or no array at all."""
    if isinstance(nodes, NodeLists):
        raise PredictionsError(
            f"{what}: expected one node number a sample, got lists of them. Leave out samples with several, or use the "
            "metrics of label sets."
        )
    array = array_of_rows(nodes, what)
    if array.ndim == 0:
        advice = "For Predictions use hierviz.attach_truth." if nodes is None else "Pass an array of node numbers."
        raise PredictionsError(f"{what}: expected one node number a sample, got {shown(nodes)}. {advice}")
    return array


def check_threshold(threshold):
    """Raise a PredictionsError unless `threshold` is a number in [0, 1]."""
    check_share("threshold", threshold, with_ends=True)


def is_within(value, low, high):
    """Whether `value` is a number in [low, high]."""
    return is_number(value) and low <= value <= high


def is_number(value):
    """Whether `value` is a finite real number; booleans and texts are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False
