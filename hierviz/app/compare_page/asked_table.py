"""Which table of methods is wanted, and the one that was computed: shared by the parts of the page that show it."""

from __future__ import annotations

from hierviz.app import state
from hierviz.app.widgets.controls import pick
from hierviz.app.widgets.progress import worked_out
from hierviz.comparison.table import compare

TITLES = {
    "": "short selection",
    "wu": "Wu, Tygert & LeCun 2019",
    "riehl": "Riehl et al. 2023",
    "plaud": "Plaud et al. 2024",
    "valmadre": "Valmadre 2022",
    "kiritchenko": "Kiritchenko et al. 2006",
    "all": "all numbers",
}
# Samples of all models together whose intervals are computed unasked, and about how many of them a second.
AT_ONCE, A_SECOND = 20_000, 2_000


def n_resampled(compared):
    """Samples of all runs of all methods together."""
    return sum(run.n_judged for method in compared.keys for run in compared.runs(method))


def asked_intervals(compared):
    """The memory of the choices whose intervals are wanted, and this choice."""
    return state.memory("compare intervals"), str([compared.where(model) for model in compared.keys])


def table_key(compared, preset, metrics):
    """What the table depends on: filters do not apply."""
    asked, choice = asked_intervals(compared)
    has_intervals = n_resampled(compared) <= AT_ONCE or choice in asked
    return (*(compared.where(model)[:3] for model in compared.keys), preset, metrics, has_intervals)


def former_table(compared):
    """The table of these models that was shown last, whatever its columns, rule and threshold; None without one."""
    before = state.memory("compare table").get("last")
    if before is None or [of[:2] for of in before[:-3]] != [compared.where(model)[:2] for model in compared.keys]:
        return None
    return state.known("comparison table", before)


def worked_out_table(compared, preset, metrics=()):
    """The ComparisonTable of the models, computed once; None where the visitor cancelled it.

    It has intervals where these are quick, or wanted.
    """
    key = table_key(compared, preset, metrics)
    former = former_table(compared)
    runs = [
        (run, compared.choice_of(model).get("threshold", 0.5))
        for model in compared.keys
        for run in compared.runs(model)
    ]
    others = {name: value for name, value in compared.choice.items() if name not in ("rule", "threshold")}

    def make(stages):
        found = compare(
            [run for run, _ in runs],
            preset or None,
            metrics,
            rule=compared.choice["rule"],
            threshold=[threshold for _, threshold in runs],
            stage=stages,
            former=former,
            **({} if key[-1] else {"resamples": 0}),
            **others,
        )
        assert found.marks is not None  # they take a moment: computed while the progress is shown
        return found

    found = worked_out("comparison table", key, "Table", make)
    if found is not None:
        state.memory("compare table")["last"] = key
    return found


def preset_control(width=260):
    """Which columns: a key of `TITLES`."""
    words = {key: title if key in ("", "all") else f"as in {title}" for key, title in TITLES.items()}
    return pick("Columns", words, "preset", width=width)
