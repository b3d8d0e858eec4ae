"""Answers outside the taxonomy on the pages: all of them open, and each says what was given and how many there are."""

import pytest

import hierviz as hv
from hierviz.app.state import opened as opening
from hierviz.findings.doctor import doctor
from tests.app.visit import PAGES, ROOT, Visit, shelve

TAXONOMY = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,goldfinch\nbird,swan\n"
LEAVES = ("cat", "dog", "goldfinch", "swan")
# 40 samples: of every ten, one is answered with a class of no taxonomy, one with a misspelt one.
GIVEN = ["cat", "dog", "goldfinch", "swan", "unicorn", "cat", "dog", "goldfnch", "goldfinch", "mammal"]
TRUTH = ["cat", "dog", "goldfinch", "swan", "cat", "dog", "dog", "goldfinch", "swan", "cat"]
TEXTS = ROOT / "tests" / "files" / "language_models"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("outside")
    (place / "taxonomy.csv").write_text(TAXONOMY)
    rows = [f"s{k},{TRUTH[k % 10]},{GIVEN[k % 10]}" for k in range(40)]
    (place / "labels.csv").write_text("\n".join(["sample_id,truth,predicted", *rows]) + "\n")
    names = (*LEAVES, "unicorn")
    answers = [{"goldfnch": "goldfinch", "mammal": "cat"}.get(GIVEN[k % 10], GIVEN[k % 10]) for k in range(40)]
    scores = [",".join("0.8" if name == answer else "0.05" for name in names) for answer in answers]
    rows = [f"s{k},{TRUTH[k % 10]},{scores[k]}" for k in range(40)]
    (place / "scores.csv").write_text("\n".join([f"sample_id,truth,{','.join(names)}", *rows]) + "\n")
    return place


def opened(folder, name, outside):
    return shelve(taxonomy=str(folder / "taxonomy.csv"), predictions=(str(folder / name),), outside=outside)


@pytest.mark.parametrize(
    ("outside", "name"),
    [
        ("wrong", "scores.csv"),
        ("drop", "labels.csv"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                ("wrong", "labels.csv"),
                ("drop", "scores.csv"),
                ("nearest", "labels.csv"),
                ("nearest", "scores.csv"),
            )
        ),
    ],
)
def test_every_page_opens(folder, name, outside):
    data = opened(folder, name, outside)
    # Of scores a misspelt class is none here.
    n_outside = {"labels.csv": {"wrong": 8, "drop": 8, "nearest": 4}}.get(name, {}).get(outside, 4)
    model = data.first
    assert model.predictions.n_samples == (40 - n_outside if outside == "drop" else 40)
    assert model.outside_share == (0 if outside == "drop" else n_outside / 40)
    for page in PAGES:
        visit = Visit(page, data=data.key)
        assert not visit.at.error, (page, [one.value for one in visit.at.error])
    for part in ("confusions", "matrix", "slices", "review"):
        Visit("mistakes", data=data.key, part=part)


def test_what_was_given_is_listed(folder):
    data = opened(folder, "labels.csv", "wrong")
    visit = Visit("mistakes", data=data.key, outside="yes")
    answers = [str(one) for table in visit.at.dataframe for one in table.value.get("answer", [])]
    assert sorted(set(answers)) == ["outside: goldfnch", "outside: unicorn"]
    assert len(answers) == 8
    assert "20.0 % outside the taxonomy" in Visit("overview", data=data.key).text


def test_the_names_are_mapped_on_the_page(folder):
    visit = Visit("open", data=opened(folder, "labels.csv", "nearest").key)
    said = "1 of 2 names outside the taxonomy is mapped to a class: 4 of 8 occurrences."
    assert said in [one.label for one in visit.at.expander]
    [edited] = [one.value for one in visit.at.dataframe if "mapped_to" in one.value]
    assert dict(zip(edited["given"], edited["mapped_to"], strict=True)) == {
        "goldfnch": "goldfinch",
        "unicorn": "(no class)",
    }


@pytest.mark.parametrize(
    ("outside", "line"),
    [
        ("drop", "8 (20.0 %) of 40 samples left out: answers outside the taxonomy"),
        ("wrong", "8 (20.0 %) of 40 samples answered outside the taxonomy"),
        ("nearest", "10.0 % of answers mapped to the nearest name · 4 (10.0 %) of 40 samples answered outside"),
    ],
)
def test_the_first_line_says_what_was_done(folder, outside, line):
    data = opened(folder, "labels.csv", outside)
    for page in ("overview", "compare", "mistakes"):
        visit = Visit(page, data=data.key)
        assert line in visit.text, page
        # The mapping is one press away where there is one.
        assert any(one.label == "Review the mapping" for one in visit.at.button) == (outside == "nearest")


def test_compare_has_the_column_where_some_answer_is_outside(folder):
    for outside, is_there in (("wrong", True), ("drop", False), ("nearest", True)):
        table = hv.compare(
            [one.predictions for one in opened(folder, "labels.csv", outside).models.values()], resamples=0
        )
        assert ("labels.outside_share" in [column.key for column in table.columns]) == is_there, outside


@pytest.mark.parametrize("tree", ["list", "ladder"])
def test_an_answer_outside_is_called_by_what_was_given(folder, tree):
    data = opened(folder, "labels.csv", "wrong")
    visit = Visit("example", data=data.key, sample="s4", tree=tree)
    assert "(empty)" not in visit.text
    assert "unicorn" in visit.text + str(visit.ladder)
    if tree == "list":
        assert "Answer: unicorn (outside the taxonomy)" in visit.text.replace("*", "")


def test_what_is_chosen_is_no_error(folder):
    files = folder / "taxonomy.csv", folder / "labels.csv"
    assert doctor(*files).counts["error"] == 1
    for outside in ("wrong", "drop", "nearest"):
        assert doctor(*files, outside=outside).counts["error"] == 0
    assert doctor(*files, outside="error").counts["error"] == 1


@pytest.mark.parametrize("tree", ["ladder", "list"])
def test_the_class_is_marked_in_the_text_of_a_language_model(tree):
    files = {"taxonomy": "taxonomy.csv", "nodes": "nodes.csv"}
    paths = {name: str(TEXTS / file) for name, file in files.items()}
    data = shelve(**paths, predictions=(str(TEXTS / "answers.jsonl"),), outside="wrong")
    visit = Visit("example", data=data.key, sample="q01", tree=tree)
    marked = "".join(one.value for one in visit.at.markdown)
    assert " is a :green-background[red fox]" in marked
    visit.go("example", data=data.key, sample="q34", tree=tree)
    assert "This is not a :orange-background[red fox]" in "".join(one.value for one in visit.at.markdown)


def test_the_marks_are_those_of_the_reader_on_a_cut_taxonomy():
    """Cut at depth 1 the taxonomy has no red fox: what was read of the text stays what was read."""
    paths = {name: str(TEXTS / f"{name}.csv") for name in ("taxonomy", "nodes")}
    data = shelve(**paths, predictions=(str(TEXTS / "answers.jsonl"),), outside="wrong", projection={"max_depth": 1})
    assert data.taxonomy.max_depth == 1
    visit = Visit("example", data=data.key, sample="q01")
    said = "".join(one.value for one in visit.at.markdown)
    assert " is a :green-background[red fox]" in said
    assert "It names red fox." in visit.text


def test_the_share_is_that_of_the_judged_samples():
    taxonomy = hv.Taxonomy.from_edges([("animal", "cat"), ("animal", "dog")])
    of_labels = hv.Predictions.from_labels(taxonomy, [[1], [-1], [2], [-1]], truth=[1, 1, -1, -1])
    assert hv.Evaluation.from_predictions(of_labels).outside_share == 0.5


@pytest.fixture
def start(monkeypatch):
    """start(...): the app as `hierviz app` opens it with these arguments."""

    def begin(*arguments):
        monkeypatch.setattr("sys.argv", ["app.py", *map(str, arguments)])
        monkeypatch.setattr(opening, "_chosen", {})
        opening._opening.clear()
        return Visit()

    yield begin
    opening._opening.clear()


@pytest.mark.parametrize(
    ("button", "said"),
    [("Wrong answers", "8 (20.0 %)"), ("Map names to the nearest class; the others are wrong", "4 (10.0 %)")],
)
def test_files_of_the_command_line_are_asked_about(folder, start, button, said):
    visit = start("--taxonomy", folder / "taxonomy.csv", "--predictions", folder / "labels.csv")
    assert "Or say --outside wrong" in visit.at.error[0].value
    for _ in range(2):  # a phone, or a change in the table, runs the page again
        assert "8 samples have answers that the taxonomy does not hold: 'unicorn'" in visit.text
        visit.run()
    visit.press(button)
    assert not visit.at.error, [one.value for one in visit.at.error]
    assert f"{said} of 40 samples answered outside the taxonomy" in visit.text


def test_both_questions_are_asked_of_the_command_line(tmp_path, start):
    (tmp_path / "t.csv").write_text(TAXONOMY)
    (tmp_path / "p.csv").write_text("sample_id,truth,predicted\na,cat,unicorn\nb,elf,cat\nc,dog,dog\n")
    visit = start("--taxonomy", tmp_path / "t.csv", "--predictions", tmp_path / "p.csv")
    for _ in range(2):
        assert visit.at.error
        visit.press("Leave their samples out")
    assert not visit.at.error, [one.value for one in visit.at.error]
    assert "2 (66.7 %) of 3 samples left out" in visit.text
