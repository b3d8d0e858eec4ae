"""What a reader would send to a colleague: the view, and how it stands in a URL."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace

from hierviz.app.curve_choices import AXES, DRAWN, MARKED, PANELS
from hierviz.app.dataset import DEMO
from hierviz.charts import threshold_text
from hierviz.inference import INFERENCE_RULES
from hierviz.mistakes import ORDERS, OUTCOMES

TREES = ("icicle", "node-link", "list")
# Highest value and digits of each number; the lowest is 0. Thresholds near 1 need many digits.
NUMBERS = {"tau": (1.0, 12), "bits": (64.0, 3), "lam": (64.0, 3)}
# Fields that hold several words; in the URL "-" stands for none of them.
SEVERAL = ("models", "drawn", "marked", "taus")


@dataclass(frozen=True)
class View:
    """Data, models, rule, threshold, sample and selection. Defaults are left out of the URL.

    `axes`, `drawn` and `marked` are of the operating curves; `taus` holds ``model:threshold`` where every model has a
    threshold of its own, and is empty where `tau` is shared. `panel` is the one open below them.
    """

    data: str = DEMO
    models: tuple[str, ...] = ()
    model: str = ""
    rule: str = "threshold"
    tau: float = 0.5
    bits: float = 1.0
    lam: float = 1.0
    sample: str = ""
    outcome: str = ""
    under: str = ""
    order: str = "win_lost"
    tree: str = "icicle"
    axes: str = "recall-correct"
    drawn: tuple[str, ...] = ()
    marked: tuple[str, ...] = MARKED
    taus: tuple[str, ...] = ()
    panel: str = "goal"

    @property
    def own(self):
        """Thresholds of single models by their key; empty where one is shared."""
        return {key: float(tau) for key, _, tau in (one.rpartition(":") for one in self.taus)}

    def tau_of(self, model):
        """Threshold of a model by its key."""
        return self.own.get(model, self.tau)

    def with_tau(self, tau, model):
        """The view with another threshold: of one model where each has its own, else of all."""
        own = self.own
        if own:
            own[model] = tau
        return replace(self, tau=tau, taus=own_thresholds(own))

    def to_query(self):
        """The query parameters, as text."""
        default, found = View(), {}
        for name, value in asdict(self).items():
            if value != getattr(default, name):
                text = threshold_text(value) if isinstance(value, float) else str(value)
                found[name] = (",".join(value) or "-") if isinstance(value, tuple) else text
        return found

    @classmethod
    def from_query(cls, asked):
        """The view of query parameters; what is not understood has its default."""
        default = cls()
        found = {field.name: asked.get(field.name, getattr(default, field.name)) for field in fields(cls)}
        for name in SEVERAL:
            if name in asked:
                found[name] = tuple(one for one in asked[name].split(",") if one not in ("", "-"))
        asked_taus = {key: _number("tau", tau) for key, _, tau in (one.rpartition(":") for one in found["taus"])}
        found["taus"] = own_thresholds({key: tau for key, tau in asked_taus.items() if tau is not None})
        for name in NUMBERS:
            number = _number(name, found[name])
            found[name] = getattr(default, name) if number is None else number
        allowed = {"rule": INFERENCE_RULES, "outcome": ("", *OUTCOMES), "order": ORDERS, "tree": TREES, "axes": AXES}
        allowed["panel"] = ("none", *PANELS)
        for name, values in allowed.items():
            if found[name] not in values:
                found[name] = getattr(default, name)
        for name, known in {"drawn": DRAWN, "marked": INFERENCE_RULES}.items():
            found[name] = tuple(one for one in found[name] if one in known)
        return cls(**found)

    def cleaned(self, data):
        """The view without what the open data do not have, so that a link says what the page shows."""
        under = data.taxonomy.index.get(self.under, 0)
        return replace(
            self,
            sample=self.sample if self.sample in data.first.predictions.row_of else "",
            models=tuple(name for name in self.models if name in data.models),
            model=self.model if self.model in data.models else "",
            taus=own_thresholds({key: tau for key, tau in self.own.items() if key in data.models}),
            under=self.under if under and not data.taxonomy.is_leaf[under] else "",
        )


def own_thresholds(own):
    """Field `taus` of a dict of thresholds by model."""
    return tuple(f"{key}:{threshold_text(tau)}" for key, tau in own.items())


def _number(name, text):
    """A number of the URL in its range; None when it is none."""
    highest, digits = NUMBERS[name]
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else round(min(max(number, 0.0), highest), digits)
