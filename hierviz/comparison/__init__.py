"""Methods with their runs in a table, and two of them sample by sample.

ComparisonTable     what `hv.compare` returns
gate                whether a candidate is at most so much worse than a baseline
Gate                what `gate` returns
GateRow             one metric of a Gate
load_baseline       read the baseline of a gate
write_baseline      write the baseline of a gate
two_by_two          which of two models is right on which samples
answer_changes      which answers change from one threshold, rule or model to another
difference_tree     in which classes one model is clearly better than another
right_together      which models are right on the same samples
models_on_samples   the samples on which two models differ most
metrics_on_samples  the samples that two metrics judge most differently
paired_answers      the answers of two methods to their common samples
training_steps      any numbers over the steps of a training
answer_steps        how the answer to each sample changed over the steps of a training
AnswerSteps         what `answer_steps` returns
TrainingSteps       what `training_steps` returns
metrics_by_class    which numbers a difference tree can compare
kendall             Kendall's tau-b of two lists of numbers
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.comparison._answer_changes import answer_changes as answer_changes
    from hierviz.comparison._answer_steps import AnswerSteps as AnswerSteps
    from hierviz.comparison._answer_steps import answer_steps as answer_steps
    from hierviz.comparison._difference_tree import difference_tree as difference_tree
    from hierviz.comparison._difference_tree import metrics_by_class as metrics_by_class
    from hierviz.comparison._paired_answers import paired_answers as paired_answers
    from hierviz.comparison._right_together import right_together as right_together
    from hierviz.comparison._training_steps import TrainingSteps as TrainingSteps
    from hierviz.comparison._training_steps import training_steps as training_steps
    from hierviz.comparison._two_by_two import two_by_two as two_by_two
    from hierviz.comparison.agreement import kendall as kendall
    from hierviz.comparison.comparison_table import ComparisonTable as ComparisonTable
    from hierviz.comparison.disagreement import metrics_on_samples as metrics_on_samples
    from hierviz.comparison.disagreement import models_on_samples as models_on_samples
    from hierviz.comparison.gating._gate import gate as gate
    from hierviz.comparison.gating.gate_result import Gate as Gate
    from hierviz.comparison.gating.gate_result import GateRow as GateRow
    from hierviz.readers.baseline_file import load_baseline as load_baseline
    from hierviz.readers.baseline_file import write_baseline as write_baseline

__getattr__, __dir__, __all__ = lazy(__name__)
