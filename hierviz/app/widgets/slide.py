"""The buttons that save a figure as a slide, and what its last line says."""

from hierviz import charts
from hierviz.app import state
from hierviz.app.widgets.table import download
from hierviz.charts import threshold_text
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.reports.view_pages import PAGES

# Models that are named; the rule of the page Operating curves.
MOST_NAMES, THRESHOLD_RULE = 3, "threshold"


def slide_downloads(shown, name):
    """Buttons that save a Figure as a slide, in the theme of the page."""
    dark, said = state.is_dark(), of_view()
    for kind in ("png", "svg"):
        # Made when it is asked for, where there is no view.
        download(
            f"Slide {kind.upper()}",
            lambda kind=kind: getattr(charts.slide(shown, dark=dark, **said), kind),
            f"{name}-slide.{kind}",
            f"get-{name}-slide-{kind}",
            icon="",
        )


def of_view():
    """Data, models, rule and threshold of the page as keywords of `hierviz.charts.slide`; nothing where no data are open."""
    data, view, page = state.data(), state.view(), PAGES.get(state.session.get("page") or "overview")
    if data is None:
        return {}
    several = state.shown_models(data) if page is not None and "models" in page.fields else []
    names = [data.models[key].predictions.name for key in several or [state.shown_model_of(data.models)]]
    model = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} models"
    if not data.first.predictions.has_scores:
        return {"data": data.title, "model": model}
    # The curves are of this rule, whichever the other pages show.
    rule = THRESHOLD_RULE if page is PAGES["curves"] else view.rule
    taken = INFERENCE_RULES[rule].parameters
    settings = [
        f"{parameter.sign or parameter.label} = {threshold_text(view.parameter(name))}"
        for name, parameter in taken.items()
        if parameter.kind == "number" and name != THRESHOLD.name
    ]
    threshold = view.threshold_of(state.shown_model_of(several or data.models)) if THRESHOLD.name in taken else None
    words = " ".join([INFERENCE_RULES[rule].label, *settings])
    return {"data": data.title, "model": model, "rule": words, "threshold": threshold}
