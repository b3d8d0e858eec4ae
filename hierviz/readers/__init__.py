"""Files in, core objects out.

Nothing heavy is imported before a function is called: pandas, pyarrow and Pillow load on first use.
"""

from hierviz.readers.attach import attach_media, attach_truth
from hierviz.readers.class_numbers_file import load_accretion
from hierviz.readers.classes_file import load_classes
from hierviz.readers.costs_file import load_costs
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.predictions_writer import write_predictions
from hierviz.readers.taxonomy_file import FORMS as TAXONOMY_FORMS
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.readers.truth_file import Truth, load_truth

__all__ = [
    "TAXONOMY_FORMS",
    "Truth",
    "attach_media",
    "attach_truth",
    "load_accretion",
    "load_classes",
    "load_costs",
    "load_node_attributes",
    "load_predictions",
    "load_taxonomy",
    "load_truth",
    "write_predictions",
]
