"""Where a model goes wrong.

node_table          every node: support, recall, precision, win, stops
matrix              a confusion matrix that opens class by class
confused_pairs      pairs of confused classes, ranked
slices              subtrees and attributes that are worse than the rest, with their test
reliability         calibration of nodes and depths
confidence_reliability  calibration of the confidence of the answers
overconfidence      subtrees in which a model is right less, or more often than it says
flip_intervals      the answer to one sample at every threshold
sample_steps        the answer to one sample at every value of a rule's own parameter
steps_by_rule       the same of several rules
SampleSteps         a table of these answers
lane_bars           probabilities along one path, with the best sibling and the rest at each depth
LaneBars            these numbers
deciding_pair       the two classes between which an answer was decided
DecidingPair        these two classes
Sensitivity         what hiding parts of a sample does to the log-odds between two classes
AverageSensitivity  the mean over samples
averaged            this mean, of several Sensitivity
HiddenParts         the parts of a sample that were hidden
what_if             probabilities if one class had another
typical_samples     clear cases of a class: answered exactly right with the highest probability
label_errors        doubtful truths, ranked
review_queue        samples for an expert, in the order in which they are looked at
review_samples      samples of a review, for a condition of a SampleFilter
answer_agreement    how many models are wrong on a sample, and the class that most of them name
class_table         precision, recall, F of every class, of one run or several
hierarchical_f      hierarchical F with beta, of one run or several
level_matrix        models that know different levels, level by level
level_table         classes, truths and answers by depth
departures          where answers leave the true path, level by level
mistake_flow        wrong and coarse answers from the classes of the truth to those of the answer
means_by            a metric in parts of the samples
path_probabilities  probabilities from the root down to a node
worst               ids of the worst samples
ManyTests           how tests of slices and of calibration are made and corrected
SampleFilter        conditions on samples
SampleSet           some samples, for a condition of a SampleFilter
filtered            which samples meet a SampleFilter
facets              values of attributes and their counts
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.diagnosis._answer_agreement import answer_agreement as answer_agreement
    from hierviz.diagnosis._average_sensitivity import AverageSensitivity as AverageSensitivity
    from hierviz.diagnosis._average_sensitivity import averaged as averaged
    from hierviz.diagnosis._class_table import class_table as class_table
    from hierviz.diagnosis._class_table import hierarchical_f as hierarchical_f
    from hierviz.diagnosis._confidence_reliability import confidence_reliability as confidence_reliability
    from hierviz.diagnosis._deciding_pair import DecidingPair as DecidingPair
    from hierviz.diagnosis._deciding_pair import deciding_pair as deciding_pair
    from hierviz.diagnosis._departures import departures as departures
    from hierviz.diagnosis._flip_intervals import flip_intervals as flip_intervals
    from hierviz.diagnosis._label_errors import label_errors as label_errors
    from hierviz.diagnosis._lane_bars import LaneBars as LaneBars
    from hierviz.diagnosis._lane_bars import lane_bars as lane_bars
    from hierviz.diagnosis._level_matrix import level_matrix as level_matrix
    from hierviz.diagnosis._level_table import level_table as level_table
    from hierviz.diagnosis._means_by import means_by as means_by
    from hierviz.diagnosis._mistake_flow import mistake_flow as mistake_flow
    from hierviz.diagnosis._node_table import node_table as node_table
    from hierviz.diagnosis._overconfidence import overconfidence as overconfidence
    from hierviz.diagnosis._reliability import reliability as reliability
    from hierviz.diagnosis._review_queue import review_queue as review_queue
    from hierviz.diagnosis._review_queue import review_samples as review_samples
    from hierviz.diagnosis._sample_steps import SampleSteps as SampleSteps
    from hierviz.diagnosis._sample_steps import sample_steps as sample_steps
    from hierviz.diagnosis._sample_steps import steps_by_rule as steps_by_rule
    from hierviz.diagnosis._sensitivity import Sensitivity as Sensitivity
    from hierviz.diagnosis._slices import slices as slices
    from hierviz.diagnosis._typical import typical_samples as typical_samples
    from hierviz.diagnosis._what_if import what_if as what_if
    from hierviz.diagnosis.confusion_matrix import matrix as matrix
    from hierviz.diagnosis.confusions import confused_pairs as confused_pairs
    from hierviz.diagnosis.hidden_parts import HiddenParts as HiddenParts
    from hierviz.diagnosis.many_tests import ManyTests as ManyTests
    from hierviz.diagnosis.mistakes import worst as worst
    from hierviz.diagnosis.sample_filter import SampleFilter as SampleFilter
    from hierviz.diagnosis.sample_filter import SampleSet as SampleSet
    from hierviz.diagnosis.sample_filter import facets as facets
    from hierviz.diagnosis.sample_filter import filtered as filtered
    from hierviz.diagnosis.sample_paths import path_probabilities as path_probabilities

__getattr__, __dir__, __all__ = lazy(__name__)
