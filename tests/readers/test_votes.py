"""Several answers to one sample: shares and intervals by hand, the same from every form, and what is not one sample's."""

import json

import numpy as np
import pytest

import hierviz as hv
from hierviz import cli
from hierviz.charts import example
from hierviz.predictions.outside_lines import outside_lines

# Sample a: 20 answers, 12 cat, 4 mammal, 3 newt and one without a class. Sample b: 2 answers.
ANSWERS = {"a": ["cat"] * 12 + ["mammal"] * 4 + ["newt"] * 3 + [""], "b": ["duck", "dog"]}
TRUTH = {"a": "cat", "b": "bird"}
# animal, mammal, cat, dog, bird, duck, newt
P = [[1, 16 / 20, 12 / 20, 0, 0, 0, 3 / 20], [1, 1 / 2, 0, 1 / 2, 1 / 2, 1 / 2, 0]]


def rows(answers=ANSWERS, **more):
    """A CSV with a row for each answer, those of the samples in turn."""
    lines = ["sample_id,run,predicted,truth"]
    for run in range(20):
        lines += [f"{name},{run},{of[run]},{TRUTH[name]}" for name, of in answers.items() if run < len(of)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


FORMS = {
    "votes.csv": rows(),
    "votes.jsonl": "".join(
        json.dumps({"sample_id": name, "predicted": of, "truth": TRUTH[name]}) + "\n" for name, of in ANSWERS.items()
    ),
    "lists.csv": "sample_id,labels,truth\n" + "".join(f"{k},{';'.join(of)},{TRUTH[k]}\n" for k, of in ANSWERS.items()),
    "batch.jsonl": "".join(
        json.dumps(
            {
                "custom_id": name,
                "response": {"body": {"choices": [{"message": {"content": answer}} for answer in of]}},
            }
        )
        + "\n"
        for name, of in ANSWERS.items()
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_shares_of_the_answers(name, taxonomy, written):
    truth = None if name != "batch.jsonl" else ["cat", "bird"]
    found = hv.load_predictions(written(name, FORMS[name]), taxonomy, truth, "votes")
    np.testing.assert_array_equal(found.node_probabilities(), P)
    assert found.ids.tolist() == ["a", "b"]
    assert found.truth.tolist() == taxonomy.nodes("cat", "bird").tolist()
    assert found.scores[:].sum(axis=1).tolist() == [20, 2]
    assert any("22 answers to 2 samples (2 to 20 each)" in note for note in found.notes)
    assert any("1 answer names no class" in note for note in found.notes)
    assert "run" not in found.attributes


def test_from_memory_and_as_counts(taxonomy, written):
    found = hv.Predictions.from_votes(taxonomy, ANSWERS.values(), truth=TRUTH.values())
    np.testing.assert_array_equal(found.node_probabilities(), P)
    np.testing.assert_array_equal(
        hv.Predictions.from_votes(taxonomy, [[2, 2], [5, -1]]).node_probabilities()[:, 2], [1, 0]
    )
    counts = hv.load_predictions(written("c.csv", "sample_id,cat,dog\na,3,1\n"), taxonomy, None, "votes")
    np.testing.assert_array_equal(counts.node_probabilities(), [[1, 1, 3 / 4, 1 / 4, 0, 0, 0]])


def test_intervals(taxonomy):
    """Wilson's for 12 of 20 at 95 %: (12 + z²/2 ± z √(12·8/20 + z²/4)) / (20 + z²) with z = 1.95996."""
    shares = hv.uncertainty.vote_shares(hv.Predictions.from_votes(taxonomy, [*ANSWERS.values(), []]))
    assert shares.n_answers.tolist() == [20, 2, 0]
    cat = taxonomy.node("cat")
    assert (shares.low[0, cat], shares.high[0, cat]) == pytest.approx((0.38658, 0.78119), abs=1e-5)
    assert shares.words(0, taxonomy.node("mammal")) == "16 of 20, 0.58–0.92"
    assert (shares.low[:, 0] == 1).all()
    assert (shares.low[2, 1:] == 0).all()
    assert (shares.high[2, 1:] == 1).all()


def test_half_of_the_answers_is_not_more_than_half(taxonomy):
    """Sums of shares such as 0.1 + 0.2 + 0.2 would be."""
    answers = [["mammal"] + ["cat"] * 2 + ["dog"] * 2 + ["newt"] * 5]
    assert hv.infer(
        taxonomy, hv.Predictions.from_votes(taxonomy, answers).node_probabilities(), "majority"
    ).tolist() == [0]


def test_the_command_and_the_drawing(taxonomy, written, capsys):
    edges = "parent,child\nanimal,mammal\nmammal,cat\nmammal,dog\nanimal,bird\nbird,duck\nanimal,newt\n"
    said = ["evaluate", "--taxonomy", str(written("t.csv", edges)), "--predictions", str(written("v.csv", rows()))]
    assert cli.main([*said, "--parametrisation", "votes", "--json", "-"]) in (0, None)
    (model,) = json.loads(capsys.readouterr().out)["models"]
    # cat is exact; of two answers neither class has the majority.
    assert (model["predicted"]["n_exact"], model["predicted"]["n_no_answer"], model["n_samples"]) == (1, 1, 2)
    record = example(hv.load_predictions(written("v.csv", rows()), taxonomy, None, "votes"), "a").record
    bar = next(one for one in record["bars"] if one["name"] == "cat")
    assert bar["of"] == "12 of 20, 0.39–0.78"
    assert (bar["i0"], bar["i1"]) == pytest.approx((0.38658, 0.78119), abs=1e-5)
    assert "20 answers" in " ".join(record["sample"][0]["facts_wide"])


@pytest.mark.parametrize(("how", "p"), [("wrong", [1, 3 / 4, 1 / 2]), ("drop", [1, 1, 2 / 3])])
def test_answers_outside_the_taxonomy(how, p, taxonomy, written):
    text = rows({"a": ["cat", "cat", "mammal", "unicorn"], "b": ["duck"]})
    found = hv.load_predictions(written("o.csv", text), taxonomy, None, "votes", outside=how)
    np.testing.assert_array_equal(found.node_probabilities([0])[0, :3], p)
    assert found.n_samples == 2
    assert any("unicorn" in note for note in found.notes)


def test_the_answer_outside_has_its_count_and_its_interval(taxonomy, written):
    """Three of five answers are no class. Wilson's for 3 of 5: (3 + z²/2 ± z √(3·2/5 + z²/4)) / (5 + z²), z = 1.95996."""
    text = rows({"a": ["unicorn", "cat", "unicorn", "gnome", "dog"], "b": ["duck"]})
    found = hv.load_predictions(written("o.csv", text), taxonomy, None, "votes", outside="wrong")
    assert found.attributes["answer outside the taxonomy"].tolist() == ["unicorn ×2; gnome", ""]
    shares = hv.uncertainty.vote_shares(found)
    assert shares.at_or_below[:, -1].tolist() == [3, 0]
    assert (shares.low[0, -1], shares.high[0, -1]) == pytest.approx((0.23072, 0.88238), abs=1e-5)
    bar = next(one for one in example(found, "a").record["bars"] if one["name"] == "outside the taxonomy")
    assert (bar["text"], bar["of"]) == ("0.600 (3 of 5)", "3 of 5, 0.23–0.88")
    assert (bar["p"], bar["i0"], bar["i1"]) == pytest.approx((0.6, 0.23072, 0.88238), abs=1e-5)
    assert outside_lines([found]) == ["3 (50.0 %) of 6 answers outside the taxonomy"]
    dropped = hv.load_predictions(written("o.csv", text), taxonomy, None, "votes", outside="drop")
    assert outside_lines([dropped]) == ["3 (50.0 %) of 6 answers left out: outside the taxonomy"]


@pytest.mark.parametrize(
    ("text", "parametrisation", "message"),
    [
        (rows(), None, r"column 'run'.*several answers to one sample, say parametrisation='votes'"),
        ("sample_id,predicted\na,cat\na,dog\n", None, r"every sample id once.*if a sample has several answers, say"),
        (rows().replace("a,3,cat,cat", "a,3,cat,dog"), "votes", r"sample 'a': expected one truth.*'cat' and 'dog'"),
        ("sample_id,cat,dog\na,-1,2\n", "votes", r"column 'cat': expected a number of answers, 0 or more, got -1"),
    ],
)
def test_what_is_no_sample(text, parametrisation, message, taxonomy, written):
    with pytest.raises(hv.HiervizError, match=message):
        hv.load_predictions(written("x.csv", text), taxonomy, None, parametrisation)


def test_only_the_first_answer_of_a_batch_is_said(taxonomy, written):
    found = hv.load_predictions(written("b.jsonl", FORMS["batch.jsonl"]), taxonomy)
    assert any("2 requests have several answers" in note and "votes" in note for note in found.notes)


def test_texts_that_differ_are_no_columns_of_the_file(taxonomy, written):
    text = "sample_id,run,answer\na,1,It is a cat.\na,2,The animal is a dog.\n"
    found = hv.load_predictions(written("t.csv", text), taxonomy, None, "votes")
    assert found.n_samples == 1
    assert not [note for note in found.notes if "left out" in note]
