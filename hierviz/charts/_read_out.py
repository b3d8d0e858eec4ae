"""Under the operating curves: the table, and what the chosen model answers; both follow the threshold without a server."""

from __future__ import annotations

import json

import altair as alt

from hierviz.charts import curve_table as numbers
from hierviz.charts._canvas import places, texts
from hierviz.charts._compose import OWN_COLOUR, layer, tooltips
from hierviz.charts._coupling import ONE, ROW
from hierviz.charts._plane import LEFT
from hierviz.charts._text import count_text, shorten, wrap_words
from hierviz.charts.comparison_words import threshold_caution
from hierviz.charts.theme import FONT, SIZE
from hierviz.messages.number_text import NUDGE
from hierviz.metrics.registry import METRICS

LINE = 17
# Of the answers, without a judgement. Title in a wide and in a narrow table.
OF_ANSWERS = {numbers.NOT_AT_LEAF: ("Not at a leaf", "Inner"), numbers.MEAN_DEPTH: ("Mean depth", "Depth")}


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
    names, colours, look, coupling = list(figure.curves), figure.colours, figure.look, figure.coupling
    keys = [*figure.keys, *(OF_ANSWERS if figure.layers.answers else ())]
    # A phone has no room for more columns: these two are then in the line of the name.
    first, last = ([] if coupling.is_shared else ["threshold"], ["n"]) if wide else ([], [])
    row, top = (24, 28) if wide else (42, 30)
    caution = threshold_caution(len(names), coupling.is_shared)
    caution = wrap_words(caution, width - 8, SIZE - 1, most_lines=6) if caution else []
    foot = top + row * len(names)
    height = foot + (LINE * len(caution) + 4 if caution else 0)
    name_width = min(240, width * 0.26) if wide else 0
    columns = [*first, *keys, *last]
    step = (width - name_width - 16) / len(columns)
    ends = {key: name_width + step * (i + 1) for i, key in enumerate(columns)}
    size, right = SIZE if wide else 12, width - 16
    room = name_width - 8 if wide else width - 80 - (0 if coupling.is_shared else 80)
    lines = [top + row * i + (row / 2 if wide else 29) for i in range(len(names))]
    fixed = [
        {"x": end, "y": 12, "text": _title(key, wide), "colour": look.muted}
        | {"align": "right", "size": SIZE - 1 if wide else 11.5}
        for key, end in ends.items()
    ]
    for i, (name, colour, curve) in enumerate(zip(names, colours, figure.curves.values(), strict=True)):
        label = shorten(name, room, SIZE, bold=True)
        y = lines[i] if wide else top + row * i + 11
        fixed.append({"x": 2, "y": y, "text": label, "colour": colour, "weight": 600, "limit": room + 6})
        n = f"{curve.n_samples:,}" if wide else f"n = {count_text(curve.n_samples)}"
        fixed.append(
            {"x": ends["n"] if wide else right, "y": y, "text": n, "colour": look.muted, "align": "right", "size": size}
        )
    for i, line in enumerate(caution):
        y = foot + LINE * (i + 0.5) + 4
        fixed.append({"x": 2, "y": y, "text": line, "colour": look.muted, "size": SIZE - 1, "limit": width})
    layers = [texts(fixed, width - LEFT, height, start=LEFT), _values(figure, keys, ends, lines, size, width, height)]
    if not coupling.is_shared:
        layers.append(
            coupling.at_threshold(figure.knots, colours, figure.axes.y)
            .transform_calculate(
                x=f"{ends['threshold'] if wide else right - 75}",
                y=f"{json.dumps(lines)}[datum.j] - {0 if wide else 18}",
                own="datum.text" if wide else "'τ = ' + datum.text",
            )
            .mark_text(align="right", baseline="middle", fontSize=size, font=FONT, color=look.ink, tooltip=None)
            .encode(
                **places(width - LEFT, height, LEFT),
                text=alt.Text("own:N"),
                key=ROW,
            )
        )
    if wide:
        heading = "'At τ = ' + datum.text" if coupling.is_shared else "'Each at its own τ'"
        layers.append(
            coupling.knot(figure.knots)
            .transform_calculate(x="2", y="12", heading=heading)
            .mark_text(align="left", baseline="middle", fontSize=SIZE - 1, font=FONT, color=look.muted, tooltip=None)
            .encode(
                **places(width - LEFT, height, LEFT),
                text=alt.Text("heading:N"),
                key=ONE,
            )
        )
    return layer(*layers).properties(width=width - LEFT, height=height, name="read_out")


def _title(key, wide):
    if key in ("threshold", "n"):
        return "τ" if key == "threshold" else "n"
    if key in OF_ANSWERS:
        return OF_ANSWERS[key][0 if wide else 1]
    return numbers.short_label(key) if wide else METRICS[key].brief or numbers.short_label(key)


def _values(figure, keys, ends, lines, size, width, height):
    """The numbers, formatted in the browser."""
    n, coupling = len(figure.curves), figure.coupling
    columns = [numbers.column(key, j) for key in keys for j in range(n)]
    formats = [
        numbers.number_format(key) if key not in OF_ANSWERS else ".2f" if key == numbers.MEAN_DEPTH else ".3f"
        for key in keys
    ]
    made = coupling.near(figure.knots).transform_fold(columns, as_=["field", "value"])
    made = made.transform_calculate(spot=f"indexof({json.dumps(columns)}, datum.field)")
    made = made.transform_calculate(j=f"datum.spot % {n}", k=f"floor(datum.spot / {n})")
    return (
        coupling.own_rows(made)
        .transform_calculate(
            x=f"{json.dumps([ends[key] for key in keys])}[datum.k]",
            y=f"{json.dumps(lines)}[datum.j]",
            shown=f"format(datum.value, {json.dumps(formats)}[datum.k])",
        )
        .mark_text(align="right", baseline="middle", fontSize=size, font=FONT, color=figure.look.ink, tooltip=None)
        .encode(
            **places(width - LEFT, height, LEFT),
            text=alt.Text("shown:N"),
            key=alt.Key("field:N"),
        )
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
        .transform_calculate(share=f"datum.count / {json.dumps(n_samples)}[picked]", low="datum.depth - 0.4")
        .transform_calculate(high="datum.depth + 0.4", label="format(datum.count, ',')")
    )
    scale = alt.Scale(domain=[-0.6, depths - 0.4], nice=False, zero=False)
    ticks = list(range(0, depths, 1 + depths // 12))
    axis = alt.Axis(title="Depth of the answer", values=ticks, format="d", grid=False, titlePadding=4, labelPadding=4)
    at_y = alt.Y("share:Q", axis=None).scale(domain=[0, 1.0], nice=False)
    fields = {"depth:Q": "Depth, edges", "count:Q": ("Answers", ","), "share:Q": ("Share of all", ".1%")}
    bars = rows.mark_rect(tooltip=True, opacity=1).encode(
        alt.X("low:Q", scale=scale, axis=axis),
        x2=alt.X2("high:Q"),
        y=at_y,
        y2=alt.datum(0),
        color=OWN_COLOUR,
        tooltip=tooltips(fields),
        key=alt.Key("depth:N"),
    )
    bars = bars.transform_calculate(colour=f"{json.dumps(figure.colours)}[picked]")
    layers = [bars]
    # More bars than that leave no room for numbers; they are under the pointer then.
    if width / depths >= 26:
        layers.append(
            rows.mark_text(baseline="bottom", dy=-2, fontSize=11, font=FONT, color=look.muted, tooltip=None).encode(
                alt.X("depth:Q", scale=scale), y=at_y, text=alt.Text("label:N"), key=alt.Key("depth:N")
            )
        )
    title = alt.TitleParams("Answers by depth", offset=14, anchor="start", color=look.ink)
    return layer(*layers).properties(width=width, height=height, name="depths", title=title)


def live_sentence(figure, width, wide, start):
    """What the chosen model does at its threshold, in one sentence that follows the handle."""
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
    if wide:
        text = [" + ' ' + ".join(text)]
    height = 20 * len(text) + 2
    made = figure.coupling.knot(figure.knots)
    made = made.transform_calculate(**{f"{name}_share": share for name, share in looked.items()})
    made = made.transform_calculate(**{name: _percent(f"datum.{name}_share") for name in looked})
    for i, line in enumerate(text):
        made = made.transform_calculate(**{f"line{i}": line})
    layers = [
        made.transform_calculate(x="2", y=f"{12 + 20 * i}")
        .mark_text(align="left", baseline="middle", fontSize=SIZE, font=FONT, color=look.ink, limit=width, tooltip=None)
        .encode(
            **places(width - start, height, start),
            text=alt.Text(f"line{i}:N"),
            key=ONE,
        )
        for i in range(len(text))
    ]
    return layer(*layers).properties(width=width - start, height=height, name="sentence")


def _percent(share):
    """Expression of a share as `percent_text` writes it: halves are rounded up."""
    whole = f"(100 * {share})"
    rounded = f"round({whole} + {NUDGE})"
    return (
        f"{share} > 0 && {share} < 0.01 ? 'under 1 %' : {share} > 0.99 && {share} < 1 ? 'over 99 %' : {rounded} + ' %'"
    )
