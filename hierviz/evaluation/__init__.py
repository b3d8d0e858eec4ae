"""All numbers of all models, and the answers they are made of.

judged_answers       the answers of a rule next to their truth
answer_confidence    how sure a model is of its answers, calibrated on held-out folds
conformal_of_model   nodes that hold the true classes of a model's samples with a stated probability
conformal_of_sample  that of one sample
curves_by            operating curves of parts of the samples
Review               what an expert said of samples
ReviewRow            what was said of one answer to one sample
reviewed             predictions with the truths that a review leaves
reviewed_numbers     every number with them
protein_function     F-max and S-min of one ontology
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.evaluation._answer_confidence import answer_confidence as answer_confidence
    from hierviz.evaluation._conformal import conformal_of_model as conformal_of_model
    from hierviz.evaluation._conformal import conformal_of_sample as conformal_of_sample
    from hierviz.evaluation._judged_answers import judged_answers as judged_answers
    from hierviz.evaluation._review import Review as Review
    from hierviz.evaluation._review import ReviewRow as ReviewRow
    from hierviz.evaluation._reviewed import reviewed as reviewed
    from hierviz.evaluation._reviewed import reviewed_numbers as reviewed_numbers
    from hierviz.evaluation.common_samples import curves_by as curves_by
    from hierviz.metrics.sets.protein_function import protein_function as protein_function

__getattr__, __dir__, __all__ = lazy(__name__)
