"""Samples whose picture cannot be read: left out, named and counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hierviz.messages.errors import FileError, listed

MOST_NAMED = 10


def without_unreadable(inputs, unreadable):
    """Inputs without pictures that could not be read.

    Parameters
    ----------
    inputs : ModelInputs
        Of pictures.
    unreadable : dict of int to str
        Row and reason, as `ModelInputs.feed` fills it.

    Returns
    -------
    inputs : ModelInputs
        With a note that names the pictures.
    kept : ndarray of int, shape (n_left,)
        Rows that are left.

    Raises
    ------
    FileError
        If none is left.
    """
    kept = np.array([row for row in range(len(inputs)) if row not in unreadable], dtype=np.intp)
    if not unreadable:
        return inputs, kept
    names, first = inputs.pictures.names, min(unreadable)
    if not len(kept):
        raise FileError(
            f"{inputs.pictures.path.name}: expected at least one picture that can be read, got none of {len(inputs):,}; "
            f"the first is {names[first]!r}: {unreadable[first]}"
        )
    were, of = ("was", "") if len(unreadable) == 1 else ("were", "the first: ")
    named = listed([names[row] for row in sorted(unreadable)], MOST_NAMED)
    note = (
        f"{len(unreadable):,} of {len(inputs):,} pictures could not be read and {were} left out: {named} "
        f"({of}{unreadable[first].partition('. ')[0]})"
    )
    left = replace(
        inputs,
        pictures=replace(inputs.pictures, names=tuple(names[row] for row in kept.tolist())),
        sample_ids=None if inputs.sample_ids is None else np.asarray(inputs.sample_ids)[kept],
        attributes={name: np.asarray(values)[kept] for name, values in inputs.attributes.items()},
        notes=(*inputs.notes, note),
    )
    return left, kept
