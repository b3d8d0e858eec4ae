"""One fault planted in random files that have none: it is found, nothing else is, and a fix gives the original back."""

import copy
import csv
import json
import os

import numpy as np
import pytest

import hierviz as hv
from tests.findings.clean_files import CleanFiles, write

SEEDS = range(10 if os.environ.get("HIERVIZ_LONG") else 2)


def cycle(files):
    leaf = files.leaves[-1]
    files.edges.insert(files.rng.integers(2, len(files.edges)), [leaf, files.parent[leaf]])


def cycle_to_the_top(files):
    files.edges.append([files.leaves[0], "top"])


def own_parent(files):
    files.edges.append([files.leaves[0], files.leaves[0]])


def repeated_row(files):
    files.edges.append(list(files.edges[2]))


def empty_row(files):
    files.edges.insert(3, ["", ""])


def nameless(files):
    files.edges.insert(3, ["top", ""])


def ragged_edge(files):
    files.edges.append(["top", files.leaves[0], "more"])


def several_roots(files):
    files.edges[1:] = [edge for edge in files.edges[1:] if edge[0] != "top"]


def several_parents(files):
    other = next(parent for parent in files.parent.values() if parent not in ("top", files.parent[files.leaves[0]]))
    files.edges.append([other, files.leaves[0]])


def shortcut(files):
    files.edges.append(["top", files.leaves[0]])


def only_child(files):
    files.edges.append([files.leaves[0], "alone"])
    for row in (files.predictions[0], *files.truth):
        row[:] = ["alone" if cell == files.leaves[0] else cell for cell in row]


def case_of_parent(files):
    files.edges[-1][0] = files.edges[-1][0].upper()


def script_of_parent(files):
    files.edges[-1][0] = files.edges[-1][0].replace("a", "\u0430")


def hard_blank(files):
    files.edges[-1][0] = files.edges[-1][0].replace(" ", "\u00a0")


def zero_width(files):
    files.edges[-1][1] += "\u200b"


def lost_column(files):
    for row in files.predictions:
        del row[2]


def mistyped_column(files):
    files.predictions[0] = ["x" + cell if k == 1 else cell for k, cell in enumerate(files.predictions[0])]


def strange_column(files):
    for k, row in enumerate(files.predictions):
        row.append("nothing known" if k == 0 else "0.5")


def zeros_of_columns(files):
    files.predictions[0][1:] = [name.lstrip("0") for name in files.leaves]


def zeros_of_ids(files):
    for row in files.truth[1:]:
        row[0] = row[0].lstrip("0") or "0"


def zeros_of_truth(files):
    for row in files.truth[1:]:
        row[1] = row[1].lstrip("0")


def unknown_truth(files):
    files.truth[3][1] = "unicorn"


def blank_in_truth(files):
    files.truth[3][1] = "\u200b" + files.truth[3][1]


def truth_of_no_sample(files):
    files.truth.append(["other", files.leaves[0], "text"])


def lost_truth(files):
    del files.truth[5]


def other_ids(files):
    for row in files.truth[1:]:
        row[0] = f"image of {row[0]}"


def same_row_twice(files):
    files.predictions.append(list(files.predictions[4]))


def two_rows_of_a_sample(files):
    files.predictions.append([files.predictions[4][0], *files.predictions[5][1:]])


def truth_twice(files):
    files.truth.append(list(files.truth[4]))


def no_id(files):
    files.predictions[4][0] = ""


def no_number(files):
    files.predictions[4][2] = "n/a"


def no_score(files):
    files.predictions[4][2] = ""


def ragged_score(files):
    files.predictions[4].append("0.5")


def scaled_row(files):
    files.predictions[4][1:] = [repr(float(cell) * 0.75) for cell in files.predictions[4][1:]]


def percent(files):
    for row in files.predictions[1:]:
        row[1:] = [repr(100 * float(cell)) for cell in row[1:]]


def logits(files):
    for row in files.predictions[1:]:
        row[1:] = [repr(float(np.log(float(cell)))) for cell in row[1:]]


def infinite(files):
    files.predictions[4][2] = "nan"


def zero_row(files):
    files.predictions[4][1:] = ["0.0"] * len(files.leaves)


def exchanged_siblings(files):
    one, two = 1, 2
    files.predictions[0][one], files.predictions[0][two] = files.predictions[0][two], files.predictions[0][one]


def constant(files):
    for row in files.predictions[2:]:
        row[1:] = files.predictions[1][1:]


def few_rows(files):
    of_class = {}
    for row, truth in zip(files.predictions[1:], files.truth[1:], strict=True):
        row[1:] = of_class.setdefault(truth[1] if len(of_class) < 3 else next(iter(of_class)), row[1:])


def never(files):
    place = files.predictions[0].index(files.leaves[0])
    for row in files.predictions[1:]:
        scores = np.array([0.0 if k == place else float(cell) for k, cell in enumerate(row) if k])
        row[1:] = map(repr, (scores / scores.sum()).tolist())


def below_constant(files):
    for k, row in enumerate(files.truth[1:], 1):
        row[1] = files.leaves[0] if k % 4 else row[1]
    scores = copy.deepcopy(files.predictions)
    for row, other in zip(files.predictions[1:], scores[1:][7:] + scores[1:][:7], strict=True):
        row[1:] = other[1:]


def texts(files):
    first = next(row for row in files.truth[2:] if row[1] != files.truth[1][1])
    first[2] = files.truth[1][2]


def empty_text(files):
    files.truth[2][2] = ""


def gap_that_others_fill(files):
    files.edges[2][0] = ""


def gap(files):
    files.edges[2][1] = ""


def repeated_levels(files):
    files.edges.append(list(files.edges[3]))


def zero_width_in_levels(files):
    files.edges[1][1] += "\u200b"


def ragged_levels(files):
    files.edges.append([*files.edges[-1], "more"])


def name_under_two_parents(files):
    first, second = list(dict.fromkeys(row[1] for row in files.edges[1:]))[:2]
    name = next(row[2] for row in files.edges[1:] if row[1] == first)
    other = next(row[2] for row in files.edges[1:] if row[1] == second)
    for row in files.edges[1:]:
        row[2] = name if row[2] == other else row[2]


def parent_too_small(files):
    place = files.predictions[0].index(files.edges[1][1])
    files.predictions[4][place] = repr(float(files.predictions[4][place]) * 0.5)


def unknown_listed(files):
    files.predictions[4][1] = "unicorn"


def blank_in_listed(files):
    files.predictions[4][1] = files.predictions[4][1] + "\u200b"


def no_listed_number(files):
    files.predictions[4][2] = "n/a"


def pair_twice(files):
    files.predictions.append(list(files.predictions[4]))


def pair_of_two_scores(files):
    files.predictions.append([*files.predictions[4][:2], "0.25"])


def ragged_listed(files):
    files.predictions[4].append("more")


def no_header(files):
    del files.predictions[0]


def unknown_label(files):
    files.predictions[4][1] = "unicorn"


def levels(files):
    files.edges = files.levels()


def deep_levels(files):
    files.__init__(files.seed, depth=3)
    levels(files)


def inner_columns(files):
    inner = list(dict.fromkeys(files.parent[leaf] for leaf in files.leaves))
    below = {name: [k for k, leaf in enumerate(files.leaves, 1) if files.parent[leaf] == name] for name in inner}
    for row in files.predictions[1:]:
        row += [repr(sum(float(row[k]) for k in below[name])) for name in inner]
    files.predictions[0] += inner


def long(files):
    names, *rows = files.predictions
    pairs = [[row[0], name, cell] for row in rows for name, cell in zip(names[1:], row[1:], strict=True)]
    files.predictions = [["sample_id", "class", "score"], *pairs]


def best(files):
    names, *rows = files.predictions
    of_rows = [sorted(zip(map(float, row[1:]), names[1:], strict=True), reverse=True)[:2] for row in rows]
    files.predictions = [
        ["sample_id", "class_1", "score_1", "class_2", "score_2"],
        *([row[0], a, repr(x), b, repr(y)] for row, ((x, a), (y, b)) in zip(rows, of_rows, strict=True)),
    ]


def labels(files):
    files.predictions = files.labels()


# Faults of other forms than edges and a column a class: fault -> form.
FORMS = dict.fromkeys((gap_that_others_fill, gap, repeated_levels, zero_width_in_levels, ragged_levels), levels)
FORMS |= {name_under_two_parents: deep_levels, parent_too_small: inner_columns}
FORMS |= dict.fromkeys((blank_in_listed, pair_twice, pair_of_two_scores, ragged_listed), long)
FORMS |= dict.fromkeys((unknown_listed, no_listed_number), best) | dict.fromkeys((no_header, unknown_label), labels)

# Fault -> the code of what is found (behind it facts that follow), of which file, and whether it can be mended.
FAULTS = {
    cycle: ("cycles", "edges", True),
    cycle_to_the_top: ("cycles", "edges", False),
    own_parent: ("own_parent", "edges", True),
    repeated_row: ("repeated_rows", "edges", True),
    empty_row: ("empty_names", "edges", True),
    nameless: ("empty_names", "edges", False),
    ragged_edge: ("ragged_rows", "edges", False),
    several_roots: ("several_roots", "edges", False),
    several_parents: ("several_parents", "edges", False),
    shortcut: ("redundant_edges", "edges", True),
    only_child: ("only_children uneven_depths", "edges", False),
    case_of_parent: ("look_alike_names", "edges", True),
    script_of_parent: ("look_alike_names", "edges", True),
    hard_blank: ("odd_characters", "edges", True),
    zero_width: ("odd_characters", "edges", True),
    lost_column: ("missing_classes", "predictions", False),
    mistyped_column: ("unknown_names", "predictions", True),
    strange_column: ("unknown_names", "predictions", False),
    zeros_of_columns: ("leading_zeros", "predictions", True),
    zeros_of_ids: ("leading_zeros", "truth", True),
    zeros_of_truth: ("leading_zeros", "truth", True),
    unknown_truth: ("unknown_names", "truth", False),
    blank_in_truth: ("odd_characters", "truth", True),
    truth_of_no_sample: ("samples_without_prediction", "predictions", False),
    lost_truth: ("samples_without_truth", "predictions", False),
    other_ids: ("ids_differ", "predictions", False),
    same_row_twice: ("duplicated_samples", "predictions", True),
    two_rows_of_a_sample: ("duplicated_samples", "predictions", False),
    truth_twice: ("duplicated_samples", "truth", True),
    no_id: ("empty_ids samples_without_prediction", "predictions", False),
    no_number: ("not_numbers samples_without_prediction", "predictions", False),
    no_score: ("not_numbers samples_without_prediction", "predictions", False),
    ragged_score: ("ragged_rows samples_without_prediction", "predictions", False),
    scaled_row: ("sums_not_one", "predictions", True),
    percent: ("sums_not_one", "predictions", True),
    logits: ("not_probabilities", "predictions", False),
    infinite: ("not_probabilities", "predictions", False),
    zero_row: ("empty_samples", "predictions", False),
    exchanged_siblings: ("permuted_columns", "predictions", True),
    constant: ("constant_predictions", "predictions", False),
    few_rows: ("few_distinct_rows never_predicted", "predictions", False),
    never: ("never_predicted", "predictions", False),
    below_constant: ("worse_than_constant", "predictions", False),
    texts: ("texts_with_several_truths", "predictions", False),
    empty_text: ("empty_samples", "predictions", False),
    gap_that_others_fill: ("gaps_in_levels", "edges", True),
    gap: ("gaps_in_levels", "edges", False),
    repeated_levels: ("repeated_rows", "edges", True),
    zero_width_in_levels: ("odd_characters", "edges", True),
    ragged_levels: ("ragged_rows", "edges", False),
    name_under_two_parents: ("duplicate_names", "edges", False),
    parent_too_small: ("parents_below_children", "predictions", False),
    unknown_listed: ("unknown_names samples_without_prediction", "predictions", False),
    blank_in_listed: ("odd_characters", "predictions", True),
    no_listed_number: ("not_numbers samples_without_prediction", "predictions", False),
    pair_twice: ("duplicated_samples", "predictions", True),
    pair_of_two_scores: ("duplicated_samples", "predictions", False),
    ragged_listed: ("ragged_rows samples_without_prediction", "predictions", False),
    no_header: ("no_header", "predictions", False),
    unknown_label: ("unknown_names", "predictions", False),
}
NAMES = {"edges": "taxonomy.csv", "predictions": "predictions.csv", "truth": "truth.csv"}


def paths_of(files, folder):
    return [write(folder / name, getattr(files, key)) for key, name in NAMES.items()]


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def same(mended, rows):
    """Equal cells; numbers that a fix divides are equal within rounding."""
    for one, other in zip(mended, rows, strict=True):
        for cell, wanted in zip(one, other, strict=True):
            if cell != wanted:
                assert float(cell) == pytest.approx(float(wanted), rel=1e-12), (one, other)


@pytest.mark.longer
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_exactly_the_planted_fault_is_found(fault, seed, tmp_path):
    codes, key, can_be_mended = FAULTS[fault]
    clean = CleanFiles(seed)
    FORMS.get(fault, lambda files: None)(clean)
    files = copy.deepcopy(clean)
    fault(files)
    found = hv.doctor(*paths_of(files, tmp_path))
    assert {one.code for one in found} == set(codes.split()), str(found)
    planted = next(one for one in found if one.code == codes.split()[0])
    assert planted.where.startswith(NAMES[key])
    assert (planted.fix is not None) == can_be_mended
    if can_be_mended:
        written = found.write_mended(tmp_path / "mended")
        assert [path.name for path in written] == [NAMES[key]]
        same(rows_of(written[0]), getattr(clean, key))
        again = hv.doctor(*[tmp_path / "mended" / n if n == NAMES[key] else tmp_path / n for n in NAMES.values()])
        assert list(again) == []
    else:
        assert found.mended_names == ()


def test_a_column_of_a_class_without_numbers(tmp_path):
    """A fault in its cells is no missing column, even where most of the few cells hold it."""
    (tmp_path / "taxonomy.csv").write_text("r,a\nr,b\n")
    (tmp_path / "scores.csv").write_text("sample_id,a,b\n1,x,0.5\n2,0.4,0.6,9\n")
    found = hv.doctor(tmp_path / "taxonomy.csv", tmp_path / "scores.csv")
    assert {one.code for one in found} >= {"not_numbers", "ragged_rows"}
    assert "missing_classes" not in {one.code for one in found}


@pytest.mark.parametrize(("cell", "way"), [("nan", "Correct them, or leave"), ("-0.2", "say which with")])
def test_a_missing_number_does_not_make_scores_raw(cell, way, tmp_path):
    (tmp_path / "taxonomy.csv").write_text("r,a\nr,b\n")
    rows = [f"{k},0.5,0.5\n" for k in range(9)]
    (tmp_path / "scores.csv").write_text("".join(["sample_id,a,b\n", *rows, f"9,0.5,{cell}\n"]))
    found = hv.doctor(tmp_path / "taxonomy.csv", tmp_path / "scores.csv")
    (text,) = (one.message for one in found if one.code == "not_probabilities")
    assert way in text


# Fault of a class list -> the code of what is found.
def _index(rows):
    return [["index", "name"], *([str(k), name] for k, name in enumerate(rows))]


CLASS_FAULTS = {
    "clean": (lambda names: _index(names), ""),
    "unknown": (lambda names: _index(["unicorn", *names[1:]]), "unknown_names"),
    "twice": (lambda names: _index([*names, names[0]]), "repeated_classes"),
    "zeros": (lambda names: _index([names[0].lstrip("0"), *names[1:]]), "other_spellings|unknown_names|leading_zeros"),
    "a number that is not there": (lambda names: [row for row in _index(names) if row[0] != "1"], "unreadable"),
    "a number twice": (
        lambda names: [["0", cell] if k == "1" else [k, cell] for k, cell in _index(names)],
        "unreadable",
    ),
    "nothing": (lambda names: [], "unreadable"),
}


@pytest.mark.longer
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", CLASS_FAULTS)
def test_faults_of_class_lists(fault, seed, tmp_path):
    make, codes = CLASS_FAULTS[fault]
    clean = CleanFiles(seed)
    clean.rng.shuffle(clean.leaves)
    taxonomy = write(tmp_path / "taxonomy.csv", clean.edges)
    found = hv.doctor(taxonomy, classes=write(tmp_path / "classes.csv", make(clean.leaves)))
    assert len({one.code for one in found} & set(codes.split("|"))) == len(found) == bool(codes), str(found)
    assert all(one.where.startswith("classes.csv") for one in found)


def test_json_is_read_on_after_an_error(tmp_path):
    (tmp_path / "taxonomy.csv").write_text("r,a\nr,b\n")
    lines = [
        [{"label": "a", "score": 0.9}, {"label": "unicorn", "score": 0.1}],
        [{"label": "a", "score": 0.9}, {"label": "b", "score": 0.1}],
        [{"label": "a", "score": "x"}, {"label": "b", "score": 0.1}],
        [{"label": "dragon", "score": 0.9}, {"label": "b", "score": 0.1}],
    ]
    for name, text in (
        ("p.jsonl", "".join(json.dumps(line) + "\n" for line in lines)),
        ("p.json", json.dumps(lines)),
    ):
        (tmp_path / name).write_text(text)
        found = hv.doctor(tmp_path / "taxonomy.csv", tmp_path / name)
        assert sorted(one.where.split(",")[1] for one in found) == [
            " sample number 1",
            " sample number 3",
            " sample number 4",
        ], str(found)


def test_a_json_file_of_another_form_is_not_told_sample_by_sample(tmp_path):
    (tmp_path / "taxonomy.csv").write_text("r,a\nr,b\n")
    (tmp_path / "p.json").write_text(json.dumps([{"sample_id": str(k), "of": {"a": 0.5, "b": 0.5}} for k in range(50)]))
    assert len(hv.doctor(tmp_path / "taxonomy.csv", tmp_path / "p.json")) == 3


def test_an_edge_of_several_cycles_is_not_left_out_of_the_fixed_file(tmp_path):
    """What is certain is judged before an edge is left out to read on."""
    (tmp_path / "knot.csv").write_text("parent,child\nr,a\na,b\nb,a\nb,c\nc,a\n")
    found = hv.doctor(tmp_path / "knot.csv")
    assert {one.code for one in found if one.severity == "error"} == {"cycles"}
    assert found.mended_names == ()


def _doctor(folder, taxonomy="r,a\nr,b\n", scores=None, truth=None, **reading):
    """Codes and texts of what is found in files of these texts."""
    texts = {"taxonomy.csv": taxonomy, "scores.csv": scores, "truth.csv": truth}
    paths = {name: folder / name for name, text in texts.items() if text is not None}
    for name, path in paths.items():
        path.write_text(texts[name])
    found = hv.doctor(*(paths.get(name) for name in texts), **reading)
    return {one.code: one.message for one in found if one.severity == "error"}


# What a reader takes, and where it stops, is what the doctor takes and reports: it has no rules of its own for these.
SCORES = "sample_id,a,b\n1,0.5,0.5\n2,0.4,0.6\n"


def test_numbers_of_a_class_list_written_as_floats(tmp_path):
    truth = "sample_id,truth\n1,0.0\n2,1.0\n"
    assert _doctor(tmp_path, scores=SCORES, truth=truth, classes=["a", "b"]) == {}
    read = hv.load_predictions(tmp_path / "scores.csv", hv.load_taxonomy(tmp_path / "taxonomy.csv"))
    truth = hv.load_truth(tmp_path / "truth.csv", read.taxonomy, classes=["a", "b"])
    assert [read.taxonomy.names[node] for node in truth.nodes] == ["a", "b"]
    # A digit that is no number of Python is a name like any other.
    assert set(_doctor(tmp_path, scores=SCORES, truth="sample_id,truth\n1,²\n2,1\n", classes=["a", "b"])) == {
        "unknown_names"
    }


def test_a_number_with_an_underscore_is_none(tmp_path):
    found = _doctor(tmp_path, scores="sample_id,a,b\n1,0.5,0.5\n2,1_000,0.5\n3,0.4,0.6\n4,0.4,0.6\n")
    assert set(found) == {"not_numbers"}
    assert "'1_000' in column 'a'" in found["not_numbers"]


def test_a_ragged_row_below_a_header_of_other_words(tmp_path):
    """The header is found in the rows that can be read, and what is wrong below it too."""
    taxonomy = "above,below\nr,a\nr,b,c\nr,d\nd,d\n"
    assert set(_doctor(tmp_path, taxonomy)) == {"ragged_rows", "own_parent"}


@pytest.mark.parametrize("has_header", [True, False])
def test_the_header_that_is_said(has_header, tmp_path):
    for taxonomy in ("r,r\nr,a\nr,b\n", "r,,x\nr,a,y\nr,b,z\n"):
        found = _doctor(tmp_path, taxonomy, taxonomy_reading={"has_header": has_header})
        assert bool(found) is not has_header, found


def test_pictures_of_one_name_are_no_ids_to_join_by(tmp_path):
    scores = "sample_id,a,b\nx/1.png,0.5,0.5\ny/1.png,0.4,0.6\n"
    assert set(_doctor(tmp_path, scores=scores, truth="sample_id,truth\n1,a\n2,b\n")) == {"ids_differ"}


BEST = "sample_id,class_1,score_1,class_2,score_2\n1,a,{},b,{}\n2,a,0.7,b,0.2\n"


@pytest.mark.parametrize("missing", [None, "unknown", "zero"])
@pytest.mark.parametrize(
    ("scores", "is_right"),
    [
        # Two more leaves of at most 0.05: 0.1 + 0.05 + 2 * 0.05 = 0.25 at most. Where they are 0, the sum may be any below 1.
        ((0.1, 0.05), {"zero"}),
        ((0.9, 0.7), set()),
        ((0.4, 0.2), {None, "unknown", "zero"}),
    ],
)
def test_sums_of_the_best_classes_are_judged_as_by_the_reader(scores, is_right, missing, tmp_path):
    found = _doctor(tmp_path, "r,a\nr,b\nr,c\nr,d\n", BEST.format(*scores), missing=missing)
    assert set(found) == (set() if missing in is_right else {"sums_not_one"})
    taxonomy = hv.load_taxonomy(tmp_path / "taxonomy.csv")
    if missing in is_right:
        hv.load_predictions(tmp_path / "scores.csv", taxonomy, missing=missing)
    else:
        with pytest.raises(hv.PredictionsError, match="sum to"):
            hv.load_predictions(tmp_path / "scores.csv", taxonomy, missing=missing)
