"""Columns of a table of methods: any number of `hierviz.evaluate`, the selections that published tables show, and their values.

Functions
---------
columns_of, PRESETS, DEFAULT, file_numbers

References
----------
.. [1] C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, 2019.
.. [2] K. Riehl, M. Neunteufel, M. Hemberg, JRSS-C 2023, tables III to V.
.. [3] R. Plaud et al., CoNLL 2024, tables 2 to 7.
.. [4] J. Valmadre, NeurIPS 2022, tables 1 and 2.
.. [5] S. Kiritchenko et al., Canadian AI 2006.
.. [6] L. Bertinetto et al., CVPR 2020, table 1 and figure 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from hierviz.evaluation._conformal import why_no_conformal
from hierviz.evaluation.sample_numbers import OVER_ERRORS
from hierviz.evaluation.summary import model_summary
from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.messages.notebook_html import Short
from hierviz.metrics.calibration import CALIBRATION_ERRORS, MIN_SAMPLES
from hierviz.metrics.parts import MeanByDepth, OfAllByDepth
from hierviz.metrics.registry import BALANCED_PREFIX, METRICS, PROTEIN_METRICS, keys_of
from hierviz.taxonomy.checks import check_one_of
from hierviz.taxonomy.taxonomy import Taxonomy

BLOCKS = (
    *("distribution", "top_down", "best_leaves", "probabilities", "predicted"),
    *("random_cuts", "levels", "labels", "lca", "curve", "selective", "confusion", "conformal"),
)
# Only where conformal nodes are asked for, and of these what is shown where no column asks for another.
CONFORMAL = "conformal"
CONFORMAL_KEYS = tuple(f"{CONFORMAL}.{key}" for key in ("held", "mean_information", "mean_depth", "root_share"))
# Blocks of numbers of answers, and among them those over all thresholds.
_OF_ANSWERS, _AREAS = ("predicted", "labels", "lca", "confusion"), ("_auc", "_auc_raw")
# Numbers of each depth: the metrics, one that has another number of supported classes, and what follows the depth in its key.
MACRO_F1_BY_DEPTH = "macro_f1_by_depth"
BY_DEPTH = (
    MACRO_F1_BY_DEPTH,
    *(key for key, metric in METRICS.items() if type(metric.made) in (MeanByDepth, OfAllByDepth)),
)
SUPPORTED = "supported"


def _keys(block, *keys):
    return tuple(f"{block}.{key}" for key in keys)


# By source; "all" has every number.
PRESETS = MappingProxyType(
    {
        "wu": (
            *_keys("top_down", "one_hot_win"),
            *_keys("distribution", "softmax_win", "neg_log_win", "cross_entropy"),
            *_keys("top_down", "coarsest_accuracy", "parents_accuracy", "finest_accuracy"),
            *_keys("top_down", "aggregate_precision", "aggregate_recall", "aggregate_f1"),
        ),
        "riehl": (
            *_keys("confusion", "tp", "tn", "fp", "fn"),
            *_keys("confusion", "acc", "ppv", "tpr", "fnr", "fpr", "tnr", "pt", "f1", "mcc"),
            *_keys("labels", "micro_precision", "micro_recall", "micro_f1", "subset_accuracy"),
        ),
        "plaud": _keys(
            "labels",
            *("hamming_loss", "micro_f1", "macro_f1", "c_f1_micro", "c_f1_macro"),
            *("hf1_samples", "hf1_micro", "ihf1_samples", "ihf1_micro", "hf1_auc", "ihf1_auc"),
        ),
        "valmadre": _keys(
            "curve",
            *("ap", "ac", "recall_at_90_correct", "recall_at_95_correct", "majority_f1", "leaf_f1"),
            *("ac_exact", "depth_ap", "depth_ac"),
        ),
        "kiritchenko": (
            *_keys("labels", "hp_micro", "hr_micro", "hf1_micro"),
            *_keys("top_down", "aggregate_precision", "aggregate_recall", "aggregate_f1"),
        ),
        "bertinetto": (
            *_keys("top_down", "argmax_leaf_accuracy", "error_lca_height"),
            *_keys("best_leaves", "lca_height_1", "lca_height_5", "lca_height_20"),
        ),
        "all": (),
    }
)
# Where nothing is asked for; those that apply to no method are left out.
DEFAULT = (
    *_keys("top_down", "argmax_leaf_accuracy"),
    *_keys("curve", "recall_at_95_correct", "ac", "ap", "recall_at_90_correct", "leaf_f1"),
    *_keys("distribution", "softmax_win"),
    *_keys("top_down", "top5_leaf_accuracy", "error_lca_height"),
    *_keys("labels", "hf1_samples", "hf1_auc", "micro_f1", "macro_f1", "subset_accuracy"),
    *_keys("confusion", "f1", "mcc"),
)


@dataclass(frozen=True)
class Column:
    """One number of every method.

    Attributes
    ----------
    key, block : str
        ``block.key``, and ``block.key.depth`` (``block.key.depth.supported``) for numbers of one depth.
    metric : str
        Key of `METRICS`.
    label, better, unit : str
        Name for people; 'higher', 'lower' or 'neither'; '' where dimensionless.
    """

    key: str
    block: str
    metric: str
    label: str
    better: str
    unit: str

    @property
    def sign(self) -> int:
        """1 where more is better, -1 where less is, 0 where neither."""
        return METRICS[self.metric].sign

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest value."""
        return METRICS[self.metric].range

    @property
    def is_of_answers(self) -> bool:
        """Whether it depends on the rule or the threshold by which answers and label sets are chosen."""
        return self.block in _OF_ANSWERS and not self.metric.endswith(_AREAS) and self.metric not in PROTEIN_METRICS

    @property
    def is_balanced(self) -> bool:
        """A mean over classes."""
        return self.metric.startswith(BALANCED_PREFIX)

    def to_dict(self) -> dict[str, str]:
        """As the JSON of a table has it."""
        return {name: getattr(self, name) for name in ("key", "block", "label", "better", "unit")}


def columns_of(
    taxonomy: Taxonomy, preset: str | None = None, metrics: Sequence[str] | str | None = None
) -> list[Column]:
    """The columns that are asked for.

    Parameters
    ----------
    taxonomy : Taxonomy
        Says which depths there are.
    preset : str, optional
        Key of `PRESETS`.
    metrics : sequence of str, or str with commas, optional
        Keys such as ``curve.ac`` or ``labels.macro_f1_by_depth.2``, after those of the preset; ``labels.macro_f1_by_depth``
        is all depths, and the block may be left out. `DEFAULT` where neither is given.

    Returns
    -------
    list of Column
        Each once, in the order asked for.

    Raises
    ------
    PredictionsError
        If a preset or a key is unknown.
    """
    if preset is not None:
        check_one_of("preset", preset, PRESETS)
    if isinstance(metrics, str):
        metrics = [key.strip() for key in metrics.split(",") if key.strip()]
    asked = list(DEFAULT) if preset is None and not metrics else []
    if preset is not None:
        asked += _all_keys() if preset == "all" else list(PRESETS[preset])
    columns = [column for key in [*asked, *(metrics or ())] for column in _columns(taxonomy, key)]
    return list({column.key: column for column in columns}.values())


def _all_keys():
    # F-max, S-min and conformal nodes are there only where `evaluate` is asked for them.
    blocks = {*BLOCKS} - {CONFORMAL}
    keys = [key for key, metric in METRICS.items() if metric.block in blocks and key not in PROTEIN_METRICS]
    return [f"{METRICS[key].block}.{key}" for key in keys]


def _advice(asked, known):
    """The same number of its own block, the nearest key, or those that hold what was asked for, in a sentence."""
    wanted = asked.strip().casefold()
    same = next((key for key in known if key.rpartition(".")[2] == wanted.rpartition(".")[2]), None)
    if same is not None:
        return f" Did you mean {same!r}?"
    holding = [key for key in known if len(wanted) > 1 and wanted in key]
    some = f" Did you mean {' or '.join(map(repr, holding[:4]))}?" if holding else ""
    return near_miss(asked, known) or some


def _columns(taxonomy, asked):
    """The columns of one key: several for all depths."""
    words = asked.split(".")
    block = words.pop(0) if len(words) > 1 and words[0] not in METRICS else None
    key, *parts = words
    metric = METRICS.get(key)
    is_known = metric is not None and metric.block in BLOCKS and block in (None, metric.block)
    if metric is None or not is_known or (parts and key not in BY_DEPTH):
        known = _all_keys()
        raise PredictionsError(
            f"metrics: expected numbers of `evaluate` such as {listed(known[:2])}, got {asked!r}.{_advice(asked, known)} "
            "docs/metrics.md lists them."
        )
    full = f"{metric.block}.{key}"
    if key not in BY_DEPTH:
        return [Column(full, metric.block, key, metric.label, metric.better, metric.unit)]
    depths = [str(depth) for depth in range(1, taxonomy.max_depth + 1)] if taxonomy.is_tree else []
    allowed = ([], [SUPPORTED]) if key == MACRO_F1_BY_DEPTH else ([],)
    if parts and (parts[0] not in depths or parts[1:] not in allowed):
        raise PredictionsError(
            f"metrics: expected a depth from 1 to {taxonomy.max_depth} of a tree in {full}.DEPTH, got {asked!r}. Choose one."
        )
    columns = []
    for depth in [".".join(parts)] if parts else depths:
        of_classes = " of supported classes" if SUPPORTED in depth else ""
        name = metric.label.removesuffix(" by depth")
        label = f"{name} at depth {depth.removesuffix(f'.{SUPPORTED}')}{of_classes}"
        columns.append(Column(f"{full}.{depth}", metric.block, key, label, metric.better, metric.unit))
    return columns


@dataclass(frozen=True, eq=False)
class FileNumbers(Short):
    """All numbers of one file.

    Attributes
    ----------
    name, run : str, str or None
    n_samples : int
        That are judged.
    values : dict of str to float or None
        By key of a Column; infinite values are floats.
    reasons : dict of str to str
        Why a value is None.
    summary : dict
        The entry of ``models`` in the JSON of `hierviz.evaluate`, with the blocks of the columns only.
    """

    name: str
    run: str | None
    n_samples: int
    values: dict[str, float | None]
    reasons: dict[str, str]
    summary: dict


def file_numbers(
    model,
    columns,
    choice,
    class_weights=None,
    stage=lambda name, unit: None,
    protein=None,
    conformal=None,
    has_remarks=True,
):
    """FileNumbers of an Evaluation; `choice` is rule, threshold and parameters, the rest as in `hierviz.evaluate`.

    `protein` is a ProteinNumbers, where columns ask for one; `conformal` has the `conformal_parts` of the model, or None.
    `has_remarks` says whether the notes of the summary have those on this input.
    """
    has_balanced = any(column.is_balanced for column in columns)
    weights = ("equal" if class_weights is None else class_weights) if has_balanced else None
    blocks = {column.block for column in columns} | ({"labels"} if protein is not None else set())
    given = {"class_weights": weights, "only": tuple(blocks - {CONFORMAL}), "has_remarks": has_remarks}
    summary = model_summary(model, stage=stage, **given, **choice)
    if protein is not None and summary["labels"] is not None:
        summary["labels"] |= protein.values
    if CONFORMAL in blocks:
        made = {key: METRICS[key].made for key in keys_of(CONFORMAL)}
        summary[CONFORMAL] = None if conformal is None else {key: how.total(conformal) for key, how in made.items()}
    notes = (note.partition(": null, ") for note in summary["notes"])
    why = {block: reason for block, _, reason in notes if reason and block in BLOCKS}
    values = {column.key: _value(summary[column.block] or {}, column) for column in columns}
    without = [column for column in columns if values[column.key] is None]
    reasons = {column.key: why.get(column.block) or _why_none(model, column) for column in without}
    return FileNumbers(summary["name"], model.predictions.run, summary["n_samples"], values, reasons, summary)


def _value(block, column):
    parts = column.key.split(".")
    value = block.get(column.metric)
    if column.metric in BY_DEPTH and value is not None:
        value = value[parts[2]]
        if isinstance(value, dict):
            value = value["macro_f1_supported" if parts[-1] == SUPPORTED else "macro_f1"]
    return float(value) if isinstance(value, str) else value


def _why_none(model, column):
    if column.block == CONFORMAL:
        return why_no_conformal(model) or "it needs conformal nodes, which are not asked for"
    if column.metric in PROTEIN_METRICS:
        return "it needs the information accretion of the terms"
    if column.block == "labels":
        if not model.predictions.has_scores and column.metric.endswith(_AREAS):
            return "areas over thresholds need scores, and this file holds labels"
        if not model.taxonomy.is_tree:
            return "it is defined on trees, and this taxonomy is a graph"
    if column.metric in OVER_ERRORS:
        return "no sample has a wrong leaf"
    if column.block == "probabilities" and column.metric.removesuffix("_by_depth") in CALIBRATION_ERRORS:
        return f"it needs at least {MIN_SAMPLES} samples"
    if column.block == "probabilities":
        return "every truth is an inner class above that depth"
    if column.metric == "cross_entropy_finite_mean":
        return "no sample has a finite cross entropy"
    return "it is 0/0, which has no value"
