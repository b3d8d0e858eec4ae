"""What an expert says of samples: numbers by hand and against loops, the file, the queue and the filter."""

import json

import naive
import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from strategies import many

import hierviz as hv
from hierviz import FileError, PredictionsError
from hierviz.cli import main
from hierviz.diagnosis import SampleFilter, review_queue, review_samples
from hierviz.evaluation import Review, ReviewRow, judged_answers, reviewed, reviewed_numbers
from hierviz.evaluation._review import VERDICTS
from hierviz.evaluation._reviewed import projected_review

LEAVES = ["cat", "dog", "duck", "newt"]
ANIMAL, MAMMAL, CAT, DOG, BIRD, DUCK, NEWT = range(7)
TRUTH = [CAT, CAT, DOG, DUCK, NEWT]
# Answers by majority: cat, dog, mammal, newt, newt.
SCORES = [[0.9, 0.1, 0, 0], [0.2, 0.8, 0, 0], [0.4, 0.3, 0.2, 0.1], [0, 0, 0.1, 0.9], [0, 0, 0.2, 0.8]]


@pytest.fixture
def predictions(taxonomy):
    return hv.Predictions.from_scores(
        taxonomy, SCORES, "leaf_probabilities", truth=TRUTH, sample_ids=np.array(list("abcde")), name="one"
    )


def rows(*given):
    return tuple(ReviewRow(sample, verdict, answer=answer, truth=truth) for sample, verdict, answer, truth in given)


SAID = rows(
    ("b", "acceptable", (DOG,), (CAT,)), ("d", "wrong_label", (NEWT,), (DUCK,)), ("e", "model_wrong", (NEWT,), ())
)


def test_numbers_by_hand(taxonomy, predictions):
    """Exact without it: a, e of 5. With it d is left out, and b is exact: a, b, e of 4; c stays coarse, nothing is wrong."""
    before = hv.evaluate(predictions)["models"][0]["predicted"]
    assert (before["exact"], before["n_wrong"]) == (2 / 5, 2)
    after = reviewed_numbers(predictions, Review(taxonomy, SAID))
    said = {key: after[key] for key in ("n_wrong_label", "n_acceptable", "n_model_wrong", "n_accepted", "n_samples")}
    assert said == {"n_wrong_label": 1, "n_acceptable": 1, "n_model_wrong": 1, "n_accepted": 1, "n_samples": 4}
    assert (after["predicted"]["exact"], after["predicted"]["n_coarse"], after["predicted"]["n_wrong"]) == (0.75, 1, 0)
    assert after["notes"] == []
    # They are those of the file with other truths.
    other = predictions.replace(truth=np.array([CAT, DOG, DOG, -1, NEWT]))
    expected = hv.evaluate(other)["models"][0]
    for block in ("distribution", "top_down", "predicted", "labels", "curve", "confusion"):
        assert after[block] == expected[block], block


def test_an_accepted_answer_counts_where_it_is_given(taxonomy, predictions):
    """A model that says what the truth says stays exact."""
    right = predictions.replace(scores=np.eye(4)[[0, 0, 1, 2, 3]])
    found = reviewed(right, Review(taxonomy, SAID))
    assert found.n_accepted == 0
    assert found.predictions.truth.tolist() == [CAT, CAT, DOG, -1, NEWT]
    # At a threshold where the answer is another one, it is judged against the truth that was there before.
    assert reviewed(predictions, Review(taxonomy, SAID), "threshold", 0.9).predictions.truth.tolist()[1] == CAT


def test_what_is_about_other_data_is_counted(taxonomy, predictions):
    said = rows(
        ("b", "acceptable", (DOG,), (DUCK,)), ("z", "wrong_label", (DOG,), (CAT,)), ("a", "model_wrong", (CAT,), (CAT,))
    )
    found = reviewed(predictions, Review(taxonomy, said))
    assert (found.n_outdated, found.n_elsewhere, found.n_verdicts["acceptable"]) == (1, 1, 0)
    assert found.predictions.truth.tolist() == TRUTH
    assert len(found.notes) == 2
    with pytest.raises(PredictionsError, match="expected samples of one, got 'z'"):
        reviewed(predictions, Review(taxonomy, said[1:2]))
    with pytest.raises(PredictionsError, match="same taxonomy"):
        reviewed(predictions, Review(hv.Taxonomy.from_edges([("a", "b")]), rows(("a", "model_wrong", (1,), ()))))
    of_sets = judged_answers(predictions.replace(scores=np.full((5, 4), 0.25)), "threshold_set", threshold=0.1)
    of_many = Review(taxonomy, rows(("a", "acceptable", tuple(of_sets.predicted[0].tolist()), ())))
    with pytest.raises(PredictionsError, match="one class, because"):
        reviewed(of_sets, of_many)


def test_several_truths(taxonomy):
    labels = hv.Predictions.from_labels(
        taxonomy, [[CAT, DUCK], [DOG], [NEWT]], truth=[[CAT], [DOG, NEWT], [NEWT]], sample_ids=np.array(["a", "b", "c"])
    )
    said = rows(("a", "acceptable", (DUCK, CAT), (CAT,)), ("b", "wrong_label", (DOG,), (NEWT, DOG)))
    found = reviewed(labels, Review(taxonomy, said))
    assert [sorted(found.predictions.truth[row].tolist()) for row in range(3)] == [[CAT, DUCK], [], [NEWT]]
    # Labels are as listed (cat, duck; newt), truths with their ancestors (mammal, cat, bird, duck; newt): 2 * 3 / (3 + 5).
    assert reviewed_numbers(labels, Review(taxonomy, said))["labels"]["micro_f1"] == pytest.approx(0.75)


@many
@given(strategies.judged(most=8), st.data())
def test_against_loops(case, data):
    """Truths after a review, sample by sample."""
    graph, taxonomy, p, truth = case
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    nodes, said, verdicts = st.integers(0, graph.n - 1), [], {}
    for row in range(len(truth)):
        for answer in sorted(data.draw(st.sets(nodes, max_size=2))):
            verdict = data.draw(st.sampled_from(["", *VERDICTS]))
            if "wrong_label" in (verdict, *verdicts.get(row, ())) and verdicts.get(row) and verdict:
                continue
            if verdict:
                verdicts.setdefault(row, []).append(verdict)
            is_outdated = data.draw(st.booleans())
            seen = data.draw(nodes) if is_outdated else int(truth[row])
            said.append((row, verdict, answer, seen))
    review = Review(
        taxonomy,
        tuple(ReviewRow(str(row), verdict, "x", "", (answer,), (seen,)) for row, verdict, answer, seen in said),
    )
    expected, n_accepted = truth.tolist(), set()
    for row, verdict, answer, seen in said:
        given_answer = naive.rule_threshold(graph, p[row].tolist(), 0.3)
        if seen != truth[row]:
            continue
        if verdict == "acceptable" and given_answer == answer:
            expected[row] = answer
            n_accepted |= {row} if answer != truth[row] else set()
        if verdict == "wrong_label":
            expected[row] = -1
    found = reviewed(predictions, review, "threshold", 0.3)
    assert found.predictions.truth.tolist() == expected
    assert found.n_accepted == len(n_accepted)
    assert found.n_outdated == sum(seen != truth[row] for row, _, _, seen in said)


def test_saying_and_taking_back(taxonomy):
    review = Review(taxonomy)
    first, second = (
        ReviewRow("a", "acceptable", "n", "", (DOG,), (CAT,)),
        ReviewRow("b", "model_wrong", "", "", (CAT,), ()),
    )
    review = review.saying(first).saying(second)
    assert review.rows == (first, second)
    # Another verdict on the same answer keeps its place; a wrong label replaces what was said of other answers.
    review = review.saying(first._replace(verdict="model_wrong"))
    assert [row.verdict for row in review.rows] == ["model_wrong", "model_wrong"]
    review = review.saying(ReviewRow("a", "wrong_label", "", "", (NEWT,), (CAT,)))
    assert [(row.sample_id, row.verdict) for row in review.rows] == [("b", "model_wrong"), ("a", "wrong_label")]
    assert review.of("a", (DOG,)).verdict == "wrong_label"
    assert review.saying(ReviewRow("a", "", "", "", (NEWT,))).rows == (second,)


def test_file_there_and_back(taxonomy, tmp_path):
    path = tmp_path / "review.csv"
    review = Review(
        taxonomy, (ReviewRow("=1+1", "acceptable", '"so", she said\nand left', "A;B", (CAT, DUCK), (DOG,)), *SAID)
    )
    hv.write_review(review, path)
    assert path.read_text().startswith("sample_id,verdict,note,order,model,answer,truth\n'=1+1,acceptable,")
    assert hv.load_review(path, taxonomy).rows == review.rows
    # The reviewer's order is that of its column.
    path.write_text("verdict,sample_id,order\nmodel_wrong,a,2\nWRONG_LABEL,b,1\n")
    assert [row.sample_id for row in hv.load_review(path, taxonomy).rows] == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "sample,verdict\na,model_wrong\n",
            "expected the columns sample_id and verdict, each once, got 'sample', 'verdict'",
        ),
        (
            "sample_id,verdict\na,maybe\n",
            "r.csv:2, column verdict: expected wrong_label, acceptable, model_wrong or nothing",
        ),
        ("sample_id,verdict\n,model_wrong\n", "r.csv:2: expected the id of a sample, got nothing"),
        ("sample_id,verdict,answer\na,acceptable,wolf\n", "r.csv:2: expected the name of a node"),
        ("sample_id,verdict,answer\na,acceptable,\n", "sample 'a': expected the answer that is acceptable, got none"),
        (
            "sample_id,verdict,answer\na,model_wrong,cat\na,acceptable,cat\n",
            "expected one row for each answer to a sample",
        ),
        (
            "sample_id,verdict,answer\na,model_wrong,cat\na,wrong_label,dog\n",
            "expected no other verdict on a sample with a",
        ),
        ("sample_id,verdict,order\na,model_wrong,first\n", "r.csv:2, column order: expected a number, got 'first'"),
    ],
)
def test_bad_files(taxonomy, tmp_path, text, said):
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises((FileError, PredictionsError)) as error:
        hv.load_review(path, taxonomy)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_queues(predictions):
    # Wrong answers: b (dog for cat), d (newt for duck), which is the more doubtful one.
    assert review_queue(predictions, "labels").tolist() == [3, 1]
    assert review_queue(predictions, "worst").tolist() == [3, 1]
    assert review_queue(predictions, "worst", most=1).tolist() == [3]
    drawn = review_queue(predictions, "random", seed=1)
    assert sorted(drawn.tolist()) == [0, 1, 2, 3, 4]
    assert drawn.tolist() == review_queue(predictions, "random", seed=1).tolist()
    assert any(drawn.tolist() != review_queue(predictions, "random", seed=seed).tolist() for seed in (2, 3))
    with pytest.raises(PredictionsError, match="queue"):
        review_queue(predictions, "best")


def test_filter(taxonomy, predictions):
    review = Review(taxonomy, (*SAID, ReviewRow("a", "", "a note")))
    for which, expected in {
        "acceptable": "b",
        "wrong_label": "d",
        "reviewed": "bde",
        "open": "ac",
        "noted": "a",
    }.items():
        chosen = SampleFilter(review=review_samples(review, which, predictions))
        kept = hv.diagnosis.filtered(judged_answers(predictions), chosen)
        assert "".join(predictions.ids[kept]) == expected


def test_answer_agreement(taxonomy, predictions):
    """b: dog, cat, dog of three models, the truth is cat; d: newt, duck, duck, the truth is duck."""
    second = predictions.replace(scores=np.array(SCORES)[:, [1, 0, 3, 2]], name="two")
    third = predictions.replace(
        scores=np.array([SCORES[0], SCORES[1], SCORES[2], [0, 0, 1, 0], SCORES[4]]), name="three"
    )
    found = hv.diagnosis.answer_agreement([judged_answers(one) for one in (predictions, second, third)], ["d", "b"])
    assert [taxonomy.names[node] for node in found.named.tolist()] == ["duck", "dog"]
    assert (found.n_named.tolist(), found.n_wrong.tolist(), found.n_models) == ([2, 2], [1, 2], 3)
    with pytest.raises(PredictionsError, match="expected an answer to sample 'z'"):
        hv.diagnosis.answer_agreement([judged_answers(predictions)], ["z"])


def test_evaluate_with_a_review(taxonomy, predictions, tmp_path, capsys):
    tree, scores, review = (str(tmp_path / name) for name in ("tree.csv", "scores.csv", "review.csv"))
    hv.write_taxonomy(taxonomy, tree)
    lines = [
        f"{sample},{LEAVES_OF[truth]},{','.join(map(str, values))}"
        for sample, truth, values in zip("abcde", TRUTH, SCORES, strict=True)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["sample_id,truth," + ",".join(LEAVES), *lines]))
    hv.write_review(Review(taxonomy, SAID), review)
    files = ["--taxonomy", tree, "--predictions", scores, "--parametrisation", "leaf_probabilities"]
    assert main(["evaluate", *files, "--review", review]) == 0
    out = capsys.readouterr()
    entry = json.loads(out.out)["models"][0]
    assert (entry["predicted"]["exact"], entry["review"]["predicted"]["exact"]) == (0.4, 0.75)
    assert "exact 0.400 without the review, 0.750 with it" in out.err
    assert main(["evaluate", *files, "--review", scores]) == 2
    assert capsys.readouterr().err.count("\n") == 1


LEAVES_OF = {CAT: "cat", DOG: "dog", DUCK: "duck", NEWT: "newt"}


# Truths: cat, cat, mammal (inner), duck, newt; answers: cat, dog, mammal, newt, newt. What an expert saw on the whole taxonomy.
OF_WHOLE = """sample_id,verdict,answer,truth
b,acceptable,dog,cat
c,acceptable,dog,mammal
d,wrong_label,newt,duck
 e ,model_wrong,newt,newt
"""


@pytest.fixture
def files(taxonomy, tmp_path):
    """A taxonomy, and scores with an inner truth."""
    hv.write_taxonomy(taxonomy, tmp_path / "tree.csv")
    truths = ["cat", "cat", "mammal", "duck", "newt"]
    lines = [
        f"{sample},{truth},{','.join(map(str, values))}"
        for sample, truth, values in zip("abcde", truths, SCORES, strict=True)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["sample_id,truth," + ",".join(LEAVES), *lines]))
    return ["--taxonomy", str(tmp_path / "tree.csv"), "--predictions", str(tmp_path / "scores.csv")]


def evaluated(files, tmp_path, capsys, text, *more):
    """The entry of the JSON and the standard error of `evaluate --review`."""
    (tmp_path / "review.csv").write_text(text)
    assert main(["evaluate", *files, "--review", str(tmp_path / "review.csv"), *more]) == 0
    out = capsys.readouterr()
    return json.loads(out.out)["models"][0], out.err


@pytest.mark.parametrize(
    ("more", "exact", "n_accepted"),
    [
        # a and c are exact; with the review a, b, c, e of 4.
        ((), (0.6, 1), 1),
        # The truth of c is the leaf mammal (other), the answer mammal: coarse in both.
        (("--inner-truth", "other"), (0.4, 0.75), 1),
        # At depth 1 all but d are exact, so that no accepted answer is another class than its truth.
        (("--max-depth", "1"), (0.8, 1), 0),
        (("--level", "1"), (0.8, 1), 0),
        (("--max-depth", "1", "--inner-truth", "other"), (0.8, 1), 0),
    ],
)
def test_a_review_is_projected_as_the_truths_are(files, tmp_path, capsys, more, exact, n_accepted):
    entry, said = evaluated(files, tmp_path, capsys, OF_WHOLE, *more)
    after = entry["review"]
    assert (entry["predicted"]["exact"], after["predicted"]["exact"]) == exact
    counts = {key: after[f"n_{key}"] for key in (*VERDICTS, "accepted")}
    assert counts == {"wrong_label": 1, "acceptable": 2, "model_wrong": 1, "accepted": n_accepted}
    assert after["notes"] == []
    assert "1 sample with a wrong label is left out" in said


def test_classes_of_a_projection_are_read(files, tmp_path, capsys):
    """What was exported from projected data: c's truth is a leaf of its own there."""
    text = "sample_id,verdict,answer,truth\nc,acceptable,mammal,mammal (other)\nb,acceptable,mammal,cat\n"
    entry, _ = evaluated(files, tmp_path, capsys, text, "--inner-truth", "other")
    assert (entry["review"]["n_accepted"], entry["review"]["notes"]) == (1, [])
    assert main(["evaluate", *files, "--review", str(tmp_path / "review.csv")]) == 2
    assert "needs the same here" in (said := capsys.readouterr().err)
    assert "--inner-truth other" in said
    assert said.count("\n") == 1


def test_a_review_of_classes_that_a_model_does_not_know(taxonomy, files, tmp_path, capsys):
    """Without bird and duck the truth of d is the root, where an accepted duck is nothing that an answer says."""
    (tmp_path / "scores.csv").write_text(
        "sample_id,truth,cat,dog,newt\na,cat,0.9,0.1,0\nb,cat,0.2,0.8,0\nd,duck,0,0,1\n"
    )
    text = "sample_id,verdict,answer,truth\nd,acceptable,bird,duck\nd,acceptable,newt,duck\nb,acceptable,dog,cat\n"
    entry, said = evaluated(files, tmp_path, capsys, text, "--unseen", "project")
    assert (entry["review"]["n_accepted"], entry["review"]["n_acceptable"]) == (2, 2)
    assert "review: 1 row accepts a class outside this part of the taxonomy and was not used" in said
    # Left out, it is not judged; a file about nothing else is no error.
    entry, said = evaluated(files, tmp_path, capsys, text.rsplit("b,")[0], "--only-known")
    assert "review: 2 rows are about samples that are not judged here and were not used" in said


def test_projected_in_python(taxonomy, predictions, tmp_path):
    """A review of the whole, one of the part, and one that is read with the predictions say the same."""
    hv.write_review(Review(taxonomy, SAID), tmp_path / "review.csv")
    part = hv.projection.cut(predictions, max_depth=1)
    at_part = hv.load_review(tmp_path / "review.csv", part)
    found = [reviewed(part, one) for one in (Review(taxonomy, SAID), at_part, projected_review(at_part, part))]
    assert {(one.n_verdicts["wrong_label"], one.n_outdated, one.n_elsewhere) for one in found} == {(1, 0, 0)}
    assert found[0].predictions.truth.tolist() == part.taxonomy.nodes(
        "mammal", "mammal", "mammal", "bird", "newt"
    ).tolist()[:3] + [-1, part.taxonomy.node("newt")]
    # Two answers that are one class there: the accepted one is kept, with both notes.
    both = (
        ReviewRow("b", "model_wrong", "no", "", (CAT,), (CAT,)),
        ReviewRow("b", "acceptable", "yes", "", (DOG,), (CAT,)),
    )
    (row,) = projected_review(Review(taxonomy, both), part).rows
    assert (row.verdict, row.note) == ("acceptable", "no; yes")


@many
@given(strategies.judged(most=8), st.data())
def test_projection_against_loops(case, data):
    """A verdict of the whole on the truth that is there is used on a part, whatever the depth."""
    graph, taxonomy, p, truth = case
    if not taxonomy.is_tree or taxonomy.max_depth < 2:
        return
    depth = data.draw(st.integers(1, taxonomy.max_depth - 1))
    predictions = hv.Predictions.from_scores(taxonomy, p, "node_probabilities", truth=truth)
    part = hv.projection.cut(predictions, max_depth=depth)
    said = tuple(
        ReviewRow(str(row), "acceptable", answer=(data.draw(st.integers(0, graph.n - 1)),), truth=(int(truth[row]),))
        for row in range(len(truth))
    )
    found = reviewed(part, Review(taxonomy, said), "threshold", 0.3)

    def at(node):
        while taxonomy.depth[node] > depth:
            node = int(taxonomy.parent[node])
        return taxonomy.names[node]

    answers = judged_answers(part, "threshold", 0.3).predicted.tolist()
    expected = []
    for row, one in enumerate(said):
        answer = part.taxonomy.names[answers[row]]
        is_accepted = at(one.answer[0]) == answer and (answer != taxonomy.names[0] or one.answer[0] == 0)
        expected.append(answer if is_accepted else at(int(truth[row])))
    assert [part.taxonomy.names[node] for node in found.predictions.truth.tolist()] == expected
    assert found.n_outdated == 0
