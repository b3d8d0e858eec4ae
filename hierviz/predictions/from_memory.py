"""Predictions from what libraries hold in memory: frames, `predict_proba`, pipelines of Hugging Face.

Conventions
-----------
A column is a class by its name, never by its place: exactly as it is, or without blanks around it. Names are compared as
text. Without a parametrisation scores are probabilities: of the leaves where every column is a leaf, else of all nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hierviz.messages.errors import PredictionsError, listed, near_miss
from hierviz.messages.frames import as_pandas
from hierviz.predictions.answers_in_memory import FromAnswers
from hierviz.predictions.exchanged_columns import exchanged, exchanged_words
from hierviz.predictions.listed_entries import ListedEntries, first_repeat, is_falling, label_entries
from hierviz.predictions.listed_scores import require_missing
from hierviz.predictions.node_names import is_by_level, level_nodes, nodes_named, truth_nodes
from hierviz.predictions.parametrisation import default_columns, probabilities_of
from hierviz.taxonomy.checks import array_of_rows, check_taxonomy, in_order_of, is_counted
from hierviz.taxonomy.taxonomy import Taxonomy

ID_COLUMNS = ("sample_id", "id")
TRUTH_COLUMNS = ("truth", "true", "y_true", "true_label")
NUMBERS = "fiub"
BY_POSITION = (
    "the columns of the DataFrame are only numbered (0, 1, 2, ...) and were read in the order of `classes`; name them after the "
    "classes to match them by name"
)
BY_NUMBER = (
    "the columns 0, 1, 2, ... of the DataFrame were read as names of classes, which are in another order in `classes`; if they "
    "are only column numbers, pass its values (to_numpy())"
)


class FromMemory(FromAnswers):
    """Constructors of `hierviz.Predictions`, which has `from_scores` and `from_labels`."""

    if TYPE_CHECKING:
        from_scores: Callable[..., Any]

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        taxonomy: Taxonomy,
        *,
        truth: Any = None,
        parametrisation: str | None = None,
        name: str = "model",
    ) -> Self:
        """Predictions from a frame with one row a sample and one column of scores a class.

        Parameters
        ----------
        frame : DataFrame or Table
            Of pandas, polars or Arrow. Columns of scores are called like their nodes. A column ``sample_id`` or ``id``, else an
            index of its own, holds the ids; other columns of text are attributes of the samples.
        taxonomy : Taxonomy
        truth : str or sequence, optional
            Name of the column, or the truths in the order of the rows, as in `from_predict_proba`; a Series must have the index
            of the frame. A column called ``truth``, ``true``, ``y_true`` or ``true_label`` is taken when this is absent.
        parametrisation : str, optional
            Key of `PARAMETRISATIONS`; probabilities when absent.
        name : str
            Of the model.

        Returns
        -------
        Predictions

        Raises
        ------
        PredictionsError
            If a column of numbers is no class, a class is missing, a column or an id occurs twice, or a score or a truth is
            not valid.

        Examples
        --------
        >>> import pandas as pd
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
        >>> frame = pd.DataFrame({"newt": [0.25, 1.0], "cat": [0.5, 0.0], "dog": [0.25, 0.0], "truth": ["dog", "newt"]})
        >>> predictions = Predictions.from_frame(frame, taxonomy)
        >>> predictions, predictions.parametrisation
        (<Predictions 'model': leaf_probabilities of 2 samples, truth known>, 'leaf_probabilities')
        """
        frame = as_pandas(frame, "frame", advice="Pass the frame first, then the taxonomy.")
        check_taxonomy(taxonomy, "It comes after the frame.")
        names = [str(column) for column in frame.columns]
        twice = [name for name, count in Counter(names).items() if count > 1 and name.strip() not in taxonomy.index]
        if twice:
            raise PredictionsError(
                f"frame, columns: expected every column once, got {listed(twice)} more than once. Keep one of each."
            )
        truth_place = _truth_column(names, truth, taxonomy)
        if truth_place is not None:
            truth = frame.iloc[:, truth_place].to_numpy()
        elif hasattr(truth, "to_numpy") and not hasattr(truth, "columns"):
            # A Series of pandas has an index; that of Arrow is a search.
            index: Any = getattr(truth, "index", None)
            if hasattr(index, "equals") and not index.equals(frame.index):
                raise PredictionsError(
                    "truth: expected a Series with the index of the frame, got another index. Use truth.reindex(frame.index)."
                )
            truth = truth.to_numpy()
        id_place = _place_of(ID_COLUMNS, names, taxonomy)
        # An index that only counts the rows is no id.
        counts_rows = frame.index.equals(frame.iloc[:, :0].reset_index(drop=True).index)
        ids = frame.iloc[:, id_place] if id_place is not None else None if counts_rows else frame.index
        rest = [k for k in range(len(names)) if k not in (truth_place, id_place)]
        scores = [k for k in rest if names[k].strip() in taxonomy.index or frame.dtypes.iloc[k].kind in NUMBERS]
        if not scores:
            raise PredictionsError(
                f"frame: expected a column of scores for every class, got {listed(names) or 'no column'}. "
                "Name them after the nodes."
            )
        nodes = nodes_named([names[k] for k in scores], taxonomy, "frame, columns")
        values = np.column_stack([_numbers(frame.iloc[:, k], names[k]) for k in scores])
        attributes = {names[k]: frame.iloc[:, k].to_numpy() for k in rest if k not in scores}
        more = {"name": name, "sample_ids": None if ids is None else _distinct_ids(ids), "attributes": attributes}
        return _from_columns(cls, taxonomy, values, nodes, truth, parametrisation, "the frame", **more)

    @classmethod
    def from_predict_proba(
        cls,
        taxonomy: Taxonomy,
        probabilities: Any,
        classes: Any,
        *,
        truth: Any = None,
        predicted: Any = None,
        parametrisation: str | None = None,
        name: str = "model",
        **more: Any,
    ) -> Self:
        """Predictions from what ``predict_proba`` of a classifier returns.

        A classifier of hiclass returns the probabilities of its last level, or with ``return_all_probabilities=True`` a list
        with those of all levels; both are taken with its ``classes_``, which has one list a level.

        Parameters
        ----------
        taxonomy : Taxonomy
        probabilities : ndarray, shape (n_samples, n_classes), or list of them
            A list has one array a level, as where a classifier has several outputs; a class called "" is left out there. Of a
            DataFrame the columns are matched by name; those that are only counted (0, 1, 2, ...) are in the order of `classes`,
            which is noted, unless the classes are called by these numbers.
        classes : sequence of str, or list of them
            ``classes_`` of the classifier: names of nodes. Numbers of a label encoder are no names: pass the encoder's. Of lists
            for several levels with one array the last is used.
        truth : sequence, optional
            A name a sample, or a list of them; None, NaN, "" or -1 where it is not known. Whole numbers are an error, which may
            be places in `classes` or nodes: node numbers go to ``predictions.replace(truth=...)``.
        predicted : array_like of str, optional
            What ``predict`` of the classifier returns, shape (n_samples,) or (n_samples, n_levels): columns that are in another
            order than `classes` are found by it.
        parametrisation, name
            As in `from_frame`.
        **more
            Further fields of `Predictions`, such as ``sample_ids``.

        Returns
        -------
        Predictions

        Raises
        ------
        PredictionsError
            If shapes do not fit, a class is unknown, missing or there twice, a score or a truth is not valid, or columns look
            exchanged by what is predicted.

        Examples
        --------
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
        >>> Predictions.from_predict_proba(taxonomy, np.array([[0.5, 0.25, 0.25]]), ["newt", "dog", "cat"], truth=["cat"])
        <Predictions 'model': leaf_probabilities of 1 samples, truth known>
        """
        check_taxonomy(taxonomy)
        has_levels = isinstance(probabilities, (list, tuple)) and all(
            array_of_rows(array, "probabilities").ndim == 2 for array in probabilities
        )
        classes = _items(classes)
        if not has_levels and classes and all(isinstance(of_level, (list, tuple, np.ndarray)) for of_level in classes):
            classes = _of_last_level(classes, taxonomy)
        levels = list(zip(probabilities, classes, strict=False)) if has_levels else [(probabilities, classes)]
        if has_levels and not probabilities:
            raise PredictionsError("probabilities: expected at least one row or array, got none. Pass predict_proba.")
        if has_levels and all(isinstance(of_level, str) or not hasattr(of_level, "__iter__") for of_level in classes):
            raise PredictionsError(
                f"classes: expected a list of names for each of the {len(probabilities)} arrays of probabilities, got one "
                "list for all. Pass classes_ of a classifier with an array a level, or one array of probabilities."
            )
        if has_levels and len(probabilities) != len(classes):
            raise PredictionsError(
                f"classes: expected {len(probabilities)} lists (one per array), got {len(classes)}. Pass classes_ of all."
            )
        arrays, names, notes = [], [], []
        for array, of_array in levels:
            of_array = [str(value) for value in _items(of_array)]
            counted = list(map(str, range(len(of_array))))
            if is_counted(array) and of_array != counted:
                notes.append(BY_NUMBER if sorted(of_array) == sorted(counted) else BY_POSITION)
            array = array_of_rows(in_order_of(array, of_array, "probabilities"), "probabilities")
            if array.ndim != 2 or array.shape[1] != len(of_array):
                raise PredictionsError(
                    f"probabilities: expected shape (n_samples, {len(of_array)}) for {len(of_array)} classes, "
                    f"got {array.shape}. Pass predict_proba and classes_ of one classifier."
                )
            kept = [k for k, value in enumerate(of_array) if value or not has_levels]
            arrays.append(array[:, kept])
            names += [of_array[k] for k in kept]
        lengths = sorted({len(array) for array in arrays})
        if len(lengths) > 1:
            raise PredictionsError(f"probabilities: expected arrays of one length, got {listed(lengths)}. Align them.")
        scores = np.concatenate(arrays, axis=1)
        nodes = nodes_named(names, taxonomy, "classes")
        made = _from_columns(cls, taxonomy, scores, nodes, truth, parametrisation, "classes", name=name, **more)
        if notes:
            made = made.replace(notes=(*made.notes, *dict.fromkeys(notes)))
        if predicted is not None:
            _check_answers(made, predicted)
        return made

    @classmethod
    def from_pipeline(
        cls,
        taxonomy: Taxonomy,
        outputs: Sequence[Sequence[Mapping[str, Any]]],
        *,
        truth: Any = None,
        parametrisation: str | None = None,
        missing: str | None = None,
        name: str = "model",
        **more: Any,
    ) -> Self:
        """Predictions from the output of a classification pipeline of Hugging Face, called with a `top_k`.

        Parameters
        ----------
        taxonomy : Taxonomy
        outputs : list of list of dict
            One list a sample, one dict ``{"label": ..., "score": ...}`` a class: all classes (``top_k=None``) in any order, or
            the best ones, the best first.
        truth, parametrisation, name, **more
            As in `from_predict_proba`.
        missing : {"unknown", "zero"}, optional
            What the scores of classes are that a sample does not list; needed where lists are not in falling order.

        Returns
        -------
        Predictions

        Raises
        ------
        PredictionsError
            If a sample has a class twice, a class is unknown, or is missing from lists that do not fall, or a score or a truth
            is not valid.

        Examples
        --------
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "cat"), ("animal", "newt")])
        >>> outputs = [[{"label": "newt", "score": 0.75}, {"label": "cat", "score": 0.25}]]
        >>> Predictions.from_pipeline(taxonomy, outputs).scores
        array([[0.25, 0.75]])
        >>> Predictions.from_pipeline(taxonomy, [[{"label": "newt", "score": 0.75}]]).has_unknown
        True
        """
        check_taxonomy(taxonomy)
        if isinstance(outputs, (str, Mapping)) or not hasattr(outputs, "__iter__"):
            raise PredictionsError(
                f"outputs: expected a list with the classes of every sample, got {type(outputs).__name__}. "
                "Call the pipeline with top_k=None, on a list of inputs."
            )
        require_missing(missing)
        outputs = list(outputs)
        row, labels, value = label_entries(outputs, "outputs")
        names = sorted(set(labels))
        place = {label: k for k, label in enumerate(names)}
        column = np.array([place[label] for label in labels], dtype=np.intp)
        # Without a sample there is no class either: the columns are those of the leaves.
        nodes = nodes_named(names, taxonomy, "outputs, labels") if labels else taxonomy.leaves
        twice = first_repeat(row, column)
        if twice is not None:
            raise PredictionsError(
                f"outputs, sample {row[twice]}: expected one score for {labels[twice]!r} as for every class, got several. "
                "Keep one of them."
            )
        key = parametrisation or probabilities_of(taxonomy, nodes)
        is_whole = len(row) == len(outputs) * len(nodes)
        if is_whole and np.isin(default_columns(taxonomy, key), nodes).all():
            scores = np.empty((len(outputs), len(nodes)))
            scores[row, column] = value
            order, more = np.argsort(nodes), {"name": name, **more}
            return _from_columns(
                cls, taxonomy, scores[:, order], nodes[order], truth, parametrisation, "outputs", **more
            )
        is_top_k = is_falling(row, value)
        if missing is None and not is_top_k:
            raise PredictionsError(
                "outputs: expected all classes of every sample, or the best of each in falling order, got neither. Call the "
                "pipeline with top_k=None, or say {missing=unknown | zero}."
            )
        entries = ListedEntries(row, nodes[column], value, len(outputs), is_top_k)
        listed_scores, _, key = entries.scores(taxonomy, "outputs", parametrisation, missing)
        truth = truth_nodes(truth, taxonomy, "outputs")
        return cls.from_scores(taxonomy, listed_scores, key, truth=truth, name=name, **more)


def _items(classes):
    """The classes as a list."""
    if isinstance(classes, (str, Mapping)) or not hasattr(classes, "__iter__"):
        raise PredictionsError(
            f"classes: expected the names of the columns in a list, got {classes!r}. Pass classes_ of the classifier."
        )
    return list(classes)


def _of_last_level(classes, taxonomy):
    """The classes of the only level that hiclass gives without ``return_all_probabilities=True``."""
    last = [str(value) for value in classes[-1]]
    ends_above = [taxonomy.names[leaf] for leaf in taxonomy.leaves if taxonomy.names[leaf] not in last]
    if "" in last or any(str(value) in ends_above for of_level in classes[:-1] for value in of_level):
        raise PredictionsError(
            "probabilities: expected those of all levels, because some classes end above the last one, got one array for "
            f"{len(classes)} lists of classes. Create the classifier with return_all_probabilities=True."
        )
    return last


def _numbers(column, name):
    """Values of a Series of scores; nan where pandas has no value."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in NUMBERS:
        return column.to_numpy()
    if column.dtype.kind not in NUMBERS:
        raise PredictionsError(
            f"frame, column {name!r}: expected real numbers, got values of type {column.dtype}. Convert them."
        )
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _distinct_ids(ids):
    """The ids of a Series or an Index as text; a PredictionsError when one is missing or there twice."""
    where = "frame, index" if ids.name is None else f"frame, {str(ids.name)!r}"
    advice = "Give every sample an id of its own, or leave the ids out (reset_index(drop=True) of an index)."
    # Of several levels an id is a tuple, which is never missing as a whole.
    n_missing = 0 if getattr(ids, "nlevels", 1) > 1 else int(ids.isna().sum())
    if n_missing:
        raise PredictionsError(f"{where}: expected an id for every sample, got {n_missing} without one. {advice}")
    texts = np.array([str(value) for value in ids], dtype=str)
    distinct, count = np.unique(texts, return_counts=True)
    if len(distinct) < len(texts):
        twice = listed(distinct[count > 1].tolist())
        raise PredictionsError(f"{where}: expected every sample id once, got {twice} more than once. {advice}")
    return texts


def _from_columns(cls, taxonomy, scores, nodes, truth, parametrisation, named, **more):
    parametrisation = parametrisation or probabilities_of(taxonomy, nodes)
    truth = truth_nodes(truth, taxonomy, named)
    return cls.from_scores(taxonomy, scores, parametrisation, scored_nodes=nodes, truth=truth, **more)


def _check_answers(predictions, predicted):
    """Raise a PredictionsError where the columns look exchanged by what the classifier itself predicts."""
    taxonomy = predictions.taxonomy
    if is_by_level(predicted):
        nodes = level_nodes(predicted, taxonomy, "predicted")
        answers = np.full(len(nodes), -1, dtype=np.intp)
        answers[nodes.lengths == 1] = nodes.nodes[nodes.offsets[:-1][nodes.lengths == 1]]
    else:
        answers = truth_nodes(predicted, taxonomy, "classes")
    if len(answers) != predictions.n_samples:
        raise PredictionsError(
            f"predicted: expected {predictions.n_samples} answers (one per sample), got {len(answers)}. Align the rows."
        )
    columns = np.flatnonzero(taxonomy.is_leaf[predictions.scored_nodes])
    if not len(columns):
        return
    best = predictions.scored_nodes[columns][np.asarray(predictions.scores)[:, columns].argmax(axis=1)]
    known = answers >= 0
    moved = exchanged(answers[known], best[known], taxonomy.n_nodes)
    if moved:
        raise PredictionsError(
            f"classes: expected the columns in the order of classes_, but {exchanged_words(moved, taxonomy, 'predict')} "
            "Pass the classes in the order of the columns."
        )


def _truth_column(names, truth, taxonomy):
    """Place of the column of the truth, None when it is no column."""
    if isinstance(truth, str):
        if truth not in names:
            hint = near_miss(truth, names) or " A file with the truth goes to hierviz.attach_truth."
            raise PredictionsError(f"truth: expected the name of a column, got {truth!r}.{hint}")
        return names.index(truth)
    return _place_of(TRUTH_COLUMNS, names, taxonomy) if truth is None else None


def _place_of(columns, names, taxonomy):
    """Place of the first of `columns` in the names, None when none is; a class may be called so, such as true next to false."""
    return next((names.index(name) for name in columns if name in names and name not in taxonomy.index), None)
