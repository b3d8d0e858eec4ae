"""The terms of hierarchical classification as hierviz uses them, one plain sentence or two each."""

from __future__ import annotations

from types import MappingProxyType

GLOSSARY = MappingProxyType(
    {
        "AC": (
            "Average correctness: the area under the share of correct answers over information recall, for all thresholds "
            "(Valmadre 2022)."
        ),
        "ancestor": (
            "A class above another one on its path from the root. A tabby cat is a cat, a mammal, an animal: all three are "
            "ancestors of tabby cat."
        ),
        "AP": (
            "Average precision: the area under information precision over information recall, for all thresholds (Valmadre "
            "2022)."
        ),
        "bootstrap": (
            "Drawing the samples of a data set anew, with repeats, many times, to see how much a number depends on which "
            "samples there are."
        ),
        "calibrated": (
            "A probability is calibrated when of all cases with probability 0.8 about 80 % are true, and so on for every "
            "value."
        ),
        "coarse": "An answer is coarse when it is an ancestor of the truth, but not the root: right, but less specific.",
        "coherent": "Scores are coherent when no child has a higher one than its parent.",
        "confusion of paths": (
            "True and false positives and negatives counted over the classes of the true and the predicted path (Riehl et "
            "al. 2023)."
        ),
        "correct": "An answer is correct when it is the truth or an ancestor of it, the root included, which says nothing.",
        "cross entropy": "−ln p(truth): what a probability costs, without a limit as it nears 0.",
        "depth": "Number of edges between a class and the root.",
        "exact": "An answer is exact when it is the truth itself.",
        "exhaustive": "Scores are exhaustive when the children of every class add up to it.",
        "gradient": "How much a loss changes per change of each score. Training moves the scores against it.",
        "hF": "Harmonic mean of hP and hR. hF1 is the same for sets of classes.",
        "hP": (
            "Hierarchical precision: share of the predicted classes, with their ancestors and without the root, that are "
            "true."
        ),
        "hR": (
            "Hierarchical recall: share of the true classes, with their ancestors and without the root, that are predicted."
        ),
        "inference rule": "How the probabilities of all classes become one answer.",
        "information": (
            "log2(number of leaves / number of leaves below a class), in bits: 0 for the root, the most for a leaf."
        ),
        "interval": "A range that holds the true value in a stated share of repetitions, usually 95 %.",
        "leaf": "A class without children.",
        "logit": "A raw score of a model, any real number, before softmax or sigmoid.",
        "loss": "What training lowers.",
        "lowest common ancestor": "The most specific class that is on the paths of two classes.",
        "MCC": (
            "Matthews correlation coefficient: 1 for perfect, 0 for no association of answers and truths; needs all four "
            "counts."
        ),
        "no answer": "A sample gets no answer when it is answered by the root, or by no class at all: that says nothing.",
        "node probability": "The probability that the truth is at or below a class.",
        "operating curve": "Correctness against specificity at all thresholds.",
        "parametrisation": "How raw scores become node probabilities.",
        "Pareto set": (
            "The classes of one sample that some threshold answers: each has more information than all that are at least as "
            "probable."
        ),
        "path": "The classes from the root to a class.",
        "R@90C": "The largest information recall of all thresholds with at least 90 % correct answers.",
        "root": "The class above all others. It is right for every sample and is never counted.",
        "taxonomy": "The tree, or graph, of all classes.",
        "threshold": "A probability τ: the answer is the most specific class above it.",
        "TP, FP, FN, TN": (
            "True positives, false positives, false negatives, true negatives: predicted and true, predicted only, true "
            "only, neither."
        ),
        "win": (
            "Hierarchical win: the probabilities along the true path, weighted 1/2, 1/4, ..., the last weight doubled; from "
            "0 to 1 (Wu, Tygert & LeCun 2019)."
        ),
    }
)
