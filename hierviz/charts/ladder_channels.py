"""What the marks of the drawing of one sample share: channels are expressions of signals and of the row.

Functions
---------
mark, text
"""

from __future__ import annotations

# Colour of the outcome of a step; words of the state of a node.
OUTCOME = "(datum.outside ? c.outside : {exact: c.tp, coarse: c.path, no_answer: c.root, wrong: c.fp}[datum.outcome] || c.root)"
STATE = (
    "(told ? {tp: 'correct', fp: 'wrong', outside: 'wrong', fn: 'missed', path: 'answered'}[datum.state] || '' : '')"
)
# What a node is, where that is shown.
SHOWN, IS_END = "(told ? datum.state : 'root')", "(told && datum.answer || datum.truth)"
# Whether the answer says nothing.
IS_ROOT = "(told && now.outcome === 'no_answer')"
Y, LANE = "(top + datum.u * slot_tall)", "(x0 + 10 + datum.lane * lane_step)"
SMALL = {"fill": "c.muted", "fontSize": 11}
BOLD = {"fontWeight": 600}


def mark(kind, data=None, *, name=None, interactive=False, **encode):
    """A mark of each row of a data set, or a single one; channels are expressions (text) or values."""
    entries = {key: {"signal": value} if isinstance(value, str) else {"value": value} for key, value in encode.items()}
    made = {"type": kind, "encode": {"update": entries}, "interactive": interactive}
    return made | ({"from": {"data": data}} if data else {}) | ({"name": name} if name else {})


def text(data=None, **encode):
    encode |= {key: f"{encode[key]} * large" for key in ("fontSize", "lineHeight") if isinstance(encode.get(key), int)}
    return mark("text", data, **{"baseline": "'middle'", "fontSize": "size", "fill": "c.ink"} | encode)
