"""Errors and notes name parameters, never a flag or a field; every parameter has a word in Python, a flag and a field."""

import ast
import copy
import functools
import json
import pickle
import re
from pathlib import Path

import pytest

from hierviz import cli
from hierviz.messages.errors import LONGEST_MESSAGE, FileError, ModelError
from hierviz.messages.parameters import PARAMETERS, Sentence, in_python, named, parameters_in, said
from hierviz.opening.options import FLAGS, flag, with_flags

PACKAGE = Path(__file__).parents[2] / "hierviz"
# What is no core: it may name flags and fields.
SCREENS = ("opening", "cli", "app", "__main__.py")


@functools.cache
def core_texts():
    """(file, text) of every string of the core, also those of docstrings."""
    return [
        (path.name, node.value)
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in SCREENS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def flags_of(command):
    """The options of a command, its own or those of all commands for None."""
    commands = cli.parser()._subparsers._group_actions[0].choices
    parsers = commands.values() if command is None else [commands[command]]
    return {option for parser in parsers for action in parser._actions for option in action.option_strings} - {"-h"}


# Texts -----------------------------------------------------------------------------------------------------------------


def test_a_text_names_the_keyword_the_flag_or_another_word():
    text = "Pass {scores=logits | levels}, {outputs} or {preprocessing.range=0,1}."
    assert parameters_in(text) == ("scores", "outputs", "preprocessing.range")
    assert named(text, in_python) == "Pass scores='logits' | 'levels', outputs= or preprocessing={'range': [0, 1]}."
    assert named(text, flag) == "Pass --scores logits | levels, --output or --range 0,1."
    assert named("{limits.memory_mb} {strict} {model}", in_python) == (
        "limits=Limits(memory_mb=...) strict=True hierviz.load_model"
    )


def test_values_are_never_changed():
    """Names of nodes and cells stand in quotes, whatever is in them; other braces mean nothing."""
    text = (
        r"no node named '{classes}', got 'it\'s {scores}', \"{media}\", b'{model}' and {other}; the model's {classes}"
    )
    text = text.replace(r"\"", '"')
    assert named(text, flag) == text.replace("model's {classes}", "model's --classes")
    assert parameters_in(text) == ("classes",)


def test_an_error_carries_its_parameters():
    error = FileError("a.csv: expected one column, got 2. Name it with {truth_column}.")
    assert error.parameters == ("truth_column",)
    assert str(error) == "a.csv: expected one column, got 2. Name it with truth_column=."
    assert error.said(flag) == "a.csv: expected one column, got 2. Name it with --truth-column."
    # One short line in all words, and the same after it was sent to another process.
    long = ModelError("m.onnx: " + "{classes}\n" * 90)
    assert max(len(str(long)), len(long.said(flag))) <= LONGEST_MESSAGE
    assert pickle.loads(pickle.dumps(error)).said(flag) == error.said(flag)
    assert FileError(Sentence(error.template)).said(flag) == error.said(flag)
    assert FileError("plain").parameters == ()
    assert str(FileError()) == ""


def test_a_note_is_a_text_that_can_be_said_otherwise():
    note = Sentence("pass {scores=siblings}")
    assert note == "pass scores='siblings'"
    assert json.dumps([note]) == "[\"pass scores='siblings'\"]"
    for twin in (note, copy.deepcopy(note), pickle.loads(pickle.dumps(note)), Sentence(note)):
        assert with_flags(twin) == "pass --scores siblings"
    entry = {"notes": [note, "plain {classes}"], "n": 3, "questions": ({"text": note},)}
    assert said(entry, flag) == {
        "notes": ["pass --scores siblings", "plain {classes}"],
        "n": 3,
        "questions": ({"text": "pass --scores siblings"},),
    }


# Tables ----------------------------------------------------------------------------------------------------------------


def test_the_core_asks_for_every_parameter_and_for_no_other():
    asked, unknown = set(), set()
    for file, text in core_texts():
        for start in re.findall(r"(?<![\w^_}])\{([a-z_]+(?:\.[a-z_]*)?)(?=[=}]|$)", text):
            # What goes on in the code, as in f"{{preprocessing.{key}}}", may be any of them.
            names = {name for name in PARAMETERS if name == start or (start[-1] == "." and name.startswith(start))}
            asked |= names
            if not names and file.split("_")[0] in ("predictions", "outputs", "columns", "score", "input", "verdicts"):
                unknown.add((file, start))
    assert asked == set(PARAMETERS)
    assert unknown == set()


def test_no_text_of_the_core_names_a_flag():
    flags = flags_of(None)
    assert {"--taxonomy", "--classes", "--threshold", "--port"} <= flags
    found = [
        (file, option)
        for file, text in core_texts()
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)
        if option in flags
    ]
    assert found == []


def test_every_parameter_has_a_flag_of_the_command_line():
    assert set(FLAGS) == set(PARAMETERS)
    assert {words.split()[0] for words in FLAGS.values()} <= flags_of("predict") | {
        "--missing",
        "--unseen",
        "--only-known",
        "--inner-truth",
        "--percent",
        "--ids",
        "--samples",
        "--disagreeing",
        "--outside",
        "--outside-truth",
    }
    # The app takes what `predict` takes, but for what is about its output.
    assert flags_of("predict") - flags_of("app") == {"--out", "--inspect", "--json"}
    for name in ("classes", "parametrisation", "truth", "truth_column", "missing", "percent", "ids", "disagreeing"):
        assert FLAGS[name] in flags_of("evaluate") & flags_of("curve")


def test_every_parameter_has_a_field_or_an_option_of_the_app():
    pytest.importorskip("streamlit")
    from hierviz.app.model_page.questions import QUESTIONS
    from hierviz.app.widgets.reading_fields import ORDER
    from hierviz.opening.options import AT_START, LABELS, field

    assert sorted((*LABELS, *AT_START)) == sorted(PARAMETERS)
    assert {FLAGS[name].split()[0] for name in AT_START} <= flags_of("app")
    # Every label is that of a field: the forms take theirs from the table, and no text of theirs repeats one.
    drawn, repeated = {*QUESTIONS, *ORDER}, []
    app = PACKAGE / "app"
    fields = app / "widgets" / "reading_fields.py"
    for path in (*(app / "pages").glob("*.py"), *(app / "model_page").glob("*.py"), fields):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "LABELS":
                drawn.add(getattr(node.slice, "value", None))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ask":
                drawn.add(getattr(node.args[0], "value", None))
            if isinstance(node, ast.Constant) and node.value in LABELS.values():
                repeated.append((path.name, node.value))
    assert {LABELS[name] for name in drawn & set(LABELS)} == set(LABELS.values())
    assert repeated == []
    for name in PARAMETERS:
        assert (LABELS[name] if name in LABELS else FLAGS[name]) in field(name)
    assert field("scores", "log_probabilities") == "'What the scores are': Log probabilities"
    assert field("parametrisation", "flat_softmax").startswith("'What the scores are': Flat softmax")
