"""Which samples belong to which slice: subtrees of the truth, and values of attributes; and groups that stay together.

Permutation tests of slices, and the order of the flagged ones.

Conventions
-----------
Slices are numbered; `NodeLists` hold slice numbers of each sample in the place of nodes.

Functions
---------
slice_members, codes_of, group_codes, attribute, worst_first, permutation_p_values
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierviz.evaluation._judged_answers import JudgedAnswers
from hierviz.messages.errors import PredictionsError, near_miss, shown
from hierviz.messages.notebook_html import Short
from hierviz.metrics.ties import at_least
from hierviz.predictions.column_text import is_missing
from hierviz.predictions.outside import GIVEN, MARKS, TEXT
from hierviz.taxonomy.node_lists import group as grouped
from hierviz.taxonomy.node_lists import offsets_of
from hierviz.taxonomy.taxonomy import NodeLists

# With fewer groups, or samples where there are no groups, nothing is tested.
FEWEST_GROUPS = 10


def worst_first(members, losses, sums, flagged, overall):
    """Flagged slices by the excess outside the earlier ones, with the samples there and their losses."""
    lists = members.of_sample
    sample = lists.rows
    is_flagged = np.zeros(len(members.n), dtype=bool)
    is_flagged[flagged] = True
    inside = is_flagged[lists.nodes]
    samples_of = grouped(lists.nodes[inside], sample[inside], len(members.n))
    left, left_loss = members.n.astype(float), sums.astype(float).copy()
    is_covered = np.zeros(len(lists), dtype=bool)
    n_outside, loss_outside = members.n.copy(), sums.astype(float)
    order, open_slices = [], flagged
    while len(open_slices):
        excess = left_loss[open_slices] - left[open_slices] * overall
        # On ties the smaller slice, then the later one: the more specific of two nested subtrees.
        best = np.lexsort((-open_slices, members.n[open_slices], -np.round(excess, 9)))[0]
        chosen = int(open_slices[best])
        order.append(chosen)
        n_outside[chosen], loss_outside[chosen] = left[chosen], left_loss[chosen]
        new = samples_of[chosen]
        new = new[~is_covered[new]]
        is_covered[new] = True
        leaving = lists.take(new)
        left -= np.bincount(leaving.nodes, minlength=len(left))
        left_loss -= np.bincount(leaving.nodes, np.repeat(losses[new], leaving.lengths), len(left))
        open_slices = np.delete(open_slices, best)
    return np.array(order, dtype=np.intp), n_outside, loss_outside


def permutation_p_values(members, losses, groups, n_permutations, seed, progress=None):
    """One-sided p-values of the mean loss inside against that of the rest, shape (n_slices,).

    A slice that is the same for all samples of each group is tested by permuting groups, each with its samples and losses; one
    that varies inside groups by permuting the losses inside each group.

    Parameters
    ----------
    members : SliceMembers
        No slice has all samples.
    losses : ndarray of float, shape (n_judged,)
    groups : ndarray of int, shape (n_judged,), or None
        Numbers from 0 without gaps; None where each sample is a group of its own.
    n_permutations, seed : int
    progress : callable, optional
        Called with (permutations done, n_permutations).

    Returns
    -------
    ndarray of float
        Share of the permutations, the data themselves included, whose difference is at least as large.
    """
    rng = np.random.default_rng(seed)
    n, n_slices, total = len(losses), len(members.n), losses.sum()
    groups = np.arange(n) if groups is None else groups
    sizes, sums = np.bincount(groups), np.bincount(groups, losses)
    sample, slice_of = np.repeat(np.arange(n), members.of_sample.lengths), members.of_sample.nodes
    pairs, count = np.unique(slice_of * len(sizes) + groups[sample], return_counts=True)
    slice_of_pair, group_of_pair = np.divmod(pairs, len(sizes))
    varies = np.zeros(n_slices, dtype=bool)
    varies[slice_of_pair[count < sizes[group_of_pair]]] = True
    whole = ~varies[slice_of_pair]
    slice_of_pair, group_of_pair = slice_of_pair[whole], group_of_pair[whole]
    inside = varies[slice_of]
    sample, slice_of = sample[inside], slice_of[inside]
    order = np.argsort(groups, kind="stable")
    group_in_order, loss_in_order = groups[order], losses[order]

    def above_rest(sums, n_inside):
        return sums / n_inside - (total - sums) / (n - n_inside)

    observed = above_rest(members.sums(losses), members.n)
    scale, as_far = np.abs(losses).max(), np.ones(n_slices)
    moved, n_inside = np.empty(n), members.n.astype(float)
    for done in range(1, n_permutations + 1):
        moved_sums = np.zeros(n_slices)
        if len(group_of_pair):
            other = rng.permutation(len(sizes))[group_of_pair]
            moved_sums = np.bincount(slice_of_pair, sums[other], n_slices)
            n_inside = np.where(varies, members.n, np.bincount(slice_of_pair, sizes[other], n_slices))
        if len(sample):
            moved[order] = loss_in_order[np.argsort(group_in_order + rng.random(n))]
            moved_sums += np.bincount(slice_of, moved[sample], n_slices)
        as_far += at_least(above_rest(moved_sums, n_inside), observed, scale)
        if progress:
            progress(done, n_permutations)
    return as_far / (n_permutations + 1)


# Attributes that name or hold one sample each.
NO_FACETS = ("image", "file", "text", GIVEN, TEXT, MARKS)


@dataclass(frozen=True, eq=False)
class SliceMembers(Short):
    """Slices with the samples in them.

    Attributes
    ----------
    kind : ndarray of object, shape (n_slices,)
        ``subtree``, or the name of an attribute.
    node : ndarray of int, shape (n_slices,)
        Top of the subtree; -1 of an attribute.
    value : ndarray of object, shape (n_slices,)
        Name of the node, or value of the attribute as text.
    n : ndarray of int, shape (n_slices,)
        Samples inside.
    of_sample : NodeLists
        Numbers of the slices of each sample, length n_judged.
    """

    kind: np.ndarray
    node: np.ndarray
    value: np.ndarray
    n: np.ndarray
    of_sample: NodeLists

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sum of the values (one a sample) over the samples of each slice, shape (n_slices,)."""
        return np.bincount(self.of_sample.nodes, np.repeat(values, self.of_sample.lengths), len(self.kind))


def slice_members(answers: JudgedAnswers, attributes: Sequence[str] | None, min_samples: int) -> SliceMembers:
    """The slices with at least `min_samples` samples inside and outside.

    Parameters
    ----------
    answers : JudgedAnswers
    attributes : sequence of str, or None
        Columns whose values are slices; all but those in `NO_FACETS` when None.
    min_samples : int

    Returns
    -------
    SliceMembers

    Raises
    ------
    PredictionsError
        If there is no such attribute.
    """
    taxonomy, columns = answers.taxonomy, answers.evaluation.predictions.attributes
    names = [name for name in columns if name not in NO_FACETS] if attributes is None else list(attributes)
    kinds: list[str] = []
    values: list[str] = []
    nodes, counts, sample, number = ([] for _ in range(4))

    def keep(kind, of_slice, texts, rows, slices, n):
        """Number the slices that are large enough, and remember who is in them."""
        kept = np.flatnonzero((n >= min_samples) & (answers.n_judged - n >= min_samples))
        new = np.full(len(n), -1)
        new[kept] = len(kinds) + np.arange(len(kept))
        numbers = new[slices]
        inside = numbers >= 0
        sample.append(rows if inside.all() else rows[inside])
        number.append(numbers if inside.all() else numbers[inside])
        kinds.extend([kind] * len(kept))
        nodes.append(of_slice[kept])
        values.extend(texts[place] for place in kept.tolist())
        counts.append(n[kept])

    # Names for these large arrays would keep them in memory.
    keep("subtree", np.arange(taxonomy.n_nodes), taxonomy.names, *_nodes_above(answers, min_samples))
    chosen = [(name, attribute(columns, name, "attributes")) for name in names]
    # What is named twice is tested once.
    for name, column in dict(chosen).items():
        codes, texts = codes_of(column[answers.rows])
        known = np.flatnonzero(codes >= 0)
        n = np.bincount(codes[known], minlength=len(texts))
        keep(name, np.full(len(texts), -1), texts, known, codes[known], n)
    rows, slices = sample[0], number[0]
    if len(sample) > 1:
        rows, slices = np.concatenate(sample), np.concatenate(number)
        slices = slices[np.argsort(rows, kind="stable")]
    offsets = offsets_of(np.bincount(rows, minlength=answers.n_judged))
    kind, value = (np.array(texts, dtype=object) for texts in (kinds, values))
    return SliceMembers(kind, np.concatenate(nodes), value, np.concatenate(counts), NodeLists(offsets, slices))


def _nodes_above(answers, min_samples):
    """Sample and node of every node at or above a truth of a sample, each pair once by sample; samples of each node.

    Pairs of nodes with fewer samples, inside or outside, may be left out.
    """
    taxonomy = answers.taxonomy
    if isinstance(answers.truth, NodeLists):
        rows, nodes = np.divmod(answers.closed()[0], taxonomy.n_nodes)
        return rows, nodes, np.bincount(nodes, minlength=taxonomy.n_nodes)
    count = np.bincount(answers.truth, minlength=taxonomy.n_nodes)
    truths = np.flatnonzero(count)
    lists = taxonomy.ancestors(truths)
    n = np.bincount(lists.nodes, np.repeat(count[truths], lists.lengths), taxonomy.n_nodes).astype(np.intp)
    is_kept = ((n >= min_samples) & (answers.n_judged - n >= min_samples))[lists.nodes]
    place = np.empty(taxonomy.n_nodes, dtype=np.intp)
    place[truths] = np.arange(len(truths))
    kept = lists.only(is_kept).take(place[answers.truth])
    return np.repeat(np.arange(answers.n_judged), kept.lengths), kept.nodes, n


def codes_of(column: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Number of the value of each sample, -1 where it is missing, and the values as text, ascending."""
    column = np.asarray(column)
    known = np.flatnonzero(~is_missing(column))
    texts, codes = np.unique(column[known].astype(str), return_inverse=True)
    number = np.full(len(column), -1)
    number[known] = codes
    return number, texts.tolist()


def group_codes(answers: JudgedAnswers, group: str | np.ndarray | None) -> np.ndarray | None:
    """Number of the group of each judged sample, shape (n_judged,); samples without one are groups of their own.

    None without groups, and where each is one sample.

    Raises
    ------
    PredictionsError
        If there is no such attribute, or the labels are not one a sample.
    """
    if group is None:
        return None
    predictions = answers.evaluation.predictions
    labels = attribute(predictions.attributes, group, "group") if isinstance(group, str) else np.asarray(group)
    if labels.shape != (predictions.n_samples,):
        raise PredictionsError(
            f"group: expected one label for each of the {predictions.n_samples} samples, got shape {labels.shape}. Align them."
        )
    codes, texts = codes_of(labels[answers.rows])
    alone = np.flatnonzero(codes < 0)
    codes[alone] = len(texts) + np.arange(len(alone))
    names, numbers = np.unique(codes, return_inverse=True)
    return None if len(names) == len(codes) else numbers


def attribute(columns, name, what):
    """Values of an attribute, shape (n_samples,); a PredictionsError that names the parameter `what` where there is none."""
    if not isinstance(name, str) or name not in columns:
        raise PredictionsError(
            f"{what}: expected a column of the predictions or the truth, of which these are attributes of samples: "
            f"{', '.join(columns) or 'none'}; got {shown(name)}.{near_miss(str(name), columns)} Name one."
        )
    return np.asarray(columns[name])
