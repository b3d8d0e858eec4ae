"""Which fields of an address each page uses: a copied link leaves those of other pages out."""

from __future__ import annotations

from hierviz.app.state.page_view import FIELDS

# By page, the fields that only some pages use; all others hold on every page.
OWN = {
    "overview": (),
    "curves": ("models", "axes", "drawn", "marked", "panel", "choices"),
    "compare": ("models", "comparison", "preset", "by", "metric", "choices"),
    "example": ("sample", "order", "tree", "focus", "unfold"),
    "mistakes": ("sample", "order", "part", "opened", "choices"),
    "taxonomy": ("aspect", "node_order", "node_rows", "colour", "choices"),
    "model": ("sample",),
    "learn": ("lesson", "step", "presenter"),
    "story": (),
    "open": (),
}


def foreign_fields(page):
    """Fields of an address that other pages use and this one does not, sorted.

    Parameters
    ----------
    page : str
        Of the address, "overview" where it is empty.
    """
    others = {name for names in OWN.values() for name in names}
    return sorted((others & FIELDS) - set(OWN.get(page, others)))
