"""Rules by hand, what the registry says, the words of errors, and memory."""

import inspect
import tracemalloc

import numpy as np
import pytest

import hierviz as hv
from hierviz.curves._rule_curve import information_curve
from hierviz.inference.registry import infer, rule_parameters


@pytest.fixture
def graph():
    """x below both r and y."""
    return hv.Taxonomy.from_edges([("r", "x"), ("r", "y"), ("y", "x"), ("y", "z")])


def rows_of(*rows):
    return np.array(rows, dtype=float)


def test_by_hand(taxonomy):
    p = rows_of(
        # animal mammal cat dog bird duck newt; bits 0 1 2 2 2 2 2
        [1, 0.75, 0.5, 0.25, 0.125, 0.125, 0.125],
        [1, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25],
        [1, 0.25, 0.25, 0, 0.25, 0.125, 0.25],  # a quarter stays at the root, an eighth at bird
    )
    animal, mammal, cat, bird, newt = taxonomy.nodes("animal", "mammal", "cat", "bird", "newt")
    # Runners-up: 0.25 in mammal; 0.25 twice; 0.25 at the top. Only cat; only mammal; nothing is above.
    assert infer(taxonomy, p, "plurality").tolist() == [cat, mammal, animal]
    # Bits times p: cat 1 > mammal 0.75; mammal, cat and others 0.5; cat, newt 0.5.
    assert infer(taxonomy, p, "expected_information").tolist() == [cat, mammal, cat]
    # One more bit: mammal 1.5 = cat 1.5 > animal 1, the lowest; animal 1 = mammal 1; animal 1.
    assert infer(taxonomy, p, "darts", lam=1).tolist() == [mammal, animal, animal]
    assert infer(taxonomy, p, "information_threshold", bits=1).tolist() == [mammal, mammal, cat]
    assert infer(taxonomy, p, "information_threshold", bits=1.5).tolist() == [cat, cat, cat]
    assert infer(taxonomy, p, "exclusive").tolist() == [cat, cat, animal]
    # Row 1: distance of cat: 0.25 (0 + 2 + 4 + 3), of newt: 0.25 (0 + 3 + 3 + 3). The same, the lower wins.
    # Row 2: of cat: 0.125 * 4 + 0.25 * 3, of newt: 0.25 * 3 + 0.125 * 3; the masses of inner nodes play no part.
    assert infer(taxonomy, p, "crm_leaf").tolist() == [cat, cat, newt]
    nearest = rows_of([1, 0.3, 0.15, 0.15, 0.3, 0.3, 0.4])
    # cat 0.15 * 2 + 0.3 * 4 + 0.4 * 3 = 2.7, duck 0.3 * 4 + 0.4 * 3 = 2.4, newt 0.3 * 3 + 0.3 * 3 = 1.8.
    assert infer(taxonomy, nearest, "crm_leaf").tolist() == [newt]
    # Expected F1: cat 0.5 + 0.25 / 2; mammal 0.75 * 2/3 = 0.5. Then mammal 0.5 * 2/3 = 1/3 < cat 0.25 + 0.125 = 0.375.
    assert infer(taxonomy, p[:2], "crm_nodes").tolist() == [cat, cat]
    # Exclusive mass at bird counts for duck in full: 0.125 + 0.125 ties with cat's and newt's 0.25.
    assert infer(taxonomy, p, "crm_nodes", expectation="exclusive").tolist() == [cat, mammal, cat]
    sets = infer(taxonomy, p, "threshold_set", threshold=0.25)
    assert [one.tolist() for one in sets] == [[mammal, cat], [mammal], []]
    assert bird not in infer(taxonomy, rows_of([1, 0, 0, 0, 1, 1, 0]), "plurality")


def test_sums_that_differ_by_rounding_tie(taxonomy):
    """0.1 + 0.2 is 0.30000000000000004, a runner-up of 0.3 still equals it."""
    p = rows_of([1, 0.1 + 0.2, 0.1, 0.2, 0.3, 0.3, 0.4])
    p = np.vstack([p, p])
    p[1, 6] = 0.1  # then 0.3 is the largest, twice, but for rounding
    assert infer(taxonomy, p, "plurality").tolist() == taxonomy.nodes("newt", "animal").tolist()
    # Own mass: bird keeps 0.30000000000000004 - 0.3 more than nothing; cat 0.3 and duck 0.1 + 0.2 are equal.
    p = rows_of([1, 0.4, 0.3, 0.1, 0.1 + 0.2, 0.1 + 0.2, 0.3])
    assert infer(taxonomy, p, "exclusive").tolist() == taxonomy.nodes("cat").tolist()
    assert infer(taxonomy, p, "crm_nodes", expectation="exclusive").tolist() == taxonomy.nodes("cat").tolist()


def test_a_chain_down_from_the_root():
    """The root has a single child and is never predicted: the end of the chain stands in for it."""
    chain = hv.Taxonomy.from_edges([("r", "a"), ("a", "b"), ("b", "c"), ("b", "d")])
    nothing = rows_of([1, 1, 1, 0.5, 0.5])
    assert infer(chain, nothing, "plurality").tolist() == [2]
    assert infer(chain, rows_of([1, 1, 0, 0, 0]), "crm_nodes", expectation="exclusive").tolist() == [2]
    assert infer(chain, rows_of([1, 1, 0, 0, 0]), "exclusive").tolist() == [1]
    assert infer(chain, nothing, "at_level", answer_level=2).tolist() == [2]
    line = hv.Taxonomy.from_edges([("r", "a"), ("a", "b")])
    p = rows_of([1, 0.5, 0.25])
    for rule, entry in hv.INFERENCE_RULES.items():
        if rule not in ("exclusive", "at_level", "threshold_set", "hf_optimal"):
            keywords = {key: entry.defaults.get(key, 0) for key in entry.parameters}
            assert infer(line, p, rule, **keywords).tolist() == [2], rule


def test_registry():
    wanted = (
        "leaf majority threshold depth_thresholds at_level plurality expected_information darts information_threshold exclusive "
        "crm_leaf crm_nodes optimal_node top_down threshold_set hf_optimal"
    )
    assert list(hv.INFERENCE_RULES) == wanted.split()
    for key, entry in hv.INFERENCE_RULES.items():
        assert entry.key == key
        assert entry.sentence.endswith(".")
        assert entry.label
        assert entry.formula.startswith(r"\hat") or key == "top_down"
        assert entry.source
        assert entry.needs_threshold == (key in ("threshold", "threshold_set"))
        assert entry.returns_sets == (key in ("threshold_set", "hf_optimal"))
        assert entry.tree_only == (key in ("exclusive", "at_level", "crm_leaf", "crm_nodes", "optimal_node"))
    assert len({entry.label for entry in hv.INFERENCE_RULES.values()}) == len(hv.INFERENCE_RULES)
    assert {key: tuple(entry.parameters) for key, entry in hv.INFERENCE_RULES.items() if entry.parameters} == {
        "threshold": ("threshold",),
        "depth_thresholds": ("thresholds_by_depth",),
        "at_level": ("answer_level",),
        "darts": ("lam",),
        "information_threshold": ("bits",),
        "crm_leaf": ("cost",),
        "crm_nodes": ("expectation",),
        "optimal_node": ("cost",),
        "threshold_set": ("threshold",),
        "hf_optimal": ("beta",),
    }
    assert {key: entry.defaults for key, entry in hv.INFERENCE_RULES.items() if entry.defaults} == {
        "at_level": {"answer_level": 1},
        "crm_leaf": {"cost": "depth_dist"},
        "crm_nodes": {"expectation": "leaves"},
        "optimal_node": {"cost": "depth_dist"},
        "hf_optimal": {"beta": 1},
    }
    for entry in hv.INFERENCE_RULES.values():
        keywords = list(inspect.signature(entry.function).parameters.values())[2:]
        assert [one.name for one in keywords] == list(entry.parameters)
        optional = {one.name: one.default for one in keywords if one.default is not one.empty}
        assert optional == entry.defaults
        for name, parameter in entry.parameters.items():
            assert parameter.name == name
            assert parameter.label
            assert parameter.sentence.endswith(".")
            assert parameter.kind in ("number", "choice", "costs", "numbers")
            assert parameter is rule_parameters()[name]
            low, high = parameter.range
            assert (
                low <= parameter.default <= high
                if parameter.kind == "number"
                else parameter.default in parameter.choices or parameter.kind == "numbers"
            )


def test_a_bound_of_bits_holds_for_nodes_that_miss_it_by_rounding():
    """log2(L) - log2(L / 2) is a little less than 1 for some L: half of the leaves still carry 1 bit."""
    missed = 0
    for half in range(2, 60):
        edges = [("r", "a"), ("r", "b")] + [(top, f"{top}{i}") for top in "ab" for i in range(half)]
        taxonomy = hv.Taxonomy.from_edges(edges)
        p = hv.node_probabilities(taxonomy, np.zeros((1, 2 * half)), "flat_softmax")
        missed += taxonomy.information[1] < 1
        assert infer(taxonomy, p, "information_threshold", bits=1).tolist() == [1], half
        curve = information_curve(taxonomy, [1], p)
        assert (curve.place(1), curve.place(1.001)) == (1, 0), half
    assert missed


@pytest.mark.parametrize(
    ("rule", "keywords", "message"),
    [
        ("darts", {}, r"^rule 'darts': expected the keywords \['lam'\], got \[\]\. Pass exactly these\.$"),
        ("information_threshold", {"lam": 1}, r"expected the keywords \['bits'\], got \['lam'\]"),
        ("crm_leaf", {"expectation": "leaves"}, r"\['cost'\], got \['expectation'\]\. .* cost may be left out\.$"),
        ("plurality", {"threshold": 0.5}, r"expected the keywords \[\], got \['threshold'\]"),
        *(
            ("darts", {"lam": lam}, r"^lam: expected a number of bits, 0 or more, got .*\. Choose one\.$")
            for lam in (-0.1, np.inf, np.nan, None, "two")
        ),
        *(
            (
                "information_threshold",
                {"bits": bits},
                r"^bits: expected a number from 0 to 2 \(the bits of a leaf\), got ",
            )
            for bits in (-0.1, 2.01, np.nan, None, "one")
        ),
        (
            "crm_leaf",
            {"cost": "hops"},
            r"^cost: expected one of depth_dist, .*, or LeafCosts .*, got 'hops'\. Choose one",
        ),
        ("crm_nodes", {"expectation": "all"}, r"^expectation: expected one of leaves, exclusive, got 'all'"),
        ("crm_nodes", {"expectation": None}, r"^expectation: expected one of leaves, exclusive, got None"),
        ("threshold_set", {"threshold": 1.5}, r"^threshold: expected a number from 0 to 1, got 1\.5"),
        ("threshold_set", {}, r"^rule 'threshold_set': expected the keywords \['threshold'\], got \[\]"),
    ],
)
def test_errors(taxonomy, rule, keywords, message):
    with pytest.raises(hv.PredictionsError, match=message):
        infer(taxonomy, np.ones((1, 7)), rule, **keywords)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers(taxonomy, value):
    p = np.ones((5, 7))
    p[3, 5], p[4, 0] = value, value
    with pytest.raises(hv.PredictionsError, match=rf"^p: expected finite numbers, got {value} in row 3 at 'duck'"):
        infer(taxonomy, p, "leaf")


@pytest.mark.parametrize("rule", ["exclusive", "crm_leaf", "crm_nodes", "optimal_node"])
def test_trees_only(graph, rule):
    with pytest.raises(hv.TaxonomyError, match=rf"^rule '{rule}': expected a tree, got 'x' with 2 parents"):
        infer(graph, np.ones((1, 4)), rule)


def test_graphs(graph):
    """Leaves below: r 2, y 2, x 1, z 1. y carries no bits and is a candidate, as it has two children."""
    y, x, z = graph.nodes("y", "x", "z")
    p = np.zeros((1, 4))
    p[:, [0, y, x, z]] = 1, 0.75, 0.5, 0.25
    assert infer(graph, p, "expected_information").tolist() == [x]
    assert infer(graph, p, "darts", lam=8).tolist() == [0]
    assert infer(graph, p, "information_threshold", bits=0).tolist() == [0]
    # Runner-up of r's children is x itself, so that x is not above it; y is not more informative than the root.
    assert infer(graph, p, "plurality").tolist() == [0]
    assert infer(graph, p, "threshold_set", threshold=0.4)[0].tolist() == sorted([y, x])
    # Truths are x (two nodes: itself and y) .5 and z .25 (2, of 3 nodes below the root). k = 2: y .75 * 2 / 4, x .5 * 2 / 4.
    assert infer(graph, p, "hf_optimal")[0].tolist() == sorted([y, x])


def test_memory_is_linear():
    """20,000 nodes: a table of nodes x nodes would take 3 GB, 400 MB even as bool."""
    rng = np.random.default_rng(0)
    parents = (rng.random(19_999) ** 2 * np.arange(1, 20_000)).astype(int)
    taxonomy = hv.Taxonomy.from_edges([(f"n{parent}", f"n{i}") for i, parent in enumerate(parents, 1)])
    p = hv.node_probabilities(taxonomy, rng.normal(size=(8, taxonomy.n_leaves)), "flat_softmax")
    for rule, entry in hv.INFERENCE_RULES.items():
        keywords = {key: entry.defaults.get(key, 0.5) for key in entry.parameters}
        infer(taxonomy, p[:1], rule, **keywords)
        tracemalloc.start()
        infer(taxonomy, p, rule, **keywords)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * p.nbytes, rule


def test_named_only_at_one_level():
    # animal > mammal > (cat, dog), animal > newt: newt is a leaf at level 1, and counts at level 2, too.
    taxonomy = hv.Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
    p = np.array([[1, 0.6, 0.3, 0.3, 0.4], [1, 0.4, 0.3, 0.1, 0.6], [1, 0.5, 0.5, 0, 0.5]])
    mammal, cat, newt = taxonomy.nodes("mammal", "cat", "newt")
    # Order of nodes: animal, mammal, cat, dog, newt. The mammal is more probable than the newt, each species less.
    assert infer(taxonomy, p, "at_level").tolist() == [mammal, newt, mammal]
    assert infer(taxonomy, p, "at_level", answer_level=2).tolist() == [newt, newt, cat]
    for wrong in (0, 3, 1.5, "2", np.nan):
        with pytest.raises(hv.PredictionsError, match=r"^answer_level: expected a whole number from 1 to 2"):
            infer(taxonomy, p, "at_level", answer_level=wrong)
