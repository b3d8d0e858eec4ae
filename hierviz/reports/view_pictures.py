"""What parts of the pages Operating curves, Compare, Mistakes and Taxonomy show, as pictures and tables of a report."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np

from hierviz import charts
from hierviz.charts.curve_axes import axes, set_axes
from hierviz.comparison.formats import BOLD, cell_parts
from hierviz.comparison.table import compare as comparison_table
from hierviz.curves._set_curve import set_curve
from hierviz.diagnosis._label_errors import label_errors
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.diagnosis._node_table import node_table, usable_columns
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.confusions import confused_pairs, node_names
from hierviz.diagnosis.sample_filter import filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.common_samples import judged_samples
from hierviz.evaluation.model_table import model_intervals
from hierviz.messages.errors import HiervizError
from hierviz.messages.number_text import percent_text, probability_text, value_text
from hierviz.reports.example_html import chart
from hierviz.uncertainty.comparison import never_reached
from hierviz.uncertainty.resamples import Resamples

# Models of one chart, rows of one table, resamples, and samples of all models together of which they are drawn.
MOST_MODELS, MOST_ROWS, RESAMPLES, MOST_RESAMPLED = 8, 15, 1000, 20_000


def shown_models(view, models, otherwise):
    """Models that a view names, by their keys; those of `otherwise` where it names none."""
    return [key for key in view.models if key in models] or otherwise


def curves(settings, key, models, store):
    """(operating curves with bands and what they say, what is left out)."""
    view = settings.view
    left_out = [] if view.panel == "none" else ["the panel below the curves"]
    named = shown_models(view, models, [settings.key])
    if any(models[name].predictions.run is not None for name in named):
        left_out.append("means over runs")
    usable = [name for name in named if models[name].why_no_curve() is None]
    is_single = bool(usable)
    usable = usable or [name for name in named if models[name].why_no_set_curve() is None]
    left_out += [models[name].predictions.name for name in named if name not in usable[:MOST_MODELS]]
    if not usable:
        return "", left_out
    shown = {models[name].predictions.name: models[name] for name in usable[:MOST_MODELS]}
    found = {name: model.curve if is_single else set_curve(model) for name, model in shown.items()}
    drawn = view.drawn
    pairs = axes() if is_single else set_axes(settings.model.taxonomy.is_tree)
    pair = pairs.get(view.axes, next(iter(pairs.values())))
    if is_single and pair.y == "hf1_samples":
        pair = next(iter(pairs.values()))
        left_out.append("the axes of the view")
    at = {models[name].predictions.name: view.threshold_of(name) for name in usable}
    first = settings.model.predictions.name if settings.model.predictions.name in found else next(iter(found))
    threshold = at if view.thresholds else at[first]
    intervals = _intervals(shown) if "bands" in drawn and is_single else {}
    bands = {name: one.bands for name, one in intervals.items()} or None
    if "bands" in drawn and bands is None:
        left_out.append("bands and intervals")
    answers = {name: (model.taxonomy, model.judged_table) for name, model in shown.items()} if is_single else None
    figure = charts.operating_curves(
        found,
        threshold=threshold,
        axes=replace(pair, spread=True if "spread" in drawn else None, zoom="whole" not in drawn),
        model=first,
        layers=charts.CurveLayers(answers=answers, envelope="envelope" in drawn, levels="levels" in drawn, bands=bands),
        height=260,
    )
    store[key] = charts.packed_chart(figure)
    said = [f"At the start: {figure.sentence}"]
    if is_single and len(shown) > 1:
        said.append(_compared(shown, intervals, first))
    said.append(charts.bands_sentence(bands, pair.x, pair.y))
    if is_single:
        left_out.append("marks of rules without a threshold")
    return chart(key, " ".join(filter(None, said))), left_out


def _intervals(shown):
    """ModelIntervals by name on the samples that all judge; none where these cannot be resampled."""
    try:
        samples = judged_samples(shown.values())
        resamples = Resamples.draw(samples[0].n_samples, RESAMPLES, 0)
    except HiervizError:
        return {}
    return {one.name: model_intervals(one, resamples) for one in samples}


def _compared(shown, intervals, first):
    """How the model looked at compares with the others."""
    try:
        samples = judged_samples(shown.values())
    except HiervizError:
        return ""
    numbers = {one.name: intervals[one.name].numbers if intervals else one.curve.summary() for one in samples}
    never = {one.name: never_reached(one.curve) for one in samples}
    return charts.comparison_sentence(numbers, first, samples[0].n_samples, never=never)


def compare(settings, key, models, store):
    """(the table of the page Compare, its ranks or the agreement of its metrics, what is left out)."""
    view = settings.view
    part, keys = view.comparison, shown_models(view, models, list(models))
    if part not in ("table", "ranks", "agreement"):
        return "", ["this part of the page Compare"]
    others = {name: value for name, value in settings.choice.items() if name not in ("rule", "threshold")}
    shown = [models[name] for name in keys]
    is_small = sum(model.n_judged for model in shown) <= MOST_RESAMPLED
    found = comparison_table(
        shown,
        view.preset or None,
        rule=settings.choice["rule"],
        threshold=[view.threshold_of(name) for name in keys],
        resamples=RESAMPLES if is_small else 0,
        **others,
    )
    left_out = ["columns that were added or hidden"] + ([] if is_small else ["intervals"])
    if part == "agreement":
        left_out.append("single samples")
        agreement = found.agreement
        if agreement.n_methods < 2 or len(agreement.columns) < 2:
            return f"<p>{escape(agreement.sentence)}</p>", left_out
        return _drawn(charts.agreement_matrix(agreement), key, store), left_out
    if part == "ranks" and len(found.methods) > 1:
        left_out.append("one number of all methods")
        return _drawn(charts.rank_matrix(found), key, store), left_out
    rows = []
    for place, method in enumerate(found.methods):
        cells = [(method.name, "")]
        for column in found.columns:
            value, spread, interval, mark = cell_parts(found, method, column, place)
            cells.append((" ".join(filter(None, (value, spread, interval))), mark))
        rows.append(cells)
    return table(["Method", *(column.label for column in found.columns)], rows), left_out


def slices_of(settings):
    """The slices that fail more than the rest: their sentence, and a table."""
    found = slices(_answers(settings))
    rows = [
        (
            row.name,
            f"{row.n:,}",
            percent_text(row.rate, 1),
            percent_text(row.rest_rate, 1),
            row.verdict,
        )
        for row in found.rows[:MOST_ROWS]
    ]
    heads = ["Slice", "Samples", "Wrong", "Wrong of the rest", ""]
    return f"<p>{escape(found.sentence())}</p>{table(heads, rows)}", _more_rows(found)


def confusions_of(settings):
    """Pairs of classes that are confused."""
    found = confused_pairs(_answers(settings))
    names = [node_names(found.taxonomy, nodes[:MOST_ROWS]) for nodes in (found.truth, found.predicted)]
    rows = [(*pair, f"{int(n):,}") for *pair, n in zip(*names, found.count[:MOST_ROWS])]
    return table(["Truth", "Answer", "Samples"], rows, "texts"), _more_rows(found)


def labels_of(settings):
    """Truths that may be wrong."""
    found = label_errors(_answers(settings), most=MOST_ROWS)
    names = [node_names(found.taxonomy, nodes) for nodes in (found.truth, found.predicted)]
    rows = [
        (sample, truth, answer, value_text(score), probability_text(p))
        for sample, truth, answer, score, p in zip(found.sample_id, *names, found.score, found.p_answer)
    ]
    said = f'<p class="muted">{escape(found.caution)}</p>' if len(found) else "<p>There are no candidates.</p>"
    heads = ["Sample", "Truth", "Answer", "Score", "p (answer)"]
    return f"{said}{table(heads, rows, 'texts')}", ["marks and notes"]


def _answers(settings):
    """The answers that the filters of the view leave."""
    answers = judged_answers(settings.model, **settings.choice)
    kept = filtered(answers, settings.chosen)
    return answers.take(kept) if kept.any() and not kept.all() else answers


def _more_rows(found):
    return [f"rows after the first {MOST_ROWS}"] if len(found) > MOST_ROWS else []


def taxonomy(settings, key, store):
    """(icicle, treemap of mistakes or levels of a subtree, what is left out)."""
    aspect, root, left_out = settings.view.aspect, settings.under, []
    if aspect == "calibration":
        return "", ["calibration"]
    if aspect == "levels":
        levels = subtree_levels(judged_answers(settings.model, **settings.choice), root)
        return _drawn(charts.level_bars(levels), key, store), ["classes per sample"]
    nodes = node_table(settings.model, **settings.choice)
    if aspect == "treemap" and np.nan_to_num(nodes.n_wrong)[settings.model.taxonomy.subtree(root)].any():
        figure = charts.mistake_treemap(nodes, root)
    else:
        value = settings.view.colour
        value = value if value in usable_columns(nodes) else "support"
        figure = charts.subtree_icicle(nodes, root, value=value)
        left_out = ["the table, which stands under Taxonomy"] if aspect == "table" else []
    return _drawn(figure, key, store), left_out


def _drawn(figure, key, store):
    """A figure without what a click does: HTML, and its drawings in the store."""
    store[key] = charts.packed_chart(figure)
    return chart(key, figure.sentence.split(" A click on a class")[0])


def table(heads, rows, look="numbers"):
    """A table of texts, or of pairs of a text and its mark: HTML; `look` is "numbers" or "texts"."""
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = []
    for first, *rest in rows:
        cells = [f'<th scope="row">{_cell(first)}</th>', *(f"<td>{_cell(one)}</td>" for one in rest)]
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="wide"><table class="{look}"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table></div>'


def _cell(found):
    text, mark = found if isinstance(found, tuple) else (found, None)
    return f"<b>{escape(str(text))}</b>" if mark in BOLD else escape(str(text))
