"""The story of a report: each step with its caption and a picture of its view, one after the other."""

from __future__ import annotations

from html import escape

from hierviz.messages.errors import HiervizError
from hierviz.reports.captions import caption_text
from hierviz.reports.number_tables import overview_table
from hierviz.reports.story_step import view_settings
from hierviz.reports.view_pages import PAGES
from hierviz.reports.view_pictures import PICTURES, worst_mistakes

# Megabytes of pictures of all steps.
MAX_MB = 2.0


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
    costs : sequence of LeafCosts
        Those at hand, which views name.
    """

    def __init__(self, steps, models, entries, store, costs=()):
        self.steps, self.models, self.entries, self.store, self.costs = steps, models, entries, store, costs

    def section(self):
        """All steps: HTML."""
        made, n = [], len(self.steps)
        for place, step in enumerate(self.steps, 1):
            caption = escape(caption_text(step, self.models, self.costs)).replace("\n", "<br>")
            made.append(
                f'<article class="step" id="story-{place}" aria-label="{place} of {n}"><p class="caption">{caption}</p>'
                f"{self._picture(f'story-{place}', step)}{self._more(step)}</article>"
            )
        return (
            f'<div class="story" id="story-player" tabindex="-1"><div class="story-bar"{" hidden" if n == 1 else ""}>'
            '<button type="button" data-go="-1">← Previous</button><span class="story-place"></span>'
            '<button type="button" data-go="1">Next →</button><button type="button" data-screen>Full screen</button>'
            f'<span class="muted">Keys: ← →</span></div>{"".join(made)}</div>'
        )

    def _more(self, step):
        if not PAGES[step.page].section:
            return '<p class="muted">Not part of a report.</p>'
        name, label = PAGES[step.page].section
        return f'<p class="more"><a href="#{name}">More under {label}</a></p>'

    def _picture(self, key, step):
        """What the view shows, and what of it is not in the file: HTML."""
        settings, max_mb = view_settings(step.view, self.models, self.costs), MAX_MB / len(self.steps)
        try:
            if step.page == "overview":
                made, left_out = worst_mistakes(settings, max_mb) + overview_table(self.entries), []
            elif step.page in PICTURES:
                made, left_out = PICTURES[step.page](settings, key, self.store, max_mb)
            else:
                return ""
        except HiervizError as error:
            made, left_out = f"<p>{escape(str(error))}</p>", []
        left_out = [*left_out, *settings.left_out]
        said = f"Not in this file, of what the page shows: {'; '.join(left_out)}." if left_out else ""
        return made + (f'<p class="muted left-out">{escape(said)}</p>' if said else "")
