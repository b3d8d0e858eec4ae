"""Labels of levels that disagree on Examples: drawn as they are, with the broken link named; levels in the table of Compare."""

from visit import Visit, shelve

EDGES = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n"
ROWS = "sample_id,level_1,level_2,truth\n1,bird,cat,cat\n2,mammal,dog,cat\n"


def test_levels_that_disagree(tmp_path):
    (tmp_path / "t.csv").write_text(EDGES)
    (tmp_path / "p.csv").write_text(ROWS)
    paths = {"taxonomy": str(tmp_path / "t.csv"), "predictions": (str(tmp_path / "p.csv"),)}
    data = shelve(**paths, disagreeing="levels")
    broken = Visit("example", data=data.key, sample="1").text
    assert "Answers by level" in broken
    assert "The answers of 2 levels are no path from the top: cat at level 2 is in mammal." in broken
    path = Visit("example", data=data.key, sample="2").text
    assert "The answers of 2 levels are a path from the top." in path


def test_an_answer_outside_is_drawn_at_its_level(tmp_path):
    (tmp_path / "t.csv").write_text(EDGES)
    (tmp_path / "p.csv").write_text("sample_id,level_1,level_2,truth\n1,mammal,unicorn,cat\n2,mammal,dog,cat\n")
    paths = {"taxonomy": str(tmp_path / "t.csv"), "predictions": (str(tmp_path / "p.csv"),)}
    data = shelve(**paths, disagreeing="levels", outside="wrong")
    text = Visit("example", data=data.key, sample="1").text
    assert "The answers of 2 levels are no path from the top: (outside the taxonomy) at level 2 is in no class." in text
