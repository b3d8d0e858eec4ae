"""What the model looked at answers at the threshold: a histogram of depths, and one sentence; both follow the handle."""

from __future__ import annotations

import json

import altair as alt

from hierviz.charts import curve_table as numbers
from hierviz.charts._canvas import position
from hierviz.charts._compose import layer
from hierviz.charts._coupling import ONE
from hierviz.charts.theme import FONT, SIZE
from hierviz.messages.number_text import NUDGE


def depth_histogram(figure, width, height):
    """How many answers of the model looked at have which depth, at its threshold."""
    look = figure.look
    depths = max(taxonomy.max_depth for taxonomy, _ in figure.layers.answers.values()) + 1
    columns = [f"depth{d}" for d in range(depths)]
    n_samples = [table.n_samples for _, table in figure.layers.answers.values()]
    # The first model's columns stand for those of the model looked at.
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
    tooltip = [
        alt.Tooltip("depth:Q", title="Depth, edges"),
        alt.Tooltip("count:Q", title="Answers", format=","),
        alt.Tooltip("share:Q", title="Share of all", format=".1%"),
    ]
    bars = rows.mark_rect(tooltip=True, opacity=1).encode(
        alt.X("low:Q", scale=scale, axis=axis),
        x2=alt.X2("high:Q"),
        y=at_y,
        y2=alt.datum(0),
        color=alt.Color("colour:N", scale=None),
        tooltip=tooltip,
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
    """What the model looked at does at its threshold, in one sentence that follows the handle."""
    look, told = figure.look, figure.words.told
    names = json.dumps(list(figure.curves))
    keys = {f"told{place}": key for place, key in enumerate(told)}
    keys |= {"inner": numbers.NOT_AT_LEAF} if figure.layers.answers else {}
    # Every column by its name: the browser sees from it what to work out again.
    columns = {name: [numbers.column(key, j) for j in range(len(figure.curves))] for name, key in keys.items()}
    looked = {name: f"[{', '.join(f'datum.{column}' for column in every)}][picked]" for name, every in columns.items()}
    first, *others = (f"'{words} ' + datum.told{place}" for place, words in enumerate(told.values()))
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
        made.transform_calculate(across="2", down=f"{12 + 20 * i}")
        .mark_text(align="left", baseline="middle", fontSize=SIZE, font=FONT, color=look.ink, limit=width, tooltip=None)
        .encode(
            position("across", width - start, start=start),
            position("down", height, axis="y"),
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
