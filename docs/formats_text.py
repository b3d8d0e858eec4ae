"""``docs/formats.md``, written from the registries of forms: ``python docs/formats_text.py > docs/formats.md``."""

from hierviz.readers.classes_file import CLASS_LIST_FORMS
from hierviz.readers.prediction_forms.known_prediction_forms import PREDICTION_FORMS
from hierviz.readers.predictions_file import FORMS as ALL_PREDICTION_FORMS
from hierviz.readers.taxonomy_file import FORMS as ALL_TAXONOMY_FORMS
from hierviz.readers.taxonomy_forms.known_taxonomy_forms import TAXONOMY_FORMS
from hierviz.readers.taxonomy_writer import FORMS as WRITTEN

_INTRODUCTION = """\
# Files that hierviz reads

Written by `python docs/formats_text.py`; do not edit. The form of a file is detected from its content, not from
its name, and every file may be gzipped. `tests/files/` has a sample of each form of other tools.
"""
_TAXONOMIES = """\
## Taxonomies

`hierviz evaluate --taxonomy T`, `hv.load_taxonomy(T)`. Where the form is not recognised, name it: `--taxonomy-form
FORM`, in Python `form="FORM"`, on the page *Open files* under *Reading options*. The forms of the first table are
tried before those of the second. `hierviz taxonomy T --to FORM` writes {written}.
"""
_LARGE = """\
A dump of NCBI or GBIF has millions of taxa: `--taxonomy-classes F`, in Python `classes=...`, names the classes (a
class list of names or ids), and only these and their ancestors are read. It also cuts any other taxonomy to these
classes. Terms of OBO files have their parents by `is_a`; `--taxonomy-relations is_a,part_of` adds other relations.
SKOS needs `pip install "hierviz[ontologies]"`, OWL and obographs `pip install "hierviz[owl]"`. With `hierviz[ontologies]`
alone OWL is read too, but by its subclasses only, and nodes are named by their labels instead of ids such as CL:0000236:
predictions that name classes by ids need `hierviz[owl]`.
"""
_CLASSES = """\
## Class lists

`--classes F` of `predict`, `evaluate`, `curve` and `app`, and `classes=...` in Python, name the class of each column of
scores. A list with numbers of its classes is read by these numbers, from 0 or 1, never by the order of its lines;
missing and repeated numbers are refused. Ids of categories (COCO, TensorFlow) may have gaps: the columns are in the
order of the ids. See [each form with an example and the errors of wrong lists](class_lists.md).
"""
_NAMES = """\
## Names

In class lists, predictions and truth a name is first looked up exactly, among the nodes, then among their titles
and synonyms: `Cardigan` (a dog) and `cardigan` are different classes. A name without an exact match is matched loosely
where the match is unique, and a note gives the number of such names with three examples: spellings that differ in case,
accents, hyphens, underscores and blanks; synonyms in one cell (`tench, Tinca tinca`); wnids and other ids next to a
name (`n01440764 tench`); titles and the columns of `--nodes` or attributes of the taxonomy such as `wnid`, `id`,
`synonyms`. A name that fits several nodes is refused, and the error lists them: `crane` is `crane (bird)` or `crane
(machine)`. Only in a class list, whose classes all differ, such a name is the one node that no other class of the list
takes, with a note. For ids (wnids, numbers) no similar one is ever suggested.

Truths and labels that are whole numbers and not names are looked up in the class list; so are columns of scores
named `0, 1, 2, ...`. Whole numbers in memory, together with names of classes, are refused: they may be nodes too. A
folder with one folder of files per class (ImageFolder) may be the truth: `--truth FOLDER`; the ids of the samples
are the names of the files without suffix.
"""
_PREDICTIONS = """\
## Predictions

`--predictions P`, `hv.load_predictions(P, taxonomy)`. Where the form is not recognised, name it: `--predictions-form
FORM`, in Python `form="FORM"`, on the page *Open files* under *Reading options*. Numbers may have decimal
commas and percent signs (`12,5 %`); with `--percent` plain numbers are percentages. Labels may be numbers of the
class list, such as `LABEL_3` of Hugging Face. Columns of scores, classes and labels may be named by ids and codes of the
taxonomy, and by paths with `>`, `/`, `|` or `::` whose steps lie above each other there (`Animalia > ... > Vulpes vulpes`);
`;` separates labels of one sample, and the steps of a path only in names of columns, in columns of classes and in lineages
(`d__Bacteria; p__Firmicutes`). Truth and predictions are joined by their ids as text; `--ids number` reads
`1.0`, as pandas writes a number where others are missing, as `1`.

Labels and truths may be given in columns of ranks (`kingdom, order, species`), some of which may be missing: a row
means the deepest of its classes, which lie on one path. Answers of levels that lie on no path are an error, unless they
are kept as they are (`--disagreeing levels`, for the block `levels` and the drawing of Examples) or only the deepest one of
each row counts (`--disagreeing deepest`). Under `levels` the measures of coherence judge all levels, all other blocks the deepest
label.

Answers that the taxonomy does not hold are an error, unless `--outside` says what they count as: `wrong` (one claimed leaf
below the root that is never true: exact, correct, precision and recall are 0, the information distance is that of the truth and
of a leaf, and one path is a false positive; `labels.outside_share` is their share), `drop` (the sample leaves answers and truth,
of all models) or `nearest` (names are mapped to the classes that they nearly are; a scientific name only within its genus, and
no name to which two classes are near; the rest is wrong). Truths: `--outside-truth drop|nearest`. Of columns, rows and lists of
scores it is about classes outside the taxonomy: their mass belongs to no class, and where one of them has the largest score, the
answer lies outside by every rule and at every threshold; sets of labels have one more wrong label at every threshold. It needs
probabilities. What the file says in place of a class is shown next to the sample.

Where a picture has several detections (`speciesnet_5`, `megadetector`, `camtrap_dp`), it is one sample, with the classes of
its classified detection of the highest confidence; with `--samples detection` each classified detection is a sample,
called by the picture and its number (`a.jpg#0`), with the truth of its picture. Scores of classes that exclude each other
(SpeciesNet, MegaDetector, pybioclip, Camtrap DP) are also those of the classes above them, where a file lists other classes than
leaves; of independent scores (BirdNET, CellTypist, spaCy's multi-label classifier) a class has the largest one at or below it.

The id of a segment of a recording (`birdnet`) is the file, the start and the end in seconds: `dawn.wav 0-3`. Its truth may also
be a table with the columns `File`, `Start (s)` and `End (s)`, with a row for each species; segments of the truth without a
detection are answered with nothing. `observations.csv` of Camtrap DP and lineages of features (`Feature ID`, `Taxon`) may be
the truth of other predictions. A first column without a name holds the ids, if it has text.

scikit-learn's `classification_report` is refused: it has no answers of samples.
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
