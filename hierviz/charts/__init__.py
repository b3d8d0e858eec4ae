"""Core objects to figures: each with its chart, its table and one plain sentence.

charts:
    agreement_matrix            how far metrics agree in the order of the methods
    answer_changes              flows of answers between outcomes from one threshold to another
    answer_dots                 the answers of rules and models to one sample by p and win
    answer_steps                how the answer to one sample changed over the steps of a training
    confusion                   the summed cells of a data set, with its measures
    confusion_breakdown         the four cells of one sample, with their nodes
    decisions                   which rule is best for which metric, and which is in theory
    departures                  where answers leave the true path, level by level
    difference_band             the difference of two models at equal correctness
difference_tree             where in the taxonomy one model is better than another
    example                     why one answer is what it is, at every threshold
    facet_curves                operating curves of parts of the samples
    flip_ribbon                 the answers to one sample over the threshold
    interval_lines              estimates with their intervals
    level_bars                  classes, truths and answers by depth
    level_answers               answers level by level, and where they are no path
    level_matrix                models that know different levels, level by level
    matrix                      a confusion matrix that opens class by class
    means_by                    a metric in parts of the samples
    method_intervals            one number of all methods, with runs and intervals
    metric_bars                 models by a few metrics
    mistake_flow                wrong and coarse answers between the classes of the truth and of the answer
    mistake_treemap             the mistakes below a class
    operating_curves            every threshold of every model, which can be dragged
    operating_points            operating curves with one chosen point, and a dot for each model
    outcome_bars                one bar a model: exact, coarse, no and wrong answers
    pareto_points               nodes of one sample by information and probability
    path_graph                  the paths of one sample in a graph
    plain_curves                operating curves without controls
    probability_tree            the probabilities of one sample over the taxonomy
    rank_matrix                 the rank of every method by every metric
    rejection_curves            share of wrong answers over the share answered
    selective_curves            share of wrong answers over the coverage of climbing
    reliability_diagram         share of events over probability
    right_together              which models are right on the same samples
rule_frontiers              results of every inference rule
    sample_scatter              samples by two numbers
    sensitivity                 which parts of a sample move the log-odds between two classes
    set_steps                   the expected hF1 of every set of one sample
    signed_bars                 bars to both sides of zero
    small_tree                  a small tree drawn whole
    subtree_icicle              a subtree coloured by a number of its classes
    training_steps              numbers of models over the steps of their training
    two_by_two                  right and wrong answers of two models, crossed
    worst_subtrees              a small icicle that names the worst subtrees
    win_breakdown               the win of one sample, level by level

files and notebooks:
    Figure                      a chart with its table and sentence
    ExampleFigure               that of one sample, with its record
    show                        show a chart in a notebook
    slide                       a chart as a slide of 1920 x 1080 pixels, SVG and PNG
    Slide                       what it gives
    widget                      curves or an example in a notebook whose threshold Python reads and sets
    to_csv                      the table as CSV
    to_png                      the chart as PNG
    to_svg                      the chart as SVG
    to_vega_lite                the chart as a specification: Vega-Lite, of an example Vega
    to_spec                     the same for a page, its tables aside
    finish                      an Altair chart with the look of hierviz
    palette                     the colours of a theme
    model_colours               the colour of each model

parts of them:
    ChosenPoint                 the point that operating_points is about
    CurveAxes                   what operating curves are drawn over
    CurveLayers                 what operating curves show besides their lines
    bands_sentence              what the bands of operating curves mean
    compared_keys               numbers by which models are compared
    comparison_sentence         one model compared with others, in words
    threshold_caution           that thresholds of models are on different scales
    curve_drag                  where the handle of the operating curves can go
    curve_stops                 thresholds worth stopping at
    selections                  names of the selections of the operating curves
    knots                       thresholds that the handle can have
    threshold_text              a threshold as text
    read_out_keys               metrics under the operating curves
    flip_ribbon_drag            where the threshold of the ribbon can go
    matrix_legend               what the colours of its cells mean
    Folding                     which nodes of a sample are shown
    fold                        the nodes of a sample that are worth showing
    packed                      a value for the script of a page
    packed_chart                a figure in two widths and both themes, for a page
    SamplePart                  one more picture of a sample
    sample_parts                the other pictures of a sample that apply to it
    simplify                    fewer points for a curve that looks the same
    win_text                    a win with the digits of its terms
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy
from hierviz.messages.extras import require

if TYPE_CHECKING:
    from hierviz.charts._answer_changes import answer_changes as answer_changes
    from hierviz.charts._answer_dots import answer_dots as answer_dots
    from hierviz.charts._answer_steps import answer_steps as answer_steps
    from hierviz.charts._bars import level_bars as level_bars
    from hierviz.charts._bars import signed_bars as signed_bars
    from hierviz.charts._confusion import confusion as confusion
    from hierviz.charts._confusion import confusion_breakdown as confusion_breakdown
    from hierviz.charts._curve_figure import CurveLayers as CurveLayers
    from hierviz.charts._curve_panel import bands_sentence as bands_sentence
    from hierviz.charts._decisions import decisions as decisions
    from hierviz.charts._departures import departures as departures
    from hierviz.charts._difference_band import difference_band as difference_band
    from hierviz.charts._difference_tree import difference_tree as difference_tree
    from hierviz.charts._example import ExampleFigure as ExampleFigure
    from hierviz.charts._example import example as example
    from hierviz.charts._facet_curves import facet_curves as facet_curves
    from hierviz.charts._figure import Figure as Figure
    from hierviz.charts._figure import show as show
    from hierviz.charts._flip_ribbon import flip_ribbon as flip_ribbon
    from hierviz.charts._flip_ribbon import flip_ribbon_drag as flip_ribbon_drag
    from hierviz.charts._items import interval_lines as interval_lines
    from hierviz.charts._items import metric_bars as metric_bars
    from hierviz.charts._level_answers import level_answers as level_answers
    from hierviz.charts._matrices import agreement_matrix as agreement_matrix
    from hierviz.charts._matrices import level_matrix as level_matrix
    from hierviz.charts._matrices import rank_matrix as rank_matrix
    from hierviz.charts._matrix import matrix as matrix
    from hierviz.charts._matrix import matrix_legend as matrix_legend
    from hierviz.charts._means_by import means_by as means_by
    from hierviz.charts._means_by import method_intervals as method_intervals
    from hierviz.charts._mistake_flow import mistake_flow as mistake_flow
    from hierviz.charts._mistake_treemap import mistake_treemap as mistake_treemap
    from hierviz.charts._operating_curves import curve_drag as curve_drag
    from hierviz.charts._operating_curves import curve_stops as curve_stops
    from hierviz.charts._operating_curves import operating_curves as operating_curves
    from hierviz.charts._operating_curves import selections as selections
    from hierviz.charts._operating_points import ChosenPoint as ChosenPoint
    from hierviz.charts._operating_points import operating_points as operating_points
    from hierviz.charts._outcome_bars import outcome_bars as outcome_bars
    from hierviz.charts._path_graph import path_graph as path_graph
    from hierviz.charts._plain_curves import plain_curves as plain_curves
    from hierviz.charts._plain_curves import rejection_curves as rejection_curves
    from hierviz.charts._plain_curves import selective_curves as selective_curves
    from hierviz.charts._points import pareto_points as pareto_points
    from hierviz.charts._points import sample_scatter as sample_scatter
    from hierviz.charts._points import set_steps as set_steps
    from hierviz.charts._probability_tree import probability_tree as probability_tree
    from hierviz.charts._reliability_diagram import reliability_diagram as reliability_diagram
    from hierviz.charts._right_together import right_together as right_together
    from hierviz.charts._rule_frontiers import rule_frontiers as rule_frontiers
    from hierviz.charts._sample_parts import SamplePart as SamplePart
    from hierviz.charts._sample_parts import sample_parts as sample_parts
    from hierviz.charts._sensitivity import sensitivity as sensitivity
    from hierviz.charts._slide import Slide as Slide
    from hierviz.charts._slide import slide as slide
    from hierviz.charts._small_tree import small_tree as small_tree
    from hierviz.charts._subtree_icicle import subtree_icicle as subtree_icicle
    from hierviz.charts._training_steps import training_steps as training_steps
    from hierviz.charts._two_by_two import two_by_two as two_by_two
    from hierviz.charts._widget import widget as widget
    from hierviz.charts._win_breakdown import win_breakdown as win_breakdown
    from hierviz.charts._win_breakdown import win_text as win_text
    from hierviz.charts._worst_subtrees import worst_subtrees as worst_subtrees
    from hierviz.charts.comparison_words import compared_keys as compared_keys
    from hierviz.charts.comparison_words import comparison_sentence as comparison_sentence
    from hierviz.charts.comparison_words import threshold_caution as threshold_caution
    from hierviz.charts.curve_axes import CurveAxes as CurveAxes
    from hierviz.charts.curve_knots import knots as knots
    from hierviz.charts.curve_knots import threshold_text as threshold_text
    from hierviz.charts.curve_lines import simplify as simplify
    from hierviz.charts.curve_table import read_out_keys as read_out_keys
    from hierviz.charts.export import packed as packed
    from hierviz.charts.export import packed_chart as packed_chart
    from hierviz.charts.export import to_csv as to_csv
    from hierviz.charts.export import to_png as to_png
    from hierviz.charts.export import to_spec as to_spec
    from hierviz.charts.export import to_svg as to_svg
    from hierviz.charts.export import to_vega_lite as to_vega_lite
    from hierviz.charts.folding import Folding as Folding
    from hierviz.charts.folding import fold as fold
    from hierviz.charts.theme import finish as finish
    from hierviz.charts.theme import model_colours as model_colours
    from hierviz.charts.theme import palette as palette

# First of all: without altair an import of any chart ends in one line.
require("hierviz.charts", "charts", "altair", "pandas", "vl_convert")
__getattr__, __dir__, __all__ = lazy(__name__)
