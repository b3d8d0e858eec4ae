"""A against B on the page Compare: the numbers are those of the API, and all that is chosen is in the address."""

import numpy as np
import pytest
from small_worlds import EDGES, LEAVES, spread, write
from visit import Visit, shelve

import hierviz as hv
from hierviz.comparison import difference_tree, right_together, two_by_two
from hierviz.evaluation.common_samples import judged_samples
from hierviz.uncertainty.model_difference import difference_verdict

A, B = "flat-softmax", "log-win-flat-start"
PAIR = {"comparison": "pair", "model": A, "against": B}


def models(demo):
    return demo.models[A], demo.models[B]


def test_named_is_the_sentence_of_the_api(demo):
    visit = Visit("compare", **PAIR)
    found = two_by_two(*models(demo))
    assert found.sentence in visit.text
    assert "One run of each model says nothing about retraining." in visit.text
    # The samples of the model that the sentence begins with are open: A, which is right alone more often.
    assert found.first_cell == ("right", "wrong")
    ids = demo.models[A].predictions.ids[found.samples("right", "wrong")].tolist()
    table = next(one.value for one in visit.at.dataframe if "sample" in one.value.columns)
    assert table["sample"].tolist() == ids
    assert visit.query["against"] == B


def test_a_and_b_are_swapped_in_the_address(demo):
    """The cell stays that of the same samples, and the difference is still said of the model that is higher."""
    visit = Visit("compare", **PAIR, cell="wrong-right")
    visit.at.button("swap-pair").click()
    visit.run()
    assert (visit.query["model"], visit.query["against"], visit.query["cell"]) == (B, A, "right-wrong")
    a, b = models(demo)
    assert two_by_two(b, a).sentence in visit.text
    ids = demo.models[B].predictions.ids[two_by_two(a, b).samples("wrong", "right")].tolist()
    table = next(one.value for one in visit.at.dataframe if "sample" in one.value.columns)
    assert table["sample"].tolist() == ids


def test_another_cell_reading_and_level(demo):
    visit = Visit("compare", **PAIR, reading="to_level", level="2", cell="right-not_said", threshold="0.6")
    found = two_by_two(*models(demo), "to_level", level=2, rule="threshold", threshold=0.6)
    assert found.sentence in visit.text
    ids = demo.models[A].predictions.ids[found.samples("right", "not_said")].tolist()
    assert ids
    table = next(one.value for one in visit.at.dataframe if "sample" in one.value.columns)
    assert table["sample"].tolist() == ids
    visit.at.selectbox("widget_reading").select("correct")
    visit.run()
    assert visit.query["reading"] == "correct"
    assert two_by_two(*models(demo), "correct").sentence in visit.text


def test_filters_leave_some_samples(demo):
    where = "light=day"
    visit = Visit("compare", **PAIR, where=where, under="road vehicle")
    found = two_by_two(*models(demo))
    chosen = hv.diagnosis.SampleFilter(under=demo.taxonomy.node("road vehicle"), where=(("light", "day"),))
    part = found.take(np.flatnonzero(found.pair.fits(chosen)))
    assert part.n_samples < found.n_samples
    assert part.sentence in visit.text
    assert "light: day" in visit.text


def test_a_sample_opens_with_both_ladders(demo):
    found = two_by_two(*models(demo))
    order = demo.models[A].predictions.ids[found.samples("right", "wrong")].tolist()
    visit = Visit("compare", **PAIR, cell="right-wrong")
    visit.at.button(f"open-{order[0]}").click()
    visit.run()
    assert visit.query["both"] == order[0]
    assert f"1 of {len(order)}" in visit.text
    assert "A: Flat softmax" in visit.text
    assert "B: Log-win (flat start)" in visit.text
    visit.at.button("pair-next").click()
    visit.run()
    assert visit.query["both"] == order[1]
    next(one for one in visit.at.button if one.label == "Back to the cells").click()
    visit.run()
    assert "both" not in visit.query


def test_the_difference_tree_has_the_numbers_of_the_api(demo):
    visit = Visit("compare", **PAIR, contrast="tree", metric="info_recall")
    found = difference_tree(*models(demo), "info_recall", rule="threshold", threshold=0.5)
    assert found.sentence in visit.text
    assert all(note in visit.text for note in found.notes)
    table = next(one.value for one in visit.at.dataframe if "low" in one.value.columns)
    assert table["class"].tolist() == [demo.taxonomy.title(node) for node in found.order.tolist()]
    assert table["difference"].tolist() == pytest.approx((100 * found.difference[found.order]).tolist())
    assert "it has no value per sample" in visit.text
    assert "Area" in visit.text or "AC" in visit.text


def test_a_class_of_the_difference_tree_is_zoomed_into_and_opens_two_by_two(demo):
    visit = Visit("compare", **PAIR, contrast="tree", zoom="watercraft")
    zoom = visit.zoom
    assert (zoom["name"], zoom["act"]) == ("watercraft", "Its samples, two by two")
    visit.choose_class("canoe")
    assert visit.query["zoom"] == "canoe"
    assert visit.query["contrast"] == "tree"
    # The tests are of all classes, whatever is zoomed into.
    assert visit.zoom == zoom | {"name": "canoe", "heard": 1}
    assert difference_tree(*models(demo)).sentence in visit.text
    visit.choose_class("canoe", act=True)
    assert visit.query["under"] == "canoe"
    assert "contrast" not in visit.query
    chosen = hv.diagnosis.SampleFilter(under=demo.taxonomy.node("canoe"))
    found = two_by_two(*models(demo))
    assert found.take(np.flatnonzero(found.pair.fits(chosen))).sentence in visit.text


def test_right_together_is_a_filter_of_every_page(demo):
    found = right_together(demo.methods)
    visit = Visit("compare", comparison="pair", contrast="together", right="none")
    assert found.sentence in visit.text
    n = len(found.select("none"))
    assert f"No model is right: {n:,} samples" in visit.text
    for page in ("mistakes", "example", "taxonomy", "overview"):
        visit = Visit(page, right="none", model=A, threshold="0.5")
        assert "no model is right" in visit.text
        assert visit.query["right"] == "none"
    answers = hv.evaluation.judged_answers(demo.models[A], "threshold", 0.5)
    n_wrong = int(answers.is_wrong[np.searchsorted(answers.rows, found.rows[found.select("none")])].sum())
    assert f"{n_wrong:,} samples" in Visit("mistakes", right="none", model=A, threshold="0.5").text
    # One press shows the samples, and another one all again.
    visit = Visit("compare", comparison="pair", contrast="together")
    control = visit.control("Samples")
    assert control.options == [
        f"all {found.n_samples:,}",
        f"no model is right {n:,}",
        f"all are right {len(found.select('all')):,}",
    ]
    control.set_value("none")
    visit.run()
    assert visit.query["right"] == "none"
    assert f"No model is right: {n:,} samples" in visit.text
    visit = Visit("mistakes", right="none", model=A, threshold="0.5")
    chip = next(one for one in visit.at.button if one.label == "no model is right")
    chip.click()
    visit.run()
    assert "right" not in visit.query


def test_names_of_models_that_are_not_open_are_dropped(demo):
    visit = Visit("mistakes", right="only:nobody")
    assert "right" not in visit.query


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two methods, three runs and two."""
    folder, ids = tmp_path_factory.mktemp("runs"), [f"s{i}" for i in range(40)]
    paths = []
    for k in range(5):
        rows = ([one, *row] for one, row in zip(ids, spread(40, seed=k).tolist(), strict=True))
        paths.append(write(folder / f"m_seed_{k}.csv", [("sample_id", *LEAVES), *rows]))
    truth = write(folder / "truth.csv", [("sample_id", "truth"), *((one, LEAVES[i % 6]) for i, one in enumerate(ids))])
    taxonomy = write(folder / "taxonomy.csv", [("parent", "child"), *EDGES])
    names = ("flat", "flat", "flat", "deep", "deep")
    return shelve(predictions=tuple(paths), names=names, taxonomy=taxonomy, truth=truth)


@pytest.mark.long
def test_methods_with_runs(runs):
    visit = Visit("compare", data=runs.key, comparison="pair")
    methods = list(runs.methods.values())
    found = two_by_two(*methods)
    assert found.pair.n_runs == (3, 2)
    assert found.sentence in visit.text
    assert "Paler parts of a block" in visit.text
    assert "retraining" not in visit.text.split("Paler")[0].split("Test:")[1]
    # The Overview leads to the sentence with its interval.
    overview = Visit("overview", data=runs.key)
    links = [one for one in overview.at.get("page_link") if "clearly better" in one.label]
    assert links
    assert {"panel=uncertainty", "drawn=bands"} <= set(links[0].proto.query_string.split("&"))
    # Its sentence there: the difference of the means over runs with Student's interval, which contains the spread between runs.
    curves = Visit("curves", data=runs.key, panel="uncertainty", drawn="bands")
    samples = [judged_samples(of_method) for of_method in methods]
    resamples = hv.uncertainty.Resamples.draw(40)
    bands = [
        [hv.uncertainty.bootstrap_curve(one.taxonomy, one.truth, one.table, resamples) for one in of_method]
        for of_method in samples
    ]
    apart = hv.uncertainty.paired_difference(*([one.summary["ac"] for one in of_method] for of_method in bands))
    assert difference_verdict(("flat", "deep"), apart)[1:] in curves.text
    # As many digits as it takes for the written difference to be that of the written values.
    spans = [f"interval [{apart.lower:+.{k}f}, {apart.upper:+.{k}f}]".replace("-", "−") for k in (3, 4, 5)]
    assert any(span in curves.text for span in spans)
    assert "Means over 3 runs of flat and 2 runs of deep; the interval also contains the spread" in curves.text


@pytest.mark.long
def test_galleries_say_how_many_runs_are_right(runs):
    def said(visit):
        return [one.proto.body for one in visit.at.get("html") if 'class="hierviz-shade"' in one.proto.body]

    assert said(Visit("overview", data=runs.key))
    found = two_by_two(*runs.methods.values())
    first = found.places("right", "wrong")[0]
    words = said(Visit("compare", data=runs.key, comparison="pair", cell="right-wrong"))[0]
    for method, (name, n) in enumerate((("flat", 3), ("deep", 2))):
        assert f"{name}: {round(n * found.share[method][first])} of {n} right" in words
    # On Mistakes: of the runs of the method of the model, how many are not wrong.
    key, of_method = next(iter(runs.methods.items()))
    wrong = np.array([one.answers("threshold", 0.0) for one in of_method])
    taxonomy, truth = runs.taxonomy, of_method[0].truth
    right = [[truth[i] == node for i, node in enumerate(one)] for one in wrong]
    row = int(np.flatnonzero(~np.array(right[0]))[0])
    visit = Visit("mistakes", data=runs.key, model=key, rule="threshold", threshold=0, part="list", order="file")
    assert taxonomy.is_leaf[wrong].all()
    visit.control("As").set_value("gallery")
    visit.run()
    counts = {one.split("</span>")[1].split(" of")[0] for one in said(visit)}
    assert str(int(np.sum([one[row] for one in right]))) in counts


def test_one_model_has_no_pair(tmp_path):
    ids = [f"s{i}" for i in range(12)]
    rows = ([one, *row] for one, row in zip(ids, spread(12).tolist(), strict=True))
    scores = write(tmp_path / "scores.csv", [("sample_id", *LEAVES), *rows])
    truth = write(
        tmp_path / "truth.csv", [("sample_id", "truth"), *((one, LEAVES[i % 6]) for i, one in enumerate(ids))]
    )
    taxonomy = write(tmp_path / "taxonomy.csv", [("parent", "child"), *EDGES])
    data = shelve(predictions=(scores,), taxonomy=taxonomy, truth=truth)
    assert "A against B needs two models" in Visit("compare", data=data.key, comparison="pair").text
