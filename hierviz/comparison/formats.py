"""A table of methods as Markdown, LaTeX and CSV."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence

from hierviz.messages.csv_cells import SafeWriter
from hierviz.messages.number_text import fixed_text, value_text

DASH, BOLD = "–", ("best", "tied")
# Special characters of LaTeX and their escapes.
_ESCAPES = {
    "\\": r"\textbackslash{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the start of a row these would belong to the line break before it.
    **{letter: f"{{{letter}}}" for letter in "[]*"},
    '"': "''",
    "−": "$-$",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "τ": r"$\tau$",
    "β": r"$\beta$",
    "²": r"$^2$",
    "ⁿ": r"$^n$",
    DASH: "--",
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def number(value, column=None, decimals=4):
    """A value with four decimals; whole numbers whole; small ones with as many digits that count; a dash for None."""
    if value is None or not math.isfinite(value):
        return value_text(math.nan if value is None else value)
    is_count = column is not None and column.unit in ("samples", "nodes", "points")
    if is_count and float(value).is_integer():
        return f"{value:.0f}"
    if is_count:
        return f"{value:.1f}"
    if value and abs(value) < 0.01:
        decimals -= 1 + math.floor(math.log10(abs(value)))
    return fixed_text(value, min(decimals, 12)).replace(",", "")


def cell_parts(table, method, column, place):
    """(value, spread or "", interval or "", mark or None) of one cell, as text."""
    spread, ends, interval = method.spread(column.key), table.interval(method, column), ""
    if ends is not None and not any(map(math.isinf, ends)):
        interval = f"[{number(ends[0], column)}, {number(ends[1], column)}]"
    spread = "" if spread is None else f"± {number(spread, column)}"
    return number(method.value(column.key), column), spread, interval, table.marks[column.key][place]


# Markdown --------------------------------------------------------------------------------------------------------------


def markdown(table) -> str:
    """The table as Markdown."""
    has_runs = any(method.n_runs > 1 for method in table.methods)
    header = ["Method", *(["Runs"] if has_runs else []), *_labels(table, plain, "↑", "↓")]
    rows = []
    for place, method in enumerate(table.methods):
        cells = [plain(method.name), *([str(method.n_runs)] if has_runs else [])]
        for column in table.columns:
            value, spread, interval, mark = cell_parts(table, method, column, place)
            value = f"**{value}**" if mark in BOLD else f"*{value}*" if mark == "second" else value
            cells.append(" ".join(part for part in (value, spread, interval) if part))
        rows.append(cells)
    constant = ["Best constant", *([""] if has_runs else [])]
    rows.append([*constant, *(number(table.constants.values.get(column.key), column) for column in table.columns)])
    lines = [f"{plain(table.outside_words)}.", ""] if table.outside_words else []
    lines += [table_row(header), table_row(["---"] + ["---:"] * (len(header) - 1)), *map(table_row, rows), ""]
    lines += [f"{text}\n" for text in notes(table)]
    return "\n".join(lines)


def notes(table) -> list[str]:
    """The notes below a table: marks, constants, dashes, warnings, agreement and methods."""
    found = []
    if len(table.methods) > 1 and table.resamples is not None:
        found.append("Bold: the best and all that are not clearly different from it. Italics: the best of the rest.")
    if table.constants.answers:
        named = _labels_by_text(table, table.constants.answers)
        found.append(f"Best constant: {'; '.join(f'{what}: {labels}' for what, labels in named.items())}.")
    for method in table.methods:
        reasons = _labels_by_text(table, table.reasons(method.name))
        found += [f"{DASH} {method.name}, {labels}: {reason}." for reason, labels in reasons.items()]
        found += [f"Warning, {method.name}: {sentence}" for sentence in table.warnings[method.name]]
    if len(table.methods) > 1 and len(table.columns) > 1:
        found.append(table.agreement.sentence)
    found += [f"Note: {sentence}." for sentence in [*table.notes, *table.notes_of_files]]
    return [*found, f"Methods: {table.methods_paragraph}"]


def _labels_by_text(table, texts):
    """Labels of the columns that share a text, which `texts` has by their keys."""
    named: dict[str, list[str]] = {}
    for column in table.columns:
        if text := texts.get(column.key):
            named.setdefault(text, []).append(column.label)
    return {text: ", ".join(labels) for text, labels in named.items()}


def _labels(table, written, up, down):
    """Labels of the columns with unit and better direction."""
    arrows = {"higher": f" {up}", "lower": f" {down}"}
    units = {column.key: f" ({column.unit})" if column.unit else "" for column in table.columns}
    return [written(f"{column.label}{units[column.key]}") + arrows.get(column.better, "") for column in table.columns]


def plain(text: str) -> str:
    """Text in a cell of Markdown: no line break, no mark of its own."""
    return re.sub(r"([\\|*_`<>\[\]])", r"\\\1", _CONTROL.sub(" ", text))


def table_row(cells: Iterable[str]) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


# LaTeX -----------------------------------------------------------------------------------------------------------------


def latex_text(text: str) -> str:
    """Text as LaTeX shows it: special letters escaped, control characters as spaces."""
    return "".join(_ESCAPES.get(letter, letter) for letter in _CONTROL.sub(" ", text))


def latex(table) -> str:
    """The table in LaTeX: booktabs, best and tied bold, second underlined, spread and interval in small type."""
    lines = [
        "% needs \\usepackage{booktabs}; letters outside of Latin need XeLaTeX or LuaLaTeX",
        "\\begin{table}",
        "\\centering",
        f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        "\\toprule",
    ]
    lines += [" & ".join(["Method", *_labels(table, latex_text, r"$\uparrow$", r"$\downarrow$")]) + r" \\", "\\midrule"]
    for place, method in enumerate(table.methods):
        cells = [latex_text(method.name)]
        for column in table.columns:
            value, spread, interval, mark = cell_parts(table, method, column, place)
            shown = latex_text(value)
            shown = f"\\textbf{{{shown}}}" if mark in BOLD else f"\\underline{{{shown}}}" if mark == "second" else shown
            more = " ".join(latex_text(part) for part in (spread, interval) if part)
            cells.append(f"{shown} {{\\scriptsize {more}}}" if more else shown)
        lines.append(" & ".join(cells) + r" \\")
    constant = [latex_text(number(table.constants.values.get(column.key), column)) for column in table.columns]
    lines += ["\\midrule", " & ".join(["Best constant", *constant]) + r" \\", "\\bottomrule", "\\end{tabular}"]
    marks = "Bold: the best and all that are not clearly different from it; underlined: the best of the rest."
    lines += [f"\\caption{{{latex_text(f'{marks} {table.methods_paragraph}')}}}", "\\end{table}"]
    return "\n".join(lines) + "\n"


# CSV -------------------------------------------------------------------------------------------------------------------

PARTS = ("", "_spread", "_low", "_high", "_rank", "_mark")


def csv_text(table) -> str:
    """One row a method; of each column six cells: value, ``_spread``, ``_low``, ``_high``, ``_rank``, ``_mark``."""
    text = io.StringIO(newline="")
    writer = SafeWriter(text)
    header: list[str] = ["model", "n_samples", "n_runs"]
    header += [f"{column.key}{part}" for column in table.columns for part in PARTS]
    writer.writerow(header)
    for place, method in enumerate(table.methods):
        cells: list[object] = [method.name, method.n_samples, method.n_runs]
        for column in table.columns:
            ends: Sequence[float | None] = table.interval(method, column) or (None, None)
            values = (method.value(column.key), method.spread(column.key), *ends)
            cells += ["" if value is None else "Infinity" if math.isinf(value) else value for value in values]
            rank, mark = table.ranks[column.key][place], table.marks[column.key][place]
            cells += ["" if rank is None else rank, mark or ""]
        writer.writerow(cells)
    return text.getvalue()
