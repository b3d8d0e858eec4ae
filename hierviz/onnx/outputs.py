"""Which output of an ONNX model holds the scores, and its values as one array."""

from __future__ import annotations

import numpy as np

from hierviz.errors import ModelError, listed
from hierviz.onnx.session import shape_words

SCORE_TYPES = ("tensor(float)", "tensor(double)", "tensor(float16)")
SCORE_NAMES = ("logits", "scores", "probabilities", "output_probability")
PROBABILITIES = ("leaf_probabilities", "node_probabilities")


def choose_output(where, outputs, width, parametrisation, notes):
    """Name of the one output that holds `width` scores a row."""
    scores = [one for one in outputs if one[1] in SCORE_TYPES or one[1].startswith("seq(map(")]
    fits = [one for one in scores if _width(one) == width] or [one for one in scores if _width(one) is None]
    if len(fits) > 1:
        order = SCORE_NAMES if parametrisation not in PROBABILITIES else (*SCORE_NAMES[2:], *SCORE_NAMES[:2])
        best = next((one for name in order for one in fits if one[0].casefold() == name), None)
        if best is not None:
            notes.append(f"outputs {listed([one[0] for one in fits])} all fit; {best[0]!r} was used")
            fits = [best]
    if len(fits) != 1:
        got = "several" if fits else "none"
        raise ModelError(
            f"{where}: expected one output of fractions with {width} scores a row (one per class name), got {got} among "
            f"{outputs_words(outputs)}. Check the class names (--classes), or export the model with one output of scores."
        )
    return fits[0][0]


def outputs_words(outputs):
    """Outputs as errors list them: name, type and shape."""
    said = [f"{name!r} {kind} {shape_words(shape)}" for name, kind, shape in outputs]
    return ", ".join(said[:8]) + (f" and {len(said) - 8} more" if len(said) > 8 else "")


def as_scores(where, value, n_rows, names):
    """One run's output as an array.

    Parameters
    ----------
    where : str
        What errors call the output.
    value : ndarray, or list of dict
        The latter is what skl2onnx's ZipMap gives: one dict a row.
    n_rows : int
    names : list of str
        Node of each score.

    Returns
    -------
    ndarray, shape (n_rows, len(names))
    """
    if isinstance(value, list):
        keys = sorted(value[0]) if value else []
        if keys and all(isinstance(key, str) for key in keys):
            unknown = [key for key in keys if key not in set(names)] or [name for name in names if name not in value[0]]
            if unknown:
                raise ModelError(
                    f"{where}: expected the {len(names)} class names that were given, got {listed(keys)}; "
                    f"{listed(unknown)} stands on one side only. Correct the class names (--classes)."
                )
            keys = names
        value = np.array([[row[key] for key in keys] for row in value], dtype=np.float32)
    value = np.asarray(value)
    while value.ndim > 2 and value.shape[-1] == 1:
        value = value[..., 0]
    if value.shape != (n_rows, len(names)):
        raise ModelError(
            f"{where}: expected {len(names)} scores for each of {n_rows} rows, got shape {value.shape}. "
            "Is the first axis the batch, and is there a name for every column?"
        )
    return value


def _width(output):
    """Scores a row of an output; None when the graph does not say, 0 when it has no such axis."""
    _, kind, shape = output
    if kind.startswith("seq") or not shape:
        return None
    return shape[1] if len(shape) > 1 and all(axis == 1 for axis in shape[2:]) else 0
