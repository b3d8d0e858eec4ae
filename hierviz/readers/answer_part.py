"""The part of a language model's text that is its answer, and how sure it says it is.

Conventions
-----------
The first of these that a text has, after what stands in ``<think>`` is left out: ``<answer>...</answer>`` or ``\\boxed{...}``
(the last one); JSON, in a fence or between other words; the rest of the sentence after ``Final answer:`` (the last one); the
whole text. In JSON the values of the keys `ANSWER_KEYS` are the answer, else all texts but explanations.

A confidence is a number in [0, 1] or a word: ``90 % sure``, ``confidence: 0.9``, ``{"confidence": "high"}``. Two different ones
are none.

Functions
---------
answer_parts, confidence_of
"""

from __future__ import annotations

import json
import re

ANSWER_KEYS = ("answer", "final_answer", "label", "class", "category", "prediction", "predicted", "predicted_class")
_CONFIDENCE_KEYS = ("confidence", "certainty", "probability", "score", "confidence_level", "confidence_score")
_EXPLANATION_KEYS = frozenset(
    ("reason", "reasons", "reasoning", "explanation", "description", "notes", "note", "rationale", "justification")
    + ("evidence", "features", "analysis", "thoughts", "comment", "image", "caption", "id", *_CONFIDENCE_KEYS)
)
_THOUGHTS = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(
    r"<(answer|final_answer)>(?P<part>.*?)</\1>|\\boxed\{(?:\\text\{)?(?P<boxed>[^{}]*)\}", re.DOTALL | re.I
)
_MARKED = re.compile(
    r"\b(?:final answer|answer|final classification|final prediction|final identification)\b[\s*_]*(?:is\s*:?|[:=])[\s*_]*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\n|[.;!](?=\s)")
_JSON_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)
_NUMBER = r"(?P<number{0}>\d{{1,3}}(?:[.,]\d+)?)\s*(?P<unit{0}>%|percent|per cent|/\s*100?\b|out of 100?\b)?"
_LEVEL = r"(?P<word{}>very high|very low|high|medium|moderate|low)"
_SURE = r"(?:sure|certain|confiden\w+|likely|likelihood|probab\w+|chance)"
_CONFIDENCES = (
    re.compile(
        rf"\b(?:confidence|certainty|probability|likelihood)\b[\s*_]*(?:level|score)?[\s*_]*(?:is|of|:|=)*[\s*_]*"
        rf"(?:about|around|approximately|roughly|~)?\s*(?:{_NUMBER.format(1)}|{_LEVEL.format(1)}\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d.,]){_NUMBER.format(2)}\s*{_SURE}\b", re.IGNORECASE),
    re.compile(rf"\b{_LEVEL.format(2)}\s+(?:confidence|certainty)\b", re.IGNORECASE),
)


def answer_parts(text: str) -> list[tuple[int, int]]:
    """Start and end of the parts of a text that are its answer; none where it gives none."""
    left = _THOUGHTS.sub(lambda match: " " * len(match[0]), text)
    tagged = list(_TAGGED.finditer(left))
    if tagged:
        return [tagged[-1].span("boxed" if tagged[-1]["boxed"] is not None else "part")]
    of_json = _json_parts(left)
    if of_json is not None:
        return of_json
    marked = list(_MARKED.finditer(left))
    # A line alone is the answer after the words that announce it.
    if marked and left[marked[-1].end() :].strip():
        start = marked[-1].end()
        end = _ENDS.search(left, start)
        return [(start, end.start() if end else len(left))]
    return [(len(left) - len(left.lstrip()), len(left))] if left.strip() else []


def confidence_of(text: str) -> str:
    """How sure a text says it is: a number in [0, 1], a word, or nothing."""
    left = _THOUGHTS.sub("", text)
    value, *_ = next(_json_objects(left), (None,))
    found = {_level(one) for key, one in _entries(value) if key in _CONFIDENCE_KEYS} - {""}
    if not found:
        found = {_said(match) for pattern in _CONFIDENCES for match in pattern.finditer(left)} - {""}
    return found.pop() if len(found) == 1 else ""


def _said(match):
    groups = match.groupdict()
    number = next((groups[key] for key in groups if key.startswith("number") and groups[key]), None)
    if number is None:
        return next((groups[key].casefold() for key in groups if key.startswith("word") and groups[key]), "")
    unit = next((groups[key] for key in groups if key.startswith("unit") and groups[key]), "")
    value = float(number.replace(",", "."))
    if not unit:
        return f"{value:.6g}" if value <= 1 else ""
    return _share(value, 10 if re.search(r"\b10$", unit) else 100)


def _share(value, whole):
    return f"{value / whole:.6g}" if 0 <= value <= whole else ""


def _level(value):
    """A confidence of JSON: a number up to 1, one in percent, or a word."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return ""
    if isinstance(value, str):
        text = value.strip().casefold()
        number = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)\s*(%?)", text)
        if number is None:
            return text if re.fullmatch(_LEVEL.format(""), text) else ""
        value, is_percent = float(number[1]), bool(number[2])
        return _share(value, 100 if is_percent or value > 1 else 1)
    return _share(value, 100 if value > 1 else 1)


def _json_parts(text):
    """Where the texts of the first JSON value are that name an answer; None where there is no JSON with texts."""
    for value, start, end in _json_objects(text):
        places, key = [], ""
        for match in _JSON_TEXT.finditer(text, start, end):
            if match[2]:
                key = match[1].casefold()
            elif match[1].strip():
                places.append((key, match.span(1)))
        answers = [span for key, span in places if key in ANSWER_KEYS]
        if answers:
            return answers
        if places or isinstance(value, dict):
            return [span for key, span in places if key not in _EXPLANATION_KEYS]
    return None


def _json_objects(text):
    """Yield (value, start, end) of the objects and lists of texts in a text."""
    decoder, place = json.JSONDecoder(), 0
    while (start := min((k for k in (text.find("{", place), text.find("[", place)) if k >= 0), default=-1)) >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            place = start + 1
            continue
        if isinstance(value, dict) or any(isinstance(one, (str, dict)) for one in value):
            yield value, start, end
        place = end


def _entries(value):
    """Yield (key in small letters, value) of an object and of those inside."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield str(key).casefold(), one
            yield from _entries(one)
    elif isinstance(value, list):
        for one in value:
            yield from _entries(one)
