"""Check a taxonomy, a class list, predictions and a truth, and report all problems.

Conventions
-----------
Each check works on what the checks before have fixed, so that a fault is reported once and not again by what follows from it.
After an error the checks go on with a copy without what cannot be used; the fixed file holds only what is certain.

What readers check too is one function, theirs: it gives the faults in the order of the rows, a strict reader raises at the first
and `doctor` takes all. Each describes them in its own words: one row with its line, or all rows together.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hierviz.findings.finding import Examination, Findings, examination
from hierviz.findings.predictions_look import PredictionsLook, look_at_predictions
from hierviz.findings.taxonomy_look import look_at_shape, look_at_taxonomy
from hierviz.findings.truth_look import look_at_classes, look_at_truth
from hierviz.messages.errors import HiervizError
from hierviz.predictions.predictions import Predictions
from hierviz.readers.node_attributes import load_node_attributes
from hierviz.readers.truth_file import load_truth
from hierviz.taxonomy.checks import check_kind
from hierviz.taxonomy.taxonomy import Taxonomy


def doctor(
    taxonomy: Any,
    predictions: Any = None,
    truth: Any = None,
    *,
    classes: Any = None,
    truth_column: str | None = None,
    parametrisation: str | None = None,
    missing: str | None = None,
    predictions_form: str | None = None,
    percent: bool = False,
    disagreeing: str | None = None,
    ids: str | None = None,
    samples: str | None = None,
    outside: str | None = None,
    outside_truth: str | None = None,
    nodes: Any = None,
    stage: Callable[[str], Any] = lambda name: None,
    taxonomy_reading: Mapping[str, Any] | None = None,
) -> Examination:
    """Find all faults of files, not only the first.

    Parameters
    ----------
    taxonomy : str, path or Taxonomy
    predictions : str, path or Predictions, or a sequence of them, optional
    truth : str or path, optional
    classes : str, path or sequence of str, optional
        A class list, as `load_predictions` takes it.
    truth_column, parametrisation, missing, percent, disagreeing, ids, samples, outside, outside_truth : optional
        As `load_predictions` takes them.
    predictions_form : str, optional
        The form of the predictions: `form` of `load_predictions`.
    nodes : str or path, optional
        Attributes of nodes, such as titles and synonyms, by which classes are found too.
    stage : callable, optional
        Called with the name of each file before it is checked.
    taxonomy_reading : mapping, optional
        Keywords of `load_taxonomy`: form, separator, direction, ...

    Returns
    -------
    Examination
        Its `findings` say code, severity, place, message and fix; `write_mended` writes the files with the fixes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "taxonomy.csv")
    >>> _ = path.write_text("parent,child\\nanimal,cat\\nanimal,dog\\ncat,cat\\n")
    >>> found = doctor(path)
    >>> print(found.findings[0])
    error: taxonomy.csv:4: 'cat': a class is its own parent in line 4. Can be fixed: without line 4.
    """
    found, fixes = Findings(), []
    several = isinstance(predictions, Sequence) and not isinstance(predictions, str)
    files: list = [] if predictions is None else list(predictions) if several else [predictions]
    with tempfile.TemporaryDirectory(prefix="hierviz-doctor-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if isinstance(taxonomy, Taxonomy):
            look_at_shape(taxonomy, "taxonomy", found)
        else:
            if not isinstance(taxonomy, (str, os.PathLike)):
                check_kind("taxonomy", taxonomy, Taxonomy, "Name its file.")
            stage(Path(taxonomy).name)
            taxonomy, fix = look_at_taxonomy(taxonomy, found, folder, **(taxonomy_reading or {}))
            fixes.append(fix)
        if taxonomy is not None and nodes is not None:
            stage(Path(nodes).name)
            taxonomy = _with_attributes(nodes, taxonomy, found)
        usable, numbers = classes, None
        if taxonomy is not None and classes is not None:
            usable, numbers = look_at_classes(classes, taxonomy, found)
        if taxonomy is None or (classes is not None and usable is None):
            return examination(found, fixes)
        truth_look, truth_ids = None, None
        if truth is not None:
            stage(Path(truth).name)
            how = {"truth_column": truth_column, "numbers": numbers, "outside": {"outside_truth": outside_truth}}
            truth_look, truth_ids = look_at_truth(truth, taxonomy, found, **how)
            if truth_look is None and not _is_readable(truth, taxonomy, truth_column, classes, found):
                truth = None
        for number, file in enumerate(files):
            if isinstance(file, Predictions):
                look_at_predictions(file, file.name, found)
                continue
            stage(Path(file).name)
            own = folder / f"model {number}"
            own.mkdir()
            look = PredictionsLook(
                file,
                taxonomy,
                found,
                own,
                numbers,
                is_truth_apart=truth is not None,
                classes=usable,
                truth_column=truth_column,
                parametrisation=parametrisation,
                missing=missing,
                form=predictions_form,
                percent=percent,
                disagreeing=disagreeing,
                ids=ids,
                samples=samples,
                outside=outside,
                outside_truth=outside_truth,
            )
            if truth is not None:
                look.join(truth, truth_look, truth_ids)
            look.look_at_content()
            # Scores on disk are let go before the folder is.
            look.predictions = None
            fixes.append(look.look and look.look.fixes)
        fixes.append(truth_look and truth_look.fixes)
        return examination(found, fixes)


def _with_attributes(nodes, taxonomy, found):
    """The taxonomy with the attributes of a file; without them, which is noted, where it cannot be read."""
    try:
        return load_node_attributes(nodes, taxonomy)
    except HiervizError as error:
        found.failed(error, Path(nodes).name)
        return taxonomy


def _is_readable(truth, taxonomy, truth_column, classes, found):
    """Whether a truth can be read that is no table with a column of truths; notes why not."""
    try:
        load_truth(truth, taxonomy, truth_column, classes)
    except HiervizError as error:
        # `look_at_truth` has noted already that it cannot be opened.
        if not any(one.code == "unreadable" and one.where.startswith(Path(truth).name) for one in found):
            found.failed(error, Path(truth).name)
        return False
    return True
