"""The Overview: the most specific model at 95 % correct, the worst subtrees, counts of outcomes, and titles."""

from urllib.parse import parse_qsl

import numpy as np
import pytest
from small_worlds import LEAVES, spread, world, write
from visit import Visit, shelve

import hierviz as hv
from hierviz.app.state import opened
from hierviz.charts import threshold_text
from hierviz.diagnosis._level_table import subtree_levels
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.number_text import fixed_text, percent_text, points_text, probability_text
from hierviz.metrics.outcomes import OUTCOMES
from hierviz.thresholds.selection import choose


def links(visit):
    """Query of each link by its label."""
    return {one.proto.label: one.proto.query_string for one in visit.at.get("page_link")}


def test_most_specific_model_at_95_percent_and_the_way_to_its_threshold(demo):
    visit, points = (
        Visit("overview"),
        {key: choose(model.curve, subject_to={"correct": 0.95}) for key, model in demo.models.items()},
    )
    key = max(points, key=lambda key: points[key].values["info_recall"])
    name, threshold = demo.models[key].predictions.name, threshold_text(points[key].threshold)
    assert f"the most specific model is **{name}**, at **τ = {threshold}**" in visit.text
    assert f"{percent_text(points[key].values['info_recall'], 1)} of the information" in visit.text
    leaf = demo.models[key].curve.at(0)
    before = f"instead of {percent_text(leaf['info_recall'], 1)} without a threshold (a leaf as every answer)"
    assert before in visit.text
    at = points[key].values
    specific, correct = (points_text(at[name], leaf[name], 1) for name in ("info_recall", "correct"))
    assert f"**Cost in specificity: {specific}**" in visit.text
    shares = f"{percent_text(at['correct'], 1)} instead of {percent_text(leaf['correct'], 1)}"
    assert f"**{correct} more answers are correct**: {shares}" in visit.text
    # 95 % correct may hold many that say nothing: the share stands next to the threshold.
    answers = demo.models[key].answers("threshold", points[key].threshold)
    without = sum(int(a == 0) for a in answers)
    right = round(at["correct"] * len(answers)) - without
    correct, none = (percent_text(n / len(answers), 1) for n in (right, without))
    said = f"{correct} get a correct answer, {none} none (counted as correct)"
    assert f"**τ = {threshold}**; there, **{said}**." in visit.text
    # The page opens there: the recommendation comes first, and what depends on the chosen model is of it.
    assert (
        visit.text.index("most specific model is")
        < visit.text.index("Worst mistakes of")
        < visit.text.index("are exact,")
    )
    assert "The pictures show this recommendation." in visit.text
    assert f"Worst mistakes of {name}, threshold τ = {threshold}" in visit.text
    assert visit.control("Model").value == key
    assert visit.control("Threshold τ").value == points[key].threshold
    found = dict(parse_qsl(links(visit)[f"{name} at τ = {threshold}"]))
    assert found["model"] == key
    assert float(found["threshold"]) == points[key].threshold


def test_worst_subtrees_are_those_of_the_levels(tmp_path):
    data = world(tmp_path, scores=spread(60), truth=[LEAVES[i % len(LEAVES)] for i in range(60)])
    answers = judged_answers(data.first, "threshold", threshold=0.5)
    levels, taxonomy = subtree_levels(answers), data.taxonomy
    # Of each level the class with most wrong answers beyond the expected, where it has more than expected.
    pairs = zip(levels.worst.tolist(), levels.excess.tolist())
    beyond = {node: more for node, more in pairs if node > 0 and not taxonomy.is_leaf[node] and more > 1e-9}
    worst = list(beyond)
    table = hv.diagnosis.node_table(answers)
    share = {node: percent_text(table.correct[node], 1) for node in worst}
    labels = [
        f"{taxonomy.title(node)} · {fixed_text(beyond[node], 1)} more than expected: {int(table.n_wrong[node])} of "
        f"{int(table.support[node])} ({share[node]} correct)"
        for node in worst
    ]
    visit, other = Visit("overview", data=data.key, threshold="0.5"), Visit("taxonomy", data=data.key)
    assert labels
    assert [button.label for button in other.at.button if button.label.endswith("correct)")] == labels[:4]
    # The worst subtree comes first, in the same sentence on all pages.
    slices = hv.diagnosis.slices(answers)
    assert not len(slices.worse_subtrees)
    sentence = slices.worst_sentence()
    assert other.text.index(sentence) < other.text.index("Most wrong answers beyond the expected")
    for page in (visit, other):
        assert sentence in page.text
        assert f"under={slices.rows[slices.worst_subtree].value}" in links(page)["Its samples"]
    # Overview has one answer to "which subtree is worst".
    assert "than expected (" not in visit.text
    assert sentence in Visit("mistakes", data=data.key, part="slices").text


def test_the_way_to_all_slices_gives_no_second_count():
    """Six slices of the texts are flagged, two of them clearly worse: the link says neither."""
    visit = Visit("overview", data="wikipedia")
    assert "All tested slices" in links(visit)


def test_a_subtree_that_is_clearly_worse_comes_first(demo):
    found = hv.diagnosis.slices(demo.models["multi-label"], "threshold", threshold=0.5)
    (place,) = found.worse_subtrees
    assert found.rows[place].value == "helicopter"
    sentence = found.worst_sentence()
    assert sentence.startswith("Worst subtree: helicopter")
    assert f"clearly worse than the rest (corrected p = {probability_text(found.rows[place].p_adjusted)})" in sentence
    for page in ("overview", "taxonomy"):
        visit = Visit(page, model="multi-label")
        assert sentence in visit.text
        assert "under=helicopter" in links(visit)["Its samples"]


def test_any_pair_of_models_is_a_question(demo):
    """The one that is looked at against each other one."""
    visit = Visit("overview", model="log-win-flat-start")
    name = demo.models["log-win-flat-start"].predictions.name
    assert f"Is **{name}** clearly better than" in visit.text
    for key, model in demo.models.items():
        if key != "log-win-flat-start":
            asked = dict(parse_qsl(links(visit)[f"{model.predictions.name}?"]))
            assert asked["models"] == f"log-win-flat-start,{key}"
            assert asked["panel"] == "uncertainty"


@pytest.mark.long
def test_a_graph_counts_coarse_answers_as_what_they_are(tmp_path):
    edges = [("root", "a"), ("root", "b"), ("a", "both"), ("b", "both"), ("a", "a1"), ("b", "b1")]
    answers, truths = ["both", "a", "b1", "a1"], ["both", "a1", "a1", "both"]
    data = shelve(
        taxonomy=write(tmp_path / "t.csv", [("parent", "child"), *edges]),
        predictions=(
            write(tmp_path / "p.csv", [("sample_id", "predicted"), *((f"s{i}", answers[i % 4]) for i in range(40))]),
        ),
        truth=write(tmp_path / "y.csv", [("sample_id", "truth"), *((f"s{i}", truths[i % 4]) for i in range(40))]),
    )
    judged = judged_answers(data.first)
    counts = np.bincount(judged.outcome, minlength=4)
    assert dict(zip(OUTCOMES, counts.tolist())) == {"exact": 10, "coarse": 10, "no_answer": 0, "wrong": 20}
    visit = Visit("overview", data=data.key)
    assert visit.says(10, "are exact,")
    assert visit.says(10, "are correct but coarse")
    assert visit.says(20, "are wrong")
    assert "1 of 10" in Visit("example", data=data.key, outcome="coarse").text
    # A group of confusions leads to its samples; a cell whose samples Examples would count twice does not.
    page = Visit("mistakes", data=data.key, part="confusions")
    assert "Open these samples in Examples" in page.text
    page = Visit("mistakes", data=data.key, part="matrix", opened="0")
    assert "Open these samples in Examples" not in page.text
    assert "counted once here" in page.text


def test_answers_that_say_nothing_are_an_outcome_of_their_own(demo):
    model, threshold = demo.models["flat-softmax"], 0.9
    answers, truth = model.answers("threshold", threshold), model.predictions.truth
    without = int(((answers == 0) & (truth != 0)).sum())
    assert without > 50
    visit = Visit("overview", rule="threshold", threshold="0.9")
    assert visit.says(without, "are no answer (only the root)")
    page = Visit("mistakes", rule="threshold", threshold="0.9", outcome="no_answer")
    assert f"**{without:,}** get no answer" in Visit("taxonomy", rule="threshold", threshold="0.9").text
    assert f"no answer {without:,}" in page.control("Show").options
    assert page.query["outcome"] == "no_answer"
    assert f"1 of {without:,}" in Visit("example", rule="threshold", threshold="0.9", outcome="no_answer").text


def test_title_of_many_files_is_short(tmp_path):
    names = [f"a model with a very long name, number {i}" for i in range(3)]
    scores = spread(9)
    paths = tuple(
        write(tmp_path / f"{name}.csv", [("sample_id", *LEAVES), *((f"s{i}", *row) for i, row in enumerate(scores))])
        for name in names
    )
    first = world(tmp_path, scores=scores)
    data = shelve(taxonomy=first.files.taxonomy, predictions=paths)
    assert data.title == f"{names[0]}.csv and 2 more"
    assert first.title == "scores.csv"


def titles(visit):
    """Text of the page up to the counts in words: sentence and titles of the pictures."""
    return visit.text[: visit.text.index("are exact,")]


def specs(visit):
    """Chart specifications of the page as text, in order."""
    return [chart.proto.spec for chart in visit.at.get("vega_lite_chart")]


def test_without_a_choice_it_opens_at_the_recommendation_and_all_pages_follow(demo):
    points = {key: choose(model.curve, subject_to={"correct": 0.95}) for key, model in demo.models.items()}
    best = max(points, key=lambda key: points[key].values["info_recall"])
    visit = Visit("overview")
    # Links and menus of other pages have the choice that is shown.
    assert dict(parse_qsl(links(visit)["All 30 mistakes"]))["model"] == best
    visit.go("mistakes")
    assert visit.control("Model").value == best
    assert visit.control("Threshold τ").value == points[best].threshold


@pytest.mark.long
def test_an_address_that_chooses_is_left_as_it_is(demo):
    first = next(iter(demo.models))
    for fields in ({"model": first}, {"threshold": "0.5"}, {"rule": "threshold"}):
        visit = Visit("overview", **fields)
        assert visit.control("Model").value == first
        assert visit.control("Threshold τ").value == 0.5
        name = demo.models[first].predictions.name
        assert f"The pictures show the choice above instead: **{name}, threshold τ = 0.500**." in visit.text
        # Another run of the page keeps it.
        visit.run()
        assert visit.control("Threshold τ").value == 0.5


def test_another_choice_changes_the_three_pictures_and_the_sentence(demo):
    visit = Visit("overview")
    before, drawn = titles(visit), specs(visit)
    key = "multi-label"
    visit.control("Model").set_value(key)
    visit.run()
    name = demo.models[key].predictions.name
    assert f"The pictures show the choice above instead: **{name}, threshold τ = 0.709**." in visit.text
    assert f"Worst mistakes of {name}, threshold τ = 0.709" in visit.text
    assert titles(visit) != before
    assert len(specs(visit)) == len(drawn) == 3
    assert all(now != then for now, then in zip(specs(visit), drawn))
    visit.press("Show the recommended")
    assert titles(visit) == before
    assert specs(visit) == drawn


def test_back_at_half_is_a_choice(demo):
    """The default threshold, chosen on the page, is no reason to go back to the recommendation."""
    visit = Visit("overview")
    visit.control("Threshold τ").set_value(0.5)
    visit.run()
    visit.run()
    assert visit.control("Threshold τ").value == 0.5
    assert "The pictures show the choice above instead" in visit.text


@pytest.mark.long
def test_bars_are_at_equal_shares_of_correct_answers(demo):
    """Each model at its own most specific threshold with 95 % correct; one that was chosen, as it was chosen."""
    visit = Visit("overview")
    table = next(frame.value for frame in visit.at.dataframe if "no_answer" in frame.value)
    assert table["model"].tolist() == [model.predictions.name for model in demo.models.values()]
    for row, model in zip(table.to_dict("records"), demo.models.values()):
        threshold = choose(model.curve, subject_to={"correct": 0.95}).threshold
        counts = np.bincount(judged_answers(model, "threshold", threshold=threshold).outcome, minlength=4) / 600
        assert np.allclose([row[key] for key in OUTCOMES], counts)
        assert row["chosen by"] == f"τ = {threshold_text(threshold)}"
    visit = Visit("overview", model="flat-softmax", rule="leaf")
    table = next(frame.value for frame in visit.at.dataframe if "no_answer" in frame.value)
    chosen = table[table["model"] == "Flat softmax"].iloc[0]
    counts = np.bincount(judged_answers(demo.models["flat-softmax"], "leaf").outcome, minlength=4) / 600
    assert np.allclose([chosen[key] for key in OUTCOMES], counts)
    assert (table["wrong"] <= chosen["wrong"] + 1e-9).all()


def test_a_card_is_one_link_that_is_named_after_truth_and_answer(demo):
    visit = Visit("overview")
    cards = [label for label in links(visit) if "→" in label]
    assert len(cards) >= 6
    assert "Details" not in visit.text
    query = dict(parse_qsl(links(visit)[cards[0]]))
    assert query["sample"] in demo.first.predictions.ids
    assert query["model"] == visit.control("Model").value


def test_texts_are_headed_by_their_first_words_and_cut_at_a_word(demo):
    visit = Visit("overview", data="wikipedia")
    texts = [one.value for one in visit.at.markdown if one.value.startswith("**") and one.value.endswith(" …")]
    assert len(texts) >= 4
    whole = [" ".join(text.split()) for text in opened.demo("wikipedia").first.predictions.attributes["text"]]
    for text in texts:
        plain = text.replace("**", "").replace("\\", "").removesuffix(" …")
        match = next(one for one in whole if one.startswith(plain))
        assert match[len(plain)] in " ,;:."


def test_subtrees_that_are_clearly_worse_stand_where_it_goes_wrong(demo):
    """Not in a footnote: the first is the title of the icicle, the others are in the list; the icicle draws all."""
    visit = Visit("overview", data="wikipedia", model="pred-flat", threshold="0.2")
    data = opened.demo("wikipedia")
    found = hv.diagnosis.slices(data.first, "threshold", threshold=0.2)
    assert len(found.worse_subtrees) > 1, "choose another threshold for this test"
    assert found.worst_sentence() in visit.text
    drawn = specs(visit)[2]
    others = [place for place in found.worse_subtrees if place != found.worst_subtree]
    for place in others[:2]:
        title = data.taxonomy.title(found.rows[place].node)
        assert f"*{title}* is clearly worse too:" in visit.text
    assert drawn


def test_what_does_not_apply_is_left_out_and_said(tmp_path):
    """Labels have no curve: bars, subtrees and mistakes are there without it."""
    labels = [LEAVES[(i + i // 7) % len(LEAVES)] for i in range(60)]
    truth = [LEAVES[i % len(LEAVES)] for i in range(60)]
    world(tmp_path, scores=spread(60), truth=truth)
    data = shelve(
        taxonomy=str(tmp_path / "taxonomy.csv"),
        predictions=(
            write(tmp_path / "l.csv", [("sample_id", "label"), *((f"s{i}", one) for i, one in enumerate(labels))]),
        ),
        truth=write(tmp_path / "y2.csv", [("sample_id", "truth"), *((f"s{i}", one) for i, one in enumerate(truth))]),
    )
    visit = Visit("overview", data=data.key)
    assert "The pictures show **l, labels**." in visit.text
    assert "No operating curve" in visit.text
    assert len(specs(visit)) == 2
