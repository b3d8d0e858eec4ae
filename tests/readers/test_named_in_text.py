"""The class that a text of a language model names, and files of such texts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import hierviz as hv
from hierviz.cli import main
from hierviz.messages.errors import PredictionsError
from hierviz.readers.answer_part import answer_parts, confidence_of
from hierviz.readers.named_in_text import named_in_text
from hierviz.readers.node_attributes import load_node_attributes

FILES = Path(__file__).parents[1] / "files" / "language_models"
ANSWERS = [json.loads(line) for line in (FILES / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def taxonomy():
    return load_node_attributes(FILES / "nodes.csv", hv.load_taxonomy(FILES / "taxonomy.csv"))


def named(text, taxonomy):
    """Name of the class that a text names, else why it names none."""
    found = named_in_text(text, taxonomy)
    return taxonomy.names[found.node] if found.node >= 0 else found.why


def test_forty_answers_of_language_models(taxonomy):
    found = [named_in_text(answer["response"], taxonomy) for answer in ANSWERS]
    names = [taxonomy.names[one.node] if one.node >= 0 else "" for one in found]
    assert len(names) == 40
    assert sum(map(bool, names)) >= 30
    wrong = [(a["response"], name) for a, name in zip(ANSWERS, names, strict=True) if name and name != a["named"]]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The longest name, synonyms, codes, paths.
        ("I see a timber wolf.", "grey wolf"),
        ("It is a domestic dog.", "domestic dog"),
        ("M-101", "red fox"),
        ("m-101", "nothing"),  # codes are compared unchanged
        ("mammal > canid > coyote", "coyote"),
        ("bird/crane/common crane", "common crane"),
        ("felid > canid > coyote", "several"),  # no path
        ("The photo shows a canid, specifically a coyote.", "coyote"),
        ("Two red foxes and a tree", "red fox"),
        # Denied, compared, asked.
        ("It is a coyote, not a wolf.", "denied"),
        ("This isn't a lion", "denied"),
        ("No lion is visible.", "denied"),
        ("It resembles a lion.", "denied"),
        ("It is larger than a red squirrel.", "denied"),
        ("A lion can be ruled out.", "denied"),
        ("Is it a tiger?", "denied"),
        ("If it were a tiger, it would have stripes.", "denied"),
        ("Das ist kein Vulpes vulpes.", "denied"),
        ("I'm not sure, but it looks like a tiger.", "tiger"),
        ("If I had to guess, a tiger.", "tiger"),
        ("Without a doubt, this is a tiger.", "tiger"),
        # Several.
        ("a lion or a tiger", "several"),
        ("a lion or a puma", "several"),
        ("Either a jackal or a coyote", "several"),
        ("lion, tiger", "several"),
        ("There are a lion and a tiger.", "several"),
        # A part of a longer name.
        ("It is a sea lion.", "part"),
        ("a tiger shark", "part"),
        ("A robin-like fellow", "part"),
        ("prairie dog", "part"),
        ("a dog house", "part"),
        ("Lynx rufus", "part"),
        ("Canis lupus dingo", "part"),
        ("a bear from the dog family", "part"),
        # Something else is claimed.
        ("It's a kagu, a bird from New Caledonia.", "other"),
        ("Kagu (bird)", "other"),
        ("The bird is Rhynochetos jubatus.", "other"),
        ("This is a jackal. The coyote has longer legs.", "other"),
        ("A jackal chasing a lion", "other"),
        ("This is a photo of a lion.", "lion"),
        ("It is a large mammal: a moose.", "moose"),
        ("The image shows an animal.", "nothing"),
        ("", "nothing"),
        ("I cannot help with that.", "nothing"),
        # The part that is the answer.
        ("A lion? A tiger? Final answer: tiger", "tiger"),
        ("Final answer: unknown. I thought of a lion.", "nothing"),
        ("**Answer:**\nlion", "lion"),
        ("<think>lion</think>", "nothing"),
        ("<think>a lion, no</think><answer>Tiger</answer>", "tiger"),
        ('{"answer": "lion", "reasoning": "not a tiger"}', "lion"),
        ('{"answer": null}', "nothing"),
        ('{"answer": ["lion", "tiger"]}', "several"),
        ('Here you are: ```json\n{"result": {"label": "tiger"}}\n```', "tiger"),
        ('{"answer": "lion"', "lion"),  # no JSON
        ("- lion", "lion"),
        ("1. lion\n2. tiger", "several"),
    ],
)
def test_what_a_text_names(taxonomy, text, expected):
    assert named(text, taxonomy) == expected


def test_homonyms_are_not_guessed():
    edges = [("all", "bird"), ("bird", "crane (bird)"), ("all", "machine"), ("machine", "crane (machine)")]
    taxonomy = replace(hv.Taxonomy.from_edges(edges), titles=("all", "bird", "crane", "machine", "crane"))
    assert named("It is a crane.", taxonomy) == "several"
    assert named("It is a crane, a bird.", taxonomy) == "crane (bird)"


def test_a_graph_has_several_paths():
    taxonomy = hv.Taxonomy.from_edges(
        [("all", "pet"), ("all", "felid"), ("pet", "cat"), ("felid", "cat"), ("pet", "dog")]
    )
    assert named("A pet and a felid: a cat", taxonomy) == "cat"
    assert named("A felid and a dog", taxonomy) == "several"


def test_mentions_are_places_in_the_text(taxonomy):
    text = "The animal is a red fox (Vulpes vulpes)."
    found = named_in_text(text, taxonomy)
    assert [text[one.start : one.end] for one in found.mentions] == ["animal", "red fox", "Vulpes vulpes"]
    text = "It is a sea lion, not a tiger."
    assert [(text[a:b], role) for a, b, _, role in named_in_text(text, taxonomy).mentions] == [
        ("lion", "part"),
        ("tiger", "denied"),
    ]
    assert answer_parts("") == answer_parts("  \n") == []


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("A lion, 90 % sure", "0.9"),
        ("Confidence: 0.85", "0.85"),
        ("**Confidence:** 72.5%", "0.725"),
        ("I am 8/10 confident", "0.8"),
        ("Confidence: high", "high"),
        ("with very low confidence", "very low"),
        ('{"answer": "lion", "confidence": 0.9}', "0.9"),
        ('{"answer": "lion", "confidence": "95%"}', "0.95"),
        ('{"answer": "lion", "certainty": "Medium"}', "medium"),
        ("70 % sure it is a lion, 30 % sure it is a tiger", ""),
        ("It weighs 90 kg", ""),
        ("A lion", ""),
    ],
)
def test_confidence_in_words_or_numbers(text, confidence):
    assert confidence_of(text) == confidence


# Files ----------------------------------------------------------------------------------------------------------------


def test_texts_are_read_and_totals_are_samples(taxonomy):
    with pytest.raises(
        PredictionsError, match=r"names one class of the taxonomy, got 'This is not a red fox.'.*7 of 40"
    ):
        hv.load_predictions(FILES / "answers.jsonl", taxonomy)
    for outside, n_samples, n_outside in (("wrong", 40, 7), ("drop", 33, 0), ("nearest", 40, 7)):
        predictions = hv.load_predictions(FILES / "answers.jsonl", taxonomy, outside=outside)
        assert (predictions.n_samples, int(predictions.is_outside.sum())) == (n_samples, n_outside)
        assert any("7 of 40 texts name no single class" in note for note in predictions.notes)
    row = [answer["sample_id"] for answer in ANSWERS].index("q06")
    assert predictions.attributes["answer_confidence"][row] == "0.9"
    assert predictions.attributes["answer_read_as"][row] == "it names one class"
    assert predictions.attributes["answer_text"][row] == ANSWERS[row]["response"]


def test_sentences_in_a_column_of_answers_are_texts(tmp_path, taxonomy):
    path = tmp_path / "rows.csv"
    path.write_text('sample_id,predicted,truth\na,"It is a lion, I think.",lion\nb,tiger,tiger\nc,,lion\n')
    predictions = hv.load_predictions(path, taxonomy)
    assert predictions.labels.nodes.tolist() == taxonomy.nodes("lion", "tiger").tolist()
    assert predictions.attributes["answer_read_as"].tolist()[-1] == "it is empty"
    assert predictions.detected["form"].startswith("texts of a language model")


def test_doctor_names_the_form_and_what_names_no_class(capsys):
    flags = ["--taxonomy", str(FILES / "taxonomy.csv"), "--predictions", str(FILES / "answers.jsonl")]
    assert main(["doctor", *flags]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "texts name no single class" in said
    assert "(language_model)" in said
    assert "--outside wrong | drop | nearest" in said


def test_the_form_is_said_of_a_table_without_texts(tmp_path, taxonomy):
    (tmp_path / "p.csv").write_text("sample_id,lion,tiger\na,0.5,0.5\n")
    with pytest.raises(
        PredictionsError, match=r"^p\.csv: expected a column of texts called response, answer or predicted, got"
    ):
        hv.load_predictions(tmp_path / "p.csv", taxonomy, form="language_model")
