"""A second opinion: every number of a model computed again in an independent way, and which numbers are equal."""

import pandas as pd
import streamlit as st

from hierviz.app.state.escape import escape
from hierviz.app.widgets import table
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.progress import choice_key, is_wanted, worked_out
from hierviz.second_opinion.verify import BY_DEFINITION, DIFFERENT, EQUAL, LEFT_OUT, MOST_SAMPLES, verify

HEADINGS = {
    DIFFERENT: "Different",
    BY_DEFINITION: "Different by definition",
    LEFT_OUT: "Not recomputed",
    EQUAL: "Equal",
}


def draw(compared, row):
    """Which model, in the row of the page, a button that starts the work, and what it found."""
    st.markdown(
        "Every number of a model is computed a second time in an independent way: from plain definitions with sets and loops, "
        "and by scikit-learn and hiclass where they are installed and define a number alike. This takes seconds to minutes, "
        f"on at most {MOST_SAMPLES:,} samples, drawn at random from more."
    )
    runs = {f"{key} {place}": run for key in compared.keys for place, run in enumerate(compared.runs(key))}
    with row:
        called = {where: (run.predictions.name, run.predictions.run) for where, run in runs.items()}
        names = {where: ", ".join(filter(None, names)) for where, names in called.items()}
        where = pick("Model", names, ("second opinion", "model"), width=170)
    model, choice = runs[where], compared.choice_of(where.rpartition(" ")[0])
    asked = ("second opinion", (compared.data.digest, where, choice_key(choice)))
    if not is_wanted(*asked, False, "Second opinion", type="primary", icon=":material/fact_check:"):
        return
    what = "Recomputing every number"
    found = worked_out(*asked, "Second opinion", lambda told: verify(model, progress=told(what, "steps"), **choice))
    if found is not None:
        _found(found)


def _found(opinion):
    say, sign = (st.error, "error") if opinion.of_verdict(DIFFERENT) else (st.success, "check_circle")
    say(escape(opinion.sentence), icon=f":material/{sign}:")
    frame = pd.DataFrame(
        [[check.key, check.value, check.again, check.way, check.verdict, check.why] for check in opinion.checks],
        columns=["number", "hierviz", "again", "by", "verdict", "why"],
    )
    for column in ("hierviz", "again"):
        frame[column] = pd.to_numeric(frame[column], errors="coerce")
    number = table.number(decimals=6)
    for verdict, heading in HEADINGS.items():
        part = frame[frame["verdict"] == verdict]
        if not len(part):
            continue
        columns = {"number": None, "hierviz": number, "again": number, "by": None}
        columns |= {} if verdict == EQUAL else {"why": None}
        with st.expander(f"{heading} ({len(part)})", expanded=verdict in (DIFFERENT, BY_DEFINITION)):
            table.draw(part, columns, key=f"second-{verdict}", most=458)
    table.download("All comparisons (CSV)", frame, "second-opinion.csv", "get-second")
