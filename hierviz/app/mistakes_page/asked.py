"""What the parts of the page are about: data, model, rule, and the answers of these."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np

from hierviz.app import state
from hierviz.app.widgets.chosen_model import ChosenModel
from hierviz.app.widgets.links import link_to_sample
from hierviz.evaluation.severity import SEVERITIES, severity, why_no_severity
from hierviz.inference.parameters import COST
from hierviz.metrics.ties import largest_first


def capital(text):
    """The text with a capital first letter, the others as they are."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, eq=False)
class Asked(ChosenModel):
    """What a page asks for of a model and a choice; outcomes are filtered by the list alone.

    Attributes
    ----------
    row : container
        Of the title of the page.
    """

    row: object

    @property
    def row_on_phone(self):
        """Where controls of a part are: in the row of the title on a phone, else where they are drawn."""
        return self.row if state.is_narrow() else contextlib.nullcontext()

    @property
    def severities(self):
        """Keys of the severities that are defined here without a table of costs."""
        return [key for key in self.rankings if not SEVERITIES[key].needs_costs]

    @property
    def rankings(self):
        """Keys of the severities by which samples can be ranked: that of a table of costs where one is loaded."""
        whole = self.whole
        return [
            key
            for key in SEVERITIES
            if why_no_severity(self.model, whole.truth, whole.predicted, key, self.choice.get(COST.name)) is None
            and (key != "lost_hf1" or not whole.is_single or not self.taxonomy.is_tree)
        ]

    def severity(self, key):
        """Severity of every judged sample, shape (n_judged,), kept."""
        where = tuple(part for part in self.where if part is not self.wanted)
        costs = self.choice.get(COST.name) if SEVERITIES[key].needs_costs else None
        return state.computed("severity", (*where, key, costs), lambda: self.counted_severity(key))

    def counted_severity(self, key):
        """The same without what is kept of the session, which a download does not reach."""
        costs = self.choice.get(COST.name)
        return severity(self.model, self.whole.truth, self.whole.predicted, key, costs=costs)

    def ranked(self, rows, key):
        """Some rows of the Predictions, the worst first, the order of the file on ties."""
        return rows[largest_first(self.severity(key)[self.places(rows)])]

    def places(self, rows):
        """Places of rows of the Predictions among the judged samples."""
        return np.searchsorted(self.model.rows, rows)

    def link_to_samples(self, **fields):
        """Draw a link to samples on Examples: those that the filters leave and that have these fields of a view."""
        view, taxonomy = state.view(), self.taxonomy
        for name in ("under", "answered"):
            now, new = taxonomy.index.get(getattr(view, name)), taxonomy.index.get(fields.get(name, ""))
            # Of two subtrees the inner one counts.
            if now is not None and new is not None and new in taxonomy.ancestors(np.array([now]))[0]:
                fields[name] = getattr(view, name)
        fields["where"] = (*view.where, *(pair for pair in fields.get("where", ()) if pair not in view.where))
        link_to_sample("Open these samples in Examples", **{"sample": "", "outcome": "", "model": self.key} | fields)

    def mark(self, part):
        """Name of a widget or a memory of a part of the page, another one for other data, models, choices and filters."""
        return f"{part}-{self.data.key}-{self.where[1:]}"
