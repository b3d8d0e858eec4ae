"""What the chosen model answers at the threshold: a histogram of depths, and one sentence; both follow the handle."""

from __future__ import annotations

import json

import altair as alt

from hierviz.charts import curve_table as numbers
from hierviz.charts._canvas import places
from hierviz.charts._compose import OWN_COLOUR, layer, tooltips
from hierviz.charts._coupling import ONE
from hierviz.charts.theme import FONT, SIZE
from hierviz.messages.number_text import NUDGE


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
