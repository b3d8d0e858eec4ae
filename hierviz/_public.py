"""The public names and the files they are in: one table for lazy imports, help texts and the test of the layers."""

import importlib
import sys

# Namespace: file: names.
_FILES = {
    "hierviz": {
        "messages.errors": "HiervizError FileError TaxonomyError PredictionsError ModelError ClusterError",
        "taxonomy.taxonomy": "Taxonomy",
        "predictions.predictions": "Predictions",
        "evaluation.evaluation": "Evaluation",
        "taxonomy.node_lists": "NodeLists",
        "readers.taxonomy_file": "load_taxonomy",
        "readers.predictions_file": "load_predictions",
        "readers.truth_file": "load_truth",
        "onnx.model": "load_model",
        "onnx.inputs.model_inputs": "load_inputs",
        "readers.class_numbers_file": "load_accretion",
        "readers.costs_file": "load_costs",
        "readers.review_file": "load_review write_review",
        "readers.mapping_file": "load_mapping write_mapping",
        "readers.attach": "attach_truth attach_media",
        "readers.predictions_writer": "write_predictions",
        "readers.taxonomy_writer": "write_taxonomy tree_text",
        "predictions.parametrisation": "node_probabilities PARAMETRISATIONS",
        "inference.registry": "infer INFERENCE_RULES",
        "inference.pareto_table": "pareto_table",
        "curves.operating_curve": "operating_curve",
        "cluster.running": "evaluate",
        "comparison.table": "compare",
        "metrics.win": "win win_breakdown",
        "metrics.confusion.multi_path": "confusion",
        "diagnosis.mistakes": "mistakes",
        "losses.registry": "loss LOSSES",
        "charts._figure": "show",
        "charts._widget": "widget",
        "reports.report_file": "report",
        "findings.doctor": "doctor",
        "second_opinion.verify": "verify",
        "metrics.registry": "METRICS",
    },
    "hierviz.inference": {"inference.pareto_table": "ParetoTable", "inference.leaf_costs": "LeafCosts"},
    "hierviz.evaluation": {
        "evaluation._judged_answers": "judged_answers",
        "evaluation.common_samples": "curves_by",
        "evaluation._conformal": "conformal_of_model conformal_of_sample",
        "evaluation._answer_confidence": "answer_confidence",
        "evaluation._review": "Review ReviewRow",
        "evaluation._reviewed": "reviewed reviewed_numbers",
        "metrics.sets.protein_function": "protein_function",
    },
    "hierviz.metrics": {
        "metrics.confusion.confusion_counts": "HierarchicalConfusion",
        "metrics.path": "path_metrics",
        "metrics.sets.protein_function": "information_accretion",
    },
    "hierviz.curves": {
        "curves.operating_curve": "OperatingCurve",
        "curves._set_curve": "SetOperatingCurve set_curve",
        "curves._rule_curve": "information_curve rule_curve",
        "curves._rejection_curve": "rejection_curve",
        "curves._selective_curve": "SelectiveCurve selective_curve",
        "curves.equal_levels": "correctness_at specificity_at",
    },
    "hierviz.thresholds": {
        "thresholds.operating_point": "OperatingPoint",
        "readers.operating_point_file": "load_operating_point write_operating_point",
        "thresholds.selection": "choose with_costs with_shallow_answers smallest_lambda",
        "thresholds.cross_fitting": "Folds Target cross_fitted rank_for_target",
        "thresholds.risk_control": "guaranteed_threshold",
        "thresholds._rule_frontiers": "rule_frontiers",
        "thresholds._decisions": "decisions Decisions",
        "thresholds.depth_thresholds": "depth_threshold_points thresholds_by_depth",
    },
    "hierviz.uncertainty": {
        "uncertainty.resamples": "Resamples",
        "uncertainty.bootstrap": "bootstrap_curve bootstrap_means",
        "uncertainty.comparison": "paired_difference tied_with_best no_clear_difference",
        "uncertainty.model_difference": "difference_of_models difference_sentence",
        "uncertainty.repeats": "over_repeats curve_over_repeats summary_over_repeats",
        "uncertainty.paired_proportions": "score_interval",
        "uncertainty.temperature": "at_temperature fit_temperature",
        "uncertainty.confidence_maps": "isotonic_map venn_abers",
        "uncertainty.confidence_comparison": "compare_confidence_maps",
        "uncertainty.confidence_folds": "cross_fitted_confidence",
        "uncertainty.conformal": "ConformalNodes conformal_nodes",
        "uncertainty._vote_shares": "VoteShares vote_shares",
    },
    "hierviz.comparison": {
        "comparison.comparison_table": "ComparisonTable",
        "comparison.agreement": "kendall",
        "comparison.disagreement": "models_on_samples metrics_on_samples",
        "comparison.gating._gate": "gate",
        "comparison.gating.gate_result": "Gate GateRow",
        "readers.baseline_file": "load_baseline write_baseline",
        "comparison._two_by_two": "two_by_two",
        "comparison._answer_changes": "answer_changes",
        "comparison._difference_tree": "difference_tree metrics_by_class",
        "comparison._right_together": "right_together",
        "comparison._paired_answers": "paired_answers",
        "comparison._training_steps": "training_steps TrainingSteps",
        "comparison._answer_steps": "answer_steps AnswerSteps",
    },
    "hierviz.projection": {"projection.projected": "cut only_known truth_is_known with_other_leaves"},
    "hierviz.diagnosis": {
        "diagnosis._node_table": "node_table",
        "diagnosis.confusion_matrix": "matrix",
        "diagnosis.confusions": "confused_pairs",
        "diagnosis._slices": "slices",
        "diagnosis._overconfidence": "overconfidence",
        "diagnosis._confidence_reliability": "confidence_reliability",
        "diagnosis._reliability": "reliability",
        "diagnosis.many_tests": "ManyTests",
        "diagnosis._flip_intervals": "flip_intervals",
        "diagnosis._typical": "typical_samples",
        "diagnosis._label_errors": "label_errors",
        "diagnosis._answer_agreement": "answer_agreement",
        "diagnosis._review_queue": "review_queue review_samples",
        "diagnosis._class_table": "class_table hierarchical_f",
        "diagnosis._level_matrix": "level_matrix",
        "diagnosis._level_table": "level_table",
        "diagnosis._means_by": "means_by",
        "diagnosis._mistake_flow": "mistake_flow",
        "diagnosis._sample_steps": "sample_steps steps_by_rule SampleSteps",
        "diagnosis._departures": "departures",
        "diagnosis._deciding_pair": "deciding_pair DecidingPair",
        "diagnosis._sensitivity": "Sensitivity",
        "diagnosis._average_sensitivity": "AverageSensitivity averaged",
        "diagnosis.hidden_parts": "HiddenParts",
        "diagnosis._lane_bars": "lane_bars LaneBars",
        "diagnosis._what_if": "what_if",
        "diagnosis.sample_paths": "path_probabilities",
        "diagnosis.mistakes": "worst",
        "diagnosis.sample_filter": "SampleFilter SampleSet filtered facets",
    },
    "hierviz.charts": {
        "charts._answer_changes": "answer_changes",
        "charts._answer_dots": "answer_dots",
        "charts._answer_steps": "answer_steps",
        "charts._matrices": "agreement_matrix level_matrix rank_matrix",
        "charts._confusion": "confusion confusion_breakdown",
        "charts._decisions": "decisions",
        "charts._departures": "departures",
        "charts._difference_band": "difference_band",
        "charts._difference_tree": "difference_tree",
        "charts._example": "example ExampleFigure",
        "charts._sample_parts": "SamplePart sample_parts",
        "charts._flip_ribbon": "flip_ribbon flip_ribbon_drag",
        "charts._level_answers": "level_answers",
        "charts._matrix": "matrix matrix_legend",
        "charts.curve_axes": "CurveAxes",
        "charts._curve_figure": "CurveLayers",
        "charts._items": "interval_lines level_bars metric_bars signed_bars",
        "charts._means_by": "means_by method_intervals",
        "charts._mistake_flow": "mistake_flow",
        "charts._mistake_treemap": "mistake_treemap",
        "charts._operating_curves": "operating_curves curve_drag curve_stops selections",
        "charts._operating_points": "ChosenPoint operating_points",
        "charts._outcome_bars": "outcome_bars",
        "charts._points": "pareto_points sample_scatter set_steps",
        "charts._path_graph": "path_graph",
        "charts._facet_curves": "facet_curves",
        "charts._plain_curves": "plain_curves rejection_curves selective_curves",
        "charts._probability_tree": "probability_tree",
        "charts._reliability_diagram": "reliability_diagram",
        "charts._right_together": "right_together",
        "charts._rule_frontiers": "rule_frontiers",
        "charts._sensitivity": "sensitivity",
        "charts._slide": "Slide slide",
        "charts._small_tree": "small_tree",
        "charts._subtree_icicle": "subtree_icicle",
        "charts._training_steps": "training_steps",
        "charts._two_by_two": "two_by_two",
        "charts._worst_subtrees": "worst_subtrees",
        "charts._win_breakdown": "win_breakdown win_text",
        "charts._figure": "Figure show",
        "charts._widget": "widget",
        "charts.export": "to_csv to_png to_svg to_vega_lite to_spec packed packed_chart",
        "charts.theme": "finish palette model_colours",
        "charts._curve_panel": "bands_sentence",
        "charts.comparison_words": "compared_keys comparison_sentence threshold_caution",
        "charts.curve_knots": "knots threshold_text",
        "charts.curve_table": "read_out_keys",
        "charts.folding": "Folding fold",
        "charts.curve_lines": "simplify",
    },
}
# Namespace: name: file.
PUBLIC = {
    space: {name: file for file, names in files.items() for name in names.split()} for space, files in _FILES.items()
}
NAMESPACES = tuple(key.split(".")[1] for key in PUBLIC if "." in key)


def lazy(namespace):
    """`__getattr__`, `__dir__` and `__all__` of a namespace that imports a file when a name of it is asked for."""
    table = PUBLIC[namespace]

    def __getattr__(name):
        if name in table:
            value = getattr(importlib.import_module(f"hierviz.{table[name]}"), name)
        elif namespace == "hierviz" and name in NAMESPACES:
            value = importlib.import_module(f"hierviz.{name}")
        elif namespace == "hierviz" and name == "__version__":
            value = importlib.import_module("hierviz._version").version()
        else:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        setattr(sys.modules[namespace], name, value)
        return value

    names = sorted([*table, *(NAMESPACES if namespace == "hierviz" else ())])
    return __getattr__, lambda: names, names
