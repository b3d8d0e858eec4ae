"""The story of a report: each step with its caption and a picture of its view, one after the other."""

from __future__ import annotations

from html import escape

from hierviz.charts import (
    operating_curves,
    operating_curves_sentence,
    packed_chart,
    sample_parts,
    subtree_icicle,
    subtree_icicle_sentence,
)
from hierviz.diagnosis.node_columns import usable_columns
from hierviz.diagnosis.node_table import node_table
from hierviz.diagnosis.sample_filter import filtered
from hierviz.evaluation.judged_answers import judged_answers
from hierviz.evaluation.mistakes import mistakes
from hierviz.reports.example_html import ExamplePage, chart
from hierviz.reports.number_tables import overview_table
from hierviz.reports.sample_pictures import sample_pictures
from hierviz.stories import caption_text, view_settings

# Mistakes of a picture, and megabytes of pictures of all steps.
MOST, MAX_MB = 8, 2.0
# Section of the report that holds more of what a page shows.
SECTIONS = {
    "overview": ("overview", "Overview"),
    "curves": ("curves", "Operating curves"),
    "example": ("examples", "Examples"),
    "mistakes": ("matrix", "Confusion matrix"),
    "taxonomy": ("taxonomy", "Taxonomy"),
    "compare": ("numbers", "All numbers"),
}


class StoryHtml:
    """Makes the section.

    Parameters
    ----------
    steps : sequence of StoryStep
    models : dict of str to Evaluation
        By the keys that links use.
    entries : list of dict
        ``models`` of the JSON of `evaluate`.
    store : dict of str to str
        Where what the browser unpacks is put, by its name.
    """

    def __init__(self, steps, models, entries, store):
        self.steps, self.models, self.entries, self.store = steps, models, entries, store

    def section(self):
        """All steps: HTML."""
        made, n = [], len(self.steps)
        for place, step in enumerate(self.steps):
            caption = escape(caption_text(step, self.models)).replace("\n", "<br>")
            made.append(
                f'<article class="step" id="story-{place + 1}" aria-label="{place + 1} of {n}"><p class="caption">{caption}</p>'
                f"{self._picture(place, step)}{self._more(step)}</article>"
            )
        return (
            f'<div class="story" id="story-player" tabindex="-1"><div class="story-bar"{" hidden" if n == 1 else ""}>'
            '<button type="button" data-go="-1">← Previous</button><span class="story-place"></span>'
            '<button type="button" data-go="1">Next →</button><button type="button" data-screen>Full screen</button>'
            f'<span class="muted">Keys: ← →</span></div>{"".join(made)}</div>'
        )

    def _more(self, step):
        if step.page not in SECTIONS:
            return '<p class="muted">This page of the app is no part of a report.</p>'
        name, label = SECTIONS[step.page]
        return f'<p class="more"><a href="#{name}">More under {label}</a></p>'

    def _picture(self, place, step):
        settings, key = view_settings(step.view, self.models), f"story-{place + 1}"
        draw = {
            "overview": self._overview,
            "curves": self._curves,
            "example": self._example,
            "mistakes": self._mistakes,
            "taxonomy": self._taxonomy,
            "compare": self._compare,
        }.get(step.page)
        return "" if draw is None else draw(settings, key, step.view)

    def _overview(self, settings, key, view):
        return self._mistakes(settings, key, view) + overview_table(self.entries)

    def _compare(self, settings, key, view):
        return overview_table(self.entries)

    def _curves(self, settings, key, view):
        if settings.model.why_no_curve() is not None:
            return ""
        name = settings.model.predictions.name
        curves, at = {name: settings.model.curve}, settings.choice["threshold"]
        self.store[key] = packed_chart(
            lambda dark, width: operating_curves(curves, threshold=at, model=name, dark=dark, width=width, height=260)
        )
        return chart(key, f"At the start: {operating_curves_sentence(curves, at, model=name)}")

    def _example(self, settings, key, view):
        if settings.row is None:
            return ""
        model, row = settings.model, settings.row
        urls, _ = sample_pictures(model.predictions, [row], MAX_MB / len(self.steps))
        picture = f'<img class="story-picture" src="{urls[row]}" alt="Sample">' if row in urls else ""
        text = model.predictions.text(row)
        quoted = f"<blockquote>{escape(text)}</blockquote>" if text else ""
        facts = ExamplePage(model, urls, settings.choice, self.store).facts(row)
        part = sample_parts(model, row, **settings.choice)[0]
        self.store[key] = packed_chart(part.draw)
        return f'<div class="story-sample">{picture}<div>{quoted}{facts}</div></div>{chart(key, part.sentence)}'

    def _mistakes(self, settings, key, view):
        model, title = settings.model, settings.model.taxonomy.title
        if model.why_no_mistakes() is not None:
            return ""
        answers = judged_answers(model, **settings.choice)
        found = mistakes(model, **settings.choice, outcome="wrong", among=filtered(answers, settings.chosen))
        found = found.take(slice(0, MOST))
        urls, _ = sample_pictures(model.predictions, found.row.tolist(), MAX_MB / len(self.steps))
        cells = []
        for row, truth, answer in zip(found.row.tolist(), found.truth.tolist(), found.predicted.tolist()):
            text = model.predictions.text(row)
            head = f'<img src="{urls[row]}" alt="">' if row in urls else f"<span>{escape((text or '')[:120])}</span>"
            sample = escape(model.predictions.sample_id(row))
            cells.append(
                f'<li>{head}<span class="muted">{sample}</span><span>{escape(title(truth))}</span>'
                f'<span class="wrong-answer">→ {escape(title(answer))}</span></li>'
            )
        said = '<p class="muted">The worst mistakes: first the truth, then the answer.</p>' if cells else ""
        return f'{said}<ul class="story-mistakes">{"".join(cells)}</ul>'

    def _taxonomy(self, settings, key, view):
        if not settings.model.n_judged:
            return ""
        table, root = node_table(settings.model, **settings.choice), settings.under
        value = view.get("colour", "correct")
        value = value if value in usable_columns(table) else "support"
        self.store[key] = packed_chart(
            lambda dark, width: subtree_icicle(table, root, value=value, dark=dark, width=width)
        )
        said = subtree_icicle_sentence(table, root, value=value)
        return chart(key, said.removesuffix(" A click on a class opens its subtree."))
