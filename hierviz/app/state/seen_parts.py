"""What the page of this session drew, in its order: the file of this view is made of it, not computed again."""

from __future__ import annotations

import itertools

from hierviz.app.state.current import session

_numbers = itertools.count()


def begin_seen(group=""):
    """Forget what was drawn: all of it where a page begins, or that of a part of a page that runs alone, by its name."""
    kept = session.setdefault("seen", {})
    session.seen = {key: one for key, one in kept.items() if group and one[0] != group}
    session.seen_group, session.seen_number = group, next(_numbers)


def see(key, what):
    """Take down something that was drawn: what gives a part of `hierviz.reports.view_file` once a file is made of it.

    A second one of a key replaces the first.
    """
    session.setdefault("seen", {})[key] = session.get("seen_group", ""), what


def seen_number():
    """Another one for what was drawn at another time."""
    return session.get("seen_number", 0)


def seen():
    """All parts that were drawn, in their order."""
    return [what() for _, what in session.get("seen", {}).values()]
