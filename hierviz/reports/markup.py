"""Tables, lists of facts, pictures and folded parts of a report as HTML; what is passed in is HTML already."""

from __future__ import annotations

from html import escape


def table(heads, rows, look="numbers"):
    """A table whose first column names its rows; `look` is "numbers" or "texts"."""
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    return f'<div class="wide"><table class="{look}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def terms(pairs, look=' class="facts"'):
    """Terms with their values."""
    return f"<dl{look}>{''.join(f'<dt>{name}</dt><dd>{value}</dd>' for name, value in pairs)}</dl>"


def meaning(labelled):
    """What numbers mean, folded, of objects with a label and a sentence; empty where there are none."""
    pairs = [(escape(one.label), escape(one.sentence)) for one in labelled]
    return folded("What these numbers mean", terms(pairs, "")) if pairs else ""


def folded(label, content):
    """What opens under a label; empty where there is nothing."""
    return f"<details><summary>{label}</summary>{content}</details>" if content else ""


def chart(key, sentence):
    """The place of a packed chart, with what it shows in words below."""
    said = escape(sentence)
    place = f'<div class="chart" data-chart="{key}" role="group" aria-label="{said}"></div>'
    return f"<figure>{place}<figcaption>{said}</figcaption></figure>"
