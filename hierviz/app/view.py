"""What a reader would send to a colleague: the view, and how it stands in a URL."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace

from hierviz.app.dataset import DEMO
from hierviz.inference import INFERENCE_RULES
from hierviz.mistakes import ORDERS, OUTCOMES

TREES = ("icicle", "node-link", "list")
# Highest value of each number; the lowest is 0.
NUMBERS = {"tau": 1.0, "bits": 64.0, "lam": 64.0}


@dataclass(frozen=True)
class View:
    """Data, models, rule, threshold, sample and selection. Defaults are left out of the URL."""

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

    def to_query(self):
        """The query parameters, as text."""
        default, found = View(), {}
        for name, value in asdict(self).items():
            if value != getattr(default, name):
                text = f"{value:.3f}" if isinstance(value, float) else str(value)
                found[name] = ",".join(value) if isinstance(value, tuple) else text
        return found

    @classmethod
    def from_query(cls, asked):
        """The view of query parameters; what is not understood has its default."""
        default = cls()
        found = {field.name: asked.get(field.name, getattr(default, field.name)) for field in fields(cls)}
        found["models"] = tuple(name for name in asked.get("models", "").split(",") if name)
        for name, highest in NUMBERS.items():
            try:
                number = float(found[name])
            except ValueError:
                number = math.nan
            found[name] = getattr(default, name) if math.isnan(number) else round(min(max(number, 0.0), highest), 3)
        allowed = {"rule": INFERENCE_RULES, "outcome": ("", *OUTCOMES), "order": ORDERS, "tree": TREES}
        for name, values in allowed.items():
            if found[name] not in values:
                found[name] = getattr(default, name)
        return cls(**found)

    def cleaned(self, data):
        """The view without what the open data do not have, so that a link says what the page shows."""
        under = data.taxonomy.index.get(self.under, 0)
        return replace(
            self,
            sample=self.sample if self.sample in data.first.predictions.row_of else "",
            models=tuple(name for name in self.models if name in data.models),
            model=self.model if self.model in data.models else "",
            under=self.under if under and not data.taxonomy.is_leaf[under] else "",
        )
