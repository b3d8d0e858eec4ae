"""What a model is that gives no score per class and row, told by the names and shapes of its inputs and outputs.

A signature is (name, type, shape) with None for an axis of any length; the first axis is the batch.
"""

from __future__ import annotations

import re

from hierviz.messages.errors import ModelError, listed
from hierviz.onnx.process.session import shape_words
from hierviz.onnx.scores.outputs import row_width, score_outputs

_BOXES = re.compile(r"box|detection|num_det|anchors?", re.IGNORECASE)
_TOKENS = re.compile(r"input_ids|token|attention_mask|position_ids", re.IGNORECASE)
_EMBEDDING = re.compile(r"embed|feature|pool|hidden|vector|sentence", re.IGNORECASE)


def require_classifier(where, inputs, outputs, by_number=()):
    """Raise a ModelError that says what the model is, where no output can hold one score per class and row.

    Parameters
    ----------
    where : str
        Name of the model's file.
    inputs, outputs : list of signatures
    by_number : sequence of str
        As in the facts of a session.
    """
    scores = score_outputs(outputs)
    widths = [row_width(output) for output in scores]
    if not scores or any(width not in (0, 1) for width in widths):
        return
    if 0 not in widths:
        # Several may be one for each class; without a second axis it is no column.
        if len(scores) > 1 or len(scores[0][2]) < 2:
            return
        raise ModelError(
            f"{where}: expected a score for each class, got a model with one column ({_words(scores[0])}): a yes/no classifier "
            "or a regression. Export it with a column for each class; of a sigmoid, p and 1 - p."
        )
    wide = [one for one, width in zip(scores, widths, strict=True) if width == 0]
    if by_number:
        what, output = f"a function of single numbers ({listed(list(by_number))})", wide[0]
    else:
        what, output = _of_many_axes(inputs, outputs, wide)
    raise ModelError(
        f"{where}: expected a classifier, which gives one score per class for each sample, got {what} "
        f"(output {_words(output)}). hierviz cannot judge it; export a classifier, or write its answers into a prediction file."
    )


def doubt_words(outputs, by_number=()):
    """Words for a model that is hardly a classifier; an empty text for others.

    Its only wide output is called as embeddings are, or each of its numbers is worked out from one number of the input.
    """
    if by_number:
        return (
            f"By its operators ({listed(list(by_number))}) each number that it gives is worked out from a single number of its "
            "input, which no classifier does: it looks like an example of an operator."
        )
    wide = [output for output in score_outputs(outputs) if row_width(output) not in (0, 1)]
    if len(wide) != 1 or not _EMBEDDING.search(wide[0][0]):
        return ""
    return f"By its output {_words(wide[0])} the model gives an embedding, not scores of classes."


def _of_many_axes(inputs, outputs, wide):
    """(what the model is, the output that tells)."""
    boxes = next((output for output in outputs if _BOXES.search(output[0])), None)
    takes_pictures = any(len(shape) == 4 for _, _, shape in inputs)
    takes_tokens = any(_TOKENS.search(name) or kind == "tensor(string)" for name, kind, _ in inputs)
    first = wide[0]
    axes = [axis for axis in first[2][1:] if axis != 1]
    if boxes is not None:
        return "a detector, which gives boxes", boxes
    if len(axes) == 2 and takes_pictures:
        return "a detector or another model with a list of scores for each place of a picture", first
    if len(axes) == 3 and takes_pictures:
        return "a segmentation network or a generator, which gives pictures", first
    if len(axes) >= 2 and takes_tokens:
        return "a sequence model, which gives scores or features for each token", first
    if len(axes) == 3:
        return "a generator, which gives pictures", first
    return "a sequence model, which gives numbers for each step", first


def _words(output):
    return f"{output[0]!r} {shape_words(output[2])}"
