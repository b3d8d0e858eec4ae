"""JSON in which every key of an object occurs once (a later one would silently replace it), and parts of it of a kind."""

from __future__ import annotations

import json

REPEATED = "expected every key of an object once, got {} again. Remove one of them."


def require_single_keys(where, error, words=REPEATED):
    """An ``object_pairs_hook`` that raises `error`, of `words` with the key in them, where one is repeated."""

    def entries_of(pairs):
        entries = dict(pairs)
        if len(entries) < len(pairs):
            seen: set = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))
            raise error(f"{where}: {words.format(repr(twice))}")
        return entries

    return entries_of


def parsed(text, where, error, words=REPEATED):
    """The value of JSON; `error` where it is none (naming line and column) or repeats a key (`words`)."""
    try:
        return json.loads(text, object_pairs_hook=require_single_keys(where, error, words))
    except json.JSONDecodeError as found:
        raise error(
            f"{where}:{found.lineno}: expected JSON, got an error in column {found.colno} ({found.msg}). Correct the file."
        ) from None
    except ValueError as found:
        # A number with more digits than Python takes.
        raise error(f"{where}: expected JSON, got {found}. Correct the file.") from None


def are_objects(value, *keys):
    """Whether a part of JSON is a list of objects, one or more, which all have these keys."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(part, dict) and part.keys() >= set(keys) for part in value)
    )


def of_kind(value, kind):
    """A part of JSON that has to be a list or a dict; an empty one where it is something else."""
    return value if isinstance(value, kind) else kind()
