"""hierviz: look at a hierarchical classifier's mistakes.

import hierviz as hv
taxonomy = hv.load_taxonomy("taxonomy.csv")
predictions = hv.load_predictions("predictions.csv", taxonomy, truth="truth.csv")
hv.evaluate(predictions)

errors:
    HiervizError        base of all errors that input can cause
    FileError           a file cannot be read or written
    TaxonomyError       the taxonomy cannot be used as given
    PredictionsError    predictions or truth cannot be used as given
    ModelError          an ONNX model cannot be loaded, understood or run
    ClusterError        a cluster cannot be reached or used

data:
    Taxonomy            a rooted tree or graph of named classes
    Predictions         the scores or labels of one model on some samples
    Evaluation          results of one pass over the probabilities of a model
    NodeLists           lists of nodes of different lengths

files:
    load_taxonomy       read a taxonomy, in any of its forms
    load_predictions    read scores or labels
    load_truth          read the truth
    load_model          load an ONNX classifier
    load_inputs         read pictures, rows or texts for a model
    load_costs          read the cost of every pair of leaves
    load_accretion      read the information accretion of terms
    load_review         read what an expert said of samples
    load_mapping        read what names outside the taxonomy are taken for
    attach_truth        predictions with their truth
    attach_media        predictions with their pictures
    write_predictions   write node probabilities
    write_review        write what an expert said of samples
    write_mapping       write what names outside the taxonomy are taken for
    write_taxonomy      write a taxonomy
    tree_text           a tree drawn with characters

numbers:
    node_probabilities  scores to the probability of every node
    infer               probabilities to the answer of a rule
    pareto_table        the answers at every threshold
    operating_curve     every metric at every threshold
    evaluate            every number of one or several models
    compare             a table of methods with intervals, ranks and marks
    win                 the hierarchical win of every sample
    win_breakdown       its terms along the path of one sample
    confusion           true and false positives and negatives of paths
    mistakes            judged samples, the worst first
    loss                a loss for training and its gradient

pictures, reports, checks:
    show                show a chart in a notebook
    widget              operating curves in a notebook whose threshold is dragged
    report              one HTML file that opens without a network
    log_to_mlflow       numbers, curves and the report in a run of MLflow
    log_to_wandb        the same in a run of Weights & Biases
    doctor              all faults of files at once
    verify              recompute every number independently

registries:
    PARAMETRISATIONS    kinds of scores
    INFERENCE_RULES     rules that choose an answer
    METRICS             all numbers with their definitions
    LOSSES              all losses

more:
    inference           node probabilities to answers
    evaluation          all numbers of all models, and the answers they are made of
    metrics             arrays in, numbers out; `hv.METRICS` describes every number by its key
    curves              operating curves: every threshold at once
    thresholds          choosing a threshold for a goal, with what it yields on new samples
    uncertainty         resamples, intervals, paired differences, bounds for new samples
    comparison          methods with their runs in a table
    projection          the same predictions judged on a part of the taxonomy
    diagnosis           where a model goes wrong
    charts              core objects to figures
"""

# First of all: Ctrl-C during the imports below ends the command in one line.
import hierviz.messages.stopping  # noqa: F401

# isort: split

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.charts._figure import show as show
    from hierviz.charts._widget import widget as widget
    from hierviz.cluster.running import evaluate as evaluate
    from hierviz.comparison.table import compare as compare
    from hierviz.curves.operating_curve import operating_curve as operating_curve
    from hierviz.diagnosis.mistakes import mistakes as mistakes
    from hierviz.evaluation.evaluation import Evaluation as Evaluation
    from hierviz.findings.doctor import doctor as doctor
    from hierviz.inference.pareto_table import pareto_table as pareto_table
    from hierviz.inference.registry import INFERENCE_RULES as INFERENCE_RULES
    from hierviz.inference.registry import infer as infer
    from hierviz.losses.registry import LOSSES as LOSSES
    from hierviz.losses.registry import loss as loss
    from hierviz.messages.errors import ClusterError as ClusterError
    from hierviz.messages.errors import FileError as FileError
    from hierviz.messages.errors import HiervizError as HiervizError
    from hierviz.messages.errors import ModelError as ModelError
    from hierviz.messages.errors import PredictionsError as PredictionsError
    from hierviz.messages.errors import TaxonomyError as TaxonomyError
    from hierviz.metrics.confusion.multi_path import confusion as confusion
    from hierviz.metrics.registry import METRICS as METRICS
    from hierviz.metrics.win import win as win
    from hierviz.metrics.win import win_breakdown as win_breakdown
    from hierviz.onnx.inputs.model_inputs import load_inputs as load_inputs
    from hierviz.onnx.model import load_model as load_model
    from hierviz.predictions.parametrisation import PARAMETRISATIONS as PARAMETRISATIONS
    from hierviz.predictions.parametrisation import node_probabilities as node_probabilities
    from hierviz.predictions.predictions import Predictions as Predictions
    from hierviz.readers.attach import attach_media as attach_media
    from hierviz.readers.attach import attach_truth as attach_truth
    from hierviz.readers.class_numbers_file import load_accretion as load_accretion
    from hierviz.readers.costs_file import load_costs as load_costs
    from hierviz.readers.mapping_file import load_mapping as load_mapping
    from hierviz.readers.mapping_file import write_mapping as write_mapping
    from hierviz.readers.predictions_file import load_predictions as load_predictions
    from hierviz.readers.predictions_writer import write_predictions as write_predictions
    from hierviz.readers.review_file import load_review as load_review
    from hierviz.readers.review_file import write_review as write_review
    from hierviz.readers.taxonomy_file import load_taxonomy as load_taxonomy
    from hierviz.readers.taxonomy_writer import tree_text as tree_text
    from hierviz.readers.taxonomy_writer import write_taxonomy as write_taxonomy
    from hierviz.readers.truth_file import load_truth as load_truth
    from hierviz.reports.report_file import report as report
    from hierviz.second_opinion.verify import verify as verify
    from hierviz.taxonomy.node_lists import NodeLists as NodeLists
    from hierviz.taxonomy.taxonomy import Taxonomy as Taxonomy
    from hierviz.tracking._mlflow_run import log_to_mlflow as log_to_mlflow
    from hierviz.tracking._wandb_run import log_to_wandb as log_to_wandb

__getattr__, __dir__, __all__ = lazy(__name__)
