"""Models made for the test look at one corner, one word or one column: sensitivity finds it in every sample."""

import numpy as np
import pytest

import hierviz as hv
from hierviz.onnx.hiding import SHARES, _patches, hiding_of
from hierviz.onnx.inputs.model_inputs import ModelInputs
from hierviz.onnx.sensitivity import SensitivityRuns

from . import sensitive_models as made
from .sensitive_models import COLUMNS, CORNER, SIDE, WATCHED, WORD

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")
# Patches of 1/4 are 7 by 7, those of 1/8 15 by 15.
N_PATCHES = 7 * 7 + 15 * 15


@pytest.fixture
def load(tmp_path, taxonomy):
    return lambda make, **how: hv.load_model(make(tmp_path / "m.onnx", taxonomy, **how), taxonomy)


def of_all(model, values):
    """A Sensitivity of every sample, cat against dog."""
    inputs, n = ModelInputs.from_values(values, model.inputs), len(values)
    return SensitivityRuns(model, inputs, ("cat", "dog"), "mean", 64).of(range(n), [None] * n, [None] * n, None)


def pictures(n, corner="lower left"):
    """Noise, with a corner that is darker or brighter than the rest."""
    rng = np.random.default_rng(0)
    found = rng.integers(90, 166, size=(n, SIDE, SIDE, 3)).astype(np.uint8)
    rows = slice(0, CORNER) if corner.startswith("upper") else slice(SIDE - CORNER, None)
    columns = slice(0, CORNER) if corner.endswith("left") else slice(SIDE - CORNER, None)
    shift = rng.choice([-70, 70], size=(n, 1, 1, 1)) + rng.integers(-15, 16, size=(n, 1, 1, 1))
    found[:, rows, columns] = np.clip(found[:, rows, columns].astype(int) + shift, 0, 255)
    return found, (rows, columns)


@pytest.mark.parametrize("corner", ["lower left", "upper right"])
def test_a_model_of_one_corner_is_seen_to_look_there(load, corner):
    """100 of 100 samples."""
    model, (shown, (rows, columns)) = load(made.corner_model, corner=corner), pictures(100, corner)
    inside = np.zeros((SIDE, SIDE), bool)
    inside[rows, columns] = True
    for row, found in enumerate(of_all(model, shown)):
        y, x = np.unravel_index(np.abs(found.heat).argmax(), found.heat.shape)
        assert inside[y, x]
        # A bright corner speaks for cat, a dark one for dog.
        light = shown[row][inside].mean() - shown[row].mean()
        assert np.sign(found.heat[y, x]) == np.sign(light)
        touches = [inside[top:bottom, left:right].any() for top, left, bottom, right in found.parts.places.tolist()]
        assert (np.abs(found.effect[~np.array(touches)]) < 1e-5).all()
        assert sum(touches) < N_PATCHES
        assert f"the {corner} part" in found.sentence


def test_the_effect_of_a_patch_by_hand(load):
    model, (shown, _) = load(made.corner_model), pictures(3)
    found = model.sensitivity(shown, 1, ("cat", "dog"))
    # The patch that is the corner: 0.1 * (mean of the corner - mean colour of the picture, rounded to whole levels).
    whole = [[SIDE - CORNER, 0, SIDE, CORNER]]
    (place,) = np.flatnonzero((found.parts.places == whole).all(axis=1) & (found.parts.what == "1/4"))
    fill = np.rint(shown[1].mean(axis=(0, 1)))
    expected = 0.1 * (shown[1, SIDE - CORNER :, :CORNER].mean() - fill.mean())
    assert found.effect[place] == pytest.approx(expected, abs=1e-4)
    assert found.log_odds == pytest.approx(0.1 * shown[1, SIDE - CORNER :, :CORNER].mean(), abs=1e-3)


def test_runs_are_counted_and_told(load):
    model, (shown, _), told = load(made.corner_model), pictures(2), []
    found = model.sensitivity(shown, 0, progress=lambda *now: told.append(now))
    assert len(found.parts) == N_PATCHES == 274
    assert found.n_runs == 275
    assert told[-1] == (275, 275)
    assert (found.parts.what == "1/4").sum() == 49
    assert (found.parts.what == "1/8").sum() == 225


def test_what_progress_raises_ends_the_work(load):
    model, (shown, _) = load(made.corner_model), pictures(2)

    class Stopped(Exception):
        pass

    def stop(*_):
        raise Stopped

    with pytest.raises(Stopped):
        model.sensitivity(shown, 0, progress=stop)


@pytest.mark.parametrize(("height", "width"), [(64, 64), (224, 224), (33, 50), (9, 7), (1, 3)])
def test_patches_cover_the_picture_and_stay_inside(height, width):
    places, what = _patches(height, width)
    assert len(places) == len(what) == N_PATCHES
    top, left, bottom, right = places.T
    assert top.min() == left.min() == 0
    assert bottom.max() == height
    assert right.max() == width
    assert (bottom > top).all()
    assert (right > left).all()
    for share in SHARES:
        covered = np.zeros((height, width), bool)
        for one in places[what == f"1/{share}"].tolist():
            covered[one[0] : one[2], one[1] : one[3]] = True
        assert covered.all()
    if height == width == 64:
        assert places[:2].tolist() == [[0, 0, 16, 16], [0, 8, 16, 24]]
        assert places[49].tolist() == [0, 0, 8, 8]


def test_a_blurred_copy_hides_less_of_an_even_corner(load):
    model = load(made.corner_model)
    shown = np.full((1, SIDE, SIDE, 3), 120, np.uint8)
    shown[0, SIDE - CORNER :, :CORNER] = 200
    mean, blur = (model.sensitivity(shown, 0, ("cat", "dog"), fill=fill) for fill in ("mean", "blur"))
    assert 0 < blur.effect.max() < mean.effect.max()
    assert "blurred copy" in blur.notes[0]
    assert "mean colour" in mean.notes[0]


def test_pictures_of_a_folder_give_what_their_arrays_give(load, tmp_path):
    image = pytest.importorskip("PIL.Image")
    model, (shown, _) = load(made.corner_model), pictures(3)
    for number, picture in enumerate(shown):
        image.fromarray(picture).save(tmp_path / f"p{number}.png")
    folder = tmp_path / "pictures"
    folder.mkdir()
    for file in tmp_path.glob("p*.png"):
        file.rename(folder / file.name)
    found = model.sensitivity(folder, 2, truth="cat")
    assert found.sample == "p2"
    assert found.truth == 2
    assert np.array_equal(found.effect, model.sensitivity(shown, 2, truth="cat").effect)
    assert np.array_equal(found.parts.content, shown[2])


def test_a_model_of_one_word_is_seen_to_read_it(load):
    """100 of 100 samples."""
    model, rng = load(made.word_model), np.random.default_rng(0)
    others = [
        "the",
        "a",
        "duck",
        "says",
        "while",
        "walking",
        "along",
        "pond",
        "River",
        "Thames",
        "(sunny)",
        "day.",
        "Another",
        "sentence",
        "follows!",
        "And",
        "more?",
    ]
    texts = [" ".join(rng.permutation([*others[: rng.integers(3, len(others))], f"{WORD},"])) for _ in range(100)]
    for text, found in zip(texts, of_all(model, texts), strict=True):
        is_word = found.parts.what == "word"
        (place,) = np.flatnonzero(is_word & (np.abs(found.effect) > 1e-6))
        assert found.parts.names[place] == f"{WORD},"
        assert found.effect[place] == pytest.approx(2.0, abs=1e-5)
        # Its sentence has the same effect; others none.
        has = [WORD in name for name in found.parts.names]
        assert np.abs(found.effect) == pytest.approx(2.0 * np.array(has), abs=1e-5)
        assert found.n_runs == 1 + len(found.parts)
        assert is_word.sum() == len(text.split())


def test_words_and_sentences_are_left_out_whole(load):
    model, text = load(made.word_model), "One two.  Three!\nFour"
    parts, feed = hiding_of(model, ModelInputs.from_values([text], model.inputs)).parts(0)
    assert parts.names == ("One", "two.", "Three!", "Four", "One two.", "Three!", "Four")
    (fed,) = feed(range(8)).values()
    assert fed.ravel().tolist() == [
        text,
        "two.  Three!\nFour",
        "One Three!\nFour",
        "One two.  Four",
        "One two.  Three!\n",
        "Three!\nFour",
        "One two.  Four",
        "One two.  Three!\n",
    ]


def test_a_model_of_one_column_is_seen_to_use_it(load):
    """100 of 100 samples."""
    model = load(made.column_model)
    x = np.random.default_rng(0).normal(size=(101, COLUMNS)).astype(np.float32)
    median = np.median(x, axis=0)
    (at_median,) = np.flatnonzero(x[:, WATCHED] == median[WATCHED])
    for row, found in enumerate(of_all(model, x)):
        if row == at_median:
            assert found.effect == pytest.approx(0, abs=1e-6)
            continue
        assert np.abs(found.effect).argmax() == WATCHED
        assert found.n_runs == COLUMNS + 1
        assert found.effect[WATCHED] == pytest.approx(x[row, WATCHED] - median[WATCHED], abs=1e-5)
        assert np.delete(found.effect, WATCHED) == pytest.approx(0, abs=1e-6)


def test_columns_of_a_table_have_their_names(load, tmp_path):
    model, x = load(made.column_model), np.random.default_rng(0).normal(size=(9, COLUMNS)).round(3)
    names = ["span", "mass", "wing", "tail", "beak", "age"]
    rows = [",".join(["id", *names]), *(",".join([f"s{k}", *map(str, row)]) for k, row in enumerate(x))]
    (tmp_path / "x.csv").write_text("\n".join(rows) + "\n")
    found = model.sensitivity(tmp_path / "x.csv", 4, ("cat", "dog"))
    assert found.sample == "s4"
    assert found.parts.names == tuple(names)
    assert found.sentence.startswith("Setting wing to its median ")
    assert found.parts.instead[WATCHED] == f"{np.median(x[:, WATCHED]).astype(np.float32):.4g}"


def test_probabilities_that_vanish_are_clipped_and_said(load):
    model, (shown, _) = load(made.corner_model, steep=1.0), pictures(1)
    # A score of about 130 and more against 0: p of the others is under 1e-12, 100 nats would be without the bound.
    found = model.sensitivity(np.maximum(shown, 130), 0, ("cat", "dog"))
    assert found.log_odds == pytest.approx(-np.log(1e-12), abs=1e-6)
    assert found.effect == pytest.approx(0, abs=1e-6)
    assert any("probabilities below 1e-12 count as 1e-12: 275 of 550 did" in note for note in found.notes)
    mild = load(made.corner_model)
    assert not any("1e-12" in note for note in mild.sensitivity(shown, 0).notes)


def test_the_kind_of_the_scores_is_detected_from_many_rows(load):
    model, (shown, _) = load(made.corner_model, declares=False), pictures(70)
    found = model.sensitivity(shown, 0, ("cat", "dog"))
    assert found.n_runs == 275 + 64
    assert "detected from 64 rows" in found.notes[-1]
    declared = load(made.corner_model).sensitivity(shown, 0, ("cat", "dog"))
    assert found.effect == pytest.approx(declared.effect, abs=1e-6)


def test_a_model_with_a_fixed_batch(build, taxonomy, pictures, metadata):
    model = hv.load_model(build(metadata=metadata, shape=(3, 5, 6, 3)), taxonomy)
    free = hv.load_model(build("n.onnx", metadata=metadata), taxonomy)
    one, other = (each.sensitivity(pictures, 4, batch_size=16) for each in (model, free))
    assert one.n_runs == 275
    assert one.effect == pytest.approx(other.effect, abs=1e-6)


def test_numbers_that_were_prepared_elsewhere_are_pictures_too(build, taxonomy, pictures, metadata):
    picture = metadata["input"] | {"dtype": "float32", "range": [0, 1], "layout": "NCHW"}
    model = hv.load_model(
        build(metadata=metadata | {"input": picture}, shape=("batch", 3, 5, 6), dtype="float32", channels_first=True),
        taxonomy,
    )
    ready = model.inputs[0].from_pictures(pictures)
    one, other = model.sensitivity(ready, 2), model.sensitivity(pictures, 2)
    assert np.array_equal(one.effect, other.effect)
    assert np.array_equal(one.parts.content, pictures[2])


def test_means_find_the_same(load):
    model, (shown, (rows, columns)) = load(made.corner_model), pictures(60)
    bright = np.flatnonzero(shown[:, rows, columns].mean(axis=(1, 2, 3)) > 150)[:20]
    told = []
    found = model.average_sensitivity(shown, bright, ("cat", "dog"), progress=lambda *now: told.append(now))
    assert found.n_samples == 20
    assert found.n_runs == 20 * 275
    assert told[-1] == (5500, 5500)
    mean, lower, _ = found.cells
    assert np.unravel_index(mean.argmax(), mean.shape) in [(y, x) for y in range(12, 16) for x in range(4)]
    assert lower.max() > 0
    assert "hiding the lower left part lowers cat" in found.sentence
    singles = [model.sensitivity(shown, row, ("cat", "dog")).effect for row in bright.tolist()]
    assert found.mean == pytest.approx(np.mean(singles, axis=0), abs=1e-9)


def test_means_of_truth_and_answers(load):
    model = load(made.column_model)
    x = np.random.default_rng(0).normal(size=(30, COLUMNS)).astype(np.float32)
    truth = np.where(np.arange(30) < 3, -1, 2)
    found = model.average_sensitivity(x, range(25), truth=truth, answers=["dog"] * 30)
    # Of the first three the answer dog is compared with its best sibling, cat.
    assert found.n_samples == 25
    assert found.sentence.startswith("Mean of 25 samples: setting features 3 to its median ")


def test_errors(load, tmp_path):
    model, (shown, _) = load(made.corner_model), pictures(22)
    for call, words in [
        (lambda: model.sensitivity(shown, 22), "row: expected a row from 0 to 21, got 22"),
        (
            lambda: model.sensitivity(shown, 0, "cat"),
            r"between: expected two classes, got 'cat'. Pass \(first, second\).",
        ),
        (lambda: model.sensitivity(shown, 0, ("cat", "mammal")), "neither contains the other, got 'cat' and 'mammal'"),
        (lambda: model.sensitivity(shown, 0, truth=12), "truth: expected a node number from 0 to 6, got 12"),
        (lambda: model.sensitivity(shown, 0, fill="black"), "fill: expected one of mean, blur, got 'black'"),
        (
            lambda: model.sensitivity(shown, 0, batch_size=0),
            "batch_size: expected a number of rows of at least 1, got 0",
        ),
        (
            lambda: model.average_sensitivity(shown, [0] * 30),
            "rows: expected at least 20 different rows for a mean, got 1",
        ),
        (lambda: model.average_sensitivity(shown, range(19)), "at least 20 different rows for a mean, got 19"),
        (
            lambda: model.average_sensitivity(shown, range(20), truth=["cat"]),
            "truth: expected one class of each of the 22",
        ),
    ]:
        with pytest.raises(hv.HiervizError, match=words):
            call()
    with pytest.raises(hv.TaxonomyError, match="no node named 'unicorn'"):
        model.sensitivity(shown, 0, ("cat", "unicorn"))
    with pytest.raises(hv.ModelError, match="row 0: expected a text of at least two words, to leave one out, got 1"):
        load(made.word_model).sensitivity([WORD], 0)


def test_samples_without_known_parts_are_refused_in_one_line(load):
    words = r"m.onnx: expected pictures, texts or rows of features, whose parts can be hidden, got {}\. "
    with pytest.raises(hv.ModelError, match=words.format("numbers of words in 'input_ids'")):
        load(made.token_model).sensitivity(np.zeros((3, 7), np.int64), 0)
    with pytest.raises(hv.ModelError, match=words.format("'volume' with 5 axes")):
        load(made.volume_model).sensitivity(np.zeros((3, 2, 3, 4, 5), np.float32), 0)


def test_a_graph_needs_two_named_classes(tmp_path):
    graph = hv.Taxonomy.from_edges(
        [
            ("animal", "pet"),
            ("animal", "bird"),
            ("pet", "cat"),
            ("pet", "dog"),
            ("pet", "duck"),
            ("bird", "duck"),
            ("animal", "newt"),
        ]
    )
    model = hv.load_model(made.column_model(tmp_path / "g.onnx", graph), graph)
    x = np.random.default_rng(0).normal(size=(5, COLUMNS)).astype(np.float32)
    with pytest.raises(hv.TaxonomyError, match="expected a tree, got 'duck' with 2 parents"):
        model.sensitivity(x, 0)
    assert np.abs(model.sensitivity(x, 0, ("cat", "newt")).effect).argmax() == WATCHED
