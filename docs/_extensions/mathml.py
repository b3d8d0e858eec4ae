"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml

# What docutils lacks: sizes of brackets, which MathML chooses itself, and other names.
OTHERWISE = {r"\Bigl": "", r"\Bigr": "", r"\Big": "", r"\big": "", r"\textstyle": "", r"\dots": r"\ldots"}


def mathml(formula, is_display):
    """MathML of a formula; an unknown command is an error, which ends the build."""
    for command, other in OTHERWISE.items():
        formula = formula.replace(command, other)
    return latex2mathml.tex2mathml(formula, as_block=is_display)


def inline(translator, node):
    """Within a line."""
    translator.body.append(mathml(node.astext(), False))
    raise SkipNode


def display(translator, node):
    """On a line of its own."""
    translator.body.append(f'<div class="math display">{mathml(node.astext(), True)}</div>')
    raise SkipNode


def setup(app):
    """The renderer `mathml` for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True}
