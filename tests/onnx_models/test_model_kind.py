"""What is no classifier is called what it is; constant answers are called constant."""

import numpy as np
import pytest

from hierviz.messages.errors import ModelError
from hierviz.onnx.model import draft_model, load_model
from hierviz.onnx.scores.outputs import doubt_words, require_classifier

from .one_line import one_line

FLOAT = "tensor(float)"
PICTURE = [("images", FLOAT, [None, 3, 640, 640])]
TOKENS = [("input_ids", "tensor(int64)", [None, None]), ("attention_mask", "tensor(int64)", [None, None])]


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [
        (PICTURE, [("output0", FLOAT, [1, 84, 8400])], "got a detector or another model with a list of scores for each place"),
        (PICTURE, [("boxes", FLOAT, [None, 100, 4]), ("scores", FLOAT, [None, 100, 80])], "got a detector, which gives boxes"),
        (PICTURE, [("out", FLOAT, [None, 21, 640, 640])], "got a segmentation network or a generator"),
        ([("z", FLOAT, [None, 128])], [("image", FLOAT, [None, 3, 64, 64])], "got a generator, which gives pictures"),
        (TOKENS, [("last_hidden_state", FLOAT, [None, None, 768])], "got a sequence model, which gives scores or features for"),
        ([("audio", FLOAT, [None, 16000])], [("y", FLOAT, [None, 49, 32])], "got a sequence model, which gives numbers for each"),
        (PICTURE, [("sigmoid", FLOAT, [None, 1])], "got a model with one column ('sigmoid' [any, 1]): a yes/no classifier"),
    ],
)  # fmt: skip
def test_what_it_is(inputs, outputs, words):
    with pytest.raises(ModelError) as raised:
        require_classifier("m.onnx", inputs, outputs)
    assert words in str(raised.value)
    one_line(raised)


@pytest.mark.parametrize(
    "outputs",
    [
        [("logits", FLOAT, [None, 1000])],
        [("logits", FLOAT, [None, 1000, 1, 1])],
        [("logits", FLOAT, [None, 5]), ("hidden", FLOAT, [None, 12, 768])],
        [("logits", FLOAT, [])],
        [("scat", FLOAT, [None, 1]), ("sdog", FLOAT, [None, 1])],
        [("label", "tensor(int64)", [None]), ("probabilities", "seq(map(string,tensor(float)))", [])],
    ],
)
def test_classifiers_pass(outputs):
    require_classifier("m.onnx", PICTURE, outputs)
    assert doubt_words(outputs) == ""


def test_an_embedding_is_said_with_the_question(build, taxonomy):
    model = draft_model(build(outputs=(("sentence_embedding", None),), width=7), taxonomy)
    assert model.questions[0].text.startswith(
        "By its output 'sentence_embedding' [any, 7] the model gives an embedding, not scores of classes. What are"
    )


def test_constant_answers_are_called_constant(build, metadata, taxonomy, pictures):
    model = load_model(build(metadata=metadata), taxonomy)
    same = np.repeat(pictures[:1], 12, axis=0)
    (note,) = (note for note in model.predict(same).notes if "all answers are equal" in note)
    assert note.startswith("all answers are equal: the 12 rows have the same scores")
    assert not any("all answers are equal" in note for note in model.predict(np.concatenate([same, pictures])).notes)
    assert not any("all answers are equal" in note for note in model.predict(same[:3]).notes)
