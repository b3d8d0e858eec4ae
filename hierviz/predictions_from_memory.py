"""Predictions from what libraries hold in memory: frames, `predict_proba`, labels by level, pipelines of Hugging Face.

Conventions
-----------
A column is a class by its name, never by its place: exactly as it stands, or without blanks around it. Names are compared as
text. Without a parametrisation scores are probabilities: of the leaves where every column is a leaf, else of all nodes. A
truth is a node number or a name a sample, or a list of them; -1, None, NaN and "" say that it is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hierviz.errors import PredictionsError, listed, near_miss
from hierviz.listed_entries import ListedEntries, first_repeat, is_falling, label_entries, require_missing
from hierviz.node_names import level_nodes, nodes_named, truth_nodes
from hierviz.parametrisation import default_columns
from hierviz.taxonomy import Taxonomy

ID_COLUMNS = ("sample_id", "id")
TRUTH_COLUMNS = ("truth", "true", "y_true", "true_label")
NUMBERS = "fiub"


class FromMemory:
    """Constructors of `hierviz.Predictions`, which has `from_scores` and `from_labels`."""

    if TYPE_CHECKING:
        from_labels: Callable[..., Any]
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
        """Predictions from a pandas DataFrame with one row a sample and one column of scores a class.

        Parameters
        ----------
        frame : pandas.DataFrame
            Columns of scores are called like their nodes. A column ``sample_id`` or ``id``, else an index of its own, holds
            the ids; other columns of text are attributes of the samples.
        taxonomy : Taxonomy
        truth : str or sequence, optional
            Name of the column, or a truth a sample in the order of the rows; a Series must have the index of the frame. A
            column called ``truth``, ``true``, ``y_true`` or ``true_label`` is taken when this is absent.
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
            If a column of numbers is no class, a class is missing or there twice, or a score or a truth is not valid.

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
        names = [str(column) for column in frame.columns]
        truth_place = _truth_column(names, truth)
        if truth_place is not None:
            truth = frame.iloc[:, truth_place].to_numpy()
        elif hasattr(truth, "index") and hasattr(truth, "to_numpy"):
            if not truth.index.equals(frame.index):
                raise PredictionsError(
                    "truth: expected a Series with the index of the frame, got another index. Use truth.reindex(frame.index)."
                )
            truth = truth.to_numpy()
        id_place = next(
            (names.index(column) for column in ID_COLUMNS if column in names and column not in taxonomy.index), None
        )
        if id_place is not None:
            sample_ids = frame.iloc[:, id_place].to_numpy()
        else:
            # An index that only counts the rows is no id.
            counts_rows = frame.index.equals(frame.iloc[:, :0].reset_index(drop=True).index)
            sample_ids = None if counts_rows else frame.index.to_numpy()
        rest = [k for k in range(len(names)) if k not in (truth_place, id_place)]
        columns = {k: frame.iloc[:, k].to_numpy() for k in rest}
        scores = [k for k in rest if names[k].strip() in taxonomy.index or columns[k].dtype.kind in NUMBERS]
        if not scores:
            raise PredictionsError(
                f"frame: expected a column of scores for every class, got {listed(names)}. Call them like the nodes."
            )
        return _from_columns(
            cls,
            taxonomy,
            np.column_stack([columns[k] for k in scores]),
            nodes_named([names[k] for k in scores], taxonomy, "frame, columns"),
            truth,
            parametrisation,
            name=name,
            sample_ids=None if sample_ids is None else sample_ids.astype(str),
            attributes={names[k]: columns[k] for k in rest if k not in scores},
        )

    @classmethod
    def from_predict_proba(
        cls,
        taxonomy: Taxonomy,
        probabilities: Any,
        classes: Any,
        *,
        truth: Any = None,
        parametrisation: str | None = None,
        name: str = "model",
        **more: Any,
    ) -> Self:
        """Predictions from what ``predict_proba`` of a classifier returns.

        Parameters
        ----------
        taxonomy : Taxonomy
        probabilities : ndarray, shape (n_samples, n_classes), or list of them
            A list has one array a level, as where a classifier has several outputs; a class called "" is left out there.
        classes : sequence of str, or list of them
            ``classes_`` of the classifier: names of nodes. Numbers of a label encoder are no names: pass the encoder's.
        truth, parametrisation, name
            As in `from_frame`; `truth` is one a sample.
        **more
            Further fields, such as ``sample_ids``.

        Returns
        -------
        Predictions

        Raises
        ------
        PredictionsError
            If shapes do not fit, a class is unknown, missing or there twice, or a score or a truth is not valid.

        Examples
        --------
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
        >>> Predictions.from_predict_proba(taxonomy, np.array([[0.5, 0.25, 0.25]]), ["newt", "dog", "cat"], truth=["cat"])
        <Predictions 'model': leaf_probabilities of 1 samples, truth known>
        """
        is_by_level = isinstance(probabilities, (list, tuple)) and all(np.ndim(array) == 2 for array in probabilities)
        levels = list(zip(probabilities, classes, strict=False)) if is_by_level else [(probabilities, classes)]
        if is_by_level and len(probabilities) != len(classes):
            raise PredictionsError(
                f"classes: expected {len(probabilities)} lists (one per array), got {len(classes)}. Pass classes_ of all."
            )
        arrays, names = [], []
        for array, of_array in levels:
            array, of_array = np.asarray(array), [str(value) for value in of_array]
            if array.ndim != 2 or array.shape[1] != len(of_array):
                raise PredictionsError(
                    f"probabilities: expected shape (n_samples, {len(of_array)}) for {len(of_array)} classes, "
                    f"got {array.shape}. Pass predict_proba and classes_ of one classifier."
                )
            kept = [k for k, value in enumerate(of_array) if value or not is_by_level]
            arrays.append(array[:, kept])
            names += [of_array[k] for k in kept]
        lengths = sorted({len(array) for array in arrays})
        if len(lengths) > 1:
            raise PredictionsError(f"probabilities: expected arrays of one length, got {listed(lengths)}. Align them.")
        scores = np.concatenate(arrays, axis=1)
        nodes = nodes_named(names, taxonomy, "classes")
        return _from_columns(cls, taxonomy, scores, nodes, truth, parametrisation, name=name, **more)

    @classmethod
    def from_level_labels(
        cls, taxonomy: Taxonomy, labels: Any, *, truth: Any = None, name: str = "model", **more: Any
    ) -> Self:
        """Predictions from labels with one column a level, as hiclass takes and returns them.

        Parameters
        ----------
        taxonomy : Taxonomy
        labels : array_like of str, shape (n_samples, n_levels), or (n_samples, n_paths, n_levels)
            Names from below the root down, filled with "" (or None, NaN) from where the answer stops; several paths a sample
            in the second form. Every name is a child of the one before it.
        truth : array_like, optional
            In the same form, or as in `from_frame`, one a sample.
        name : str
        **more
            Further fields, such as ``sample_ids``.

        Returns
        -------
        Predictions
            Of labels that stand for their whole path; a row without a name is an empty prediction.

        Raises
        ------
        PredictionsError
            If a name is not in the taxonomy or no child of the one before it.

        Examples
        --------
        >>> from hierviz import Predictions, Taxonomy
        >>> taxonomy = Taxonomy.from_edges([("animal", "mammal"), ("mammal", "cat"), ("mammal", "dog"), ("animal", "newt")])
        >>> Predictions.from_level_labels(taxonomy, [["mammal", "cat"], ["newt", ""]], truth=["dog", "newt"]).labels.nodes
        array([2, 4])
        """
        nodes = level_nodes(labels, taxonomy, "labels")
        if np.ndim(truth) >= 2:
            truth = level_nodes(truth, taxonomy, "truth")
            if len(truth.nodes) == len(truth) and (truth.lengths == 1).all():
                truth = truth.nodes
        return cls.from_labels(taxonomy, nodes, truth=truth_nodes(truth, taxonomy), name=name, is_hard=True, **more)

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
        truth, parametrisation, name
            As in `from_frame`; `truth` is one a sample.
        missing : {"unknown", "zero"}, optional
            What the scores of classes are that a sample does not list; needed where lists are not in falling order.
        **more
            Further fields, such as ``sample_ids``.

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
        key = parametrisation
        if key is None:
            key = "leaf_probabilities" if taxonomy.is_leaf[nodes].all() else "node_probabilities"
        is_whole = len(row) == len(outputs) * len(nodes)
        if is_whole and np.isin(default_columns(taxonomy, key), nodes).all():
            scores = np.empty((len(outputs), len(nodes)))
            scores[row, column] = value
            order = np.argsort(nodes)
            return _from_columns(
                cls, taxonomy, scores[:, order], nodes[order], truth, parametrisation, name=name, **more
            )
        is_top_k = is_falling(row, value)
        if missing is None and not is_top_k:
            raise PredictionsError(
                "outputs: expected all classes of every sample, or the best of each in falling order, got neither. Call the "
                "pipeline with top_k=None, or say {missing=unknown | zero}."
            )
        entries = ListedEntries(row, nodes[column], value, len(outputs), is_top_k)
        listed_scores, _, key = entries.scores(taxonomy, "outputs", parametrisation, missing)
        return cls.from_scores(taxonomy, listed_scores, key, truth=truth_nodes(truth, taxonomy), name=name, **more)


def _from_columns(cls, taxonomy, scores, nodes, truth, parametrisation, **more):
    if parametrisation is None:
        parametrisation = "leaf_probabilities" if taxonomy.is_leaf[nodes].all() else "node_probabilities"
    truth = truth_nodes(truth, taxonomy)
    return cls.from_scores(taxonomy, scores, parametrisation, scored_nodes=nodes, truth=truth, **more)


def _truth_column(names, truth):
    """Place of the column of the truth, None when it is no column."""
    if isinstance(truth, str):
        if truth not in names:
            hint = near_miss(truth, names) or " A file with the truth goes to hierviz.attach_truth."
            raise PredictionsError(f"truth: expected the name of a column, got {truth!r}.{hint}")
        return names.index(truth)
    return (
        None if truth is not None else next((names.index(column) for column in TRUTH_COLUMNS if column in names), None)
    )
