"""One saved view of a story, and what of it says which samples and answers are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote

from hierviz.diagnosis.sample_filter import SampleFilter
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.messages.errors import slug
from hierviz.metrics.outcomes import OUTCOMES

# Letters of a caption, and steps of a story.
LONGEST, MOST = 2000, 50


@dataclass(frozen=True)
class StoryStep:
    """A saved view with its caption.

    Attributes
    ----------
    page : str
        Of the app, such as "curves".
    view : dict of str to str
        Fields of a link without ``data``.
    caption : str
        Words in place of ``{field}`` are worked out while the step is shown, see `caption_text`.
    """

    page: str
    view: dict = field(default_factory=dict)
    caption: str = ""

    def to_dict(self):
        """Page, view and caption, as they stand in a session file."""
        return {"page": self.page, "view": dict(self.view), "caption": self.caption}


def story_from(found, pages):
    """The steps of a list out of a file; what is no step is left out, and so are pages that are none of `pages`."""
    steps = []
    for one in found if isinstance(found, list) else ():
        if not isinstance(one, dict) or one.get("page") not in pages or not isinstance(one.get("caption"), str):
            continue
        view = one.get("view")
        if isinstance(view, dict):
            texts = {key: value for key, value in view.items() if isinstance(key, str) and isinstance(value, str)}
            texts.pop("data", None)
            steps.append(StoryStep(one["page"], texts, one["caption"][:LONGEST]))
    return tuple(steps[:MOST])


def stories_from(found):
    """As `story_from`, of any page."""
    pages = {one.get("page") for one in found if isinstance(one, dict)} if isinstance(found, list) else set()
    return story_from(found, {page for page in pages if isinstance(page, str)})


def model_keys(names):
    """What a link calls models of these names: list of str."""
    keys: list[str] = []
    for name in names:
        keys.append(model_key(name, keys))
    return keys


def model_key(name, taken):
    """What a link calls one more model, where some keys are taken."""
    start = slug(name, "model")
    key, number = start, 2
    while key in taken:
        key, number = f"{start}-{number}", number + 1
    return key


@dataclass(frozen=True)
class ViewSettings:
    """What a view says about answers and samples.

    Attributes
    ----------
    key : str
        Of the model.
    model : Evaluation
    choice : dict
        Rule, threshold and parameters: keywords of `Evaluation.answers`.
    chosen : SampleFilter
    row : int or None
        Of the sample that is looked at.
    under : int
        Node to which the view keeps; the root if to none.
    """

    key: str
    model: object
    choice: dict
    chosen: SampleFilter
    row: int | None
    under: int


def view_settings(view, models):
    """The ViewSettings of the fields of a link; what the models do not have is left out.

    Parameters
    ----------
    view : dict of str to str
    models : dict of str to Evaluation
        By their keys.
    """
    key = view.get("model", "")
    key = key if key in models else next(iter(models))
    model = models[key]
    index, attributes = model.taxonomy.index, model.predictions.attributes
    rule = view.get("rule", "threshold")
    rule = rule if rule in INFERENCE_RULES else "threshold"
    if not model.predictions.has_scores or (INFERENCE_RULES[rule].tree_only and not model.taxonomy.is_tree):
        rule = "majority" if model.taxonomy.is_tree or not model.predictions.has_scores else "threshold"
    own = dict(part.rpartition(":")[::2] for part in view.get("thresholds", "").split(",") if ":" in part)
    choice = {"rule": rule, "threshold": _number(own.get(key, view.get("threshold", "")), 0.5)}
    for name in INFERENCE_RULES[rule].parameters:
        parameter = rule_parameters()[name]
        if name == THRESHOLD.name or name not in view:
            continue
        if parameter.kind == "number":
            choice[name] = _number(view[name], parameter.default)
        elif parameter.kind == "choice" and view[name] in parameter.choices:
            choice[name] = view[name]
    nodes = {name: index.get(view.get(name, "")) for name in ("under", "truth", "answered", "answer")}
    pairs = [tuple(map(unquote, word.split("=", 1))) for word in view.get("where", "").split(",") if "=" in word]
    outcome, common = view.get("outcome"), view.get("common", "")
    chosen = SampleFilter(
        outcome=outcome if outcome in OUTCOMES else None,
        **nodes,
        where=tuple(pair for pair in pairs if pair[0] in attributes),
        text=view.get("text", ""),
        common=int(common) if common.isdecimal() else None,
    )
    row = model.predictions.row(view["sample"]) if view.get("sample") else None
    return ViewSettings(key, model, choice, chosen, row, nodes["under"] or 0)


def _number(text, default):
    try:
        return min(max(float(text), 0.0), 64.0)
    except ValueError:
        return default
