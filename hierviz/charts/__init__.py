"""Charts: core objects in, `alt.Chart` out; each with its table and one plain sentence.

Builders return unconfigured charts: `finish` adds the look, `show` puts one into a notebook, `to_png`, `to_svg`,
`to_vega_lite` and `to_csv` make files. One chart a file; nothing here imports streamlit.
"""

# First of all: without altair the imports below end in one line.
import hierviz.charts._packages  # noqa: F401

# isort: split

from hierviz.charts._agreement_matrix import agreement_matrix, agreement_matrix_table
from hierviz.charts._confusion_breakdown import (
    confusion_breakdown,
    confusion_breakdown_sentence,
    confusion_breakdown_table,
)
from hierviz.charts._confusion_matrix import confusion_matrix, confusion_matrix_sentence, confusion_matrix_table
from hierviz.charts._curve_bands import bands_sentence
from hierviz.charts._curve_drag import curve_drag
from hierviz.charts._difference_band import difference_band, difference_band_sentence, difference_band_table
from hierviz.charts._example import example, explanation
from hierviz.charts._facet_curves import facet_curves, facet_curves_sentence, facet_curves_table
from hierviz.charts._flip_ribbon import flip_ribbon, flip_ribbon_drag, flip_ribbon_sentence, flip_ribbon_table
from hierviz.charts._hierarchical_matrix import (
    hierarchical_matrix,
    hierarchical_matrix_legend,
    hierarchical_matrix_sentence,
    hierarchical_matrix_table,
)
from hierviz.charts._interval_lines import interval_lines, interval_lines_table
from hierviz.charts._level_bars import level_bars, level_bars_sentence, level_bars_table
from hierviz.charts._level_matrix import level_matrix, level_matrix_sentence, level_matrix_table
from hierviz.charts._means_by import means_by, means_by_sentence, means_by_table
from hierviz.charts._method_intervals import method_intervals, method_intervals_sentence, method_intervals_table
from hierviz.charts._metric_bars import metric_bars, metric_bars_table
from hierviz.charts._mistake_treemap import mistake_treemap, mistake_treemap_sentence, mistake_treemap_table
from hierviz.charts._operating_curves import curve_stops, operating_curves, operating_curves_sentence, selections
from hierviz.charts._packed import packed, packed_chart
from hierviz.charts._pareto_points import pareto_points, pareto_points_table
from hierviz.charts._path_graph import path_graph, path_graph_sentence, path_graph_table
from hierviz.charts._plain_curves import plain_curves, plain_curves_sentence, plain_curves_table
from hierviz.charts._probability_tree import (
    probability_tree,
    probability_tree_sentence,
    probability_tree_table,
    refused_styles,
)
from hierviz.charts._rank_matrix import rank_matrix, rank_matrix_sentence, rank_matrix_table
from hierviz.charts._recipes import remembered
from hierviz.charts._rejection_curves import rejection_curves, rejection_curves_sentence, rejection_curves_table
from hierviz.charts._reliability_diagram import (
    reliability_diagram,
    reliability_diagram_sentence,
    reliability_diagram_table,
)
from hierviz.charts._rule_frontiers import rule_frontiers, rule_frontiers_sentence, rule_frontiers_table
from hierviz.charts._sample_parts import SamplePart, sample_parts
from hierviz.charts._sample_scatter import sample_scatter
from hierviz.charts._set_steps import set_steps, set_steps_table
from hierviz.charts._show import show
from hierviz.charts._signed_bars import signed_bars, signed_bars_table
from hierviz.charts._simplify import simplify
from hierviz.charts._small_tree import small_tree, small_tree_sentence, small_tree_table
from hierviz.charts._subtree_icicle import subtree_icicle, subtree_icicle_sentence, subtree_icicle_table
from hierviz.charts._widget import widget
from hierviz.charts._win_breakdown import win_breakdown, win_breakdown_sentence, win_breakdown_table, win_text
from hierviz.charts.comparison_words import compared_keys, comparison_sentence, threshold_caution
from hierviz.charts.curve_knots import knots, threshold_text
from hierviz.charts.curve_table import operating_curves_table, read_out_keys
from hierviz.charts.export import to_csv, to_png, to_spec, to_svg, to_vega_lite
from hierviz.charts.folding import fold
from hierviz.charts.theme import finish, model_colours, palette

__all__ = [
    "SamplePart",
    "agreement_matrix",
    "agreement_matrix_table",
    "bands_sentence",
    "compared_keys",
    "comparison_sentence",
    "confusion_breakdown",
    "confusion_breakdown_sentence",
    "confusion_breakdown_table",
    "confusion_matrix",
    "confusion_matrix_sentence",
    "confusion_matrix_table",
    "curve_drag",
    "curve_stops",
    "difference_band",
    "difference_band_sentence",
    "difference_band_table",
    "example",
    "explanation",
    "facet_curves",
    "facet_curves_sentence",
    "facet_curves_table",
    "finish",
    "flip_ribbon",
    "flip_ribbon_drag",
    "flip_ribbon_sentence",
    "flip_ribbon_table",
    "fold",
    "hierarchical_matrix",
    "hierarchical_matrix_legend",
    "hierarchical_matrix_sentence",
    "hierarchical_matrix_table",
    "interval_lines",
    "interval_lines_table",
    "knots",
    "level_bars",
    "level_bars_sentence",
    "level_bars_table",
    "level_matrix",
    "level_matrix_sentence",
    "level_matrix_table",
    "means_by",
    "means_by_sentence",
    "means_by_table",
    "method_intervals",
    "method_intervals_sentence",
    "method_intervals_table",
    "metric_bars",
    "metric_bars_table",
    "mistake_treemap",
    "mistake_treemap_sentence",
    "mistake_treemap_table",
    "model_colours",
    "operating_curves",
    "operating_curves_sentence",
    "operating_curves_table",
    "packed",
    "packed_chart",
    "palette",
    "pareto_points",
    "pareto_points_table",
    "path_graph",
    "path_graph_sentence",
    "path_graph_table",
    "plain_curves",
    "plain_curves_sentence",
    "plain_curves_table",
    "probability_tree",
    "probability_tree_sentence",
    "probability_tree_table",
    "rank_matrix",
    "rank_matrix_sentence",
    "rank_matrix_table",
    "read_out_keys",
    "refused_styles",
    "rejection_curves",
    "rejection_curves_sentence",
    "rejection_curves_table",
    "reliability_diagram",
    "reliability_diagram_sentence",
    "reliability_diagram_table",
    "rule_frontiers",
    "rule_frontiers_sentence",
    "rule_frontiers_table",
    "sample_parts",
    "sample_scatter",
    "selections",
    "set_steps",
    "set_steps_table",
    "show",
    "signed_bars",
    "signed_bars_table",
    "simplify",
    "small_tree",
    "small_tree_sentence",
    "small_tree_table",
    "subtree_icicle",
    "subtree_icicle_sentence",
    "subtree_icicle_table",
    "threshold_caution",
    "threshold_text",
    "to_csv",
    "to_png",
    "to_spec",
    "to_svg",
    "to_vega_lite",
    "widget",
    "win_breakdown",
    "win_breakdown_sentence",
    "win_breakdown_table",
    "win_text",
]

# A notebook draws charts in its own theme and width: it has to know how they were made.
globals().update({name: remembered(globals()[name]) for name in __all__ if name not in ("example", "widget")})
