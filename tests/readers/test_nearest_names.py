"""Names outside the taxonomy and the nearest class: what is mapped, what never is, and the files of mappings."""

import csv
import random
from dataclasses import replace
from functools import cache

import pytest

import hierviz as hv
from hierviz.cli import main
from hierviz.messages.errors import FileError, PredictionsError
from hierviz.predictions.name_mapping import NameMapping
from hierviz.readers.nearest_names import LIMIT, n_edits, nearest

EDGES = [
    ("life", "Canidae"),
    ("Canidae", "Vulpes"),
    ("Vulpes", "Vulpes vulpes"),
    ("Vulpes", "Vulpes lagopus"),
    ("life", "Corvidae"),
    ("Corvidae", "Corvus"),
    ("Corvus", "Corvus corax"),
    ("Corvus", "Corvus albus"),
    ("Corvidae", "Pica"),
    ("Pica", "Pica pica"),
    ("Pica", "Pica hudsonia"),
    ("life", "grey wolf"),
    ("life", "red fox"),
    ("life", "golden retriever"),
    ("life", "house mouse"),
    ("life", "Steller's jay"),
    ("life", "lionfish"),
    ("life", "battle of 1914"),
]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def taxonomy():
    return hv.Taxonomy.from_edges(EDGES)


@pytest.mark.parametrize(
    ("given", "expected", "sure"),
    [
        ("golden retreiver", "golden retriever", 1 - 0.5 / 9),  # neighbours exchanged: half an edit of nine letters
        ("golden retriver", "golden retriever", 1 - 1 / 9),
        ("red foxx", "red fox", 1 - 0.5 / 4),
        ("gray wolf", "grey wolf", 1),
        ("Red Foxes", "red fox", 1),
        ("stellers jay", "Steller's jay", 1),
        ("Corvus corxa", "Corvus corax", 1 - 0.5 / 5),
        ("Corvus alba", "Corvus albus", 1),
        ("Vulpes vulpes (Linnaeus, 1758)", "Vulpes vulpes", 1),
        ("Vulpes vulpes Linnaeus", "Vulpes vulpes", 1),
        ("Vulpes sp.", "Vulpes", 1),
        ("Corvus spp", "Corvus", 1),
        ("Pica hudsonica", "Pica hudsonia", 1 - 1 / 9),
        ("Canidea", "Canidae", 1 - 0.5 / 7),
    ],
)
def test_a_name_is_mapped_to_the_class_with_the_nearest_name(taxonomy, given, expected, sure):
    (row,) = nearest([given], [3], taxonomy)
    assert (taxonomy.names[row.node], row.count) == (expected, 3)
    assert row.sure == pytest.approx(sure, abs=5e-4)


@pytest.mark.parametrize(
    "given",
    [
        "blue whale",
        "red cat",
        "mouse",  # another number of words
        "house louse",  # other first letters
        "Bulpes vulpes",  # another genus
        "Vulpse vulpes",
        "Corvinae",  # another rank
        "Corvida",
        "Corus",  # one letter of a genus
        "battle of 1915",
        "liofish x",
        "",
        "???",
        "Vulpes vulpes fulva",  # a subspecies is no misspelling
    ],
)
def test_what_is_not_near_is_not_mapped(taxonomy, given):
    (row,) = nearest([given], None, taxonomy)
    assert (row.node, row.sure) == (-1, None)


def test_two_classes_within_the_limit_are_no_match():
    taxonomy = hv.Taxonomy.from_edges([("all", "collared dove"), ("all", "collated dove"), ("all", "rock pigeon")])
    mapping = nearest(["collaed dove", "rock pidgeon"], [2, 1], taxonomy)
    assert [row.node for row in mapping] == [-1, taxonomy.node("rock pigeon")]
    assert set(mapping.rows[0].near) == {1, 2}
    assert mapping.note(mapping.rows[0]) == "2 classes are near: collared dove, collated dove"
    assert mapping.sentence == "1 of 2 names outside the taxonomy is mapped to a class: 1 of 3 occurrences."


def test_synonyms_and_titles_are_compared_too():
    edges = [("all", "n02119789"), ("all", "n02123045")]
    taxonomy = replace(
        hv.Taxonomy.from_edges(edges),
        titles=("all", "kit fox, Vulpes macrotis", "tabby cat"),
        attributes={"synonyms": ("", "", "moggy; house kitten")},
    )
    assert list(nearest(["house kiten", "n02119780", "taby cat"], None, taxonomy).node_of) == [
        "house kiten",
        "taby cat",
    ]


def test_the_limit_is_the_least_similarity_that_is_mapped(taxonomy):
    given = ["golden retriver"]  # 8 of 9 letters: 0.889
    assert nearest(given, None, taxonomy, limit=0.88).node_of
    assert not nearest(given, None, taxonomy, limit=0.89).node_of
    with pytest.raises(PredictionsError, match="limit: expected a similarity"):
        nearest(given, None, taxonomy, limit=0)
    with pytest.raises(PredictionsError, match="counts: expected one for each of 1 names, got 2"):
        nearest(given, [1, 2], taxonomy)


@cache
def naive(a, b):
    """The distance of optimal string alignment, from its definition."""
    if not a or not b:
        return len(a) + len(b)
    steps = [naive(a[:-1], b) + 1, naive(a, b[:-1]) + 1, naive(a[:-1], b[:-1]) + (a[-1] != b[-1])]
    if len(a) > 1 and len(b) > 1 and a[-2:] == b[:-3:-1]:
        steps.append(naive(a[:-2], b[:-2]) + 1)
    return min(steps)


def test_edits_are_those_of_the_definition():
    rng = random.Random(0)
    for _ in range(400):
        a, b = ("".join(rng.choices("abc", k=rng.randrange(8))) for _ in range(2))
        for most in (0, 1, 2, 5):
            assert n_edits(a, b, most) == min(naive(a, b), most + 1), (a, b, most)


# Simulations ---------------------------------------------------------------------------------------------------------


def misspelt(name, rng):
    """A name with one random edit, sometimes two: a letter left out, added, replaced, or exchanged with the next."""
    text = list(name)
    for _ in range(1 if rng.random() < 0.8 else 2):
        places = [k for k, letter in enumerate(text) if letter.isalpha()]
        k, kind = rng.choice(places), rng.randrange(4)
        if kind == 0 and len(places) > 1:
            del text[k]
        elif kind == 1:
            text.insert(k, rng.choice(LETTERS))
        elif kind == 2:
            text[k] = rng.choice(LETTERS)
        elif k + 1 < len(text):
            text[k], text[k + 1] = text[k + 1], text[k]
    return "".join(text)


def simulated(edges, n_misspelt, n_removed, seed=0):
    """(share of the mapped that are right, share of the removed that are mapped, share of the misspelt that are mapped)

    Removed classes leave the taxonomy, and their children go to the next class above.
    """
    rng = random.Random(seed)
    parent = {child: above for above, child in edges}
    names = list(parent)
    removed = set(rng.sample(names, n_removed))

    def kept_above(name):
        above = parent[name]
        while above in removed:
            above = parent[above]
        return above

    taxonomy = hv.Taxonomy.from_edges([(kept_above(name), name) for name in names if name not in removed])
    pool, known = [name for name in taxonomy.names if sum(map(str.isalpha, name)) > 2], {n.casefold() for n in names}
    meant: dict = {}
    while len(meant) < n_misspelt:
        name = rng.choice(pool)
        given = misspelt(name, rng)
        # What is the name of another class is no misspelling.
        if given.casefold() not in known:
            meant.setdefault(given, name)
    mapping = nearest(list(meant), None, taxonomy)
    right = [taxonomy.names[node] == meant[given] for given, node in mapping.node_of.items()]
    wrongly = nearest(sorted(removed), None, taxonomy).node_of
    return sum(right) / len(right), len(wrongly) / n_removed, len(right) / n_misspelt


def edges_of(path, names=None):
    """Edges of a file, with the names of a table in place of ids where one is given, each name once."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row != ["parent", "child"]]
    if names is None:
        return rows
    with open(names, encoding="utf-8", newline="") as file:
        called = {node: name.rsplit(".", 2)[0].replace("_", " ") for node, name in csv.reader(file)}
    taken: dict = {}
    for node in dict.fromkeys(node for row in rows for node in row):
        name = called.get(node, node)
        taken[node] = name if name not in taken.values() else node
    return [(taken[a], taken[b]) for a, b in rows]


def test_misspellings_of_a_small_taxonomy():
    right, wrongly, found = simulated(EDGES, 150, 4)
    assert (right, wrongly) == (1, 0)
    assert found > 0.2


@pytest.mark.long
@pytest.mark.parametrize("data", ["inat21", "hwv", "imagenet"])
def test_5000_misspellings_and_1000_removed_classes(shared_data, data):
    folder = shared_data / "hierarchies"
    edges = {
        "inat21": lambda: edges_of(folder / "inat21.csv"),
        "hwv": lambda: edges_of(shared_data / "hwv" / "taxonomy.csv"),
        "imagenet": lambda: edges_of(folder / "imagenet_fiveai.csv", folder / "imagenet_fiveai_names.csv"),
    }[data]()
    # Of small taxonomies a third of the classes leaves at a time.
    n_removed = min(1000, len(edges) // 3)
    rounds = [simulated(edges, 5000, n_removed, seed) for seed in range(-(-1000 // n_removed))]
    assert min(right for right, *_ in rounds) >= 0.99
    assert sum(wrongly for _, wrongly, _ in rounds) / len(rounds) <= 0.01
    assert min(found for *_, found in rounds) > 0.2


# Files ----------------------------------------------------------------------------------------------------------------

ROWS = "sample_id,predicted,truth\na,red fox,red fox\nb,red foxx,red fox\nc,golden retreiver,red fox\nd,okapi,red fox\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "taxonomy.csv").write_text("parent,child\n" + "".join(f"{a},{b}\n" for a, b in EDGES))
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path


def test_nearest_reads_a_file_with_misspellings(files, taxonomy):
    predictions = hv.load_predictions(files / "rows.csv", taxonomy, outside="nearest")
    fox, dog = taxonomy.nodes("red fox", "golden retriever").tolist()
    assert predictions.labels.nodes.tolist() == [fox, fox, dog, -1]
    assert predictions.mapped_words == "50.0 % of answers mapped to the nearest name"
    review = predictions.outside["answers"].review
    assert [(row.given, row.node, row.count) for row in review] == [
        ("red foxx", fox, 1),
        ("golden retreiver", dog, 1),
        ("okapi", -1, 1),
    ]


def test_a_mapping_is_changed_saved_and_read_again(files, taxonomy):
    review = hv.load_predictions(files / "rows.csv", taxonomy, outside="nearest").outside["answers"].review
    changed = review.choose("okapi", "Canidae").choose("red foxx", None)
    hv.write_mapping(changed, files / "mapping.csv")
    assert (files / "mapping.csv").read_text().splitlines() == [
        "given,mapped_to,sure,count,note",
        "red foxx,,,1,chosen: no class",
        "golden retreiver,golden retriever,0.944,1,nearest name",
        "okapi,Canidae,,1,chosen",
    ]
    for outside in ("nearest", "wrong"):
        again = hv.load_predictions(files / "rows.csv", taxonomy, outside=outside, mapping=files / "mapping.csv")
        assert again.labels.nodes[1:].tolist() == [-1, *taxonomy.nodes("golden retriever", "Canidae").tolist()]
    # A name that is to stay outside is one where names outside are an error.
    with pytest.raises(PredictionsError, match="red foxx"):
        hv.load_predictions(files / "rows.csv", taxonomy, mapping=files / "mapping.csv")
    with pytest.raises(PredictionsError, match="expected a name that was given, got 'wolf'"):
        changed.choose("wolf", "Canidae")


def test_a_mapping_in_memory(files, taxonomy):
    mapping = dict.fromkeys(("red foxx", "golden retreiver", "okapi"), 1)
    predictions = hv.load_predictions(files / "rows.csv", taxonomy, mapping=mapping)
    assert predictions.labels.nodes[1:].tolist() == [1, 1, 1]
    assert predictions.mapped_words == "75.0 % of answers mapped to another name"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("given,mapped\nx,Canidae\n", "expected the columns given and mapped_to, each once"),
        ("given,mapped_to\nx,Canidae\nx,Vulpes\n", "mapping.csv:3: expected every given name once, got 'x' again"),
        ("given,mapped_to\n,Canidae\n", "mapping.csv:2: expected every given name once, got nothing"),
        (
            "given,mapped_to\nx,Canidae\nred fox,grey wolf\n",
            "mapping.csv:3: expected names that the taxonomy does not hold, got 'red fox', which is its class 'red fox'",
        ),
        ("given,mapped_to\nred fox,\n", "mapping.csv:2: expected names that the taxonomy does not hold, got 'red fox'"),
        ("given,mapped_to\nx,Cnidae\n", "mapping.csv:2, column 'mapped_to': expected the name of a node"),
    ],
)
def test_a_wrong_mapping_names_its_line(tmp_path, taxonomy, text, message):
    (tmp_path / "mapping.csv").write_text(text)
    with pytest.raises((FileError, PredictionsError), match=message):
        hv.load_mapping(tmp_path / "mapping.csv", taxonomy)


def test_a_class_is_mapped_to_itself_at_most(tmp_path, taxonomy):
    """Another class in a mapping would be ignored: names of classes are never looked up there."""
    (tmp_path / "mapping.csv").write_text("given,mapped_to\nred fox,red fox\n")
    assert len(hv.load_mapping(tmp_path / "mapping.csv", taxonomy)) == 1
    with pytest.raises(
        PredictionsError, match="mapping: expected names that the taxonomy does not hold, got 'red fox'"
    ):
        NameMapping.of({"red fox": 1}, taxonomy)
    assert len(NameMapping.of({"red fox": taxonomy.node("red fox"), "okapi": -1}, taxonomy)) == 2


def test_a_species_of_another_genus_is_not_called_far(taxonomy):
    mapping = nearest(["Corvux corax", "Corvus monedula", "Corvux corax Linnaeus", "okapi"], None, taxonomy)
    assert [mapping.note(row) for row in mapping] == [
        "no class has the genus Corvux, and only names of one genus are compared",
        "no class is near",
        "no class has the genus Corvux, and only names of one genus are compared",
        "no class is near",
    ]
    # Where no class is a species, there is no genus to differ.
    plain = nearest(["Corvux corax"], None, hv.Taxonomy.from_edges([("life", "crow"), ("life", "raven")]))
    assert plain.note(plain.rows[0]) == "no class is near"


def test_mappings_of_several_files_are_joined(taxonomy):
    both = NameMapping.joined([nearest(["red foxx", "okapi"], [2, 1], taxonomy), nearest(["okapi"], [4], taxonomy)])
    assert [(row.given, row.count) for row in both] == [("red foxx", 2), ("okapi", 5)]
    assert NameMapping.joined([]) is None


def test_commands_say_what_was_mapped(files, capsys):
    flags = ["--taxonomy", str(files / "taxonomy.csv"), "--predictions", str(files / "rows.csv")]
    share = "50.0 % of answers mapped to the nearest name"
    assert main(["evaluate", *flags, "--outside", "nearest"]) == 0
    assert share in capsys.readouterr().err
    assert main(["table", *flags, "--outside", "nearest", "--resamples", "0"]) == 0
    left = "1 (25.0 %) of 4 samples answered outside the taxonomy"
    assert capsys.readouterr().out.startswith(f"{share}. {left}.\n")
    assert main(["doctor", *flags]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "'red foxx' → 'red fox' (88 %, 1×), 'golden retreiver' → 'golden retriever' (94 %, 1×)" in said
    assert "--outside nearest" in said
    assert 0.8 < LIMIT < 0.9
