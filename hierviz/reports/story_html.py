"""The story of a report: each step with its caption and a picture of its view, one after the other."""

from __future__ import annotations

from html import escape

from hierviz.charts import packed_chart, sample_parts
from hierviz.charts._probability_tree import STYLES
from hierviz.diagnosis.mistakes import mistakes
from hierviz.diagnosis.sample_filter import filtered
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import HiervizError, first_words
from hierviz.reports import view_pictures
from hierviz.reports.captions import caption_text
from hierviz.reports.example_html import ExamplePage, chart
from hierviz.reports.number_tables import overview_table
from hierviz.reports.report_samples import sample_pictures
from hierviz.reports.story_step import view_settings
from hierviz.reports.view_pages import PAGES

# Mistakes of a picture, and megabytes of pictures of all steps.
MOST, MAX_MB = 8, 2.0


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
        if not PAGES[step.page].section:
            return '<p class="muted">This page of the app is no part of a report.</p>'
        name, label = PAGES[step.page].section
        return f'<p class="more"><a href="#{name}">More under {label}</a></p>'

    def _picture(self, place, step):
        """What the view shows, and what of it is not in the file: HTML."""
        settings, key = view_settings(step.view, self.models), f"story-{place + 1}"
        draw = {
            "overview": lambda: (self._mistakes(settings) + overview_table(self.entries), []),
            "curves": lambda: view_pictures.curves(settings, key, self.models, self.store),
            "example": lambda: self._example(settings, key),
            "mistakes": lambda: self._part_of_mistakes(settings),
            "taxonomy": lambda: self._taxonomy(settings, key),
            "compare": lambda: view_pictures.compare(settings, key, self.models, self.store),
        }.get(step.page)
        if draw is None:
            return ""
        try:
            made, left_out = draw()
        except HiervizError as error:
            made, left_out = f"<p>{escape(str(error))}</p>", []
        said = f"Not in this file, of what the page shows: {'; '.join(left_out)}." if left_out else ""
        return made + (f'<p class="muted left-out">{escape(said)}</p>' if said else "")

    def _part_of_mistakes(self, settings):
        part = settings.view.part
        if settings.model.why_no_mistakes() is not None:
            return "", []
        if part == "matrix":
            return self._mistakes(settings), ["the matrix as it was opened; it opens under Confusion matrix"]
        draw = {
            "slices": view_pictures.slices_of,
            "confusions": view_pictures.confusions_of,
            "labels": view_pictures.labels_of,
        }.get(part)
        return (self._mistakes(settings), [f"mistakes after the first {MOST}"]) if draw is None else draw(settings)

    def _example(self, settings, key):
        if settings.row is None:
            return "", []
        model, row = settings.model, settings.row
        urls, _ = sample_pictures(model.predictions, [row], MAX_MB / len(self.steps))
        picture = f'<img class="story-picture" src="{urls[row]}" alt="Sample">' if row in urls else ""
        text = model.predictions.text(row)
        quoted = f"<blockquote>{escape(text)}</blockquote>" if text else ""
        facts = ExamplePage(model, urls, settings.choice, self.store).facts(row)
        view = settings.view
        tree = view.tree if view.tree in STYLES else "icicle"
        part = sample_parts(model, row, tree=tree, **settings.choice)[0]
        self.store[key] = packed_chart(part.figure)
        left_out = [
            word
            for name, word in (("focus", "the class in focus"), ("unfold", "unfolded classes"))
            if getattr(view, name)
        ]
        made = f'<div class="story-sample">{picture}<div>{quoted}{facts}</div></div>{chart(key, part.figure.sentence)}'
        return made, left_out

    def _mistakes(self, settings):
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
            head = (
                f'<img src="{urls[row]}" alt="">'
                if row in urls
                else f"<span>{escape(first_words(text or '', 120))}</span>"
            )
            sample = escape(model.predictions.sample_id(row))
            cells.append(
                f'<li>{head}<span class="muted">{sample}</span><span>{escape(title(truth))}</span>'
                f'<span class="wrong-answer">→ {escape(title(answer))}</span></li>'
            )
        said = '<p class="muted">The worst mistakes: first the truth, then the answer.</p>' if cells else ""
        return f'{said}<ul class="story-mistakes">{"".join(cells)}</ul>'

    def _taxonomy(self, settings, key):
        return view_pictures.taxonomy(settings, key, self.store) if settings.model.n_judged else ("", [])
