"""One saved view of a story, from a link or a file, and the samples and answers that it selects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from hierviz.comparison._right_together import right_samples
from hierviz.diagnosis._review_queue import review_samples
from hierviz.diagnosis.sample_filter import SampleFilter
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import PredictionsError, shown, slug
from hierviz.reports.view import View
from hierviz.reports.view_pages import IN_REPORTS, PAGES

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
        ``{field}`` is computed while the step is shown, see `caption_text`.
    """

    page: str
    view: dict = field(default_factory=dict)
    caption: str = ""

    def to_dict(self):
        """Page, view and caption, as in a session file."""
        return {"page": self.page, "view": dict(self.view), "caption": self.caption}


def story_from(found):
    """The steps of a list out of a file; what is no step of a page is left out."""
    steps = []
    for one in found if isinstance(found, list) else ():
        if not isinstance(one, dict) or one.get("page") not in PAGES or not isinstance(one.get("caption"), str):
            continue
        if isinstance(one.get("view"), dict):
            steps.append(StoryStep(one["page"], texts(one["view"]), one["caption"][:LONGEST]))
    return tuple(steps[:MOST])


def texts(view):
    """The fields of a link out of a file, without ``data``; what is no text is left out."""
    return {
        name: text for name, text in view.items() if isinstance(name, str) and isinstance(text, str) and name != "data"
    }


def step_from_link(link, has_truth=True):
    """The view that a link leads to, with a caption.

    Parameters
    ----------
    link : str
        Of a page of the app, such as ``http://localhost:8501/curves?threshold=0.7`` or ``curves?threshold=0.7``.
    has_truth : bool
        Whether captions may name truths.

    Returns
    -------
    StoryStep

    Raises
    ------
    PredictionsError
        If the link leads to no page that a report can show.
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("no link")
    page = parts.path.rstrip("/").rpartition("/")[2] or "overview"
    if page not in IN_REPORTS:
        raise PredictionsError(
            f"view: expected the link of a page of the app ({', '.join(IN_REPORTS)}), got {shown(link)}. Copy one."
        )
    return StoryStep(page, texts(dict(parse_qsl(parts.query))), PAGES[page].caption if has_truth else "{model}")


def link_of_step(step):
    """The link of a step without the server, as `step_from_link` reads it."""
    return f"{step.page}?{urlencode(step.view, quote_via=quote)}" if step.view else step.page


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
    """The answers and samples that a view selects.

    Attributes
    ----------
    view : View
    key : str
        Of the model.
    model : Evaluation
    choice : dict
        Rule, threshold and parameters: keywords of `Evaluation.answers`.
    chosen : SampleFilter
    row : int or None
        Of the sample that is shown.
    under : int
        Node to which the view keeps; the root if to none.
    models : dict of str to Evaluation
        All of them, by their keys.
    left_out : tuple of str
        Parts of the view that are not available.
    looks : mapping of str to Sensitivity
        Where the model looks, by the id of the sample.
    """

    view: View
    key: str
    model: object
    choice: dict
    chosen: SampleFilter
    row: int | None
    under: int
    models: dict
    left_out: tuple[str, ...] = ()
    looks: Mapping = field(default_factory=dict)


def view_settings(fields, models, costs=(), review=None):
    """The ViewSettings of the fields of a link; what the models do not have is left out.

    Parameters
    ----------
    fields : dict of str to str
    models : dict of str to Evaluation
        By their keys.
    costs : sequence of LeafCosts
        Those available: a view holds the names of costs alone. Others are replaced by the default, which `left_out` reports.
    review : Review, optional
        What a filter by it means; without one the filter is left out, which `left_out` reports.
    """
    view = View.from_query(fields)
    key = view.model if view.model in models else next(iter(models))
    model, rule = models[key], view.rule
    if not model.predictions.has_scores or (INFERENCE_RULES[rule].tree_only and not model.taxonomy.is_tree):
        rule = "majority" if model.taxonomy.is_tree or not model.predictions.has_scores else "threshold"
    choice, left_out = {"rule": rule, "threshold": view.threshold_of(key)}, []
    for name, value in view.parameters:
        parameter = INFERENCE_RULES[rule].parameters.get(name)
        if parameter is not None and parameter.kind == "costs" and value not in parameter.choices:
            value = next((one for one in costs if one.name == value), None)
            if value is None:
                left_out.append(
                    f"the costs {dict(view.parameters)[name]}; the cost is {parameter.choices[parameter.default]}"
                )
        if parameter is not None and value is not None:
            choice[name] = value
    reviewed = None if review is None else lambda word: review_samples(review, word, model.predictions)
    chosen = view.sample_filter(model, lambda word: right_samples(models, word), reviewed)
    if view.review and review is None:
        left_out.append("the filter by a review")
    row = model.predictions.row(view.sample) if view.sample else None
    return ViewSettings(view, key, model, choice, chosen, row, chosen.under or 0, models, tuple(left_out))
