"""What an address asks for and the data or the app do not have: one line names it, since the page shows something else."""

from __future__ import annotations

from urllib.parse import unquote

from hierviz.app.state.current import lost_sample, session, view
from hierviz.messages.errors import shortened
from hierviz.reports.view import FIELDS

# Parameter of an address that names a page that is not here: see `hierviz.app.server.middleware`.
NO_PAGE = "no-page"
# Letters of a value, and values, that are quoted.
LONGEST, MOST = 40, 4


def keep_what_is_not_here(asked):
    """Remember what of an address the view, which is made of it, does not have.

    Parameters
    ----------
    asked : dict of str to str
        Query parameters.
    """
    lost = not_here(asked, view())
    values = {name: getattr(view(), name) for name, _ in lost if name in FIELDS}
    session.not_here = (session.get("page"), values, lost)


def told_not_here():
    """Lines such as ``model “x”`` of what the address asked for, until another page or another value is chosen."""
    page, values, lost = session.get("not_here", (None, {}, []))
    if page != session.get("page") or any(getattr(view(), name) != value for name, value in values.items()):
        lost = []
    sample = lost_sample()
    if sample is not None and session.get("page") == "example":
        lost = [*lost, ("sample", sample)]
    said = [
        f"{FIELDS[name].metadata['kind'] if name in FIELDS else name} “{shortened(text, LONGEST)}”"
        for name, text in lost
    ]
    said = list(dict.fromkeys(said))
    return said if len(said) <= MOST else [*said[:MOST], f"and {len(said) - MOST:,} more"]


def not_here(asked, view):
    """(field, text) of the values of an address that a view does not have.

    A missing sample is reported where samples are shown: see `lost_sample`. Names that no field has are not ours.

    Parameters
    ----------
    asked : dict of str to str
    view : View
        Made of the address, and `cleaned` of what the data do not have.
    """
    # The Overview is where an unknown page leads.
    lost = [("page", asked[NO_PAGE])] if asked.get(NO_PAGE, "overview") != "overview" else []
    for name, text in asked.items():
        if name not in FIELDS or name == "sample" or not text:
            continue
        value = getattr(view, name)
        if name == "thresholds":
            lost += [(name, word) for word in text.split(",") if word not in ("", "-") and _model(word) not in view.own]
        elif isinstance(value, tuple):
            words = (word for word in text.split(",") if word not in ("", "-") and word not in value)
            lost += [(name, unquote(word) if name == "where" else word) for word in words]
        elif isinstance(value, float):
            lost += [] if _is_number(text, value) else [(name, text)]
        elif text != value:
            lost.append((name, text))
    return lost


def _model(word):
    return word.rpartition(":")[0]


def _is_number(text, value):
    try:
        return abs(float(text) - value) < 1e-9
    except ValueError:
        return False
