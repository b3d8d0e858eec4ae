"""The small trees of the lessons, made up for them, and one sample on such a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import hierviz as hv
from hierviz.lessons.lesson import Number
from hierviz.lessons.quantities import tree_figure
from hierviz.messages.number_text import probability_text
from hierviz.taxonomy.taxonomy import Taxonomy


def _tree(*lines):
    """A taxonomy of lines `parent: child, child`."""
    split = (line.split(": ") for line in lines)
    return Taxonomy.from_edges([(parent, child) for parent, children in split for child in children.split(", ")])


# Ten articles in three departments.
SHOP = _tree(
    "shop: clothing, kitchen, garden",
    "clothing: tops, shoes",
    "tops: T-shirt, jumper",
    "shoes: sandals, boots",
    "kitchen: pans, kettle",
    "pans: frying pan, saucepan",
    "garden: tools, hose",
    "tools: spade, rake",
)
# A leaf with two parents.
SPORTS_SHOP = _tree(
    "shop: clothing, sports",
    "clothing: shoes, tops",
    "shoes: boots, trainers",
    "sports: running, football",
    "running: trainers, stopwatch",
)
# Seven leaves, whose probabilities are dragged.
ANIMALS = _tree(
    "animal: mammal, bird, fish", "mammal: pet, whale", "pet: cat, dog", "bird: duck, owl", "fish: trout, eel"
)
# Of the figures 7 and 8 of Plaud et al.
PLAUD = _tree("root: 1, 2", "1: 3, 4, 5")
# Topics of questions, one of them with a single child.
TOPICS = _tree(
    "topic: leisure, relations, science",
    "leisure: entertainment, society, sports",
    "relations: family",
    "science: health, computers",
)
# The fish of Wu, Tygert and LeCun, with one more branch.
FISH = _tree("acipenseriformes: sturgeon, paddlefish", "sturgeon: huso, acipenser", "acipenser: oxyrinchus, other")
# A tree for raw scores.
TRIO = _tree("thing: fruit, bread", "fruit: apple, pear", "bread: roll, loaf")


def leaf_names(taxonomy):
    """Names of the leaves."""
    return tuple(taxonomy.title(int(leaf)) for leaf in taxonomy.leaves)


def drawn_animals(seed, concentration, n):
    """Node probabilities and truths of n samples of a calibrated model: each truth is drawn from its own probabilities."""
    rng = np.random.default_rng(seed)
    leaves = rng.dirichlet(np.full(ANIMALS.n_leaves, concentration), n)
    truth = np.array([rng.choice(ANIMALS.leaves, p=row) for row in leaves])
    return hv.node_probabilities(ANIMALS, leaves, parametrisation="leaf_probabilities"), truth


@dataclass(frozen=True)
class Sample:
    """Node probabilities of one sample, and what rules and metrics make of them.

    Attributes
    ----------
    taxonomy : Taxonomy
    p : (n_nodes,) float
    """

    taxonomy: Taxonomy
    p: np.ndarray

    @classmethod
    def of_weights(cls, taxonomy, weights):
        """The sample of non-negative weights of the leaves by name: each is divided by their sum.

        All leaves have the same probability where the weights sum to 0.
        """
        given = np.array([weights[name] for name in leaf_names(taxonomy)], float)
        shares = given / given.sum() if given.sum() > 0 else np.full(len(given), 1 / len(given))
        return cls(taxonomy, hv.node_probabilities(taxonomy, shares[None], parametrisation="leaf_probabilities")[0])

    @property
    def texts(self):
        """Probabilities as they are written next to names."""
        return [probability_text(float(value)) for value in self.p]

    def probability(self, node, label=None):
        """The probability of a node, or of its name."""
        node = self.taxonomy.node(node) if isinstance(node, str) else int(node)
        label = label or f"p({self.taxonomy.title(node)})"
        return Number(label, float(self.p[node]), "", ("p", self.taxonomy, self.p, node))

    def answer(self, rule, **parameters):
        """The answer of a rule: a node, or a list of the nodes of a set."""
        found = hv.infer(self.taxonomy, self.p[None], rule, **parameters)[0]
        return found.tolist() if isinstance(found, np.ndarray) else int(found)

    def named(self, rule, **parameters):
        """Name of the class that a rule answers with."""
        return self.taxonomy.title(self.answer(rule, **parameters))

    def win(self, truth, label="", rescaled=True):
        """The win; not rescaled it has the term of the root."""
        value = float(hv.win(self.taxonomy, np.array([truth]), self.p[None], rescaled=rescaled)[0])
        kind, key = ("win", "softmax_win") if rescaled else ("raw win", "softmax_win_raw")
        return Number(label or kind, value, key, (kind, self.taxonomy, truth, self.p))

    def tree(self, truth=(), answer=(), name="tree"):
        """The tree with its probabilities, to scale."""
        return tree_figure(self.taxonomy, truth, answer, self.texts, name, self.p)
