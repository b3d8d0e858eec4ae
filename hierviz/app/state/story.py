"""The story of this session: steps of the open data, and which of them is played."""

from __future__ import annotations

from dataclasses import replace

from hierviz.app.state.current import link, session, view_of
from hierviz.app.state.rule_parameters import uploaded_costs
from hierviz.app.state.server_memory import computed, memory
from hierviz.reports.captions import caption_text
from hierviz.reports.of_the_demo import demo_story
from hierviz.reports.story_step import LONGEST, MOST, StoryStep, texts
from hierviz.reports.view import DEMO

# Memory of the session: stories by the key of their data; and what is played, or has just ended.
STORIES, PLAYED = "stories", "story played"


def steps(dataset):
    """The steps of the open data: those of this session, of the demo its own until they are changed."""
    own = memory(STORIES).get(dataset.key)
    return shipped(dataset) if own is None else own


def own_steps(dataset):
    """The steps, where they are not those that come with the data."""
    return memory(STORIES).get(dataset.key, ())


def shipped(dataset):
    """The story that comes with the data; empty for files."""
    if dataset.key != DEMO:
        return ()
    return computed("story", (dataset.digest, dataset.key), lambda: demo_story(dataset.models))


def keep_steps(dataset_key, changed):
    """Let these be the steps of a data set."""
    memory(STORIES)[dataset_key] = tuple(changed)[:MOST]


def forget_steps(dataset):
    """Go back to the story that comes with the data."""
    memory(STORIES).pop(dataset.key, None)


def add_view(dataset, page, caption):
    """Add what is shown to the end of the story."""
    step = StoryStep(page or "overview", texts(link()), caption.strip()[:LONGEST])
    keep_steps(dataset.key, (*steps(dataset), step))


def move_step(dataset, place, by):
    """Exchange a step with another; `by` is -1 or 1."""
    changed, other = list(steps(dataset)), place + by
    if 0 <= place < len(changed) and 0 <= other < len(changed):
        changed[place], changed[other] = changed[other], changed[place]
        keep_steps(dataset.key, changed)


def remove_step(dataset, place):
    """Leave a step out."""
    keep_steps(dataset.key, (step for number, step in enumerate(steps(dataset)) if number != place))


def caption_step(dataset, place, caption):
    """Give a step another caption."""
    changed = list(steps(dataset))
    if 0 <= place < len(changed):
        changed[place] = replace(changed[place], caption=caption.strip()[:LONGEST])
        keep_steps(dataset.key, changed)


def caption(dataset, step):
    """The caption with its numbers, kept once it is made."""
    costs = uploaded_costs(dataset.taxonomy)
    asked = (dataset.digest, dataset.key, step.caption, repr((sorted(step.view.items()), costs)))
    return computed("caption", asked, lambda: caption_text(step, dataset.models, costs))


def play(dataset, place=0):
    """Show a step at the next run of the page, and the bar that leads through the story."""
    memory(PLAYED).update(key=dataset.key, at=place, go=True)


def go(place):
    """Show the step of this number; None ends the story."""
    played = memory(PLAYED)
    if place is None:
        played.clear()
        played["ended"] = True
    elif played:
        played.update(at=place, go=True)


def played(dataset):
    """(number of the step, step, number of steps) while the story of the open data is played, else None."""
    now = memory(PLAYED)
    if dataset is None or now.get("key") != dataset.key:
        return None
    found = steps(dataset)
    if not found:
        return None
    now["at"] = min(max(now["at"], 0), len(found) - 1)
    return now["at"], found[now["at"]], len(found)


def is_asked():
    """Whether a story is played, or has just ended."""
    return bool(memory(PLAYED))


def take_step(dataset):
    """Let the view be that of the step that is to be shown now; returns its page, None where nothing is to be changed.

    After the end of a story that is the page where it is arranged.
    """
    if memory(PLAYED).pop("ended", False):
        return "story"
    playing = played(dataset)
    if playing is None or not memory(PLAYED).pop("go", False):
        return None
    step = playing[1]
    session.view = view_of({**step.view, "data": dataset.key}).cleaned(dataset)
    # Another step of the same page starts with its own choices.
    session.pop("not_here", None)
    return step.page
