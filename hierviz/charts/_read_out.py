"""Around the operating curves: title, table and depths of the answers, which follow the threshold without a server."""

from __future__ import annotations

import json

import altair as alt

from hierviz.charts import curve_table as numbers
from hierviz.charts._compose import OWN_COLOUR, frame, layer, tooltips
from hierviz.charts._coupling import ONE, ROW
from hierviz.charts._plane import LEFT
from hierviz.charts._text import text_width, wrap_words
from hierviz.charts.comparison_words import threshold_caution
from hierviz.charts.theme import SIZE
from hierviz.messages.number_text import NUDGE, count_text
from hierviz.metrics.registry import METRICS

LINE = 17
# Of the answers, without a judgement: title in a wide and in a narrow table, and format.
OF_ANSWERS = {
    numbers.NOT_AT_LEAF: ("Not at a leaf", "Inner", ".3f"),
    numbers.MEAN_DEPTH: ("Mean depth", "Depth", ".2f"),
}


def read_out(figure, width, wide):
    """One row a model, one column a number, at the threshold of the selection; none is marked as the best.

    Parameters
    ----------
    figure : CurveFigure
    width : int
        Pixels of the whole figure, which starts `LEFT` left of this view's origin.
    wide : bool
        Names next to the numbers in place of above them.

    Returns
    -------
    alt.LayerChart
    """
    names, look, coupling = list(figure.curves), figure.look, figure.coupling
    keys = [*figure.keys, *(OF_ANSWERS if figure.layers.answers else ())]
    # A phone has no room for more columns: these two are then in the line of the name.
    first, last = ([] if coupling.is_shared else ["threshold"], ["n"]) if wide else ([], [])
    columns = [*first, *keys, *last]
    start, end = min(240, width * 0.26) * wide - LEFT, width - 16 - LEFT
    step, size = (end - start) / len(columns), SIZE if wide else 12
    bare = {"title": None, "domain": False, "ticks": False, "grid": False, "labelOverlap": False}
    above = alt.Axis(
        orient="top",
        labelExpr=f"{json.dumps([_title(key, wide) for key in columns])}[datum.value]",
        labelAngle=0,
        labelAlign="right",
        labelColor=look.muted,
        labelFontSize=SIZE - 1 if wide else 11.5,
        **bare,
    )
    of_names = alt.Axis(
        labelExpr=f"{json.dumps(names)}[datum.value]",
        labelAlign="left",
        labelPadding=LEFT - 2,
        labelLimit=start + LEFT - 8 if wide else width - 80 - 80 * (not coupling.is_shared),
        labelOffset=0 if wide else -10,
        labelColor={
            "condition": [{"test": f"datum.value === {j}", "value": of} for j, of in enumerate(figure.colours)],
            "value": look.ink,
        },
        labelFontSize=SIZE,
        labelFontWeight=600,
        **bare,
    )
    ends = {"type": "point", "padding": 0, "range": [start + step, end]}
    at_x = alt.X("k:O", axis=above, scale={"domain": list(range(len(columns))), **ends})
    at_y = alt.Y("j:O", axis=of_names, scale={"domain": list(range(len(names)))})

    def words(made, field, x=at_x, y=at_y, key=ROW, **mark):
        mark = {"align": "right", "fontSize": size, "color": look.ink, "tooltip": None} | mark
        return made.mark_text(baseline="middle", **mark).encode(x, y, text=alt.Text(f"{field}:N"), key=key)

    n = [f"{of.n_samples:,}" if wide else f"n = {count_text(of.n_samples)}" for of in figure.curves.values()]
    n = alt.Chart(frame({"j": list(range(len(names))), "k": [len(columns) - 1] * len(names), "n": n}))
    layers = [
        words(_values(figure, keys, len(first)), "shown", key=alt.Key("field:N"), dy=0 if wide else 8),
        words(n, "n", color=look.muted, dy=0 if wide else -10),
    ]
    if not coupling.is_shared:
        own = coupling.at_threshold(figure.knots, figure.colours, figure.axes.y)
        own = own.transform_calculate(
            own="datum.text" if wide else "'τ = ' + datum.text", k=f"{0 if wide else len(columns) - 1}"
        )
        layers.append(words(own, "own", **({} if wide else {"dx": -75, "dy": -10})))
    if wide:
        heading = "'At τ = ' + datum.text" if coupling.is_shared else "'Each at its own τ'"
        of_all = coupling.knot(figure.knots).transform_calculate(heading=heading)
        look_of = {"align": "left", "fontSize": SIZE - 1, "color": look.muted}
        layers.append(words(of_all, "heading", alt.XValue(2 - LEFT), alt.YValue(-11), ONE, **look_of))
    size = {"width": width - LEFT, "height": (24 if wide else 42) * len(names)}
    if caution := threshold_caution(len(names), coupling.is_shared):
        lines = wrap_words(caution, width - 8, SIZE - 1, most_lines=6)
        look_of = {"color": look.muted, "fontSize": SIZE - 1, "lineHeight": LINE}
        size["title"] = alt.TitleParams(lines, orient="bottom", anchor="start", **look_of)
    return layer(*layers).properties(**size, name="read_out")


def _title(key, wide):
    if key in ("threshold", "n"):
        return "τ" if key == "threshold" else "n"
    if key in OF_ANSWERS:
        return OF_ANSWERS[key][0 if wide else 1]
    return numbers.short_label(key) if wide else METRICS[key].brief or numbers.short_label(key)


def _values(figure, keys, before):
    """The numbers, formatted in the browser: rows ``j`` (model), ``k`` (column, after so many others) and ``shown``."""
    n, coupling = len(figure.curves), figure.coupling
    columns = [numbers.column(key, j) for key in keys for j in range(n)]
    formats = [OF_ANSWERS[key][2] if key in OF_ANSWERS else numbers.number_format(key) for key in keys]
    made = coupling.near(figure.knots).transform_fold(columns, as_=["field", "value"])
    made = made.transform_calculate(spot=f"indexof({json.dumps(columns)}, datum.field)")
    made = made.transform_calculate(j=f"datum.spot % {n}", k=f"{before} + floor(datum.spot / {n})")
    return coupling.own_rows(made).transform_calculate(
        shown=f"format(datum.value, {json.dumps(formats)}[datum.k - {before}])"
    )


def depth_histogram(figure, width, height):
    """Number of answers of the chosen model by depth, at its threshold."""
    look = figure.look
    depths = max(taxonomy.max_depth for taxonomy, _ in figure.layers.answers.values()) + 1
    columns = [f"depth{d}" for d in range(depths)]
    n_samples = [table.n_samples for _, table in figure.layers.answers.values()]
    # The columns of the first model represent those of the chosen model.
    folded = [numbers.column(column, 0) for column in columns]
    rows = (
        figure.coupling.knot(figure.knots)
        .transform_fold(folded, as_=["field", "_"])
        .transform_calculate(depth=f"indexof({json.dumps(folded)}, datum.field)")
        .transform_calculate(count="datum['depth' + datum.depth + '_' + picked]")
        .transform_calculate(share=f"datum.count / {json.dumps(n_samples)}[picked]", label="format(datum.count, ',')")
        .transform_calculate(colour=f"{json.dumps(figure.colours)}[picked]")
    )
    ticks = list(range(0, depths, 1 + depths // 12))
    axis = alt.Axis(title="Depth of the answer", values=ticks, labelAngle=0, titlePadding=4, labelPadding=4, zindex=0)
    at_x = alt.X("depth:O", axis=axis, scale={"domain": list(range(depths)), "padding": 0.2})
    at_y, key = alt.Y("share:Q", axis=None, scale={"domain": [0, 1.0], "nice": False}), alt.Key("depth:N")
    fields = {"depth:Q": "Depth, edges", "count:Q": ("Answers", ","), "share:Q": ("Share of all", ".1%")}
    bars = rows.mark_rect(opacity=1).encode(
        at_x, at_y, y2=alt.datum(0), color=OWN_COLOUR, tooltip=tooltips(fields), key=key
    )
    layers = [bars]
    # More bars than that leave no room for numbers; they are under the pointer then.
    if width / depths >= 26:
        words = rows.mark_text(baseline="bottom", dy=-2, fontSize=11, color=look.muted, tooltip=None)
        layers.append(words.encode(at_x, at_y, text=alt.Text("label:N"), key=key))
    title = alt.TitleParams("Answers by depth", offset=14, anchor="start", color=look.ink)
    return layer(*layers).properties(width=width, height=height, name="depths", title=title)


def live_sentence(figure, width, wide):
    """The title: what the chosen model does at its threshold, in one sentence that follows the handle."""
    look, metrics = figure.look, figure.words.metrics
    names = json.dumps(list(figure.curves))
    keys = {f"value{place}": key for place, key in enumerate(metrics)}
    keys |= {"inner": numbers.NOT_AT_LEAF} if figure.layers.answers else {}
    # Every column by its name: the browser sees from it what to compute again.
    columns = {name: [numbers.column(key, j) for j in range(len(figure.curves))] for name, key in keys.items()}
    looked = {name: f"[{', '.join(f'datum.{column}' for column in every)}][picked]" for name, every in columns.items()}
    first, *others = (f"'{words} ' + datum.value{place}" for place, words in enumerate(metrics.values()))
    text = [
        f"{names}[picked] + ' at τ = ' + datum.text + ': ' + {first} + ','",
        " + ', ' + ".join(others) + " + '.'",
    ]
    if figure.layers.answers:
        text.append("'Answers above the leaves: ' + datum.inner + '.'")
    size = SIZE + 2 if wide else SIZE
    longest = " ".join(
        [max(figure.curves, key=len), "at τ = 0.5000:", *(f"{words} 100 %," for words in metrics.values())]
    )
    longest += " Answers above the leaves: 100 %." if figure.layers.answers else ""
    if wide and text_width(longest, size, bold=True) <= width:
        text = [" + ' ' + ".join(text)]
    elif wide:
        text = [" + ' ' + ".join(text[:2]), *text[2:]]
    line = size + 7
    made = figure.coupling.knot(figure.knots)
    made = made.transform_calculate(**{f"{name}_share": share for name, share in looked.items()})
    made = made.transform_calculate(**{name: _percent(f"datum.{name}_share", wide) for name in looked})
    for i, words in enumerate(text):
        made = made.transform_calculate(**{f"line{i}": words})
    mark = {
        "align": "left",
        "baseline": "middle",
        "fontSize": size,
        "fontWeight": 600,
        "color": look.ink,
        "limit": width,
    }
    at_x, base = alt.XValue(2 - LEFT), made.mark_text(tooltip=None, **mark)
    layers = [
        base.encode(at_x, alt.YValue(line * (i + 0.5)), text=alt.Text(f"line{i}:N"), key=ONE) for i in range(len(text))
    ]
    return layer(*layers).properties(width=width - LEFT, height=line * len(text), name="sentence")


def _percent(share, wide):
    """Expression of a share as `percent_text` writes it, halves rounded up; in a narrow drawing with signs for words."""
    whole = f"(100 * {share})"
    rounded = f"round({whole} + {NUDGE})"
    under, over = ("under 1 %", "over 99 %") if wide else ("< 1 %", "> 99 %")
    return f"{share} > 0 && {share} < 0.01 ? '{under}' : {share} > 0.99 && {share} < 1 ? '{over}' : {rounded} + ' %'"
