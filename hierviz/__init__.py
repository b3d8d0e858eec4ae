"""hierviz: look at a hierarchical classifier's mistakes.

import hierviz as hv
taxonomy = hv.load_taxonomy("taxonomy.csv")
predictions = hv.load_predictions("predictions.csv", taxonomy, truth="truth.csv")
hv.evaluate(predictions)
"""

# First of all: Ctrl-C during the imports below ends the command in one line.
import hierviz.messages.stopping  # noqa: F401

# isort: split

import importlib

from hierviz._version import version
from hierviz.cluster.evaluate import evaluate
from hierviz.comparison.agreement import kendall
from hierviz.comparison.comparison_table import ComparisonTable
from hierviz.comparison.disagreement import metrics_on_samples, models_on_samples
from hierviz.comparison.table import table
from hierviz.curves._information_curve import information_curve
from hierviz.curves._rejection_curve import rejection_curve
from hierviz.curves._rule_curve import rule_curve
from hierviz.curves._set_curve import SetOperatingCurve, set_curve
from hierviz.curves.equal_levels import correctness_at, specificity_at
from hierviz.curves.operating_curve import OperatingCurve, operating_curve
from hierviz.diagnosis._class_table import class_table, hierarchical_f
from hierviz.diagnosis._flip_intervals import flip_intervals
from hierviz.diagnosis._label_errors import label_errors
from hierviz.diagnosis._level_matrix import level_matrix
from hierviz.diagnosis._level_table import level_table
from hierviz.diagnosis._means_by import means_by
from hierviz.diagnosis._node_table import node_table
from hierviz.diagnosis._path_probabilities import path_probabilities
from hierviz.diagnosis._reliability import reliability
from hierviz.diagnosis._set_mistakes import set_mistakes
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.confusion_matrix import confusion_matrix
from hierviz.diagnosis.confusions import confusions
from hierviz.diagnosis.run_classes import class_table_of_runs, hierarchical_f_of_runs
from hierviz.diagnosis.sample_filter import SampleFilter, facets, filtered
from hierviz.diagnosis.worst_samples import worst as _worst  # noqa: F401 - the method of Predictions
from hierviz.evaluation._curves_by import curves_by
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.evaluation._protein_function import protein_function
from hierviz.evaluation.evaluation import Evaluation
from hierviz.evaluation.mistakes import mistakes
from hierviz.findings.doctor import doctor
from hierviz.findings.examination import Examination
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.inference.pareto_table import ParetoTable, pareto_table
from hierviz.inference.registry import INFERENCE_RULES, infer
from hierviz.losses.registry import LOSSES, loss
from hierviz.messages.errors import ClusterError, FileError, HiervizError, ModelError, PredictionsError, TaxonomyError
from hierviz.metrics.confusion.confusion import HierarchicalConfusion, confusion
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import METRICS
from hierviz.metrics.sets.protein_function import information_accretion
from hierviz.metrics.win import win, win_breakdown
from hierviz.onnx.inputs.model_inputs import load_inputs
from hierviz.onnx.model import load_model
from hierviz.predictions.parametrisation import PARAMETRISATIONS, node_probabilities
from hierviz.predictions.predictions import Predictions
from hierviz.projection.projected import cut, only_known, truth_is_known, with_other_leaves
from hierviz.readers.accretion_file import load_accretion
from hierviz.readers.attach import attach_media, attach_truth
from hierviz.readers.costs_file import load_costs
from hierviz.readers.operating_point_file import load_operating_point, write_operating_point
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.predictions_writer import write_predictions
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.readers.taxonomy_writer import tree_text, write_taxonomy
from hierviz.readers.truth_file import load_truth
from hierviz.second_opinion.verify import SecondOpinion, verify
from hierviz.taxonomy.taxonomy import NodeLists, Taxonomy
from hierviz.thresholds._rule_frontiers import rule_frontiers
from hierviz.thresholds.cross_fitting import cross_fitted, rank_for_target
from hierviz.thresholds.depth_thresholds import depth_threshold_points, thresholds_by_depth
from hierviz.thresholds.lambda_choice import smallest_lambda
from hierviz.thresholds.operating_point import OperatingPoint
from hierviz.thresholds.risk_control import guaranteed_threshold
from hierviz.thresholds.selection import (
    at_least_correct,
    at_most_above_depth,
    at_most_cost,
    best_of,
    cheapest,
    with_costs,
)
from hierviz.uncertainty.bootstrap import bootstrap_curve, bootstrap_means
from hierviz.uncertainty.comparison import no_clear_difference, paired_difference, tied_with_best
from hierviz.uncertainty.model_difference import difference_of_models, difference_sentence
from hierviz.uncertainty.repeats import curve_over_repeats, over_repeats, summary_over_repeats
from hierviz.uncertainty.resamples import Resamples
from hierviz.uncertainty.temperature import at_temperature, fit_temperature

__version__ = version()

__all__ = [
    "INFERENCE_RULES",
    "LOSSES",
    "METRICS",
    "PARAMETRISATIONS",
    "ClusterError",
    "ComparisonTable",
    "Evaluation",
    "Examination",
    "FileError",
    "HierarchicalConfusion",
    "HiervizError",
    "LeafCosts",
    "ModelError",
    "NodeLists",
    "OperatingCurve",
    "OperatingPoint",
    "ParetoTable",
    "Predictions",
    "PredictionsError",
    "Report",
    "Resamples",
    "SampleFilter",
    "SecondOpinion",
    "SetOperatingCurve",
    "Taxonomy",
    "TaxonomyError",
    "at_least_correct",
    "at_most_above_depth",
    "at_most_cost",
    "at_temperature",
    "attach_media",
    "attach_truth",
    "best_of",
    "bootstrap_curve",
    "bootstrap_means",
    "charts",
    "cheapest",
    "class_table",
    "class_table_of_runs",
    "confusion",
    "confusion_matrix",
    "confusions",
    "correctness_at",
    "cross_fitted",
    "curve_over_repeats",
    "curves_by",
    "cut",
    "depth_threshold_points",
    "difference_of_models",
    "difference_sentence",
    "doctor",
    "evaluate",
    "explain",
    "facets",
    "filtered",
    "fit_temperature",
    "flip_intervals",
    "guaranteed_threshold",
    "hierarchical_f",
    "hierarchical_f_of_runs",
    "infer",
    "information_accretion",
    "information_curve",
    "judged_answers",
    "kendall",
    "label_errors",
    "level_matrix",
    "level_table",
    "load_accretion",
    "load_costs",
    "load_inputs",
    "load_model",
    "load_operating_point",
    "load_predictions",
    "load_taxonomy",
    "load_truth",
    "loss",
    "means_by",
    "metrics_on_samples",
    "mistakes",
    "models_on_samples",
    "no_clear_difference",
    "node_probabilities",
    "node_table",
    "only_known",
    "operating_curve",
    "over_repeats",
    "paired_difference",
    "pareto_table",
    "path_metrics",
    "path_probabilities",
    "protein_function",
    "rank_for_target",
    "rejection_curve",
    "reliability",
    "report",
    "rule_curve",
    "rule_frontiers",
    "set_curve",
    "set_mistakes",
    "show",
    "slices",
    "smallest_lambda",
    "specificity_at",
    "summary_over_repeats",
    "table",
    "thresholds_by_depth",
    "tied_with_best",
    "tree_text",
    "truth_is_known",
    "verify",
    "widget",
    "win",
    "win_breakdown",
    "with_costs",
    "with_other_leaves",
    "write_operating_point",
    "write_predictions",
    "write_report",
    "write_taxonomy",
]


def __getattr__(name):
    # Charts need altair and pandas: they load on first use.
    if name == "charts":
        return importlib.import_module("hierviz.charts")
    if name in ("show", "explain", "widget"):
        return getattr(importlib.import_module("hierviz.charts"), name)
    if name in ("report", "write_report", "Report"):
        return getattr(importlib.import_module("hierviz.reports"), name)
    raise AttributeError(f"module 'hierviz' has no attribute {name!r}")
