"""Hierarchical precision, recall and F1 against hiclass (PyPI), on random trees.

Conventions
-----------
hiclass takes arrays of labels, one column a level: the row of a node is its path without the root, filled with "" from
below. Its ``average="micro"`` sums over samples, ``average="macro"`` is the mean over samples (no mean over classes).
With every path starting below the root and nothing undefined, both are the definitions of Kiritchenko et al. [1]_:

- micro: ``ppv``, ``tpr``, ``f1`` of the hierarchical confusion matrix; ``aggregate_*`` of a best leaf; ``micro_*`` and
  ``hf1_micro`` of label sets;
- macro: the means of the per-sample ``hp``, ``hr``; ``hp_samples``, ``hr_samples`` of label sets.

Where the definitions part (empty paths, macro F1 of a sample without a hit, shared ancestors of several paths, labels
that stand at two places) each difference has a test of its own, with the numbers of both.

References
----------
.. [1] S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import from_graph, many, trees

import hierviz as hv
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.metrics.win import best_leaf_metrics

with warnings.catch_warnings():
    # Their imports, not our use, may warn.
    warnings.simplefilter("ignore")
    from hiclass import metrics
    from sklearn.exceptions import UndefinedMetricWarning


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def levels(taxonomy, nodes):
    """Label array of hiclass, shape (n_samples, max_depth): the path of each node without the root, then ""."""
    found = np.full((len(nodes), taxonomy.max_depth), "", dtype=object)
    for row, node in zip(found, nodes):
        path = taxonomy.path(node)[1:]
        row[: len(path)] = [taxonomy.names[one] for one in path]
    return found


def stacked(taxonomy, lists, most):
    """Label array of hiclass for at most `most` paths a sample, shape (n_samples, most, max_depth)."""
    found = np.full((len(lists), most, taxonomy.max_depth), "", dtype=object)
    for block, nodes in zip(found, lists):
        block[: len(nodes)] = levels(taxonomy, nodes)
    return found


def micro(truth, predicted):
    """precision, recall and F1 of hiclass, with F1 0 where nothing is shared."""
    f1 = metrics.f1(truth, predicted, zero_division=0.0)
    return [metrics.precision(truth, predicted), metrics.recall(truth, predicted), f1]


def macro(truth, predicted):
    """precision and recall of hiclass, means over samples."""
    return [metrics.precision(truth, predicted, "macro"), metrics.recall(truth, predicted, "macro")]


def label_counts(taxonomy, truth, predicted):
    """Our label sets of nodes that stand for their whole paths."""
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(truth, hv.NodeLists.from_lists(predicted), is_hard=True)
    return counts


def pairs(nodes, least=1, most=12):
    """Lists of (true, predicted) nodes."""
    node = st.sampled_from(nodes)
    return st.lists(st.tuples(node, node), min_size=least, max_size=most)


@st.composite
def judged(draw, leaves_only=False):
    """(taxonomy, truth, predicted): nodes below the root, inner ones too, leaves at any depth."""
    taxonomy = from_graph(draw(trees()))
    nodes = taxonomy.leaves.tolist() if leaves_only else list(range(1, taxonomy.n_nodes))
    truth, predicted = zip(*draw(pairs(nodes)))
    return taxonomy, np.array(truth), np.array(predicted)


# Where the definitions coincide ----------------------------------------------------------------------------------------


@many
@given(judged())
def test_micro(case):
    """Nodes of any depth. Where nothing is shared hiclass warns and says 0; so do we."""
    taxonomy, truth, predicted = case
    expected = micro(levels(taxonomy, truth), levels(taxonomy, predicted))
    measures = hv.confusion(taxonomy, truth, predicted).measures
    close([measures["ppv"], measures["tpr"], measures["f1"]], expected)
    summary = label_counts(taxonomy, truth, predicted[:, None].tolist()).summary()
    close([summary["micro_precision"], summary["micro_recall"], summary["micro_f1"]], expected)
    close(summary["hf1_micro"], expected[2])


@many
@given(judged(leaves_only=True))
def test_micro_of_a_best_leaf(case):
    """Wu's aggregate precision, recall and F1, from the module and from block ``top_down``."""
    taxonomy, truth, predicted = case
    expected = micro(levels(taxonomy, truth), levels(taxonomy, predicted))
    found = best_leaf_metrics(taxonomy, truth, predicted)
    shared, claimed, due = (found[key].sum() for key in ("shared", "claimed", "due"))
    close([shared / claimed, shared / due, 2 * shared / (claimed + due)], expected)
    p = np.zeros((len(truth), taxonomy.n_leaves))
    p[np.arange(len(truth)), np.searchsorted(taxonomy.leaves, predicted)] = 1
    (model,) = hv.evaluate(hv.Predictions.from_scores(taxonomy, p, "leaf_probabilities", truth=truth))["models"]
    close([model["top_down"][f"aggregate_{key}"] for key in ("precision", "recall", "f1")], expected)


@many
@given(judged())
def test_macro_precision_and_recall_are_means_over_samples(case):
    taxonomy, truth, predicted = case
    expected = macro(levels(taxonomy, truth), levels(taxonomy, predicted))
    per_sample = hv.confusion(taxonomy, truth, predicted).per_sample
    close([per_sample["hp"].mean(), per_sample["hr"].mean()], expected)
    summary = label_counts(taxonomy, truth, predicted[:, None].tolist()).summary()
    close([summary["hp_samples"], summary["hr_samples"]], expected)


@many
@given(judged())
def test_macro_f1_where_every_sample_has_a_hit(case):
    """The mean of the per-sample F1, over the samples that share a node with their truth."""
    taxonomy, truth, predicted = case
    hit = taxonomy.depth[taxonomy.lca(truth, predicted)] > 0
    # One right sample keeps the case from being empty.
    truth, predicted = np.append(truth[hit], truth[0]), np.append(predicted[hit], truth[0])
    expected = metrics.f1(levels(taxonomy, truth), levels(taxonomy, predicted), "macro")
    close(hv.confusion(taxonomy, truth, predicted).per_sample["hf1"].mean(), expected)
    summary = label_counts(taxonomy, truth, predicted[:, None].tolist()).summary()
    close(summary["hf1_samples"], expected)


@many
@given(st.data())
def test_several_paths_are_sets_of_nodes(data):
    """Lists of several nodes with all their ancestors: hiclass unites the paths of a sample, as label sets do."""
    taxonomy = from_graph(data.draw(trees()))
    some = st.lists(st.integers(1, taxonomy.n_nodes - 1), min_size=1, max_size=4)
    cases = data.draw(st.lists(st.tuples(some, some), min_size=1, max_size=6))
    truth, predicted = zip(*cases)
    # hiclass pairs the rows of truth and prediction before it unites them: both need one number of paths.
    most = max(len(one) for row in cases for one in row)
    arrays = [stacked(taxonomy, lists, most) for lists in (truth, predicted)]
    expected = micro(*arrays)
    summary = label_counts(taxonomy, hv.NodeLists.from_lists(truth), predicted).summary()
    close([summary["micro_precision"], summary["micro_recall"], summary["micro_f1"]], expected)
    close(summary["hf1_micro"], expected[2])
    close([summary["hp_samples"], summary["hr_samples"]], macro(*arrays))


def test_there_is_something_to_compare():
    """The cases above are not all perfect or all wrong: 300 samples on one ragged tree, with figures strictly between."""
    rng = np.random.default_rng(0)
    parents = [0, 0, 0, 1, 1, 2, 2, 4, 4, 6, 9, 9]
    taxonomy = hv.Taxonomy.from_edges([(f"n{parent}", f"n{i}") for i, parent in enumerate(parents, 1)])
    truth, predicted = rng.integers(1, 13, 300), rng.integers(1, 13, 300)
    assert len(set(taxonomy.depth[taxonomy.leaves].tolist())) > 2
    expected = micro(levels(taxonomy, truth), levels(taxonomy, predicted))
    assert len(set(expected)) == 3
    assert all(0.2 < one < 0.8 for one in expected)
    measures = hv.confusion(taxonomy, truth, predicted).measures
    close([measures["ppv"], measures["tpr"], measures["f1"]], expected)


# Documented differences ------------------------------------------------------------------------------------------------
#
# Fixture taxonomy: animal > mammal > cat, dog;  animal > bird > duck;  animal > newt.


def confusion_means(taxonomy, truth, predicted):
    found = hv.confusion(taxonomy, taxonomy.nodes(*truth), taxonomy.nodes(*predicted))
    return [found.per_sample[key].mean() for key in ("hp", "hr", "hf1")]


def arrays(taxonomy, *names):
    return [levels(taxonomy, taxonomy.nodes(*one)) for one in names]


def test_empty_prediction_counts_as_precision_1(taxonomy):
    """hiclass divides by 0 in the mean over samples; ours is 1, 0/0 := 1, as in the golden's ``empty1``."""
    truth, predicted = ("cat", "newt"), ("cat", "animal")
    with pytest.raises(ZeroDivisionError):
        metrics.precision(*arrays(taxonomy, truth, predicted), "macro")
    assert confusion_means(taxonomy, truth, predicted) == [1, 1 / 2, 1 / 2]
    # In sums an empty prediction adds nothing, in both.
    expected = micro(*arrays(taxonomy, truth, predicted))
    measures = hv.confusion(taxonomy, taxonomy.nodes(*truth), taxonomy.nodes(*predicted)).measures
    close([measures["ppv"], measures["tpr"], measures["f1"]], expected)
    assert expected == [1, 2 / 3, 0.8]


def test_nothing_predicted_at_all_is_undefined(taxonomy):
    """hiclass fails; our ratio of sums is null in the confusion and 0 in the label sets, and F1 is 0 in both."""
    truth, predicted = ("cat", "newt"), ("animal", "animal")
    for average in ("micro", "macro"):
        with pytest.raises(ZeroDivisionError):
            metrics.precision(*arrays(taxonomy, truth, predicted), average)
    measures = hv.confusion(taxonomy, taxonomy.nodes(*truth), taxonomy.nodes(*predicted)).measures
    assert (measures["ppv"], measures["tpr"], measures["f1"]) == (None, 0, 0)
    summary = label_counts(taxonomy, taxonomy.nodes(*truth), [[], []]).summary()
    assert (summary["micro_precision"], summary["micro_f1"], summary["hp_samples"]) == (0, 0, 1)


def test_truth_at_the_root(taxonomy):
    """Nothing to find: recall 1 in our means; hiclass divides by 0."""
    truth, predicted = ("animal", "newt"), ("cat", "newt")
    with pytest.raises(ZeroDivisionError):
        metrics.recall(*arrays(taxonomy, truth, predicted), "macro")
    hp, hr, _ = confusion_means(taxonomy, truth, predicted)
    assert (hp, hr) == (1 / 2, 1)


def test_a_sample_without_a_hit_in_the_mean_f1(taxonomy):
    """hiclass warns and counts 0 as we do; its ``zero_division=1`` counts 1, and ``nan`` spoils the mean: it says it skips."""
    truth, predicted = ("cat", "newt"), ("dog", "cat")
    ours = confusion_means(taxonomy, truth, predicted)[2]
    assert ours == 1 / 4
    with pytest.warns(UndefinedMetricWarning, match="F-score is ill-defined"):
        assert metrics.f1(*arrays(taxonomy, truth, predicted), "macro") == ours
    assert metrics.f1(*arrays(taxonomy, truth, predicted), "macro", zero_division=1.0) == 3 / 4
    assert np.isnan(metrics.f1(*arrays(taxonomy, truth, predicted), "macro", zero_division=np.nan))
    # A zero_division of 0 is taken for "not given" in their mean, and the call lacks an argument.
    with pytest.raises(TypeError, match="zero_division"):
        metrics.f1(*arrays(taxonomy, truth, predicted), "macro", zero_division=0.0)


def test_macro_is_a_mean_over_samples_not_over_classes(taxonomy):
    """Our ``macro_f1`` is the mean over nodes [Plaud et al.]; their macro is our ``hf1_samples``.

    Nodes: mammal TP 2, FP 1: F1 4/5;  cat TP 1, FP 1, FN 0: 2/3;  dog FN 1: 0;  newt FN 1: 0;  bird, duck 0.
    """
    truth, predicted = ("cat", "dog", "newt"), ("cat", "cat", "mammal")
    with pytest.warns(UndefinedMetricWarning):
        mean = metrics.f1(*arrays(taxonomy, truth, predicted), "macro")
    summary = label_counts(taxonomy, taxonomy.nodes(*truth), [[node] for node in taxonomy.nodes(*predicted)]).summary()
    close([summary["hf1_samples"], summary["macro_f1"]], [mean, (4 / 5 + 2 / 3) / 6])
    close(mean, (1 + 1 / 2 + 0) / 3)
    close(summary["macro_f1_supported"], (4 / 5 + 2 / 3) / 4)


def test_shared_ancestors_of_several_paths(taxonomy):
    """hiclass and our label sets count a shared ancestor once; the confusion of Riehl et al. once per path."""
    truth, predicted = [["cat", "dog"]], [["cat", "newt"]]
    lists = [[taxonomy.nodes(*row).tolist() for row in rows] for rows in (truth, predicted)]
    expected = micro(*(stacked(taxonomy, one, 2) for one in lists))
    close(expected, [2 / 3, 2 / 3, 2 / 3])
    summary = label_counts(taxonomy, hv.NodeLists.from_lists(lists[0]), lists[1]).summary()
    close([summary["micro_precision"], summary["micro_recall"], summary["micro_f1"]], expected)
    found = hv.confusion(taxonomy, *(hv.NodeLists.from_lists(one) for one in lists))
    assert (found.counts["tp"], found.counts["fp"], found.counts["fn"]) == (2, 1, 2)
    close([found.measures["ppv"], found.measures["tpr"]], [2 / 3, 1 / 2])


def test_labels_that_stand_at_two_places():
    """hiclass compares names whatever their level or parent; ours are nodes, and names are unique."""
    truth = np.array([["mammal", "other"]], dtype=object)
    predicted = np.array([["bird", "other"]], dtype=object)
    assert metrics.precision(truth, predicted) == 1 / 2
    # Here a name under two parents is one node of a graph; the truth's path through either parent is the right one.
    graph = hv.Taxonomy.from_edges([("r", "mammal"), ("r", "bird"), ("mammal", "other"), ("bird", "other")])
    found = hv.confusion(graph, hv.NodeLists.from_lists([[3]]), hv.NodeLists.from_lists([[3]]))
    assert found.counts["tp"] == 2
    with pytest.raises(hv.TaxonomyError, match="expected a tree, got 'other' with 2 parents"):
        hv.metrics.path_metrics(graph, np.array([3]), np.array([3]))


def test_ancestors_are_never_added_by_hiclass(taxonomy):
    """It takes rows as they are: a leaf without its parent counts as one node; hard labels of ours stand for their path."""
    truth = levels(taxonomy, taxonomy.nodes("cat"))
    bare = np.array([["", "cat"]], dtype=object)
    close(micro(truth, bare), [1, 1 / 2, 2 / 3])
    counts = LabelSetCounts(taxonomy)
    counts.add_lists(taxonomy.nodes("cat"), hv.NodeLists.from_lists([[taxonomy.node("cat")]]))
    summary = counts.summary()
    close([summary["micro_precision"], summary["micro_recall"], summary["micro_f1"]], [1, 1 / 2, 2 / 3])
    # hF1 adds them to lists, too.
    assert summary["hf1_micro"] == 1
    assert label_counts(taxonomy, taxonomy.nodes("cat"), [[taxonomy.node("cat")]]).summary()["micro_f1"] == 1
