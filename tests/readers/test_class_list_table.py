"""docs/class_lists.md: each form is read, or answered, as the table says; and real lists of others."""

import re
from pathlib import Path

import pytest

from hierviz import Taxonomy
from hierviz.messages.errors import HiervizError
from hierviz.readers.classes_file import load_classes

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\| ([^|`]+) \| `(.*)` \| (.*) \|$", (ROOT / "docs" / "class_lists.md").read_text("utf-8"), re.MULTILINE
)
WNIDS = {"newt": "n01630670", "cat": "n02121808", "duck": "n01846331", "dog": "n02084071"}


def test_there_are_enough_forms():
    assert len(ROWS) >= 35
    assert sum(not answer.startswith("*") for _, _, answer in ROWS) >= 28


@pytest.mark.parametrize(("form", "text", "answer"), ROWS, ids=[form for form, *_ in ROWS])
def test_each_form_gives_what_the_table_says(form, text, answer, tmp_path):
    edges = [("animal", name) for name in (*WNIDS, "crane (bird)", "crane (machine)")]
    taxonomy = Taxonomy.from_edges(edges).with_nodes(attributes={"wnid": WNIDS})
    (tmp_path / "classes").write_text(text.replace("⏎", "\n").replace("⇥", "\t").replace("\\|", "|"), encoding="utf-8")
    if answer.startswith("*"):
        with pytest.raises(HiervizError) as raised:
            load_classes(tmp_path / "classes", taxonomy)
        assert f"*{raised.value}*" == answer
    else:
        assert [taxonomy.names[node] for node in load_classes(tmp_path / "classes", taxonomy)] == answer.split(", ")


def test_a_real_label_map():
    """The ids of COCO have gaps, and most of its names are NA with the real one beside."""
    path = ROOT / "tests" / "files" / "class_lists" / "mscoco_label_map.pbtxt"
    names = re.findall(r'display_name: "(.*)"', path.read_text())
    taxonomy, notes = Taxonomy.from_edges([("thing", name) for name in sorted(names)]), []
    assert [taxonomy.names[node] for node in load_classes(path, taxonomy, notes)] == names
    assert "10 ids between them have no class" in notes[0]
