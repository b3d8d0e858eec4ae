"""``docs/formats.md``, written from the registries of forms: ``python -m hierviz.cli.formats_text > docs/formats.md``."""

from __future__ import annotations

from hierviz.readers.class_lists.class_list_forms import CLASS_LIST_FORMS
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.predictions_file import FORMS as ALL_PREDICTION_FORMS
from hierviz.readers.taxonomy_file import FORMS as ALL_TAXONOMY_FORMS
from hierviz.readers.taxonomy_forms.known_taxonomy_forms import TAXONOMY_FORMS
from hierviz.readers.taxonomy_writer import FORMS as WRITTEN

_INTRODUCTION = """\
# Files that hierviz reads

Written by `python -m hierviz.cli.formats_text`; do not edit. What a file holds is told by its content, whatever it is
called, and everything may be gzipped. A sample of each form of other tools stands in `tests/files/`.
"""
_TAXONOMIES = """\
## Taxonomies

`hierviz evaluate --taxonomy T`, `hv.load_taxonomy(T)`. Where the form is not recognised, say it: `--taxonomy-form
FORM`, in Python `form="FORM"`, on the page *Open files* under *Reading options*. The forms of the first table are
tried before those of the second one. `hierviz taxonomy T --to FORM` writes {written}.
"""
_LARGE = """\
A dump of NCBI or GBIF has millions of taxa: `--taxonomy-classes F`, in Python `classes=...`, names the classes (a
class list of names or ids), and only these and what is above them are read. It cuts any other taxonomy to its classes
as well. Terms of OBO files have their parents by `is_a`; `--taxonomy-relations is_a,part_of` adds other relations.
SKOS needs `pip install "hierviz[ontologies]"`.
"""
_CLASSES = """\
## Class lists

`--classes F` says which class each column of scores is, of `predict`, `evaluate`, `curve`, `app`, and `classes=...`
in Python. A list that says the places of its classes is read by them, from 0 or 1, never by the order of its lines;
numbers that are left out or there twice are refused. Ids of categories (COCO, TensorFlow) need no such order: the
columns are in the order of the ids. [Each form with an example](class_lists.md), and what is answered where a list is wrong.
"""
_NAMES = """\
## Names

In class lists, predictions and truth a name is first looked up as it stands, among the nodes, then among their titles
and synonyms: of `Cardigan` (a dog) and `cardigan` each is its own. What nothing is called so is matched by what it
means, where that is clear, and a note says how many names were, with three examples: spellings that differ in case,
accents, hyphens, underscores and blanks; synonyms in one cell (`tench, Tinca tinca`); wnids and other ids beside a
name (`n01440764 tench`); titles and the columns of `--nodes` or attributes of the taxonomy such as `wnid`, `id`,
`synonyms`. A name that fits several nodes is refused, and the nodes are named: `crane` is `crane (bird)` or `crane
(machine)`. Only in a class list, whose classes are different ones, it is the node that no other class of the list is,
where that is one alone, and a note says so. For ids (wnids, numbers) no similar one is ever suggested.

Truths and labels that are whole numbers, and no names, are looked up in the class list; so are columns of scores that
are called `0, 1, 2, ...`. Whole numbers in memory, beside names of classes, are refused: they may be nodes too. A
folder with a folder of files for each class (ImageFolder) may be the truth: `--truth FOLDER`, the ids of the samples
being the names of the files without suffix.
"""
_PREDICTIONS = """\
## Predictions

`--predictions P`, `hv.load_predictions(P, taxonomy)`. Where the form is not recognised, say it: `--predictions-form
FORM`, in Python `form="FORM"`, on the page *Open files* under *Reading options*. Numbers may have decimal
commas and percent signs (`12,5 %`); `--percent` says that plain numbers are percent. Labels may be numbers of the
class list, as Hugging Face's `LABEL_3`. Truth and predictions meet by their ids as text; `--ids number` takes `1.0`, as
pandas writes a number where others are missing, for `1`.

Labels, and truths, may stand in columns of ranks (`kingdom, order, species`), of which a table need not have all: a row
means the deepest of its classes, which lie on one path.
"""


def formats_text():
    """The text of ``docs/formats.md``."""
    plain = [key for key in ALL_TAXONOMY_FORMS if key not in TAXONOMY_FORMS]
    own = [key for key in ALL_PREDICTION_FORMS if key not in PREDICTION_FORMS]
    parts = [
        _INTRODUCTION,
        _TAXONOMIES.format(written=", ".join(f"`{key}`" for key in WRITTEN)),
        _special(TAXONOMY_FORMS.values()),
        _table(("form", "what it is"), [(f"`{key}`", ALL_TAXONOMY_FORMS[key]) for key in plain]),
        _LARGE,
        _CLASSES,
        _table(("form", "what is read"), CLASS_LIST_FORMS.items()),
        _NAMES,
        _PREDICTIONS,
        _special(PREDICTION_FORMS.values()),
        _table(("form", "what it is"), [(f"`{key}`", ALL_PREDICTION_FORMS[key]) for key in own]),
    ]
    return "\n".join(parts)


def _special(forms):
    rows = [
        (f"`{form.key}`", form.words, ", ".join(f"`{ending}`" for ending in form.endings), form.recognised)
        for form in forms
    ]
    return _table(("form", "what it is", "usual endings", "recognised by"), rows)


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in lines)


if __name__ == "__main__":
    print(formats_text(), end="")
