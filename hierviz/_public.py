"""The public names and the files they are in: one table for lazy imports, help texts and the test of the layers."""

import importlib
import sys

# Namespace: name: file.
PUBLIC = {
    "hierviz": {
        "HiervizError": "messages.errors",
        "FileError": "messages.errors",
        "TaxonomyError": "messages.errors",
        "PredictionsError": "messages.errors",
        "ModelError": "messages.errors",
        "ClusterError": "messages.errors",
        "Taxonomy": "taxonomy.taxonomy",
        "Predictions": "predictions.predictions",
        "Evaluation": "evaluation.evaluation",
        "NodeLists": "taxonomy.node_lists",
        "load_taxonomy": "readers.taxonomy_file",
        "load_predictions": "readers.predictions_file",
        "load_truth": "readers.truth_file",
        "load_model": "onnx.model",
        "load_inputs": "onnx.inputs.model_inputs",
        "load_costs": "readers.costs_file",
        "load_accretion": "readers.accretion_file",
        "attach_truth": "readers.attach",
        "attach_media": "readers.attach",
        "write_predictions": "readers.predictions_writer",
        "write_taxonomy": "readers.taxonomy_writer",
        "tree_text": "readers.taxonomy_writer",
        "node_probabilities": "predictions.parametrisation",
        "infer": "inference.registry",
        "pareto_table": "inference.pareto_table",
        "operating_curve": "curves.operating_curve",
        "evaluate": "cluster.evaluate",
        "compare": "comparison.table",
        "win": "metrics.win",
        "win_breakdown": "metrics.win",
        "confusion": "metrics.confusion.confusion",
        "mistakes": "diagnosis.mistakes",
        "loss": "losses.registry",
        "show": "charts",
        "widget": "charts",
        "report": "reports.report_file",
        "doctor": "findings.doctor",
        "verify": "second_opinion.verify",
        "PARAMETRISATIONS": "predictions.parametrisation",
        "INFERENCE_RULES": "inference.registry",
        "METRICS": "metrics.registry",
        "LOSSES": "losses.registry",
    },
    "hierviz.inference": {
        "ParetoTable": "inference.pareto_table",
        "LeafCosts": "inference.leaf_costs",
    },
    "hierviz.evaluation": {
        "judged_answers": "evaluation._judged_answers",
        "curves_by": "evaluation._curves_by",
        "protein_function": "evaluation._protein_function",
    },
    "hierviz.metrics": {
        "HierarchicalConfusion": "metrics.confusion.confusion_counts",
        "path_metrics": "metrics.path",
        "information_accretion": "metrics.sets.protein_function",
    },
    "hierviz.curves": {
        "OperatingCurve": "curves.operating_curve",
        "SetOperatingCurve": "curves._set_curve",
        "set_curve": "curves._set_curve",
        "information_curve": "curves._rule_curve",
        "rejection_curve": "curves._rejection_curve",
        "rule_curve": "curves._rule_curve",
        "correctness_at": "curves.equal_levels",
        "specificity_at": "curves.equal_levels",
    },
    "hierviz.thresholds": {
        "OperatingPoint": "thresholds.operating_point",
        "load_operating_point": "readers.operating_point_file",
        "write_operating_point": "readers.operating_point_file",
        "choose": "thresholds.selection",
        "with_costs": "thresholds.selection",
        "with_shallow_answers": "thresholds.selection",
        "cross_fitted": "thresholds.cross_fitting",
        "rank_for_target": "thresholds.cross_fitting",
        "guaranteed_threshold": "thresholds.risk_control",
        "rule_frontiers": "thresholds._rule_frontiers",
        "depth_threshold_points": "thresholds.depth_thresholds",
        "thresholds_by_depth": "thresholds.depth_thresholds",
        "smallest_lambda": "thresholds.selection",
    },
    "hierviz.uncertainty": {
        "Resamples": "uncertainty.resamples",
        "bootstrap_curve": "uncertainty.bootstrap",
        "bootstrap_means": "uncertainty.bootstrap",
        "paired_difference": "uncertainty.comparison",
        "tied_with_best": "uncertainty.comparison",
        "no_clear_difference": "uncertainty.comparison",
        "difference_of_models": "uncertainty.model_difference",
        "difference_sentence": "uncertainty.model_difference",
        "over_repeats": "uncertainty.repeats",
        "curve_over_repeats": "uncertainty.repeats",
        "summary_over_repeats": "uncertainty.repeats",
        "at_temperature": "uncertainty.temperature",
        "fit_temperature": "uncertainty.temperature",
    },
    "hierviz.comparison": {
        "ComparisonTable": "comparison.comparison_table",
        "kendall": "comparison.agreement",
        "models_on_samples": "comparison.disagreement",
        "metrics_on_samples": "comparison.disagreement",
    },
    "hierviz.projection": {
        "cut": "projection.projected",
        "only_known": "projection.projected",
        "truth_is_known": "projection.projected",
        "with_other_leaves": "projection.projected",
    },
    "hierviz.diagnosis": {
        "node_table": "diagnosis._node_table",
        "matrix": "diagnosis.confusion_matrix",
        "confused_pairs": "diagnosis.confusions",
        "slices": "diagnosis._slices",
        "reliability": "diagnosis._reliability",
        "flip_intervals": "diagnosis._flip_intervals",
        "label_errors": "diagnosis._label_errors",
        "class_table": "diagnosis._class_table",
        "class_table_of_runs": "diagnosis.runs",
        "hierarchical_f": "diagnosis._class_table",
        "hierarchical_f_of_runs": "diagnosis.runs",
        "level_matrix": "diagnosis._level_matrix",
        "level_table": "diagnosis._level_table",
        "means_by": "diagnosis._means_by",
        "path_probabilities": "diagnosis.sample_paths",
        "worst": "diagnosis.mistakes",
        "SampleFilter": "diagnosis.sample_filter",
        "filtered": "diagnosis.sample_filter",
        "facets": "diagnosis.sample_filter",
    },
}
NAMESPACES = (*(key.split(".")[1] for key in PUBLIC if "." in key), "charts")


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
