"""Rows of levels that lie on no path of the taxonomy: all of them, each with its line, and what is read after them."""

import pytest

import hierviz as hv
from hierviz.messages.errors import PredictionsError
from tests.small_tree import EDGES_CSV

ROWS = [
    ("a", "mammal", "cat"),
    ("b", "mammal", "duck"),
    ("c", "bird", "dog"),
    ("d", "bird", "duck"),
    ("e", "bird", "dgo"),
    ("f", "mammal", "duck"),
]


@pytest.fixture
def doctor(tmp_path):
    """The findings about predictions in columns with these names."""

    def look(names, rows=ROWS, **how):
        (tmp_path / "t.csv").write_text(f"parent,child\n{EDGES_CSV}")
        lines = [",".join(["sample_id", *names]), *map(",".join, rows)]
        (tmp_path / "p.csv").write_text("\n".join(lines) + "\n")
        return hv.doctor(tmp_path / "t.csv", tmp_path / "p.csv", **how)

    return look


def test_every_row_is_told_with_its_line(doctor, tmp_path):
    (found,) = [one for one in doctor(("level_1", "level_2")) if one.severity == "error"]
    assert (found.code, found.severity, found.where) == ("off_the_path", "error", "p.csv:3")
    words = str(found.message)
    assert words.startswith("4 rows name classes that lie on no path.")
    assert "lines 3 and 7: expected a child of 'mammal' in column 1, got 'duck'." in words
    assert "line 4: expected a child of 'bird' in column 1, got 'dog'." in words
    assert "line 6: expected a child of 'bird' in column 1, got 'dgo'." in words
    assert words.count("To keep the answer of each level") == 1
    # The strict reader stops at the first of them.
    with pytest.raises(PredictionsError, match=r"p\.csv:3: expected a child of 'mammal' in column 1, got 'duck'"):
        hv.load_predictions(tmp_path / "p.csv", hv.load_taxonomy(tmp_path / "t.csv"))


def test_columns_of_ranks(doctor):
    found = next(one for one in doctor(("class", "species"), ROWS[:4]) if one.code == "off_the_path")
    assert "2 rows name classes" in str(found.message)
    assert "line 3: expected classes on one path in the columns of ranks, got 'mammal', 'duck'." in str(found.message)


def test_they_are_found_behind_another_error(doctor):
    """Behind an id that is there twice, for example."""
    found = doctor(("level_1", "level_2"), [*ROWS, ("a", "mammal", "cat")])
    assert sorted(one.code for one in found if one.severity == "error") == ["duplicated_samples", "off_the_path"]
    (off,) = (one for one in found if one.code == "off_the_path")
    assert str(off.message).startswith("4 rows name classes")


@pytest.mark.parametrize("disagreeing", ["levels", "deepest"])
def test_rows_that_are_to_be_kept_are_no_fault(doctor, disagreeing):
    rows = [row for row in ROWS if row[0] != "e"]
    assert not [
        one for one in doctor(("level_1", "level_2"), rows, disagreeing=disagreeing) if one.code == "off_the_path"
    ]
