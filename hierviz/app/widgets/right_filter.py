"""The filters by which models are right (no model, all, or some alone) and by what an expert said; the same on every page."""

from hierviz.app import state
from hierviz.app.state.kept_review import review_of
from hierviz.comparison._right_together import ALL, NONE, ONLY, right_together
from hierviz.diagnosis._review_queue import FILTERS as REVIEWED
from hierviz.diagnosis._review_queue import review_samples
from hierviz.messages.errors import HiervizError
from hierviz.reports.view import right_keys

# Models that the menu names one by one.
MOST_NAMED = 12


def together(data):
    """The RightTogether of all open methods, computed once; None where there is one, or they cannot be compared."""

    def made():
        try:
            return (right_together(data.methods),)
        except HiervizError:
            return (None,)

    if len(data.methods) < 2 or not data.first.n_judged:
        return None
    return state.computed("right together", data.digest, made)[0]


def sample_filter(model):
    """The SampleFilter of the view for a model, with the samples that some models are right on, and of the review."""
    return state.view().sample_filter(model, _samples, _reviewed)


def _reviewed(word):
    data = state.data()
    if data is None:
        return None
    review = review_of(data)
    where = (data.digest, word, hash(review.rows))
    return state.computed("review samples", where, lambda: review_samples(review, word, data.first.predictions))


def review_options(data):
    """Values of the field `review` with their words and numbers of samples; empty where nothing was said."""
    if not len(review_of(data)):
        return {}
    n_of = {word: len(_reviewed(word).rows) for word in REVIEWED}
    return {"": "any"} | {word: f"{label} ({n_of[word]:,})" for word, label in REVIEWED.items()}


def _samples(word):
    data = state.data()
    found = None if data is None else together(data)
    if found is None or not _is_known(found, word):
        return None
    return state.computed("right samples", (data.digest, word), lambda: found.samples(word))


def _is_known(found, word):
    return word in (NONE, ALL) or set(right_keys(word)) <= set(found.keys)


def words(word):
    """A value of the field `right` in words."""
    data = state.data()
    found = None if data is None else together(data)
    if found is None or not _is_known(found, word):
        return word
    keys = found.keys if word == ALL else right_keys(word)
    return found.words([key in keys for key in found.keys])


def options():
    """Values of the field `right` with their words and samples; empty where models cannot be compared."""
    data = state.data()
    found = None if data is None else together(data)
    if found is None:
        return {}
    now = state.view().right
    offered = [NONE, ALL, *(ONLY + key for key in found.keys[:MOST_NAMED])]
    offered += [now] * (bool(now) and now not in offered and _is_known(found, now))
    return {"": "any"} | {word: f"{words(word)} ({len(found.select(word)):,})" for word in offered}
