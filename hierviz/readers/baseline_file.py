"""The baseline of a gate as a file: ids, truth, answers and Pareto table of a model in an ``.npz``, without its scores.

Conventions
-----------
Arrays are those of an Evaluation, by name; ``hierviz_baseline`` is JSON: version of the form, name of the model, hashes of the
taxonomy and of the other arrays, settings of the answers. What was asked of the model when it was written can be asked again:
numbers that need all scores once more are refused by `KeptScores`. Nothing is a pickle.

Functions
---------
write_baseline, load_baseline, is_baseline
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from hierviz._version import version
from hierviz.evaluation.evaluation import Evaluation, corpus_of
from hierviz.evaluation.optimal_answers import OptimalSets
from hierviz.evaluation.pieces import PER_SAMPLE
from hierviz.inference.leaf_paths import LeafPaths
from hierviz.inference.pareto_table import ParetoTable
from hierviz.messages.errors import FileError, PredictionsError
from hierviz.messages.new_files import new_file
from hierviz.metrics.sets.label_sets import LabelSetCounts
from hierviz.predictions.predictions import Predictions
from hierviz.readers.numpy_files import open_npz
from hierviz.readers.sources import open_source
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.node_lists import NodeLists
from hierviz.taxonomy.taxonomy import Taxonomy

MARK, FORM = "hierviz_baseline", 2
_PLAIN = (str, int, float, bool, type(None))
_AGAIN = "Let the gate write it again."


class KeptScores:
    """Stands for the scores of a model of which only the answers were kept; reading them says so.

    Attributes
    ----------
    shape : (int, int)
    """

    dtype = np.dtype(np.float64)

    def __init__(self, where: str, n_samples: int, n_nodes: int):
        self._where, self.shape = where, (n_samples, n_nodes)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> NoReturn:
        raise PredictionsError(
            f"{self._where}: expected a baseline that was written with these metrics, rule and threshold, got one whose scores "
            "were not kept. Give the file of predictions, or write the baseline again with the same metrics, rule and "
            "threshold."
        )


def write_baseline(model: Evaluation, path: str | os.PathLike[str]) -> None:
    """Write what an Evaluation knows of the answers of its model.

    Parameters
    ----------
    model : Evaluation
        After what is asked of it was computed, as by `hierviz.comparison.gate`.
    path : str or path

    Raises
    ------
    FileError
        If the file cannot be written.
    PredictionsError
        If answers depend on settings that are no single number or name, such as a table of costs.
    """
    check_kind("write_baseline", model, Evaluation, "It comes first, then the path.")
    predictions, arrays = model.predictions, {}
    about: dict[str, Any] = {"form": FORM, "hierviz": version(), "name": predictions.name}
    about |= {"taxonomy": _digest(model.taxonomy), "n_nodes": model.taxonomy.n_nodes}
    about |= {"parametrisation": predictions.parametrisation, "is_hard": bool(predictions.is_hard)}
    about |= {"is_by_level": bool(predictions.is_by_level), "answers": [], "thresholds": []}
    if predictions.sample_ids is not None:
        arrays["sample_id"] = np.asarray(predictions.sample_ids).astype(str)
    arrays |= _lists("truth", predictions.truth) | _lists("labels", predictions.labels)
    if predictions.best_outside is not None:
        arrays["best_outside"] = predictions.best_outside
    if model.table is not None:
        arrays |= {f"table.{name}": getattr(model.table, name) for name in ("offsets", "nodes", "scores")}
    arrays |= {name: getattr(model, name) for name in PER_SAMPLE if getattr(model, name) is not None}
    for rule, settings, answers in model._answers:
        if any(not isinstance(value, _PLAIN) for value in settings.values()):
            raise PredictionsError(
                f"{predictions.name}: expected settings of rule {rule} that are single numbers or names for a baseline in a "
                "file, got others. Give the file of predictions as the baseline."
            )
        arrays |= _lists(f"answers.{len(about['answers'])}", answers)
        about["answers"].append([rule, dict(settings)])
    for threshold, counts in model._label_counts.items():
        if isinstance(threshold, tuple):  # made of answers again
            continue
        sums, columns = counts.counted()
        start = f"sets.{len(about['thresholds'])}"
        arrays |= {f"{start}.sum.{name}": np.asarray(of) for name, of in sums.items()}
        arrays |= {f"{start}.column.{name}": of for name, of in columns.items()}
        about["thresholds"].append(threshold)
    for block, numbers in model.kept_numbers.items():
        arrays |= {f"numbers.{block}.{name}": of for name, of in numbers.items()}
    for paths in model._paths:
        arrays |= _lists("paths", paths.paths) | {"paths.p": paths.p}
    arrays[MARK] = np.array(json.dumps(about | {"arrays": _digest_of_arrays(arrays)}))
    with new_file(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def is_baseline(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of `write_baseline`, from its list of arrays alone."""
    try:
        with zipfile.ZipFile(path) as archive:
            return f"{MARK}.npy" in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def load_baseline(source: str | os.PathLike[str], taxonomy: Taxonomy) -> Evaluation:
    """Read what `write_baseline` wrote.

    Parameters
    ----------
    source : str or path
    taxonomy : Taxonomy
        The one that the model was judged on, with the same order of classes.

    Returns
    -------
    Evaluation

    Raises
    ------
    FileError
        If the file is another one, damaged, or of another version or taxonomy.
    """
    file = open_source(source, "a baseline that `hierviz gate` wrote", ("zip",))
    with open_npz(file) as npz:
        if MARK not in npz.headers:
            raise FileError(f"{file.where}: expected a baseline that `hierviz gate` wrote, got other arrays. {_AGAIN}")
        arrays = {name: npz[name] for name in npz.headers}
    try:
        about = json.loads(str(arrays[MARK]))
        _check_about(file.where, about, taxonomy)
        _require(about["arrays"] == _digest_of_arrays({name: of for name, of in arrays.items() if name != MARK}))
        return _evaluation(file.where, about, arrays, taxonomy)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError) as error:
        raise FileError(
            f"{file.where}: expected a whole baseline, got a damaged one ({type(error).__name__}). {_AGAIN}"
        ) from None


def _check_about(where, about, taxonomy):
    if about["form"] != FORM:
        raise FileError(
            f"{where}: expected a baseline of form {FORM}, got form {about['form']!r} of hierviz {about['hierviz']}. {_AGAIN}"
        )
    if about["taxonomy"] != _digest(taxonomy):
        raise FileError(
            f"{where}: expected a baseline on this taxonomy ({taxonomy.n_nodes:,} nodes, in their order), got one on another "
            f"({about['n_nodes']:,} nodes). Use the taxonomy that it was written with, or write it again."
        )


def _evaluation(where, about, arrays, taxonomy):
    truth, labels = _from_lists("truth", arrays), _from_lists("labels", arrays)
    ids, outside = arrays.get("sample_id"), arrays.get("best_outside")
    how: dict[str, Any] = {"labels": labels, "is_hard": about["is_hard"], "is_by_level": about["is_by_level"]}
    table = None
    if labels is None:
        table = ParetoTable(*(arrays[f"table.{name}"] for name in ("offsets", "nodes", "scores")))
        _check_offsets(table.offsets, table.nodes, taxonomy, 1)
        _require(len(table.scores) == len(table.nodes))
        scores = KeptScores(where, table.n_samples, taxonomy.n_nodes)
        how = {"scores": scores, "parametrisation": "node_probabilities", "best_outside": outside}
    predictions = Predictions(taxonomy, about["name"], truth=truth, sample_ids=ids, **how)
    columns = {name: arrays[name] for name in PER_SAMPLE if name in arrays}
    answers = [
        (rule, settings, _from_lists(f"answers.{place}", arrays))
        for place, (rule, settings) in enumerate(about["answers"])
    ]
    for of in (*columns.values(), *(of for *_, of in answers)):
        _require(len(of) == predictions.n_samples)
    for *_, of in answers:
        nodes = of.nodes if isinstance(of, NodeLists) else of
        _require(not len(nodes) or (nodes.min() >= -1 and nodes.max() < taxonomy.n_nodes))
    counts = {
        threshold: LabelSetCounts.from_counted(
            taxonomy,
            0.5 if threshold is None else threshold,
            [tuple(_below(f"sets.{place}.{kind}.", arrays) for kind in ("sum", "column"))],
        )
        for place, threshold in enumerate(about["thresholds"])
    }
    numbers: dict[str, dict[str, np.ndarray]] = {}
    for name, of in _below("numbers.", arrays).items():
        block, _, key = name.partition(".")
        numbers.setdefault(block, {})[key] = of
    paths = [LeafPaths(_from_lists("paths", arrays), arrays["paths.p"])] if "paths.p" in arrays else []
    kept: dict[str, Any] = {"_answers": answers, "_label_counts": counts, "kept_numbers": numbers, "_paths": paths}
    return Evaluation(predictions, predictions.has_truth, table, corpus=corpus_of(predictions), **columns, **kept)


def _lists(name, of):
    """Arrays of node lists, or of a node of each sample, or none."""
    if of is None:
        return {}
    if not isinstance(of, NodeLists):
        return {name: np.asarray(of)}
    more = {f"{name}.expected": of.expected} if isinstance(of, OptimalSets) else {}
    return {f"{name}.offsets": of.offsets, f"{name}.nodes": of.nodes, **more}


def _from_lists(name, arrays):
    if f"{name}.offsets" not in arrays:
        return arrays.get(name)
    lists = arrays[f"{name}.offsets"], arrays[f"{name}.nodes"]
    _check_offsets(*lists)
    return OptimalSets(*lists, arrays[f"{name}.expected"]) if f"{name}.expected" in arrays else NodeLists(*lists)


def _check_offsets(offsets, nodes, taxonomy=None, least=0):
    _require(offsets.ndim == nodes.ndim == 1 and len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(nodes))
    _require((np.diff(offsets) >= least).all())
    if taxonomy is not None and len(nodes):
        _require(nodes.min() >= -1 and nodes.max() < taxonomy.n_nodes)


def _require(is_so):
    if not is_so:
        raise ValueError("arrays are not those that were written")


def _below(start: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays whose name begins so, by the rest of it."""
    return {name.removeprefix(start): of for name, of in arrays.items() if name.startswith(start)}


def _digest_of_arrays(arrays):
    """Hash of names, types, shapes and values."""
    digest = hashlib.sha256()
    for name, of in sorted(arrays.items()):
        digest.update(f"{name} {of.dtype.str} {of.shape} ".encode())
        digest.update(np.ascontiguousarray(of).tobytes())
    return digest.hexdigest()


def _digest(taxonomy):
    """Hash of the classes in their order, and of the edges: nodes are numbers."""
    names = hashlib.sha256("\0".join(taxonomy.names).encode(errors="surrogatepass")).hexdigest()
    return f"{names}:{taxonomy.sha256}"
