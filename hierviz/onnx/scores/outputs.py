"""Which outputs of an ONNX model hold the scores, their values as one array, and what a model is that has no score per class.

A signature is (name, type, shape) with None for an axis of any length; the first axis is the batch.
"""

import re

import numpy as np

from hierviz.messages.errors import ModelError, listed, near_miss
from hierviz.onnx.description.open_question import OpenQuestion, Question
from hierviz.onnx.process.session import shape_words
from hierviz.onnx.scores.score_reading import PROBABILITIES

SCORE_TYPES = ("tensor(float)", "tensor(double)", "tensor(float16)")
SCORE_NAMES = ("logits", "scores", "probabilities", "output_probability")
# skl2onnx puts a letter before the class when each one has an output of its own.
_CLASS_LETTERS = ("", "s", "i")


def score_outputs(outputs):
    """The outputs that may hold scores: fractions, as tensors or as a dict a row; never labels."""
    return [
        output
        for output in outputs
        if output[1] in SCORE_TYPES or (output[1].startswith("seq(map(") and "float" in output[1])
    ]


def wide_outputs(outputs):
    """The outputs that may hold several scores a row."""
    return [output for output in score_outputs(outputs) if row_width(output) not in (0, 1)]


def choose_outputs(where, outputs, names, *, depths=None, parametrisation=None, wanted=None, notes):
    """Names of the outputs that together hold one score per class name.

    Parameters
    ----------
    where : str
    outputs : list of signatures
    names : sequence of str
        Class name of each column.
    depths : ndarray of int, shape (n_names,), optional
        Depth of each column's node, -1 for none; identifies heads of one depth each.
    parametrisation : str, optional
        Whether logits or probabilities are preferred when both are there.
    wanted : sequence of str, optional
        Outputs that the caller names, in the order of the class names.
    notes : list of str
        Grows by a choice that was made.

    Returns
    -------
    tuple of str

    Raises
    ------
    OpenQuestion
        If several outputs fit, or none.
    ModelError
        If an output that the caller names is not there, holds no scores or is not as wide as the names are many.
    """
    scores, width = score_outputs(outputs), len(names)
    if wanted:
        return _wanted(where, outputs, scores, width, wanted)
    each = _one_each(scores, names)
    if each:
        notes.append(f"each class has an output of its own: {listed(each, 3)}")
        return each
    fits = [output for output in scores if row_width(output) == width] or [
        output for output in scores if row_width(output) is None
    ]
    if len(fits) > 1:
        order = SCORE_NAMES if parametrisation not in PROBABILITIES else (*SCORE_NAMES[2:], *SCORE_NAMES[:2])
        best = next((output for name in order for output in fits if output[0].casefold() == name), None)
        if best is not None:
            notes.append(f"outputs {listed([output[0] for output in fits])} all fit; {best[0]!r} was used")
            fits = [best]
    if not fits:
        heads = _heads(scores, width, depths)
        if heads:
            notes.append(f"outputs {listed(heads)} hold one depth of the taxonomy each and were concatenated")
            return heads
    wide = wide_outputs(outputs)
    if not fits and len(wide) == 1:
        raise OpenQuestion(_about_names(where, wide[0], width))
    if len(fits) != 1:
        got = "several" if fits else "none"
        raise OpenQuestion(
            Question(
                "outputs",
                f"Which output holds the {width} scores, one per class name?",
                ("outputs",),
                tuple(("outputs", name, f"{kind} {shape_words(shape)}") for name, kind, shape in fits or scores),
                error=f"{where}: expected one output of {width} scores a row (one per class name), got {got} among "
                f"{outputs_words(outputs)}. Name it with {{outputs}} (several for one head per depth), "
                "or correct the class names ({classes}).",
            )
        )
    others = [output[0] for output in wide if output is not fits[0]]
    if others and not any("all fit" in note for note in notes):
        notes.append(f"output {fits[0][0]!r} was used; the scores in {listed(others)} were not")
    return (fits[0][0],)


def _about_names(where, output, n_names):
    """The question to ask when there are more or fewer class names than columns."""
    columns = row_width(output)
    more = " Name a column that is no class 'background'." if columns == n_names + 1 else ""
    return Question(
        "classes",
        f"There are {n_names} class names for the {columns} columns of {output[0]!r}. What are their names, in order?",
        ("classes",),
        error=f"{where}: expected {columns} class names, one for each column of output {outputs_words([output])}, got "
        f"{n_names}. Correct them ({{classes}}).{more}",
    )


def outputs_words(outputs):
    """Outputs as errors list them: name, type and shape."""
    said = [f"{name!r} {kind} {shape_words(shape)}" for name, kind, shape in outputs]
    return ", ".join(said[:8]) + (f" and {len(said) - 8} more" if len(said) > 8 else "")


def row_width(output):
    """Scores a row of an output; None when the graph does not say, 0 when it has no one such axis."""
    _, kind, shape = output
    if kind.startswith("seq") or not shape:
        return None
    wide = [axis for axis in shape[1:] if axis != 1]
    if not wide:
        return 1
    return wide[0] if len(wide) == 1 else 0


def gathered(where, run, outputs, n_rows, names, class_labels=None):
    """The values of some outputs as one score per class name and row.

    Parameters
    ----------
    where : str
        What errors call the model.
    run : Run
    outputs : sequence of str
        From `choose_outputs`.
    n_rows : int
    names : sequence of str
        Class name of each column.
    class_labels : list of str, optional
        Of the graph: the order of the columns that a ZipMap took apart.

    Returns
    -------
    ndarray, shape (n_rows, len(names))
    """
    names, parts, first = list(names), [], 0
    for name in outputs:
        place = f"{where}, output {name!r}"
        value, labels = run.values[name], run.labels.get(name)
        rest = names[first:] if len(outputs) > 1 else names
        if labels is None:
            value = _rows(place, value, n_rows)
        else:
            head = rest[: len(labels)]
            value = np.asarray(value)[:, _label_order(place, labels, head, class_labels)]
        if len(outputs) == 1 and value.shape[1] != len(names):
            raise _wrong_shape(place, len(names), n_rows, value.shape)
        parts.append(value)
        first += value.shape[1]
    if first != len(names):
        widths = ", ".join(f"{part.shape[1]} in {name!r}" for name, part in zip(outputs, parts, strict=True))
        raise ModelError(
            f"{where}: expected {len(names)} scores a row in all outputs together (one per class name), got {widths}. "
            "Check the class names ({classes}) and {outputs}."
        )
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _wanted(where, outputs, scores, width, wanted):
    wanted = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    by_name = {output[0]: output for output in outputs}
    for name in wanted:
        if name not in by_name:
            raise ModelError(
                f"{where}: expected outputs out of {outputs_words(outputs)}, got {name!r}."
                f"{near_miss(name, list(by_name))} Correct {{outputs}}."
            )
        if by_name[name] not in scores:
            raise ModelError(
                f"{where}: expected an output of scores, got {outputs_words([by_name[name]])}, which holds none. "
                f"Pass {{outputs}} with one of: {listed([output[0] for output in scores]) or 'none of them does'}."
            )
    if len(set(wanted)) < len(wanted):
        raise ModelError(f"{where}: expected each output once, got {listed(wanted)}. Correct {{outputs}}.")
    widths = [row_width(by_name[name]) for name in wanted]
    if None not in widths and sum(widths) != width:
        raise ModelError(
            f"{where}: expected {width} scores a row in {listed(wanted)} together (one per class name), "
            f"got {' + '.join(map(str, widths))}. Check the class names ({{classes}}) and {{outputs}}."
        )
    return wanted


def _one_each(scores, names):
    """Outputs that are called like the classes, in the order of `names`, or None."""
    single = {output[0] for output in scores if output[2] and row_width(output) == 1}
    if len(names) < 2 or len(single) < len(names):
        return None
    for letter in _CLASS_LETTERS:
        if all(letter + name in single for name in names):
            return tuple(letter + name for name in names)
    return None


def _heads(scores, width, depths):
    """All outputs, when they are as wide together as the names are many and each holds nodes of one depth; else None."""
    widths = [row_width(output) for output in scores]
    if depths is None or len(scores) < 2 or None in widths or sum(widths) != width:
        return None
    ends = np.cumsum(widths)
    parts = [depths[end - width : end] for width, end in zip(widths, ends.tolist(), strict=True)]
    if not all(len(part) and part.min() == part.max() >= 0 for part in parts):
        return None
    return tuple(output[0] for output in scores)


def _label_order(where, labels, names, class_labels):
    """Places of a ZipMap's columns in the order of `names`."""
    for same in (str, str.casefold):
        place = {same(label): k for k, label in enumerate(labels)}
        if len(place) == len(names) and all(same(name) in place for name in names):
            return [place[same(name)] for name in names]
    if not set(labels) & set(names) and len(labels) == len(names):
        # Codes of the classes: their order in the graph is that of the columns.
        order = class_labels if class_labels and set(class_labels) == set(labels) else labels
        return [labels.index(label) for label in order]
    unknown = [key for key in labels if key not in set(names)] or [name for name in names if name not in labels]
    raise ModelError(
        f"{where}: expected the {len(names)} class names that were given, got {listed(labels)}; "
        f"{listed(unknown)} is in only one of the two lists. Correct the class names ({{classes}})."
    )


def _rows(where, value, n_rows):
    """Values with axes of length 1 left out, shape (n_rows, width)."""
    value = np.asarray(value)
    wide = [axis for axis in value.shape[1:] if axis != 1]
    if value.ndim == 0 or len(value) != n_rows or len(wide) > 1:
        raise _wrong_shape(where, "the", n_rows, value.shape)
    return value.reshape(n_rows, wide[0] if wide else 1)


def _wrong_shape(where, width, n_rows, shape):
    return ModelError(
        f"{where}: expected {width} scores for each of {n_rows} rows, got shape {tuple(shape)}. "
        "Is the first axis the batch, and is there a name for every column?"
    )


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
    if not scores or wide_outputs(outputs):
        return
    if 0 not in widths:
        # Several may be one for each class; without a second axis it is no column.
        if len(scores) > 1 or len(scores[0][2]) < 2:
            return
        raise ModelError(
            f"{where}: expected a score for each class, got a model with one column ({_words(scores[0])}): a yes/no classifier "
            "or a regression. Export it with a column for each class; for a sigmoid, p and 1 - p."
        )
    wide = [one for one, width in zip(scores, widths, strict=True) if width == 0]
    if by_number:
        what, output = f"a function of single numbers ({listed(list(by_number))})", wide[0]
    else:
        what, output = _of_many_axes(inputs, outputs, wide)
    raise ModelError(
        f"{where}: expected a classifier, which gives one score per class for each sample, got {what} "
        f"(output {_words(output)}). hierviz cannot evaluate it; export a classifier, or write its answers to a prediction file."
    )


def doubt_words(outputs, by_number=()):
    """Words for a model that is hardly a classifier; an empty text for others.

    Its only wide output is called as embeddings are, or each of its numbers is computed from one number of the input.
    """
    if by_number:
        return (
            f"By its operators ({listed(list(by_number))}) each output number is computed from a single input "
            "number, which no classifier does: it looks like an example of an operator."
        )
    wide = wide_outputs(outputs)
    if len(wide) != 1 or not _EMBEDDING.search(wide[0][0]):
        return ""
    return f"By its output {_words(wide[0])} the model gives an embedding, not scores of classes."


def _of_many_axes(inputs, outputs, wide):
    """(what the model is, the output that shows it)."""
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
