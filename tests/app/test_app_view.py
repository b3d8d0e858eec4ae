"""The view: every page on the demo, the URL, and what the pages share."""

import os
import re
from dataclasses import fields

import numpy as np
import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1.element_tree import ElementTree
from visit import PAGES, PRIVACY, Visit, plain

import hierviz as hv
from hierviz.app.widgets import frame
from hierviz.charts import threshold_text
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.reports.view import NODES, View, condition, grammar

# Views of the demo with every kind of chart, and the number of charts on each.
VIEWS = {
    "overview": ("overview", {}, 3),
    "curves": ("curves", {}, 1),
    "curves by depth": ("curves", {"models": "log-win-flat-start"}, 1),
    # The ladder is no chart of Streamlit; all answers, the win and the paths are.
    "example": ("example", {}, 3),
    "example as blocks": ("example", {"tree": "icicle"}, 5),
    "example as branches": ("example", {"tree": "node-link"}, 5),
    "example as list": ("example", {"tree": "list"}, 5),
    "open": ("open", {}, 0),
}
# Views that end before their page does.
DEAD_ENDS = {
    "link to unknown files": ("overview", {"data": "0123456789abcdef"}),
    "curves of unknown files": ("curves", {"data": "0123456789abcdef"}),
    "example of unknown files": ("example", {"data": "0123456789abcdef"}),
    "open with unknown files": ("open", {"data": "0123456789abcdef"}),
}


@pytest.mark.parametrize("name", VIEWS)
def test_page_has_title_sentences_and_privacy_line(name):
    page, query, n_charts = VIEWS[name]
    visit = Visit(page, **query)
    assert [one.value for one in visit.at.title] != []
    assert not visit.at.error
    charts = visit.charts()
    assert len(charts) == n_charts
    # Sentences of the curves and of the Overview are titles: see `test_no_sentence_is_on_the_page_twice` and `test_app_overview`.
    for _, below in charts if page not in ("curves", "overview") else ():
        assert below.type == "markdown"
        assert re.fullmatch(r"[A-Z].{40,}\.", plain(below.value)), below.value
    assert PRIVACY in [one.value for one in visit.at.caption]


@pytest.mark.long
def test_the_terminal_stays_quiet(caplog):
    """Streamlit logs a traceback for every table it has to repair on the way to the browser."""
    for page, query, _ in VIEWS.values():
        Visit(page, **query)
    assert [one.getMessage()[:60] for one in caplog.records if one.name.startswith("streamlit.dataframe_util")] == []


def test_a_press_counts_that_comes_before_the_page_has_drawn_the_button_anew(monkeypatch):
    """While a page runs again the browser still shows what the last run has drawn below."""
    told = ElementTree.get_widget_states

    def told_by_browser(tree):
        """Without the buttons that were not pressed."""
        found = told(tree)
        asked = [one for one in found.widgets if one.trigger_value or one.WhichOneof("value") != "trigger_value"]
        return type(found)(widgets=asked)

    def ended(*_, **__):
        raise StopException

    monkeypatch.setattr(ElementTree, "get_widget_states", told_by_browser)
    visit = Visit("example")
    first, following = visit.sample, visit.at.button(key="next-sample")
    with monkeypatch.context() as patch:
        patch.setattr(frame, "greeting", ended)  # the run ends at the press
        visit.run()
    assert not visit.at.title
    following.click().run()
    assert visit.sample != first


@pytest.mark.long
def test_a_run_leaves_a_toggle_alone_that_is_as_it_should_be():
    """It may have been pressed since the run began, and the browser would show it as it was."""
    visit = Visit("curves", panel="uncertainty")
    key = "widget_drawn_bands"
    assert not visit.run().at.toggle(key=key).proto.set_value
    visit.at.toggle(key=key).set_value(True)
    visit.run()
    assert visit.query["drawn"] == "bands"
    assert not visit.at.toggle(key=key).proto.set_value
    visit.go("curves", panel="uncertainty", drawn="levels")
    assert visit.at.toggle(key=key).proto.set_value
    assert not visit.at.toggle(key=key).value


@pytest.mark.parametrize("name", DEAD_ENDS)
def test_pages_that_stop_early_still_promise_privacy(name):
    page, query = DEAD_ENDS[name]
    assert PRIVACY in [one.value for one in Visit(page, **query).at.caption]


@pytest.mark.parametrize(
    "page",
    [
        "overview",
        "example",
        *(pytest.param(page, marks=pytest.mark.long) for page in PAGES if page not in ("overview", "example")),
    ],
)
def test_link_to_files_that_are_not_here(page):
    visit = Visit(page, data="0123456789abcdef")
    assert "not open on this machine" in visit.at.info[0].value
    visit.press("Show the demo")
    assert not visit.at.info
    assert "data" not in visit.query
    if page == "overview":
        assert "*Demo: drawn vehicles*" in visit.text


@pytest.mark.parametrize(
    ("asked", "threshold"),
    [
        ("0.25", 0.25),
        ("0.12345", 0.12345),
        ("7", 0.5),
        ("-1", 0.5),
        ("inf", 0.5),
        ("nan", 0.5),
        ("", 0.5),
        ("half", 0.5),
        ("1e999", 0.5),
        ("٠.٢", 0.5),
        ("1_0", 0.5),
    ],
)
def test_threshold_of_the_url(asked, threshold):
    visit = Visit("open", threshold=asked)
    assert visit.threshold == threshold
    assert visit.query == ({} if threshold == 0.5 else {"threshold": threshold_text(threshold)})


def test_good_values_of_the_url_are_taken_over(no_charts):
    query = {
        "model": "soft-max-margin",
        "rule": "majority",
        "sample": "v0428",
        "outcome": "wrong",
        "under": "watercraft",
        "order": "info_dist",
        "tree": "list",
    }
    visit = Visit("example", **query)
    assert visit.sample == "v0428"
    assert visit.control("Show").value == "wrong"
    assert visit.control("Truth in subtree").value == "watercraft"
    assert visit.control("Model").value == "soft-max-margin"
    assert visit.control("Inference rule").value == "majority"
    assert visit.control("Sort by").value == "info_dist"
    assert visit.control("Drawing").value == "list"
    assert visit.query == query


GARBAGE = {
    "model": "nobody",
    "models": "nobody,,<b>",
    "rule": "zzz",
    "threshold": "nan",
    "sample": "unknown",
    "outcome": "terrible",
    "under": "no such class",
    "order": "random",
    "tree": "bonsai",
    "utm_source": "mail",
}


@pytest.mark.parametrize("field", [*(pytest.param(field, marks=pytest.mark.long) for field in GARBAGE), "everything"])
def test_garbage_in_the_url_falls_back(no_charts, field):
    query = GARBAGE if field == "everything" else {field: GARBAGE[field]}
    visit = Visit("example", **query)
    assert not visit.at.error
    # No other drawing is chosen by what is none.
    start = visit.ladder["start"]
    assert visit.ladder["models"][start["model"]]["key"] == "flat-softmax"
    assert (start["rule"], start["value"]) == ("threshold", 0.5)
    assert visit.sample == "v0428"
    visit.go(**query | {"tree": "icicle"})
    assert visit.sample == "v0428"
    assert visit.threshold == 0.5
    shown = {label: visit.control(label).value for label in ("Model", "Inference rule", "Show", "Truth in subtree")}
    assert shown == {
        "Model": "flat-softmax",
        "Inference rule": "threshold",
        "Show": "",
        "Truth in subtree": "",
    }
    assert visit.control("Drawing").value == "icicle"
    assert visit.control("Sort by").value == "win_lost"


def test_a_parameter_that_is_too_large_for_the_taxonomy(no_charts):
    """Of a link, or of another data set before; the rules stand side by side on a page that does not choose this one."""
    for page, query in (("example", {}), ("curves", {"marked": "information_threshold"})):
        assert not Visit(page, bits="60", **query).at.error


MARKUP = (
    '"><img src=http://evil.example/a.png><style>@import "http://evil.example/b.css"</style>',
    "![x](http://evil.example/c.png) <form action=http://evil.example><input name=password></form>",
)


def test_every_field_of_the_url_has_a_grammar():
    assert set(grammar()) == {field.name for field in fields(View)} - {"parameters"} | set(rule_parameters()) - {
        "threshold"
    }
    for markup in MARKUP:
        view = View.from_query(dict.fromkeys(grammar(), markup))
        # Samples, classes, files and columns may be called anything.
        named = dict.fromkeys(("sample", "both", "text", "focus", "zoom", "by", *NODES), markup)
        assert view == View(**named, drawn=(), marked=(), parameters=(("cost", markup),))
    assert View.from_query(
        {
            "data": "DEMO",
            "sample": "a\nb",
            "under": "x" * 1001,
            "where": "a,b=c d",
            "common": "-1",
            "thresholds": "a:0.5,a:b,<i>:1",
        }
    ) == View(thresholds=("a:0.500",))


def test_a_view_stands_in_the_url_as_it_is():
    view = View(
        data="0123456789abcdef",
        models=("a-1", "b"),
        model="b",
        rule="leaf",
        threshold=0.123456789012,
        parameters=(("bits", 3.25), ("cost", "prices.csv"), ("expectation", "exclusive"), ("lam", 0.5)),
        sample=MARKUP[1],
        outcome="wrong",
        under="a > b",
        truth="a, b",
        answered="ü",
        answer="x=y",
        where=(condition("unusual, or not=", "yes & no"), condition("b", "")),
        text="a, b",
        common="2",
        order="file",
        tree="list",
        axes="exact-correct",
        drawn=("levels", "bands"),
        marked=(),
        panel="none",
        thresholds=("a-1:0.250", "b:0.999999"),
    )
    assert View.from_query(view.to_query()) == view
    assert View.from_query({}) == View()


@pytest.mark.parametrize("page", [pytest.param("open", marks=pytest.mark.long), "example"])
def test_markup_in_the_url_is_drawn_nowhere(no_charts, page):
    """Neither as HTML nor as Markdown, in one field or in all of them, whether it stays in the URL or not."""
    visit = None
    for markup in MARKUP:
        for query in (
            ({field: markup} for field in grammar()) if page == "open" else (dict.fromkeys(grammar(), markup),)
        ):
            visit = visit.go(**query) if visit else Visit(page, **query)
            drawn = [one.proto.body for one in visit.at.get("html")]
            assert "evil" not in "".join(drawn)
            assert all(one.count("<") < 3 for one in drawn if "hierviz-view" in one)
            assert all(markup not in one for one in visit.markdown())


@pytest.mark.parametrize("under", ["tram", "vehicle"])
def test_classes_outside_the_menu_can_stand_in_the_url(no_charts, demo, under):
    """A leaf and the root are classes, but not offered under "Truth in subtree"."""
    assert under in demo.taxonomy.index
    visit = Visit("example", under=under)
    n = int(re.search(r"1 of (\d+)", visit.text)[1])
    chosen = visit.control("Truth in subtree").value
    assert n == (
        600 if chosen in ("", "vehicle") else len(expected_order(demo, "flat-softmax", "threshold", 0.5, "", under, ""))
    )


def test_unknown_models_of_the_url_fall_back_on_the_curves():
    visit = Visit("curves", **GARBAGE)
    assert not visit.at.error
    assert len(visit.control("Models").value) == 4
    visit.go(models="nobody,multi-label")
    assert visit.control("Models").value == ["multi-label"]


def test_garbage_does_not_stay_in_the_url(no_charts):
    visit = Visit("example", **GARBAGE)
    assert not set(GARBAGE.values()) - {"unknown"} & set(visit.query.values())


def test_model_rule_and_threshold_go_from_page_to_page():
    visit = Visit("overview")
    visit.control("Model").select("conditional-sigmoid")
    visit.run()
    visit.control("Threshold τ").set_value(0.8)
    visit.run()
    assert "Conditional sigmoid" in visit.text
    assert "threshold τ = 0.800" in visit.text
    visit.go("example")
    start = visit.ladder["start"]
    assert visit.ladder["models"][start["model"]]["key"] == "conditional-sigmoid"
    assert start["value"] == visit.threshold == 0.8
    visit.control("Drawing").set_value("list")
    visit.run()
    assert visit.control("Model").value == "conditional-sigmoid"
    assert visit.control("Threshold τ").value == 0.8
    assert "threshold τ = 0.800" in visit.text
    visit.go("curves")
    assert (visit.query["model"], visit.query["threshold"]) == ("conditional-sigmoid", "0.800")
    visit.go("example")
    visit.control("Inference rule").select("leaf")
    visit.run()
    visit.go("overview")
    assert visit.control("Inference rule").value == "leaf"
    assert "most probable leaf" in visit.text
    assert visit.query == {"model": "conditional-sigmoid", "rule": "leaf", "threshold": "0.800"} | {
        key: value for key, value in visit.query.items() if key in ("models", "tree")
    }


def test_dragged_threshold_reaches_the_example(demo):
    visit = Visit("curves", models="flat-softmax")
    (chart, _), *_ = visit.charts()
    visit.select(chart, {"chosen": [{"threshold": 0.913}]})
    assert visit.query["threshold"] == "0.913"
    curve = demo.models["flat-softmax"].curve
    numbers = next(one.value for one in visit.at.dataframe if "rule" in one.value)
    assert numbers["threshold"].tolist() == [0.913]
    assert numbers["exact"].tolist() == [curve.at(0.913)["exact"]]
    assert visit.go("example").ladder["start"]["value"] == 0.913


def test_the_button_of_a_target_sets_the_threshold_it_names(demo):
    visit = Visit("curves", models="flat-softmax,log-win-flat-start")
    curve = demo.models["flat-softmax"].curve
    visit.press("Use τ")
    # The definition, over all points of the curve.
    allowed = curve.values["correct"] >= 0.95
    reached = curve.at(visit.threshold)
    assert reached["correct"] >= 0.95
    assert reached["info_recall"] == curve.values["info_recall"][allowed].max()


def test_a_link_wins_over_the_session(no_charts):
    visit = Visit("example", threshold="0.300")
    visit.go(threshold="0.700", model="multi-label", sample="v0007")
    assert (visit.threshold, visit.sample) == (0.7, "v0007")
    assert visit.ladder["models"][visit.ladder["start"]["model"]]["key"] == "multi-label"


# The list of mistakes ---------------------------------------------------------------------------------------------------


def expected_order(demo, model, rule, threshold, outcome, under, order):
    """Ids of a selection, from the public functions: filter, then stable sort."""
    taxonomy, evaluation = demo.taxonomy, demo.models[model]
    table = evaluation.per_sample(rule, threshold)
    keep = []
    for i, (truth, answer) in enumerate(zip(table["truth"].tolist(), table["predicted"].tolist())):
        above = {taxonomy.names[node] for node in taxonomy.path(truth)}
        path = set(taxonomy.path(truth))
        kind = "exact" if truth in set(taxonomy.path(answer)) else "coarse" if answer in path else "wrong"
        kind = "no_answer" if kind == "coarse" and answer == 0 else kind
        if outcome in ("", kind) and (not under or under in above):
            keep.append(i)
    severity = {"win_lost": 1 - table["softmax_win"], "info_dist": table["info_dist"]}.get(order, np.zeros(10**6))
    return [str(table["sample_id"][i]) for i in sorted(keep, key=lambda i: -severity[i])]


@pytest.mark.long
@pytest.mark.parametrize(
    ("outcome", "under", "order"),
    [("wrong", "watercraft", "win_lost"), ("coarse", "rail vehicle", "info_dist"), ("wrong", "rail vehicle", "file")],
)
def test_next_walks_the_selection(no_charts, demo, outcome, under, order):
    visit = Visit("example", model="soft-max-margin", rule="threshold", threshold="0.600")
    visit.control("Show").set_value(outcome)
    visit.run()
    visit.control("Truth in subtree").select(under)
    visit.run()
    visit.control("Sort by").select(order)
    visit.run()
    expected = expected_order(demo, "soft-max-margin", "threshold", 0.6, outcome, under, order)
    assert len(expected) > 3
    assert f"1 of {len(expected)}" in visit.text
    # The counters beside the list are those of the same subtree.
    counts = [
        len(expected_order(demo, "soft-max-margin", "threshold", 0.6, kind, under, order))
        for kind in ("", "exact", "coarse", "no_answer", "wrong")
    ]
    assert [int(one.split()[-1]) for one in visit.control("Show").options] == counts
    steps = min(len(expected), 4)
    seen = [visit.sample]
    for place in range(2, steps + 1):
        visit.press("Next")
        seen.append(visit.sample)
        assert f"{place} of {len(expected)}" in visit.text
        assert visit.query["sample"] == visit.sample
    assert seen == expected[:steps]
    visit.press("Previous")
    assert visit.sample == expected[steps - 2]
    visit.go(**{**visit.query, "sample": expected[-1]})
    buttons = {one.label: one.disabled for one in visit.at.button}
    assert buttons["Next"] is True
    assert buttons["Previous"] is False


def test_list_of_samples_is_the_selection(no_charts, demo):
    visit = Visit("example", outcome="wrong", model="multi-label", threshold="0.500")
    expected = expected_order(demo, "multi-label", "threshold", 0.5, "wrong", "", "win_lost")
    table = next(one.value for one in visit.at.dataframe if "answer" in one.value.columns)
    first, last, n = map(int, re.search(r"Samples\*\* (\d+) to (\d+) of (\d+)", visit.text).groups())
    assert (first, n) == (1, len(expected))
    assert len(table) == last < n
    assert len(set(table[" "])) > last / 2
    model = demo.models["multi-label"]
    rows = [model.predictions.row_of[one] for one in expected[:last]]
    assert table["truth"].tolist() == [demo.taxonomy.title(node) for node in model.predictions.truth[rows]]
    answers = model.answers("threshold", 0.5)
    assert table["answer"].tolist() == [f"× {demo.taxonomy.title(answers[row])}" for row in rows]
    assert table["lost"].to_numpy() == pytest.approx(1 - model.win[rows], abs=0.0051)


def test_counts_on_the_filter_are_those_of_the_overview(no_charts, demo):
    visit = Visit("example", threshold="0.700")
    options = visit.control("Show").options
    table = demo.models["flat-softmax"].per_sample("threshold", 0.7)
    exact, correct = int(table["exact"].sum()), int(table["correct"].sum())
    without = int(((table["predicted"] == 0) & (table["truth"] != 0)).sum())
    coarse = correct - exact - without
    assert [one.split()[-1] for one in options] == [str(n) for n in (600, exact, coarse, without, 600 - correct)]
    visit.go("overview")
    assert visit.says(exact, "are exact")
    assert visit.says(coarse, "are correct but coarse")
    assert visit.says(without, "are no answer")
    assert visit.says(600 - correct, "are wrong")
    # A subtree chosen on one page holds on the others; the outcome is the link's own.
    visit.go("overview", under="watercraft", outcome="exact", threshold="0.700")
    wrong = expected_order(demo, "flat-softmax", "threshold", 0.7, "wrong", "watercraft", "win_lost")
    assert visit.says(len(wrong), "are wrong")
    links = [one.proto for one in visit.at.get("page_link") if "mistakes" in one.label or " → " in one.label]
    assert len(links) == 1 + min(9, len(wrong))
    assert all("outcome=wrong" in str(link) and "under=watercraft" in str(link) for link in links)
    assert "Truth in watercraft" in [one.label for one in visit.at.button]


@pytest.mark.parametrize(
    ("filters", "chips"),
    [
        ({"answered": "aircraft", "where": condition("far", "yes")}, {"Answer in aircraft", "far: yes"}),
        (
            {"truth": "rowing boat", "common": "0", "text": "v0"},
            {"Truth is rowing boat", "Common ancestor at depth 0", "contains “v0”"},
        ),
    ],
)
def test_filters_are_chips_that_remove_them(no_charts, demo, filters, chips):
    visit = Visit("example", **filters)
    buttons = {one.label for one in visit.at.button}
    assert chips <= buttons
    model, taxonomy = demo.models["flat-softmax"], demo.taxonomy
    nodes = {name: taxonomy.node(value) for name, value in filters.items() if name in NODES}
    more = {"common": int(filters["common"])} if "common" in filters else {}
    asked = hv.diagnosis.SampleFilter(
        **nodes, **more, text=filters.get("text", ""), where=(("far", "yes"),) if "where" in filters else ()
    )
    n = int(hv.diagnosis.filtered(hv.evaluation.judged_answers(model, "threshold", 0.5), asked).sum())
    assert visit.control("Show").options[0] == f"all {n}"
    assert 0 < n < 600
    visit.press("Remove all filters")
    assert not set(filters) & set(visit.query)
    assert visit.control("Show").options[0] == "all 600"


def test_selection_without_a_sample_says_so(no_charts):
    # The most probable leaf is never a proper ancestor of the truth.
    visit = Visit("example", outcome="coarse", rule="leaf")
    assert visit.control("Show").options[2].endswith("coarse 0")
    assert "No sample matches these filters" in visit.at.info[0].value
    visit.control("Show").set_value("")
    assert visit.run().sample


def test_hint_is_read_once():
    visit = Visit("overview")
    assert "New here?" in visit.text
    next(one for one in visit.at.button if one.key == "hint").click()
    visit.run()
    for page in PAGES if os.environ.get("HIERVIZ_LONG") else ("open", "learn"):
        assert "New here?" not in visit.go(page).text


@pytest.mark.long
def test_every_rule_can_be_chosen(demo):
    visit = Visit("overview", model="flat-softmax", threshold="0.500")
    rules = {key: entry for key, entry in INFERENCE_RULES.items() if not getattr(entry, "returns_sets", False)}
    assert visit.control("Inference rule").options == [entry.label for entry in rules.values()]
    for rule, entry in rules.items():
        visit.control("Inference rule").select(rule)
        visit.run()
        assert ("Threshold τ" in [one.label for one in visit.at.number_input]) == ("threshold" in entry.parameters)
        exact = int(re.search(r"\*\*(\d+)\*\* \([^)]*\) are exact", visit.text)[1])
        if set(entry.parameters) <= {"threshold"}:
            assert exact == int(demo.models["flat-softmax"].per_sample(rule, 0.5)["exact"].sum()), rule


def test_answers_named_only_at_a_level_are_chosen_next_to_the_other_rules(no_charts, demo):
    model, taxonomy = demo.models["flat-softmax"], demo.taxonomy
    visit = Visit("overview", model="flat-softmax")
    visit.control("Inference rule").select("at_level")
    visit.run()
    exact = {}
    for level in (1, 2):
        visit.control("Level").set_value(level)
        visit.run()
        answers = model.answers("at_level", answer_level=level)
        # Nothing finer is named, and nothing coarser but the leaves above.
        assert (
            (taxonomy.depth[answers] == level) | (taxonomy.is_leaf[answers] & (taxonomy.depth[answers] < level))
        ).all()
        table = model.per_sample("at_level", answer_level=level)
        exact[level] = int(table["exact"].sum())
        assert visit.says(exact[level], "are exact")
        assert visit.says(int((~table["correct"].astype(bool)).sum()), "are wrong")
    assert exact[1] != exact[2]
    assert visit.control("Level").max == taxonomy.max_depth
    # The address has it: another visitor sees the same, on every page.
    assert visit.query["rule"] == "at_level"
    again = Visit("mistakes", **visit.query)
    assert (again.control("Inference rule").value, again.control("Level").value) == ("at_level", 2)
