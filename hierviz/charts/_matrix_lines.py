"""The lines of the collapsible matrix: how many have room, and what they are called."""

from __future__ import annotations

# Smallest side of a cell, and the room a printed number needs.
NARROWEST, PRINTED = 15, 26
SIGNS = {"open": "− ", "closed": "+ ", "": ""}
WITHOUT_NODE = {-1: ("no truth left", "no answer left"), -2: ("outside the taxonomy", "outside the taxonomy")}
# Lines that fill a place; more of them would be too small for their counts, or higher than a window.
FILLED = 34


def matrix_lines(width):
    """How many lines of the matrix can be read on `width` pixels."""
    return int((width - label_width(width)) // (NARROWEST + 2))


def lines_at_first(width):
    """How many lines a matrix has that fills `width` pixels and a window, with the counts in its cells."""
    return min(FILLED, matrix_lines(width), max(8, int((width - label_width(width)) // PRINTED)))


def label_width(width):
    """Pixels of the names of rows at most, of so many of the matrix."""
    return min(230, 0.3 * width)


def line_key(folded, line):
    """What a line is called in selections: the number of its node, or "others-" and that of the parent."""
    return f"{'others-' * bool(folded.n_folded[line])}{folded.nodes[line]}"


def line_title(folded, line, is_row=True):
    """Name of a line in words."""
    node = int(folded.nodes[line])
    if node < 0:
        return WITHOUT_NODE[node][0 if is_row else 1]
    title = folded.matrix.taxonomy.title(node)
    if folded.n_folded[line]:
        return f"{folded.n_folded[line]:,} other classes of {title}"
    return f"{title} itself" if folded.is_open[line] else title


def words_of_lines(folded):
    """`line_key`, and `line_title` as a row and as a column, of every line."""
    lines = range(len(folded.nodes))
    return (
        [line_key(folded, line) for line in lines],
        *([line_title(folded, line, is_row) for line in lines] for is_row in (True, False)),
    )


def line_label(folded, line, is_row):
    """What is written next to a line, with a sign where it opens or closes."""
    if folded.n_folded[line]:
        return f"{folded.n_folded[line]:,} others"
    sign = "open" if folded.is_open[line] else "closed" if folded.can_open[line] else ""
    return SIGNS[sign] + (line_title(folded, line, is_row).removesuffix(" itself" if sign == "open" else ""))


def line_level(folded, line):
    """Steps of indentation of a line."""
    node = int(folded.nodes[line])
    return 0 if node < 0 else int(folded.tree.depth[node]) + bool(folded.n_folded[line])
