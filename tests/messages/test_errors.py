"""Every message is one short, printable line, whatever it quotes; and suggestions are cheap."""

import difflib
import pickle
import re
import unicodedata

import pytest

from hierviz.messages.errors import (
    LONGEST_MESSAGE,
    LONGEST_VALUE,
    FileError,
    HiervizError,
    TaxonomyError,
    first_words,
    listed,
    near_miss,
    printable,
    shortened,
    shown,
)

LONG = {
    "letters": "x" * 50_000,
    "words": "a class name of many words " * 2000,
    "one kind of quotes": "it's " * 2000,
    "both kinds of quotes": 'it\'s "so" ' * 2000,
    "backslashes": "\\" * 9999,
    "line separators": "a\u2028b\x85c\r\n" * 2000,
    "marks of direction": "\u202ecat\u2066" * 2000,
    "halves of characters": "caf\udce9" * 2000,
    "control characters": "\x1b[31m\0\x07" * 2000,
    "Chinese": "猫" * 5000,
}
WHERE = {
    "short": "f.csv",
    "long": "f" * 250 + ".csv",
    "path": "/folder" * 500 + "/f.csv",
    "apostrophe": "it's 'mine.csv",
    "quotes": 'a "b" c".csv',
    "line break": "a\nb\u2028c.csv",
    "direction": "f\u202evsc.csv",
    "not UTF-8": "caf\udce9.csv",
}


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("value", LONG)
def test_every_message_is_one_short_line(value, where):
    value, where = LONG[value], WHERE[where]
    error = FileError(
        f"{where}:17: expected {listed([value] * 9)}, got {value!r} and {[value, (value,)]!r}. Correct {value!r}."
    )
    message = str(error)
    assert len(message) <= LONGEST_MESSAGE
    assert len(message.splitlines()) == 1
    assert message.isprintable()
    message.encode()
    assert isinstance(error, HiervizError)
    assert str(pickle.loads(pickle.dumps(error))) == message
    # A message inside another one changes no more.
    assert str(FileError(message)) == message


@pytest.mark.parametrize("value", LONG)
def test_a_quoted_value_keeps_both_its_ends(value):
    value = LONG[value]
    message = str(FileError(f"f.csv:2, column 'a': expected a number, got {value!r}. Correct it."))
    start, _, rest = message.partition(", got ")
    assert start == "f.csv:2, column 'a': expected a number"
    assert rest.endswith(f"{rest[0]}. Correct it.")
    first, last = rest.removesuffix(". Correct it.")[1:-1].split("…")
    assert len(first) + 1 + len(last) <= LONGEST_VALUE
    assert repr(value)[1:-1].startswith(first)
    assert repr(value)[1:-1].endswith(last)
    # Nothing is cut inside an escape.
    assert re.fullmatch(r"(?:[^\\]|\\(?:[nrt'\\]|x..|u....))*", first + last)


def test_short_messages_stay_as_they_are():
    for message in (
        "f.csv:17: expected 1000 scores (one per leaf of it's tree), got 'a b\u00a0c'. Is it the classes' file?",
        "f.csv: expected 50 % of the users' files, got 'x' and 'y'. Don't.",
        f"f.csv: expected a name of at most 60 letters, got {'x' * 60!r}. Shorten it.",
    ):
        assert str(TaxonomyError(message)) == message


def test_a_command_to_copy_is_not_cut():
    command = f'python -c "import numpy as np; {"a = 1; " * 20}"'
    assert command in str(FileError(f"{'f' * 100}: expected numbers, got {'x' * 500!r}. Convert them: {command}."))


def test_several_long_values_are_shortened_together_before_the_sentence_is():
    names = [f"{letter}" * 200 for letter in "abcdefgh"]
    message = str(
        FileError(f"scores.csv, column {names[0]!r}: expected nodes, got {listed(names)}. Rename them, all of them.")
    )
    assert "and 3 more. Rename them, all of them." in message
    assert len(message) <= LONGEST_MESSAGE


def test_values_are_shown_with_their_ends():
    assert shown("a" * 50 + "b" * 50) == f"'{'a' * 36}…{'b' * 23}'"
    assert len(shown("a" * 1000)) == LONGEST_VALUE + 2
    assert shown(10**70).endswith("…" + "0" * 23)
    assert listed(["a" * 100, 1, "b"], 2) == f"{shown('a' * 100)}, 1 and 1 more"
    assert shortened("abcdefghij", 6) == "abc…ij"


def test_printable_text_keeps_letters_of_all_scripts():
    assert printable("a\tb\r\nc\u2028d") == "a b c d"
    assert printable("Füchsin 猫 1\u202f%") == "Füchsin 猫 1\u202f%"
    assert printable("\u202ea\udcff\0") == r"\u202ea\udcff\x00"
    assert unicodedata.category("\u202f") == "Zs"


def test_a_suggestion_compares_few_letters(monkeypatch):
    compared = []

    class Counting(difflib.SequenceMatcher):
        def set_seq1(self, text):
            compared.append(len(text))
            super().set_seq1(text)

    monkeypatch.setattr(difflib, "SequenceMatcher", Counting)
    names = [f"species {k}" for k in range(300_000)]
    assert near_miss("specied 299999", names).startswith(" Did you mean 'species ")
    assert sum(compared) < 2_000_000
    compared.clear()
    assert near_miss("a" * 50_000, ["a" * 50_001]) == ""
    assert near_miss("cat", ["c" * 50_000, "cta" * 20_000]) == ""
    assert max(compared, default=0) < 200
    # What differs only in case or blanks is found among any number of names.
    assert near_miss(" SPECIES 7 ", names) == " Did you mean 'species 7'?"


@pytest.mark.parametrize(
    ("text", "most", "start"),
    [
        ("one two", 7, "one two"),
        ("one two three", 7, "one two …"),
        ("one two three", 9, "one two …"),
        ("one, two", 5, "one …"),
        ("one\n two  three", 8, "one two …"),
        ("undivided", 4, "undi …"),
        ("", 4, ""),
    ],
)
def test_the_first_words_of_a_text_are_whole(text, most, start):
    assert first_words(text, most) == start
