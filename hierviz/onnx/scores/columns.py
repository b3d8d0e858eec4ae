"""Which node each output column of an ONNX model belongs to.

Columns are matched to nodes by name, never by position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hierviz.messages.errors import ModelError, PredictionsError, listed, near_miss
from hierviz.messages.notebook_html import Short
from hierviz.messages.parameters import template_of
from hierviz.onnx.description.class_names import NO_CLASS, name_sources
from hierviz.onnx.description.metadata import CALLER
from hierviz.onnx.description.open_question import OpenQuestion, Question
from hierviz.onnx.scores.outputs import outputs_words, row_width, score_outputs
from hierviz.onnx.scores.score_reading import fitting, without_root
from hierviz.predictions.name_matching import LooseMatches, advice
from hierviz.predictions.parametrisation import PARAMETRISATIONS, column_order
from hierviz.readers.labels import find_node

BACKGROUND = ("background", "__background__", "n/a")


@dataclass(frozen=True, eq=False)
class ScoreColumns(Short):
    """The columns of a model's scores.

    Parameters
    ----------
    names : tuple of str
        As their source writes them.
    nodes : ndarray of int, shape (n_columns,)
        Node of each column, -1 for none.
    source : str
        Where the names come from.
    problem : Question, optional
        What must be asked before the columns can be used.
    """

    names: tuple = ()
    nodes: np.ndarray | None = None
    source: str = ""
    problem: Question | None = None

    @property
    def scored_nodes(self):
        """Node of each column that has one."""
        return np.empty(0, dtype=np.intp) if self.nodes is None else self.nodes[self.nodes >= 0]

    def table(self, taxonomy):
        """What did and did not match: a list of dicts ``column`` (counted from 0), ``name``, ``node`` (a name or None)."""
        nodes = () if self.nodes is None else self.nodes.tolist()
        return [
            {"column": k, "name": name, "node": None if node < 0 else taxonomy.names[node]}
            for k, (name, node) in enumerate(zip(self.names, nodes, strict=True))
        ]


def find_columns(path, taxonomy, session, said, origin, classes, notes, ignore=(), sum_repeated=False):
    """Name the columns and match them to nodes.

    Parameters
    ----------
    path, taxonomy, session, said, origin, classes
        As in `class_names.name_sources`.
    notes : list of str
        Grows by contradictions, and by names that were matched loosely or left out.
    ignore : sequence of str
        Names of columns that belong to no node.
    sum_repeated : bool
        A node may have several columns.

    Returns
    -------
    ScoreColumns
        With a problem when the columns have no class names, or a name is unknown to the taxonomy or occurs twice.

    Raises
    ------
    FileError
        If the file of names cannot be read.
    ModelError
        If no column is called as one that is to be ignored.
    """
    where = path.name
    sources = name_sources(path, taxonomy, session, said, origin, classes, notes)
    if not sources:
        return ScoreColumns(problem=_no_class_names(where, session, notes))
    source, entries = sources[0]
    names = [name for _, name in entries]
    without = ignored(where, names, ignore)
    nodes = matched(names, taxonomy, notes, without)
    what_to_do = "Check that model and taxonomy belong together, or pass {classes}."
    if classes is not None:
        what_to_do = f"Correct the class names of {where} ({{classes}})."
    told = (where, taxonomy, source, entries, nodes, what_to_do, len(score_outputs(session.outputs)))
    problem = _problem(*told, without, sum_repeated)
    if len(sources) > 1 and problem is None:
        other, more = sources[1][0], [name for _, name in sources[1][1]]
        told = [taxonomy.names[node] if node >= 0 else name for name, node in zip(names, nodes.tolist(), strict=True)]
        if told != more:
            differ = sum(a != b for a, b in zip(told, more)) + abs(len(told) - len(more))
            notes.append(f"{source} names other nodes than {other} in {differ} columns: {source} was used")
    return ScoreColumns(tuple(names), nodes, source, problem)


def ignored(where, names, ignore):
    """The names of columns that belong to no node, as `names` writes them; ModelError where one is not there."""
    wanted = {name.strip().casefold(): name for name in ignore}
    there = {name for name in names if name.strip().casefold() in wanted}
    missing = set(wanted) - {name.strip().casefold() for name in there}
    if missing:
        name = wanted[sorted(missing)[0]]
        raise ModelError(
            f"{where}: expected names of columns to ignore, got {name!r}, but none of the {len(names)} columns has that name."
            f"{near_miss(name, list(names))} Correct {{ignore}}."
        )
    return there


def matched(names, taxonomy, notes, without=()):
    """Node of each name, shape (n_names,), -1 for none: exactly, else by what it means where that is clear."""
    nodes = [None if name in without else find_node(name, taxonomy) for name in names]
    loose, taken = LooseMatches(taxonomy), set(nodes)
    for k, name in enumerate(names):
        if nodes[k] is None and not _is_background(name) and name not in without:
            node = find_node(name, taxonomy, loose=loose)
            if node is not None and node not in taken:
                nodes[k] = node
                taken.add(node)
    nodes = [None if name in without else node for name, node in zip(names, loose.settle(names, nodes), strict=True)]
    notes += loose.notes("class names")
    named = zip(names, nodes, strict=True)
    dropped = [name for name, node in named if node is None and _is_background(name) and name not in without]
    if dropped:
        notes.append(f"the column of {listed(dropped)} is not in the taxonomy and was left out as background")
    if without:
        are = "column was" if len(without) == 1 else "columns were"
        notes.append(f"the {are} left out, as requested: {listed(sorted(without))}")
    return np.array([-1 if node is None else node for node in nodes], dtype=np.intp)


def _is_background(name):
    return name.strip().casefold() in BACKGROUND


def _no_class_names(where, session, notes):
    """The question to ask when there are no class names, or none of them is a node."""
    start = "class names that are not in the taxonomy were not used: "
    unused = next((note.removeprefix(start) for note in notes if note.startswith(start)), None)
    numbers = next((f"none ({note})" for note in notes if note.endswith(NO_CLASS)), "none in the model or next to it")
    got = numbers if unused is None else f"none that is in the taxonomy ({unused})"
    error = (
        f"{where}: expected the node name of each output column, got {got} (outputs: {outputs_words(session.outputs)}). "
        "Pass a file with one name a line as {classes}."
    )
    widths = sorted({row_width(output) or 0 for output in score_outputs(session.outputs)} - {0, 1})
    if not widths and session.class_labels:
        widths = [len(session.class_labels)]
    of = f" {widths[0]}" if len(widths) == 1 else ""
    return _about_classes(f"What are the class names of the{of} output columns, in order?", error)


def _problem(where, taxonomy, source, entries, nodes, what_to_do, n_outputs, without, sum_repeated):
    """The question to ask when a name is unknown or there twice, else None."""
    if not entries:
        error = f"{where}, class names in {source}: expected one node name per column of scores, got none. {what_to_do}"
        return _about_classes("What are the class names of the output columns?", error)
    named = list(zip(entries, nodes.tolist(), strict=True))
    unknown = [entry for entry, node in named if node < 0 and not _is_background(entry[1]) and entry[1] not in without]
    if unknown:
        place, name = unknown[0]
        near = advice(name, taxonomy, " List one node per line, in the order of the columns.")
        error = f"expected the name of a node in the taxonomy ({taxonomy.n_nodes} nodes), got {name!r}.{near}"
        are = "is" if len(unknown) == 1 else "are"
        missing = listed([unknown_name for _, unknown_name in unknown], 3)
        asked = f"{len(unknown)} of {len(entries)} class names in {source} {are} not in the taxonomy ({missing})."
        if len(unknown) < len(entries):
            what_to_do += " Leave out columns that are no class with {ignore}."
        return _about_classes(f"{asked} Which nodes are meant?", f"{place}: {error} {what_to_do}")
    first = {}
    for (place, name), node in named:
        if node >= 0 and node in first and not sum_repeated:
            if n_outputs > 1:
                what_to_do += " If several heads repeat a class, select one with {outputs} and list its classes."
            error = f"{place}: expected every class once, got {name!r} again ({first[node]}). Remove one, or sum the columns "
            error += f"of a class ({{sum_repeated}}). {what_to_do}"
            asked = f"{taxonomy.names[node]!r} appears twice among the class names in {source}. Which nodes are meant?"
            return _about_classes(asked, error)
        first.setdefault(node, place)
    return None


def _about_classes(text, error):
    return Question("classes", text, ("classes",), error=error)


def find_parametrisation(where, taxonomy, said, origin, given, nodes, notes):
    """The declared parametrisation.

    Parameters
    ----------
    where : str
    taxonomy : Taxonomy
    said, origin : dict
        From `metadata.declared`.
    given : str, optional
        The caller's key.
    nodes : ndarray of int, shape (n_scores,)
        Of the columns that have one.
    notes : list of str
        Grows by a contradiction.

    Returns
    -------
    key : str or None
        None when it is not declared: it is inferred from the scores.
    source : str
        Who says.

    Raises
    ------
    OpenQuestion
        If the key is unknown.
    ModelError
        If this one does not.
    TaxonomyError
        If it is defined on trees only and the taxonomy is not one.
    """
    declared = said.get("parametrisation")
    key, source = (declared, origin.get("parametrisation")) if given is None else (given, CALLER)
    if given is not None and declared is not None and given != declared:
        notes.append(f"{origin['parametrisation']} declares {declared}; {CALLER} gave {given}, which was used")
    fits = fitting(taxonomy, nodes)
    if key is not None and key not in PARAMETRISATIONS:
        error = (
            f"{where}: expected a parametrisation, got {key!r}.{near_miss(key, list(PARAMETRISATIONS))} Pass "
            f"{{parametrisation}}; {len(nodes)} columns with these names fit {', '.join(fits) or 'none'}."
        )
        choices = tuple(("parametrisation", output, PARAMETRISATIONS[output].sentence) for output in fits)
        raise OpenQuestion(Question("scores", "What do the scores mean?", ("parametrisation",), choices, error=error))
    if key is None:
        return None, "the scores"
    if PARAMETRISATIONS[key].tree_only:
        taxonomy.require_tree(f"{where}, {key}")
    kept = without_root(key, nodes)
    try:
        column_order(taxonomy, key, len(kept), kept)
    except PredictionsError as error:
        text = template_of(error).removeprefix("scores: ")
        text = text.replace("Check the column names", "Check the class names ({classes})")
        raise ModelError(
            f"{where}: {text.replace('choose another parametrisation', 'pass another {parametrisation}')}"
        ) from None
    return key, source
