"""Two models of a report, sample by sample: right and wrong crossed, the difference tree, and which models are right together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from hierviz import charts
from hierviz.comparison._difference_tree import USUAL_METRICS, difference_tree, metrics_by_class
from hierviz.comparison._paired_answers import paired_answers
from hierviz.comparison._right_together import right_together
from hierviz.comparison._two_by_two import two_by_two
from hierviz.diagnosis.many_tests import ManyTests
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import HiervizError
from hierviz.reports.markup import figure_html

# Samples of both models together up to which the section is made: its tests take seconds.
MOST_SAMPLES = 200_000


def methods_of(models: Mapping[str, Any]) -> dict[str, list]:
    """Evaluations of the runs of each method, by the key of its first run; runs have the name of their method."""
    found: dict[str, list] = {}
    keys: dict[str, str] = {}
    for key, model in models.items():
        found.setdefault(keys.setdefault(model.predictions.name, key), []).append(model)
    return found


def pair_section(models: Mapping[str, Any], first: str, store: dict[str, str]) -> str:
    """What two models, or more, have right and wrong: HTML; empty of one model, and where they cannot be compared.

    Parameters
    ----------
    models : dict of str to Evaluation
        Those of one name are runs of one method.
    first : str
        Key of A; B is the first other method.
    store : dict of str to str
        Where what the browser unpacks is put, by its name.
    """
    methods = methods_of(models)
    a = next((key for key, runs in methods.items() if models[first] in runs), None)
    others = [key for key in methods if key != a]
    if a is None or not others or sum(model.n_judged for model in models.values()) > MOST_SAMPLES:
        return ""
    made = []
    for name, draw in (
        ("pair-cells", lambda: charts.two_by_two(two_by_two(methods[a], methods[others[0]]))),
        ("pair-tree", lambda: charts.difference_tree(difference_tree(methods[a], methods[others[0]]))),
        ("pair-together", lambda: charts.right_together(right_together(methods)) if len(others) > 1 else None),
    ):
        try:
            figure = draw()
        except HiervizError:
            continue
        if figure is not None:
            made.append(figure_html(figure, name, store))
    return "".join(made)


def pair_picture(settings, key, store):
    """(what a view of the part A against B draws, what is left out): HTML and list of str."""
    view, methods = settings.view, methods_of(settings.models)
    shown = settings.models[settings.key]
    a = next(key for key, runs in methods.items() if shown in runs)
    others = [other for other in methods if other != a]
    if not others:
        return "", ["a second model"]
    names = [runs[0].predictions.name for runs in methods.values()]
    if view.contrast == "together":
        figure = charts.right_together(right_together(methods), among=names, chosen=view.right or None)
        return figure_html(figure, key, store), ["the samples of a combination"]
    b = view.against if view.against in others else others[0]
    group, correction = (view.choice("compare pair", *field) for field in (("group", ""), ("correction", "bh")))
    answers = [_answers(settings, methods[one], one) for one in (a, b)]
    if view.contrast == "tree":
        return _tree(settings, answers, group, correction, key, store)
    found = two_by_two(
        *answers,
        view.reading,
        level=min(int(view.level), settings.model.taxonomy.max_depth),
        correct=view.correct,
        group=group or None,
    )
    kept = found.pair.fits(replace(settings.chosen, outcome=None))
    found = found if kept.all() else found.take(np.flatnonzero(kept))
    first = "-".join(found.first_cell)
    cells = {f"{one}-{other}" for one in found.states for other in found.states}
    figure = charts.two_by_two(found, chosen=view.cell if view.cell in cells else first, among=names)
    said = f'<p class="muted">{escape(" ".join(found.notes))}</p>'
    return figure_html(figure, key, store) + said, ["the samples of the cells"]


def _answers(settings, runs, key):
    """JudgedAnswers of the runs of a method, each model at its own threshold."""
    return [judged_answers(run, **settings.choice | {"threshold": settings.view.threshold_of(key)}) for run in runs]


def _tree(settings, answers, group, correction, key, store):
    view = settings.view
    pair = paired_answers(*answers)
    usable = [key for key, reason in metrics_by_class(pair).items() if reason is None]
    metric = view.metric if view.metric in usable else next((one for one in USUAL_METRICS if one in usable), None)
    kept = pair.fits(replace(settings.chosen, outcome=None))
    if not kept.all():
        answers[0][0] = answers[0][0].take(pair.places[0][0][kept])
    found = difference_tree(*answers, metric, group=group or None, tests=ManyTests(correction=correction or "bh"))
    zoomed = settings.model.taxonomy.index.get(view.zoom, 0)
    figure = charts.difference_tree(found, zoomed if found.n[zoomed] else 0)
    said = f'<p class="muted">{escape(" ".join(found.notes))}</p>'
    return figure_html(figure, key, store) + said, ["the table of all classes"]
