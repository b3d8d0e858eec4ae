"""What lessons say: no typed result, terms that the glossary has, and notebooks of the same text."""

import ast
import inspect
import json
import re
from pathlib import Path

import pytest

from hierviz.lessons.catalogue import LESSON_FILES, glossary, lesson, lessons, read_lesson
from hierviz.lessons.notebook import file_name, notebook_of, notebook_text
from hierviz.messages.errors import FileError, PredictionsError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "lessons"
# Decimals that are no results: thresholds, levels and weights that a text names, and published numbers with their source.
GIVEN = {"0.5", "0.1", "0.9", "0.4", "0.8", "0.3", ".49"}


def sentences(tree):
    """Texts with more than three words, and the fixed parts of those that are filled in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 3:
            yield node.value


@pytest.mark.parametrize("key", LESSON_FILES)
def test_no_number_of_a_lesson_is_typed(key):
    texts = re.sub(r"\{[^{}]*\}", "", LESSON_FILES[key].read_text(encoding="utf-8"))
    assert set(re.findall(r"(?<!\d)\d*\.\d+", texts)) <= GIVEN


@pytest.mark.parametrize("key", LESSON_FILES)
def test_no_number_of_a_text_of_python_is_typed(key):
    tree = ast.parse(Path(inspect.getfile(lesson(key).steps[0].work)).read_text(encoding="utf-8"))
    for text in sentences(tree):
        assert set(re.findall(r"(?<!\d)\d*\.\d+", text)) <= GIVEN, text


@pytest.mark.parametrize("key", LESSON_FILES)
def test_terms_are_in_the_glossary(key):
    found = lesson(key)
    assert found.terms
    assert set(found.terms) <= set(glossary())
    assert found.key == key


def test_every_term_of_the_glossary_is_one_plain_text():
    for term, text in glossary().items():
        assert text.endswith("."), term
        assert len(text) < 200, term
    assert list(glossary()) == sorted(glossary(), key=str.casefold)


@pytest.mark.long
def test_the_plan_of_a_class_has_the_minutes_of_its_lessons_and_fits_into_forty_five():
    page = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    titles = {one.title: one for one in lessons()}
    for title, one in titles.items():
        assert f"| {title} | {len(one.steps)} |" in page
    plan = re.findall(r"^\| (\d\d):00 \| (\d+) min \| ([^|]+?) \|", page, re.MULTILINE)
    clock = 0
    for start, minutes, title in plan:
        assert int(start) == clock
        clock += int(minutes)
        if title in titles:
            assert int(minutes) == titles[title].minutes, title
            assert f"| {minutes} min | {title} | {len(titles[title].steps)} | {titles[title].n_words} |" in page
    assert clock == 45
    assert sum(title in titles for _, _, title in plan) == 6


@pytest.mark.parametrize("key", LESSON_FILES)
def test_the_notebooks_are_those_that_the_generator_writes(key):
    found = lesson(key)
    assert (FOLDER / file_name(found)).read_text(encoding="utf-8") == notebook_text(found)
    text = json.dumps(notebook_of(found), ensure_ascii=False)
    for step in found.steps:
        assert json.dumps(step.question, ensure_ascii=False)[1:-1] in text


def test_unknown_lessons_and_settings_are_named():
    with pytest.raises(PredictionsError, match=r"lesson: expected one of .*Did you mean 'sandbox'"):
        lesson("sandbx")
    with pytest.raises(PredictionsError, match="settings: expected some of answer, got colour"):
        lesson("flat-metrics").step(1).result(colour=1)
    with pytest.raises(PredictionsError, match="step: expected 1 to 4, got 9"):
        lesson("flat-metrics").step(9)


@pytest.mark.long
@pytest.mark.parametrize("key", LESSON_FILES)
def test_the_notebooks_run(key, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("onnxruntime")
    notebook = nbformat.read(FOLDER / file_name(lesson(key)), as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert [output for output in shown if output.output_type == "error" or output.get("name") == "stderr"] == []
    texts = [output.data.get("text/markdown", "") for output in shown if "data" in output]
    for step in lesson(key).steps:
        assert any(step.result().reveal in text for text in texts), step.title


# What somebody may write wrongly into a lesson, and what is said of it.
WRONG = {
    "no head": ("---\ntitle:", "title:", "line 1: expected a block that starts with ---, got 'title: Why"),
    "head without end": (
        "functions: flat_metrics\n---",
        "functions: flat_metrics",
        "line 1: expected a line --- that ends the block",
    ),
    "key": ("shown: tree", "shwn: tree", r"line 14: expected one of compute, .*, got 'shwn: tree'.* Correct it"),
    "missing": ("summary: How", "title: How", "line 1: expected summary, got 'none'. Add a line"),
    "term": ("hR; hF", "hR; hG", "line 4: expected a term of glossary.md, got 'hG'"),
    "functions": (
        "functions: flat_metrics",
        "functions: flat_metric",
        "got 'flat_metric'. Did you mean 'flat_metrics'",
    ),
    "compute": (
        "compute: one_score",
        "compute: one_scor",
        "line 12: expected a function of .*'one_scor'. Did you mean 'one_score'",
    ),
    "control": ("change: article", "change: articl", "line 13: expected a key of CONTROLS .* Did you mean 'article'"),
    "start": ("change: article", "change: article = shrt", "line 13: expected one of T-shirt, .*, got 'shrt'"),
    "other function": (
        "change: at root",
        "change: class",
        'expected what staying_at_the_root takes, got "answer .missing',
    ),
    "two questions": (
        "### How does",
        "### Why?\n### How does",
        "line 9: expected one heading ### with the question, got '2'",
    ),
    "one option": ("- [ ] jumper as less wrong\n", "", "line 21: expected two or more options, .*, got '1'"),
    "no right option": ("- [x] both", "- [ ] both", "line 21: expected one of the options marked, .*, got '0'"),
    "no exercise": ("## Exercise", "## Practice", "expected two or more options"),
    "field": ("{near}", "{nea}", "line 26: expected a field among .*, got 'nea'. Did you mean 'near'"),
    "open brace": ("{near}", "{near", "line 26: expected fields such as {name}, got"),
    "form": ("{near}", "{near:.2q}", "line 26: expected a form that 'near' can be written in, got '.2q'"),
    "picture": (
        "shown: tree",
        "shown: tre",
        "'A near mistake and a far one': expected what one_score gives .* Did you mean 'tree'",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_written_wrongly_is_named_with_its_line(kind, tmp_path):
    right, wrong, said = WRONG[kind]
    text = LESSON_FILES["flat-metrics"].read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "01-flat-metrics.md"
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(FileError, match=said) as found:
        read_lesson(path).step(1).result()
    assert str(found.value).startswith("01-flat-metrics.md, ")


def test_a_text_is_changed_without_python(tmp_path):
    path = tmp_path / "12-shop.md"
    text = LESSON_FILES["flat-metrics"].read_text(encoding="utf-8")
    path.write_text(text.replace("The truth is T-shirt. For", "Of {near:.2f} and {{braces}}: {is_same:yes|no}. For"))
    changed, as_it_is = read_lesson(path), lesson("flat-metrics")
    assert changed.key == "shop"
    assert changed.step(1).result().reveal.startswith("Of 0.00 and {braces}: yes. For the answer jumper")
    assert changed.step(2).result().reveal == as_it_is.step(2).result().reveal
