"""A step of a story out of the link of a page."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from hierviz.messages.errors import PredictionsError, shown
from hierviz.reports.story_step import StoryStep

# Pages that a report can show, with their captions where the truth is known.
VIEW_CAPTIONS = {
    "overview": "{model}: {correct} of {answers} answers are correct; {answered}.",
    "curves": "Operating curves; {model} at τ = {threshold}.",
    "example": "Sample {sample}, {model}: truth {truth}, answer {answer}.",
    "mistakes": "{model}: {n_wrong} of {answers} answers are wrong.",
    "taxonomy": "{model}: {under}.",
    "compare": "Models side by side, rule {rule}.",
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
    if page not in VIEW_CAPTIONS:
        raise PredictionsError(
            f"view: expected the link of a page of the app ({', '.join(VIEW_CAPTIONS)}), got {shown(link)}. Copy one."
        )
    fields = dict(parse_qsl(parts.query))
    fields.pop("data", None)
    return StoryStep(page, fields, VIEW_CAPTIONS[page] if has_truth else "{model}")


def link_of_step(step):
    """The link of a step without the server, as `step_from_link` reads it."""
    return f"{step.page}?{urlencode(step.view, quote_via=quote)}" if step.view else step.page
