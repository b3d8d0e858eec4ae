"""A gate as text, Markdown and JUnit XML.

Functions
---------
sentence, text, markdown, junit
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections import Counter

from hierviz.comparison.formats import DASH, plain, table_row
from hierviz.messages.errors import printable
from hierviz.messages.number_text import count_text, fixed_text, probability_text, value_text
from hierviz.uncertainty.resamples import FEWEST

# Parts that are listed in text and Markdown; JSON and JUnit have all.
MOST_PARTS = 20
_SUITE = "hierviz gate"
# Characters that XML does not hold.
_NO_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
# What reasons say of too few samples or groups.
_NEEDS_AT_LEAST = f"needs at least {FEWEST}"
_BELOW = "the whole interval is below 0"
_HEADER = ("Metric", "Baseline", "Candidate", "Difference", "Interval", "Limit", "Verdict")
_WORDS = {
    "holds": "The candidate is not worse than the baseline by more than the limit",
    "fails": "The candidate is worse than the baseline by more than the limit",
    "not clear": "Not enough samples to tell whether the candidate is worse than the baseline by more than the limit",
}


def sentence(gate) -> str:
    """The verdict in words, with what it is about."""
    named, without = gate.failed or gate.rows, []
    if gate.verdict == "not clear":
        unclear = [row for row in gate.rows if row.verdict == "not clear"]
        named, without = ([row for row in unclear if _has_other_reason(row) == is_other] for is_other in (False, True))
    names = list(dict.fromkeys(_called(row) for row in named))
    worse = [row.key for row in gate.rows if _is_worse(row)]
    said = [f"{_WORDS[gate.verdict]}: {_first_three(names)}."] if names else []
    if worse:
        said.append(f"Clearly worse ({_BELOW}), but not clearly by more than the limit: {_first_three(worse)}.")
    if without:
        reasons = [f"{row.key} ({row.reason})" for row in without]
        said.append(f"No interval, so that nothing can be said: {_first_three(reasons)}.")
    return " ".join(said)


def _has_other_reason(row):
    """Whether there is no interval, for another reason than too few samples."""
    return math.isnan(row.lower) and not any(words in row.reason for words in ("too few", _NEEDS_AT_LEAST))


def _first_three(names):
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


def _is_worse(row):
    """Whether a row is not clear by its limit, and its whole interval is below 0; a limit of 0 says no more than that."""
    return row.verdict == "not clear" and row.upper < 0 < row.limit


def text(gate) -> str:
    """For a terminal: the verdict, then a line for each metric and the parts that say most."""
    lines = [f"{gate.verdict.upper()} (exit {gate.code}). {sentence(gate)}", _about(gate), ""]
    lines += _columns([_HEADER, *(_cells(row) for row in gate.rows)])
    if gate.parts:
        shown = _shown(gate)
        lines += ["", f"{_of_parts(gate)}{':' if shown else '.'}"]
        lines += _columns([_HEADER, *map(_cells, shown)]) if shown else []
    return "\n".join(map(printable, [*lines, "", *remarks(gate)])) + "\n"


def markdown(gate) -> str:
    """For the summary of a job."""
    marks = {"holds": "✅", "fails": "❌", "not clear": "⚠️"}
    lines = [
        f"### {marks[gate.verdict]} hierviz gate: {gate.verdict}",
        "",
        plain(sentence(gate)),
        "",
        plain(_about(gate)),
    ]
    lines += ["", *_table([_cells(row) for row in gate.rows])]
    if gate.parts:
        shown = _shown(gate)
        lines += ["", f"{plain(_of_parts(gate))}{':' if shown else '.'}"]
        lines += ["", *_table(list(map(_cells, shown)))] if shown else []
    return "\n".join([*lines, "", *(f"{plain(words)}\n" for words in remarks(gate))])


def junit(gate) -> str:
    """JUnit XML, one test case for each metric and part."""
    suites = ET.Element("testsuites", name=_SUITE)
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    named = [("metrics", gate.rows)] + ([(f"by {gate.by}", gate.parts)] if gate.parts else [])
    for name, rows in named:
        suite, own = ET.SubElement(suites, "testsuite", name=_xml(f"{_SUITE}, {name}")), dict.fromkeys(counts, 0)
        for row in rows:
            kind = _add_case(suite, row)
            own["tests"] += 1
            own[kind] = own.get(kind, 0) + 1
        for key in counts:
            counts[key] += own[key]
            suite.set(key, str(own[key]))
        ET.SubElement(suite, "system-out").text = _xml(f"{sentence(gate)}\n{_about(gate)}")
    for key, count in counts.items():
        suites.set(key, str(count))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _add_case(suite, row):
    """Add the test case of a row; returns how it is counted."""
    name = row.key if not row.part else f"{row.key} [{row.part}]"
    case = ET.SubElement(suite, "testcase", classname="hierviz.gate", name=_xml(name))
    said = _xml(words_of(row))
    if row.verdict == "fails":
        ET.SubElement(case, "failure", type="drop", message=said).text = said
        return "failures"
    if row.verdict == "not clear" and not row.part:
        ET.SubElement(case, "error", type="not enough samples", message=said).text = said
        return "errors"
    if row.verdict == "not clear":
        ET.SubElement(case, "skipped", message=said)
        return "skipped"
    ET.SubElement(case, "system-out").text = said
    return "passed"


def words_of(row) -> str:
    """A row in one sentence."""
    if row.verdict == "same answers":
        return f"{_named(row)}: the answers of both are the same for every sample."
    value = f"{_named(row)}: {_value(row, row.baseline)} to {_value(row, row.candidate)}"
    if math.isnan(row.lower):
        return f"{value}, no interval: {row.reason}, {_limit(row)}."
    p = f", p = {probability_text(row.p_adjusted)} of a drop of at most that (Holm)" if row.verdict == "fails" else ""
    difference = f"difference {_signed(row, row.difference)} {_interval(row)}"
    worse = f", but clearly worse ({_BELOW})" if _is_worse(row) else ""
    return f"{value}, {difference}, {_limit(row)}{p}: {row.verdict}{worse}."


def remarks(gate) -> list[str]:
    """How it was judged, a sentence each."""
    tests = f"of the {len(gate.rows)} metrics" if len(gate.rows) > 1 else ""
    holm = f" after Holm's correction {tests}" if tests else ""
    found = [
        "Differences are turned so that more is better. holds: the whole interval is above −limit; fails: the whole interval is "
        f"below it{holm}; else not clear: it takes more samples, or a larger limit, to tell.",
        *(f"{_called(row)}: {row.reason}." for row in gate.rows if row.reason),
        *(
            f"{_called(row)}: the interval is below −limit, but not after Holm's correction: p = "
            f"{probability_text(row.p_adjusted)}, and {(1 - gate.level) / 2:g} or less fails."
            for row in gate.rows
            if row.verdict == "not clear" and row.upper < -row.limit
        ),
    ]
    if gate.parts:
        found.append(
            "Parts fail only where the drop is clearly larger than the limit after Holm's correction of all of them; one that is "
            "not clear changes nothing."
        )
    return [*found, *(f"Note: {note}." for note in gate.notes)]


def _about(gate):
    baseline, candidate = gate.names
    groups = "" if gate.n_groups is None else f" in {gate.n_groups:,} groups"
    n = f"{gate.n_samples:,} sample{'s' * (gate.n_samples != 1)}{groups}"
    return f"Candidate {candidate} against baseline {baseline}: {n}, {100 * gate.level:g} % paired intervals."


def _shown(gate):
    """The parts that are listed: those that fail, then the largest drops for their limit; none without an interval."""
    known = [row for row in gate.parts if not math.isnan(row.lower)]
    return sorted(known, key=lambda row: (row.verdict != "fails", _in_limits(row), row.difference))[:MOST_PARTS]


def _in_limits(row):
    """The difference divided by the limit, since metrics have several units."""
    if row.limit:
        return row.difference / row.limit
    return math.copysign(math.inf, row.difference) if row.difference else 0.0


def _of_parts(gate):
    """How many parts there are of each verdict, and which are listed."""
    known, none = ([row for row in gate.parts if math.isnan(row.lower) == is_none] for is_none in (False, True))
    counts = Counter(row.verdict for row in known)
    each = [
        f"{counts['fails']:,} of {len(gate.parts):,} fail",
        f"{counts['holds'] + counts['same answers']:,} hold",
        f"{counts['not clear']:,} {'is' if counts['not clear'] == 1 else 'are'} not clear",
    ]
    if none:
        few = f"fewer than {FEWEST} {'samples' if gate.n_groups is None else 'groups'}"
        reasons = {few if _NEEDS_AT_LEAST in row.reason else row.reason for row in none}
        why = reasons.pop() if len(reasons) == 1 else "for several reasons, which JSON has"
        each.append(f"{len(none):,} {'has' if len(none) == 1 else 'have'} no interval ({why})")
    n_metrics, n_parts = (len({getattr(row, of) for row in gate.parts}) for of in ("key", "part"))
    order = "drop divided by limit" if n_metrics > 1 else "drop"
    listed = f"; {MOST_PARTS} are listed, those that fail first, each by {order}" if len(known) > MOST_PARTS else ""
    of_each = f", {n_parts:,} part{'s' * (n_parts != 1)} by {n_metrics} metrics" if n_metrics > 1 else ""
    return f"By {gate.by}{of_each}: {', '.join(each)}{listed}"


def _called(row):
    return _named(row) if row.part else f"{_named(row)} ({_limit(row)})"


def _named(row):
    return f"{row.key} of {row.part}" if row.part else row.key


def _limit(row):
    return f"limit {value_text(row.limit)}{f' {row.column.unit}' if row.column.unit else ''}"


def _cells(row):
    # The number first: a line that begins with a name from a file could be a command to the program that reads the log.
    name = row.key if not row.part else f"{row.key} of {printable(row.part)} ({count_text(row.n)})"
    values = (_value(row, row.baseline), _value(row, row.candidate), _signed(row, row.difference), _interval(row))
    return name, *values, value_text(row.limit), row.verdict


def _value(row, value):
    """With four decimals, and as many more as a small limit takes."""
    if not math.isfinite(value):
        return value_text(value)
    return fixed_text(value, 4 if not 0 < row.limit < 0.01 else 2 - math.floor(math.log10(row.limit)))


def _signed(row, value):
    text = _value(row, value).replace("-", "−")
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _interval(row):
    return DASH if math.isnan(row.lower) else f"[{_signed(row, row.lower)}, {_signed(row, row.upper)}]"


def _columns(rows):
    """Lines of a table with spaces."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _table(rows):
    lines = [_HEADER, ("---", *["---:"] * (len(_HEADER) - 2), "---"), *(tuple(map(plain, row)) for row in rows)]
    return [table_row(cells) for cells in lines]


def _xml(words):
    return _NO_XML.sub("�", words)
