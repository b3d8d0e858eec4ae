"""The two classes between which an answer was decided, by hand on the small tree."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.diagnosis._deciding_pair import checked_pair, pairs_to_compare

# animal, mammal, cat, dog, bird, duck, newt.
P = [1.0, 0.5, 0.3, 0.2, 0.3, 0.3, 0.2]


@pytest.mark.parametrize(
    ("answer", "truth", "first", "second"),
    [
        ("cat", "cat", "cat", "dog"),  # exact
        ("cat", None, "cat", "dog"),  # truth unknown
        ("cat", "mammal", "mammal", "bird"),  # below the truth: that is exact; bird has 0.3, newt 0.2
        ("cat", "newt", "mammal", "newt"),  # wrong: below the root
        ("dog", "duck", "mammal", "bird"),
        ("dog", "cat", "dog", "cat"),  # wrong: below mammal
        ("mammal", "cat", "cat", "dog"),  # coarse: the child on the true path
        ("animal", "dog", "mammal", "bird"),  # no answer
        ("duck", "duck", "bird", "mammal"),  # duck is an only child
        ("bird", "duck", "bird", "mammal"),  # and so nothing below bird is decided
        ("animal", None, "mammal", "bird"),  # the two most probable branches
        ("animal", "animal", "mammal", "bird"),
    ],
)
def test_pairs(taxonomy, answer, truth, first, second):
    pair = hv.diagnosis.deciding_pair(taxonomy, P, taxonomy.node(answer), truth and taxonomy.node(truth))
    assert (taxonomy.names[pair.first], taxonomy.names[pair.second]) == (first, second)


def test_the_best_sibling_is_the_lowest_of_equal_ones(taxonomy):
    p = [1.0, 0.4, 0.2, 0.2, 0.3, 0.3, 0.3]
    pair = hv.diagnosis.deciding_pair(taxonomy, p, taxonomy.node("mammal"))
    assert taxonomy.names[pair.second] == "bird"


def test_pairs_to_compare_begin_with_the_deciding_one_and_repeat_none(taxonomy):
    found = pairs_to_compare(taxonomy, P, taxonomy.node("cat"), taxonomy.node("newt"))
    names = [(taxonomy.names[one.first], taxonomy.names[one.second]) for one in found]
    # mammal against bird and cat against dog are on the answer's path; newt against its best sibling mammal is the first turned.
    assert names == [("mammal", "newt"), ("mammal", "bird"), ("cat", "dog")]


def test_errors(taxonomy):
    with pytest.raises(hv.PredictionsError, match="neither contains the other, got 'cat' and 'mammal'"):
        checked_pair(taxonomy, "cat", "mammal")
    with pytest.raises(hv.PredictionsError, match="neither contains the other"):
        checked_pair(taxonomy, 2, 2)
    with pytest.raises(hv.TaxonomyError, match="Did you mean 'mammal'"):
        checked_pair(taxonomy, "duck", "mamal")
    with pytest.raises(hv.PredictionsError, match="between: expected a node number from 0 to 6, got 7"):
        checked_pair(taxonomy, 2, 7)
    chain = hv.Taxonomy.from_edges([("a", "b"), ("b", "c")])
    with pytest.raises(hv.PredictionsError, match="expected a class with a sibling on the path to 'c', got none"):
        hv.diagnosis.deciding_pair(chain, [1, 1, 1], 2)
    with pytest.raises(hv.PredictionsError, match="answer: expected a node number"):
        hv.diagnosis.deciding_pair(taxonomy, P, 9)
    graph = hv.Taxonomy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    with pytest.raises(hv.TaxonomyError, match="expected a tree"):
        hv.diagnosis.deciding_pair(graph, np.ones(4), 3)
