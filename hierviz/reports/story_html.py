"""The story of a report: each step with its caption, and what its page of the app shows as pictures and tables."""

from dataclasses import replace
from html import escape

import numpy as np

from hierviz import charts
from hierviz.charts import sample_parts
from hierviz.charts._probability_tree import STYLES
from hierviz.charts.curve_axes import axes, set_axes
from hierviz.comparison._answer_changes import answer_changes
from hierviz.comparison.formats import BOLD, cell_parts
from hierviz.comparison.table import compare as comparison_table
from hierviz.curves._set_curve import set_curve
from hierviz.diagnosis._departures import departures
from hierviz.diagnosis._label_errors import label_errors
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.diagnosis._mistake_flow import mistake_flow
from hierviz.diagnosis._node_table import node_table, usable_columns
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.confusion_matrix import matrix
from hierviz.diagnosis.confusions import confused_pairs, node_names
from hierviz.diagnosis.folded_matrix import opened_to_fill
from hierviz.diagnosis.mistakes import mistakes
from hierviz.diagnosis.sample_filter import filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation.common_samples import judged_samples
from hierviz.evaluation.model_table import model_intervals
from hierviz.messages.errors import HiervizError, first_words
from hierviz.messages.number_text import percent_text, probability_text, value_text
from hierviz.reports.captions import caption_text
from hierviz.reports.example_html import ExamplePage
from hierviz.reports.markup import chart, figure_html, overview_table, table
from hierviz.reports.pair_html import pair_picture
from hierviz.reports.report_samples import sample_pictures
from hierviz.reports.story_step import view_settings
from hierviz.reports.view_pages import PAGES
from hierviz.uncertainty.comparison import never_reached
from hierviz.uncertainty.resamples import Resamples

# Models of one chart, rows of one table, mistakes, resamples, and samples of all models together of which they are drawn.
MOST_MODELS, MOST_ROWS, MOST_MISTAKES, RESAMPLES, MOST_RESAMPLED = 8, 15, 8, 1000, 20_000
# Megabytes of pictures of all steps.
MAX_MB = 2.0
# Classes on each side of a flow.
MOST_LINES = 24


def shown_models(view, models, otherwise):
    """Models that a view names, by their keys; those of `otherwise` where it names none."""
    return [key for key in view.models if key in models] or otherwise


def drawable(models):
    """(those with an operating curve, else those with one of predicted sets, by name; whether it is the former)."""
    single = {name: model for name, model in models.items() if model.why_no_curve() is None}
    sets = {name: model for name, model in models.items() if model.why_no_set_curve() is None}
    return single or sets, bool(single)


def curve_figure(shown, is_single, stage=lambda name, unit: None, *, layers, **how):
    """The Figure of the curves of some models by name; `how` are keywords of `operating_curves`, `layers` of `CurveLayers`."""
    found = {
        name: model.curve_with(stage(f"Operating curve of {name}", "steps"))
        if is_single
        else set_curve(model, progress=stage(f"Predicted sets of {name}", "rows"))
        for name, model in shown.items()
    }
    answers = {name: (model.taxonomy, model.judged_table) for name, model in shown.items()} if is_single else None
    return charts.operating_curves(found, layers=charts.CurveLayers(answers=answers, **layers), **how)


def curves(settings, key, store, max_mb):
    """(operating curves with bands and what they say, what is left out)."""
    view, models = settings.view, settings.models
    left_out = [] if view.panel in ("none", "changes") else ["the panel below the curves"]
    named = {name: models[name] for name in shown_models(view, models, [settings.key])}
    if any(model.predictions.run is not None for model in named.values()):
        left_out.append("means over runs")
    usable, is_single = drawable(named)
    drawn = dict(list(usable.items())[:MOST_MODELS])
    left_out += [model.predictions.name for name, model in named.items() if name not in drawn]
    if not usable:
        return "", left_out
    shown = {model.predictions.name: model for model in drawn.values()}
    pairs = axes() if is_single else set_axes(settings.model.taxonomy.is_tree)
    pair = pairs.get(view.axes, next(iter(pairs.values())))
    if is_single and pair.y == "hf1_samples":
        pair = next(iter(pairs.values()))
        left_out.append("the axes of the view")
    at = {model.predictions.name: view.threshold_of(name) for name, model in usable.items()}
    first = settings.model.predictions.name if settings.model.predictions.name in shown else next(iter(shown))
    intervals = _intervals(shown) if "bands" in view.drawn and is_single else {}
    bands = {name: one.bands for name, one in intervals.items()} or None
    if "bands" in view.drawn and bands is None:
        left_out.append("bands and intervals")
    figure = curve_figure(
        shown,
        is_single,
        threshold=at if view.thresholds else at[first],
        axes=replace(pair, spread=True if "spread" in view.drawn else None, zoom="whole" not in view.drawn),
        model=first,
        height=260,
        among=list(dict.fromkeys(model.predictions.name for model in models.values())),
        layers={"envelope": "envelope" in view.drawn, "levels": "levels" in view.drawn, "bands": bands},
    )
    store[key] = charts.packed_chart(figure)
    said = [f"At the start: {figure.sentence}"]
    if is_single and len(shown) > 1:
        said.append(_compared(shown, intervals, first))
    said.append(charts.bands_sentence(bands, pair.x, pair.y))
    if is_single:
        left_out.append("marks of rules without a threshold")
    more = ""
    if view.panel == "changes" and is_single:
        more, missing = _changes(settings, drawn, key, store)
        left_out += missing
    return chart(key, " ".join(filter(None, said))) + more, left_out


def _changes(settings, drawn, key, store):
    """(the answers of a model that change from its threshold to the second one of the view, what is left out)."""
    view = settings.view
    name = settings.key if settings.key in drawn else next(iter(drawn))
    found = answer_changes(drawn[name], threshold=view.threshold_of(name), to=view.to)
    is_whole = bool(view.choice("changes", "whole", False))
    if not found.n_changed and not is_whole:
        return f"<p>{escape(found.sentence)}</p>", []
    figure = charts.answer_changes(found, chosen=view.flow if view.flow in found.flows else None, whole=is_whole)
    return figure_html(figure, f"{key}-changes", store), ["the samples of the flows"]


def _intervals(shown):
    """ModelIntervals by name on the samples that all judge; none where these cannot be resampled."""
    try:
        samples = judged_samples(shown.values())
        resamples = Resamples.draw(samples[0].n_samples, RESAMPLES, 0)
    except HiervizError:
        return {}
    return {one.name: model_intervals(one, resamples) for one in samples}


def _compared(shown, intervals, first):
    """How the first model compares with the others."""
    try:
        samples = judged_samples(shown.values())
    except HiervizError:
        return ""
    numbers = {one.name: intervals[one.name].numbers if intervals else one.curve.summary() for one in samples}
    never = {one.name: never_reached(one.curve) for one in samples}
    return charts.comparison_sentence(numbers, first, samples[0].n_samples, never=never)


def compare(settings, key, store, max_mb):
    """(the table of the page Compare, its ranks or the agreement of its metrics, what is left out)."""
    view, models = settings.view, settings.models
    part, keys = view.comparison, shown_models(view, models, list(models))
    if part == "pair":
        return pair_picture(settings, key, store)
    if part not in ("table", "ranks", "agreement"):
        return "", ["this part of the page Compare"]
    shown = [models[name] for name in keys]
    is_small = sum(model.n_judged for model in shown) <= MOST_RESAMPLED
    found = comparison_table(
        shown,
        view.preset or None,
        **{**settings.choice, "threshold": [view.threshold_of(name) for name in keys]},
        resamples=RESAMPLES if is_small else 0,
    )
    left_out = ["added or hidden columns"] + ([] if is_small else ["intervals"])
    if part == "agreement":
        left_out.append("single samples")
        agreement = found.agreement
        if agreement.n_methods < 2 or len(agreement.columns) < 2:
            return f"<p>{escape(agreement.sentence)}</p>", left_out
        return figure_html(charts.agreement_matrix(agreement), key, store), left_out
    if part == "ranks" and len(found.methods) > 1:
        left_out.append("one number of all methods")
        return figure_html(charts.rank_matrix(found), key, store), left_out
    rows = []
    for place, method in enumerate(found.methods):
        rows.append([escape(method.name)])
        for column in found.columns:
            *parts, mark = cell_parts(found, method, column, place)
            text = escape(" ".join(filter(None, parts)))
            rows[-1].append(f"<b>{text}</b>" if mark in BOLD else text)
    return table(["Method", *(escape(column.label) for column in found.columns)], rows), left_out


def example(settings, key, store, max_mb):
    """(a sample with its living drawing, or with its facts and the tree that the view names, what is left out)."""
    if settings.row is None:
        return "", []
    model, row, view = settings.model, settings.row, settings.view
    urls, _ = sample_pictures(model.predictions, [row], max_mb)
    picture = f'<img class="story-picture" src="{urls[row]}" alt="Sample">' if row in urls else ""
    page = ExamplePage(model, urls, settings.choice, store, list(settings.models.values()))
    parts = sample_parts(model, row, tree=view.tree, **settings.choice) if view.tree in STYLES else ()
    found = settings.looks.get(model.predictions.sample_id(row)) if view.tree == "looks" else None
    if not parts and found is None:
        said = {"where the model looks": view.tree == "looks", "the steps of the training": bool(view.at_step)}
        return picture + page.drawing(row, key), [words for words, is_asked in said.items() if is_asked]
    text = model.predictions.text(row)
    quoted = f"<blockquote>{escape(text)}</blockquote>" if text else ""
    figure = parts[0].figure if found is None else charts.sensitivity(found)
    store[key] = charts.packed_chart(figure)
    words = {"focus": "the class in focus", "unfold": "unfolded classes", "at_step": "the steps of the training"}
    sample = f'<div class="story-sample">{picture}<div>{quoted}{page.facts(row)}</div></div>'
    return sample + chart(key, figure.sentence), [said for name, said in words.items() if getattr(view, name)]


def part_of_mistakes(settings, key, store, max_mb):
    """(a part of the page Mistakes, what is left out)."""
    part = settings.view.part
    if settings.model.why_no_mistakes() is not None:
        return "", []
    if part in LISTS:
        return LISTS[part](settings)
    left_out = f"mistakes after the first {MOST_MISTAKES}"
    if part == "matrix" and settings.view.choice("matrix", "drawing", "matrix") == "flow":
        return _flow(settings, key, store)
    if part == "matrix":
        left_out = "the open classes of the matrix, see Confusion matrix"
    return worst_mistakes(settings, max_mb), [left_out]


def _flow(settings, key, store):
    """(the flow of wrong and coarse answers with the open classes of the view, what is left out)."""
    answers = _answers(settings)
    opened = [int(node) for node in settings.view.opened if int(node) < answers.taxonomy.n_nodes]
    opened = opened or opened_to_fill(matrix(answers), MOST_LINES)
    figure = charts.mistake_flow(mistake_flow(answers, open_nodes=opened, most=MOST_LINES))
    return figure_html(figure, key, store), ["the samples of the ribbons"]


def worst_mistakes(settings, max_mb):
    """The worst mistakes that the filters of a view leave, with pictures of so many megabytes: HTML."""
    model, title = settings.model, settings.model.taxonomy.title
    if model.why_no_mistakes() is not None:
        return ""
    among = filtered(judged_answers(model, **settings.choice), settings.chosen)
    found = mistakes(model, **settings.choice, outcome="wrong", among=among).take(slice(0, MOST_MISTAKES))
    urls, _ = sample_pictures(model.predictions, found.row.tolist(), max_mb)
    cells = []
    for row, truth, answer in zip(found.row.tolist(), found.truth.tolist(), found.predicted.tolist()):
        words = escape(first_words(model.predictions.text(row) or "", 120))
        head = f'<img src="{urls[row]}" alt="">' if row in urls else f"<span>{words}</span>"
        sample = escape(model.predictions.sample_id(row))
        cells.append(
            f'<li>{head}<span class="muted">{sample}</span><span>{escape(title(truth))}</span>'
            f'<span class="wrong-answer">→ {escape(title(answer))}</span></li>'
        )
    said = '<p class="muted">The worst mistakes: truth → answer.</p>' if cells else ""
    return f'{said}<ul class="story-mistakes">{"".join(cells)}</ul>'


def _slices(settings):
    """The slices that fail more than the rest: their sentence, and a table."""
    found = slices(_answers(settings))
    rows = [
        (row.name, f"{row.n:,}", percent_text(row.rate, 1), percent_text(row.rest_rate, 1), row.verdict)
        for row in found.rows[:MOST_ROWS]
    ]
    made = _list(["Slice", "Samples", "Wrong", "Wrong of the rest", ""], rows, "numbers")
    return f"<p>{escape(found.sentence())}</p>{made}", _more_rows(found)


def _confusions(settings):
    """Pairs of classes that are confused."""
    found = confused_pairs(_answers(settings))
    names = [node_names(found.taxonomy, nodes[:MOST_ROWS]) for nodes in (found.truth, found.predicted)]
    rows = [(*pair, f"{int(n):,}") for *pair, n in zip(*names, found.count[:MOST_ROWS])]
    return _list(["Truth", "Answer", "Samples"], rows), _more_rows(found)


def _labels(settings):
    """Truths that may be wrong."""
    found = label_errors(_answers(settings), most=MOST_ROWS)
    names = [node_names(found.taxonomy, nodes) for nodes in (found.truth, found.predicted)]
    rows = [
        (sample, truth, answer, value_text(score), probability_text(p))
        for sample, truth, answer, score, p in zip(found.sample_id, *names, found.score, found.p_answer)
    ]
    said = f'<p class="muted">{escape(found.caution)}</p>' if len(found) else "<p>No candidates.</p>"
    return said + _list(["Sample", "Truth", "Answer", "Score", "p (answer)"], rows), ["marks and notes"]


def _answers(settings):
    """The answers that the filters of the view leave."""
    answers = judged_answers(settings.model, **settings.choice)
    kept = filtered(answers, settings.chosen)
    return answers.take(kept) if kept.any() and not kept.all() else answers


def _more_rows(found):
    return [f"rows after the first {MOST_ROWS}"] if len(found) > MOST_ROWS else []


def taxonomy(settings, key, store, max_mb):
    """(icicle, treemap of mistakes or levels of a subtree, what is left out)."""
    model, aspect, root, left_out = settings.model, settings.view.aspect, settings.under, []
    if not model.n_judged:
        return "", []
    if aspect == "calibration":
        return "", ["calibration"]
    if aspect == "levels":
        is_leaving = settings.view.choice("taxonomy", "levels", "counts") == "departures"
        if is_leaving and model.taxonomy.is_tree and model.why_no_mistakes() is None:
            return _departures(settings, key, store)
        levels = subtree_levels(judged_answers(model, **settings.choice), root)
        return figure_html(charts.level_bars(levels), key, store), ["classes per sample"]
    nodes = node_table(model, **settings.choice)
    if aspect == "treemap" and np.nan_to_num(nodes.n_wrong)[model.taxonomy.subtree(root)].any():
        figure = charts.mistake_treemap(nodes, root)
    else:
        value = settings.view.colour
        value = value if value in usable_columns(nodes) else "support"
        figure = charts.subtree_icicle(nodes, root, value=value)
        left_out = ["the table, see Taxonomy"] if aspect == "table" else []
    return figure_html(figure, key, store), left_out


def _departures(settings, key, store):
    """(where the answers of the models of a view leave the path, what is left out)."""
    shown = [settings.key, *(name for name in settings.models if name != settings.key)][:MOST_MODELS]
    found = {}
    for name in shown:
        own = settings.models[name]
        if own.n_judged and own.why_no_mistakes() is None:
            answers = judged_answers(own, **settings.choice | {"threshold": settings.view.threshold_of(name)})
            kept = filtered(answers, replace(settings.chosen, outcome=None))
            if kept.any():
                found.setdefault(own.predictions.name, departures(answers if kept.all() else answers.take(kept)))
    if not any(len(one) for one in found.values()):
        return "", []
    return figure_html(charts.departures(found), key, store), ["the samples of the bars"]


def _list(heads, rows, look="texts"):
    """A table of plain texts: HTML."""
    return table(heads, [[escape(str(cell)) for cell in row] for row in rows], look)


LISTS = {"slices": _slices, "confusions": _confusions, "labels": _labels}
# What a step of a story shows of a page: (settings, key in the store, store, megabytes) -> (HTML, what is left out).
PICTURES = {
    "curves": curves,
    "compare": compare,
    "example": example,
    "mistakes": part_of_mistakes,
    "taxonomy": taxonomy,
}


def story_section(steps, models, entries, store, costs=(), looks=None, review=None):
    """All steps as HTML.

    Parameters
    ----------
    steps : sequence of StoryStep
    models : dict of str to Evaluation
        By the keys that links use.
    entries : list of dict
        ``models`` of the JSON of `evaluate`.
    store : dict of str to str
        Where what the browser unpacks is put, by its name.
    costs : sequence of LeafCosts
        Those at hand, which views name.
    looks : dict of str to Sensitivity, optional
        Where the model looks, by the id of the sample.
    review : Review, optional
        What views that filter by it mean.
    """

    made, n = [], len(steps)
    for place, step in enumerate(steps, 1):
        key, more = f"story-{place}", '<p class="muted">Not part of a report.</p>'
        caption = escape(caption_text(step, models, costs, review)).replace("\n", "<br>")
        settings = replace(view_settings(step.view, models, costs, review), looks=looks or {})
        picture = _picture(step, key, settings, entries, store, MAX_MB / n)
        if PAGES[step.page].section:
            name, label = PAGES[step.page].section
            more = f'<p class="more"><a href="#{name}">More under {label}</a></p>'
        made.append(
            f'<article class="step" id="{key}" aria-label="{place} of {n}"><p class="caption">{caption}</p>'
            f"{picture}{more}</article>"
        )
    return (
        f'<div class="story" id="story-player" tabindex="-1"><div class="story-bar"{" hidden" if n == 1 else ""}>'
        '<button type="button" data-go="-1">← Previous</button><span class="story-place"></span>'
        '<button type="button" data-go="1">Next →</button><button type="button" data-screen>Full screen</button>'
        f'<span class="muted">Keys: ← →</span></div>{"".join(made)}</div>'
    )


def _picture(step, key, settings, entries, store, max_mb):
    """What the view of a step shows, and what of it is not in the file: HTML."""
    try:
        if step.page == "overview":
            made, left_out = worst_mistakes(settings, max_mb) + overview_table(entries), []
        elif step.page in PICTURES:
            made, left_out = PICTURES[step.page](settings, key, store, max_mb)
        else:
            return ""
    except HiervizError as error:
        made, left_out = f"<p>{escape(str(error))}</p>", []
    said = "; ".join([*left_out, *settings.left_out])
    said = escape(f"Not in this file, of what the page shows: {said}.") if said else ""
    return made + (f'<p class="muted left-out">{said}</p>' if said else "")
