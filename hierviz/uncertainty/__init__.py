"""Resamples, intervals, paired differences, bounds for new samples.

Resamples             which samples each resample takes
bootstrap_curve       bands of a curve and intervals of its summary
bootstrap_means       means of numbers per sample with their intervals
paired_difference     differences with their intervals
tied_with_best        the best and all not clearly different from it
no_clear_difference   where an interval of a difference contains 0
difference_of_models  two models on the same samples
difference_sentence   what a difference says, in one sentence
over_repeats          mean and spread over runs
curve_over_repeats    curves of several runs at common thresholds
summary_over_repeats  summaries of curves over runs
at_temperature        predictions at another temperature
compare_confidence_maps  ways to calibrate the confidence of answers, on held-out folds
cross_fitted_confidence  the confidence of each sample by a map that is fitted without its fold
fit_temperature       the temperature that fits best
isotonic_map          calibrated confidence by isotonic regression
venn_abers            calibrated confidence between two bounds
conformal_nodes       nodes that hold the truth with a stated probability
ConformalNodes        what `conformal_nodes` returns
vote_shares           share of several answers to a sample at or below every class
VoteShares            what `vote_shares` returns
score_interval        Tango's interval of a difference of paired proportions
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.uncertainty._vote_shares import VoteShares as VoteShares
    from hierviz.uncertainty._vote_shares import vote_shares as vote_shares
    from hierviz.uncertainty.bootstrap import bootstrap_curve as bootstrap_curve
    from hierviz.uncertainty.bootstrap import bootstrap_means as bootstrap_means
    from hierviz.uncertainty.comparison import no_clear_difference as no_clear_difference
    from hierviz.uncertainty.comparison import paired_difference as paired_difference
    from hierviz.uncertainty.comparison import tied_with_best as tied_with_best
    from hierviz.uncertainty.confidence_comparison import compare_confidence_maps as compare_confidence_maps
    from hierviz.uncertainty.confidence_folds import cross_fitted_confidence as cross_fitted_confidence
    from hierviz.uncertainty.confidence_maps import isotonic_map as isotonic_map
    from hierviz.uncertainty.confidence_maps import venn_abers as venn_abers
    from hierviz.uncertainty.conformal import ConformalNodes as ConformalNodes
    from hierviz.uncertainty.conformal import conformal_nodes as conformal_nodes
    from hierviz.uncertainty.model_difference import difference_of_models as difference_of_models
    from hierviz.uncertainty.model_difference import difference_sentence as difference_sentence
    from hierviz.uncertainty.paired_proportions import score_interval as score_interval
    from hierviz.uncertainty.repeats import curve_over_repeats as curve_over_repeats
    from hierviz.uncertainty.repeats import over_repeats as over_repeats
    from hierviz.uncertainty.repeats import summary_over_repeats as summary_over_repeats
    from hierviz.uncertainty.resamples import Resamples as Resamples
    from hierviz.uncertainty.temperature import at_temperature as at_temperature
    from hierviz.uncertainty.temperature import fit_temperature as fit_temperature

__getattr__, __dir__, __all__ = lazy(__name__)
