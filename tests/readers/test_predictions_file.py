"""Each format of predictions gives the numbers in its test.

Nodes: 0 animal, 1 mammal, 2 cat, 3 dog, 4 bird, 5 duck, 6 newt.
"""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierviz import NodeLists, PredictionsError, Taxonomy
from hierviz.readers.classes_file import load_classes
from hierviz.readers.predictions_file import load_predictions
from hierviz.readers.stored_array import StoredArray
from hierviz.readers.taxonomy_file import load_taxonomy
from hierviz.readers.truth_file import Truth, load_truth

IDS, LEAVES = ["b", "a"], ["cat", "dog", "duck", "newt"]
# In column order cat, newt, dog, duck.
VALUES = np.array([[0.5, 0.125, 0.25, 0.125], [0.0, 0.75, 0.25, 0.0]])
WIDE = "sample_id,cat,newt,dog,duck\nb,0.5,0.125,0.25,0.125\na,0,0.75,0.25,0\n"
LONG = "sample_id,class,score\n" + "".join(
    f"{sample},{name},{score}\n"
    for sample, row in zip(IDS, VALUES, strict=True)
    for name, score in zip(["cat", "newt", "dog", "duck"], row, strict=True)
)
TRUTH = "sample_id,truth\na,newt\nb,mammal\n"


def parquet(**columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, row_group_size=1)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def columns_of(dtype):
    return {name: VALUES[:, k].astype(dtype) for k, name in enumerate(["cat", "newt", "dog", "duck"])}


SCORES = {
    "wide.csv": WIDE,
    "wide.tsv": WIDE.replace(",", "\t"),
    "semicolons.csv": WIDE.replace(",", ";"),
    "wide.txt": WIDE.replace(",", " "),
    "wide.csv.gz": gzip.compress(WIDE.encode()),
    "gzipped without saying so.csv": gzip.compress(WIDE.encode()),
    "bom.csv": b"\xef\xbb\xbf" + WIDE.encode(),
    "utf16.csv": WIDE.encode("utf-16"),
    "dos.csv": WIDE.replace("\n", "\r\n"),
    "id last.csv": "cat,newt,dog,duck,ID\n0.5,0.125,0.25,0.125,b\n0,0.75,0.25,0,a\n",
    "scattered.csv": "cat,sample_id,newt,dog,duck\n5e-1,b,.125,0.25,0.125\n0,a,0.75,0.25,0\n",
    "long.csv": LONG,
    "wide.parquet": parquet(sample_id=IDS, **columns_of(float)),
    "wide float32.parquet": parquet(sample_id=IDS, **columns_of(np.float32)),
    "wide.parquet.gz": gzip.compress(parquet(sample_id=IDS, **columns_of(float))),
    "names.npz": npz(prob=VALUES, leaf=["cat", "newt", "dog", "duck"], sample_id=IDS),
    "compressed.npz": npz(
        np.savez_compressed, scores=VALUES.astype(np.float32), classes=["cat", "newt", "dog", "duck"], ids=IDS
    ),
    "fortran.npz": npz(prob=np.asfortranarray(VALUES), names=["cat", "newt", "dog", "duck"], id=IDS),
    "names.npz.gz": gzip.compress(npz(prob=VALUES, node=["cat", "newt", "dog", "duck"], ids=IDS)),
}


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", SCORES)
def test_every_form_of_scores_gives_the_same_rows(name, tmp_path, taxonomy):
    found = load_predictions(written(tmp_path, name, SCORES[name]), taxonomy, written(tmp_path, "truth.csv", TRUTH))
    assert found.parametrisation == "leaf_probabilities"
    assert np.array_equal(np.asarray(found.scores), VALUES)
    assert found.scored_nodes.tolist() == [2, 6, 3, 5]
    assert found.sample_ids.tolist() == IDS
    # a is a newt, b a mammal; rows keep the order of the prediction file.
    assert found.truth.tolist() == [1, 6]
    # mammal = cat + dog of each row.
    assert found.node_probabilities()[:, 1].tolist() == [0.75, 0.25]
    assert (found.n_without_prediction, found.n_without_truth, found.notes) == (0, 0, ())
    assert found.detected["truth column"] == "truth"
    assert found.detected["parametrisation"].startswith("leaf_probabilities (")


def test_float32_stays_float32(tmp_path, taxonomy):
    for name in ("wide float32.parquet", "compressed.npz"):
        assert load_predictions(written(tmp_path, name, SCORES[name]), taxonomy).scores.dtype == np.float32


def test_name_is_the_file_without_suffixes(tmp_path, taxonomy):
    assert load_predictions(written(tmp_path, "my.model.csv.gz", SCORES["wide.csv.gz"]), taxonomy).name == "my.model"
    assert load_predictions(written(tmp_path, "x.csv", WIDE), taxonomy, name="Mine").name == "Mine"


def test_array_stays_on_disk(tmp_path, taxonomy):
    # Without names columns are the leaves in ascending order: cat, dog, duck, newt.
    found = load_predictions(written(tmp_path, "p.npy", npy(VALUES)), taxonomy, truth=np.array([2, -1]))
    assert isinstance(found.scores, StoredArray)
    assert found.scored_nodes is None
    assert found.sample_ids is None
    assert found.node_probabilities()[0].tolist() == [1, 0.625, 0.5, 0.125, 0.25, 0.25, 0.125]
    assert found.truth.tolist() == [2, -1]
    assert found.n_without_truth == 1
    assert "were assumed to be the classes in the order of the taxonomy ('cat', 'dog', 'duck', ...)" in found.notes[0]


def test_gzipped_array(tmp_path, taxonomy):
    found = load_predictions(written(tmp_path, "p.npy.gz", gzip.compress(npy(VALUES))), taxonomy)
    assert np.array_equal(found.scores, VALUES)


@pytest.mark.parametrize(
    ("width", "key"), [(4, "leaf_probabilities"), (6, "node_probabilities"), (7, "node_probabilities")]
)
def test_array_width_tells_the_kind(width, key, tmp_path, taxonomy):
    found = load_predictions(written(tmp_path, "p.npy", npy(np.full((1, width), 0.25))), taxonomy)
    assert found.parametrisation == key


def test_array_of_conditional_softmax_is_grouped_by_parent(tmp_path):
    # a{b{d}, c{e}} declared as b, d, c, e: grouped by parent the columns are b, c, d, e.
    taxonomy = Taxonomy.from_edges([("a", "b"), ("b", "d"), ("a", "c"), ("c", "e")])
    found = load_predictions(
        written(tmp_path, "p.npy", npy(np.zeros((1, 4)))), taxonomy, parametrisation="conditional_softmax"
    )
    assert "grouped by parent ('b', 'c', 'd', ...)" in found.notes[0]
    assert found.detected["parametrisation"] == "conditional_softmax (as given)"


def test_classes_name_the_columns(tmp_path, taxonomy):
    listed = written(tmp_path, "classes.txt", "cat\nnewt\ndog\nduck\n")
    table = written(tmp_path, "classes.csv", "index,node\n0,cat\n1,newt\n2,dog\n3,duck\n")
    bare = written(tmp_path, "bare.csv", "0,cat\n1,newt\n2,dog\n3,duck\n")
    headed = written(tmp_path, "headed.txt", "class\ncat\nnewt\ndog\nduck\n")
    array = written(tmp_path, "p.npy", npy(VALUES))
    for classes in (listed, table, bare, headed, str(listed), ["cat", "newt", "dog", "duck"]):
        assert load_predictions(array, taxonomy, classes=classes).scored_nodes.tolist() == [2, 6, 3, 5]
    headless = written(tmp_path, "p.csv", "0.5,0.125,0.25,0.125\n0,0.75,0.25,0\n")
    found = load_predictions(headless, taxonomy, classes=listed)
    assert np.array_equal(found.scores, VALUES)
    assert found.detected["header"] == "no"
    other = written(tmp_path, "q.csv", "sample_id,c0,c1,c2,c3,truth\nb,0.5,0.125,0.25,0.125,cat\n")
    found = load_predictions(other, taxonomy, classes=listed)
    assert found.scores.tolist() == VALUES[:1].tolist()
    assert found.truth.tolist() == [2]
    assert found.scored_nodes.tolist() == [2, 6, 3, 5]


def test_class_names_with_commas_are_lines():
    taxonomy = Taxonomy.from_edges([("r", "a, b"), ("r", "c")])
    assert load_classes(["c", "a, b"], taxonomy).tolist() == [2, 1]


def test_class_list_with_commas_in_a_file(tmp_path):
    taxonomy = Taxonomy.from_edges([("r", "a, b"), ("r", "c, d")])
    assert load_classes(written(tmp_path, "c.txt", 'c, d\n"a, b"\n'), taxonomy).tolist() == [2, 1]


SHUFFLED = ["dog,2", "cat,0", "duck,3", "newt,1"]  # name and column, counted from 0


@pytest.mark.parametrize(
    "header",
    ["index", "idx", "id", "class_id", "column", "label_id", "Class Index", "label", None],
)
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("separator", [",", "\t", " "])
def test_an_index_in_a_class_list_is_obeyed(tmp_path, taxonomy, header, first, separator):
    """In any place: before, behind and amid other columns."""
    separator = "," if header == "Class Index" else separator
    rows = [row.split(",") for row in SHUFFLED]
    rows = [[name, str(int(k) + first), name.upper()] for name, k in rows]
    if header is not None:
        rows.insert(0, ["class", header, "title"])
    for places in ((1, 0), (0, 1), (2, 1, 0), (0, 2, 1)):
        text = "".join(separator.join(row[k] for k in places) + "\n" for row in rows)
        notes = []
        path = written(tmp_path, "classes.csv", text)
        assert load_classes(path, taxonomy, notes).tolist() == taxonomy.nodes("cat", "newt", "dog", "duck").tolist()
        column = f"{header!r}" if header else places.index(1) + 1
        words = f"column {column} says which column of scores each class name belongs to, counted from {first}"
        assert notes == [f"classes.csv: {words}"]
    numbers = np.save(tmp_path / "p.npy", VALUES)
    assert numbers is None
    assert words in "; ".join(load_predictions(tmp_path / "p.npy", taxonomy, classes=path).notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "index,class\n0,cat\n2,dog\n3,duck\n4,newt\n",
            "column 'index': expected whole numbers from 0 to 3, .*none for 1",
        ),
        ("index,class\n0,cat\n1,dog\n1,duck\n2,newt\n", r"each once, got 1 again in classes\.csv:4"),
        ("class_id,class\n5,cat\n6,dog\n7,duck\n8,newt\n", "got none for 1, 2, 3, 4"),
        ("index,class\n0,cat\nx,dog\n2,duck\n3,newt\n", r"got none in classes\.csv:3"),
        ("cat,0\ndog,3\nduck,5\nnewt,2\n", "column 2: expected whole numbers from 0 to 3"),
        ("index,id,class\n0,3,cat\n1,2,dog\n2,1,duck\n3,0,newt\n", None),
        (
            "id,label_id,class\n0,3,cat\n1,2,dog\n2,1,duck\n3,0,newt\n",
            "columns? 'id' and column 'label_id', which differ",
        ),
        ("rank,class\n3,cat\n2,dog\n1,duck\n0,newt\n", "expected to know what column 'rank' counts"),
        ("rank,class\n0,cat\n1,dog\n2,duck\n3,newt\n", None),
        ("train_count,class\n90,cat\n7,dog\n8,duck\n1,newt\n", None),
        ("class,leaf\nmammal,cat\nmammal,dog\nbird,duck\nanimal,newt\n", None),
        ("index,class\n0,cat\n1,dog\n2,dukk\n3,newt\n", r"classes\.csv:4: .*got 'dukk'\. Did you mean 'duck'"),
    ],
)
def test_index_columns_that_are_refused_or_none(tmp_path, taxonomy, text, words):
    path = written(tmp_path, "classes.csv", text)
    if words is None:
        assert load_classes(path, taxonomy).tolist() == taxonomy.nodes("cat", "dog", "duck", "newt").tolist()
        return
    with pytest.raises(PredictionsError, match=words) as raised:
        load_classes(path, taxonomy)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("2\n0\n1\n", "201"),
        ("index,class\n2,1\n0,2\n1,0\n", "201"),
        ("class,index\n1,2\n2,0\n0,1\n", "201"),
        ("class,title\n2,two\n0,nought\n1,one\n", "201"),
        ("label_id,title\n0,nought\n1,one\n2,two\n", "012"),
        ("0,nought\n1,one\n2,two\n", "012"),
        # Names, or numbers of columns?
        ("label_id,title\n2,two\n0,nought\n1,one\n", None),
        ("2,two\n0,nought\n1,one\n", None),
        ("id,class\n2,1\n0,2\n1,0\n", None),
        ("2,1\n0,2\n1,0\n", None),
        ("a,b\n2,1\n0,2\n1,0\n", None),
    ],
)
def test_numbers_in_a_class_list_are_names_or_an_index(tmp_path, text, nodes):
    """The leaves are called 0, 1 and 2."""
    taxonomy = Taxonomy.from_edges([("all", "0"), ("all", "1"), ("all", "2")])
    path = written(tmp_path, "classes.csv", text)
    if nodes is None:
        with pytest.raises(PredictionsError, match=r"Call (it|the one that is meant) 'node'") as raised:
            load_classes(path, taxonomy)
        assert "\n" not in str(raised.value)
    else:
        assert load_classes(path, taxonomy).tolist() == taxonomy.nodes(*nodes).tolist()


def test_class_lists_by_number_in_memory(taxonomy):
    notes = []
    found = load_classes({2: "dog", 1: "cat", 4: "duck", 3: "newt"}, taxonomy, notes)
    assert found.tolist() == taxonomy.nodes("cat", "dog", "newt", "duck").tolist()
    assert notes == ["classes: the columns of scores are counted from 1"]
    with pytest.raises(PredictionsError, match="each once, got none for 1"):
        load_classes({0: "cat", 2: "dog"}, taxonomy)


def test_columns_that_name_inner_nodes_are_node_probabilities(tmp_path, taxonomy):
    header = "mammal,cat,dog,bird,duck,newt"
    found = load_predictions(written(tmp_path, "p.csv", f"{header}\n0.9,0.8,0.7,0.6,0.5,0.4\n"), taxonomy)
    assert found.parametrisation == "node_probabilities"
    assert found.node_probabilities().tolist() == [[1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4]]
    found = load_predictions(written(tmp_path, "q.csv", f"{header},animal\n0.9,0.8,0.7,0.6,0.5,0.4,0.95\n"), taxonomy)
    assert found.node_probabilities()[0, 0] == 0.95


def test_raw_scores_need_the_flag(tmp_path, taxonomy):
    path = written(tmp_path, "p.csv", "cat,dog,duck,newt\n2,-1,0,0\n")
    with pytest.raises(PredictionsError, match=r"column 'cat': .*got 2\.0\. .*parametrisation="):
        load_predictions(path, taxonomy)
    assert load_predictions(path, taxonomy, parametrisation="flat_softmax").scores.tolist() == [[2, -1, 0, 0]]


def test_class_names_that_are_numbers(tmp_path):
    taxonomy = Taxonomy.from_edges([("r", "0"), ("r", "1")])
    found = load_predictions(written(tmp_path, "p.csv", "0,1\n0.25,0.75\n"), taxonomy)
    assert found.scores.tolist() == [[0.25, 0.75]]
    assert found.scored_nodes.tolist() == [1, 2]


def test_class_called_label_is_a_class_when_it_holds_numbers(tmp_path):
    taxonomy = Taxonomy.from_edges([("r", "label"), ("r", "truth")])
    found = load_predictions(written(tmp_path, "p.csv", "label,truth\n0.25,0.75\n"), taxonomy)
    assert found.scores.tolist() == [[0.25, 0.75]]
    assert found.truth is None


# Labels


def test_hard_labels_with_truth(tmp_path, taxonomy):
    found = load_predictions(
        written(tmp_path, "p.csv", "true,predicted\ncat,dog\nnewt,mammal\n,cat\nduck,\n"), taxonomy
    )
    assert found.is_hard
    assert found.truth.tolist() == [2, 6, -1, 5]
    assert [one.tolist() for one in found.labels] == [[3], [1], [2], []]
    assert found.n_without_truth == 1
    assert "1 samples of p.csv have no truth" in " ".join(found.notes)


def test_label_lists_keep_their_order(tmp_path, taxonomy):
    text = "sample_id,labels\n9783809436690,dog;cat;dog\n007,\nNA,newt\n"
    found = load_predictions(written(tmp_path, "p.csv", text), taxonomy)
    assert not found.is_hard
    assert [one.tolist() for one in found.labels] == [[3, 2, 3], [], [6]]
    assert found.sample_ids.tolist() == ["9783809436690", "007", "NA"]
    assert found.truth is None


def test_a_list_anywhere_makes_all_of_them_lists(tmp_path, taxonomy):
    assert load_predictions(written(tmp_path, "p.csv", "predicted\ncat\ndog\n"), taxonomy).is_hard
    assert not load_predictions(written(tmp_path, "q.csv", "predicted\ncat\ndog;cat\n"), taxonomy).is_hard
    assert not load_predictions(written(tmp_path, "r.csv", "labels\ncat\ndog\n"), taxonomy).is_hard
    assert load_predictions(written(tmp_path, "s.csv", "labels\ncat\ndog\n"), taxonomy, form="hard").is_hard


def test_labels_without_header(tmp_path, taxonomy):
    found = load_predictions(
        written(tmp_path, "p.txt", "cat\ndog\n\ncat\n"), taxonomy, truth=["cat", "cat", "cat", "cat"]
    )
    # The blank line in the middle is a sample without a label, not nothing: rows would slip otherwise.
    assert [one.tolist() for one in found.labels] == [[2], [3], [], [2]]


def test_empty_labels_are_dropped_or_kept(tmp_path, taxonomy):
    path = written(tmp_path, "p.csv", "sample_id,labels\na,cat;\nb,\nc,;dog\n")
    found = load_predictions(path, taxonomy)
    assert [one.tolist() for one in found.labels] == [[2], [], [3]]
    assert found.notes[0] == "3 empty labels in p.csv were dropped"
    kept = load_predictions(path, taxonomy, keep_empty_labels=True)
    assert [one.tolist() for one in kept.labels] == [[2, -1], [-1], [-1, 3]]
    assert "were kept" in kept.notes[0]


def test_lists_in_parquet(tmp_path, taxonomy):
    data = parquet(sample_id=[1, 2, 3], labels=[["cat", "dog"], [], None], truth=["cat", None, "newt"])
    found = load_predictions(written(tmp_path, "p.parquet", data), taxonomy)
    assert [one.tolist() for one in found.labels] == [[2, 3], [], []]
    assert found.sample_ids.tolist() == ["1", "2", "3"]
    assert found.truth.tolist() == [2, -1, 6]


def test_names_with_semicolons_and_blanks(tmp_path):
    taxonomy = Taxonomy.from_edges([("r", "a;b"), ("r", "a"), ("r", "b")])
    found = load_predictions(written(tmp_path, "p.csv", 'labels\n"a;b"\nb;a\n b \n'), taxonomy)
    assert [one.tolist() for one in found.labels] == [[1], [3, 2], [3]]


# Truth


def test_truth_columns_in_the_order_of_the_design(tmp_path, taxonomy):
    # `leaf` comes before `path`; `text` and `path` are attributes.
    text = 'sample_id,path,leaf,text\n1,animal > mammal > cat,dog,"one, two"\n2,animal > newt,newt,NA\n'
    found = load_truth(written(tmp_path, "t.csv", text), taxonomy)
    assert found.nodes.tolist() == [3, 6]
    assert found.ids.tolist() == ["1", "2"]
    assert {name: one.tolist() for name, one in found.attributes.items()} == {
        "path": ["animal > mammal > cat", "animal > newt"],
        "text": ["one, two", "NA"],
    }


@pytest.mark.parametrize("separator", [" > ", "/", "|", ";", ">"])
def test_path_stands_for_its_last_node(separator, tmp_path, taxonomy):
    text = f"id,path\n1,{separator.join(['animal', 'mammal', 'cat'])}\n2,{separator.join(['animal', 'bird'])}\n"
    assert load_truth(written(tmp_path, "t.csv", text), taxonomy).nodes.tolist() == [2, 4]


def test_path_to_a_name_that_repeats(tmp_path):
    taxonomy = load_taxonomy(written(tmp_path, "tax.txt", "Beta > vulgaris\nSturnus > vulgaris\n"))
    found = load_truth(written(tmp_path, "t.csv", "path\nBeta > vulgaris\nroot > Sturnus > vulgaris\n"), taxonomy)
    assert [taxonomy.names[node] for node in found.nodes] == ["Beta > vulgaris", "Sturnus > vulgaris"]
    with pytest.raises(
        PredictionsError,
        match=r"t\.csv:2, .*got 'vulgaris'\. Several nodes have this name: use 'Beta > vulgaris', 'Sturnus",
    ):
        load_truth(written(tmp_path, "t.csv", "label\nvulgaris\n"), taxonomy)


def test_only_column_of_nodes_is_the_truth(tmp_path, taxonomy):
    found = load_truth(written(tmp_path, "t.csv", "sample_id,year,kind\n1,1999,cat\n2,2000,\n"), taxonomy)
    assert found.nodes.tolist() == [2, -1]
    assert found.detected["truth column"] == "kind"
    assert found.attributes["year"].tolist() == ["1999", "2000"]
    assert found.notes == ("1 samples of t.csv have no truth (empty cell in column 'kind')",)


def test_truth_lists(tmp_path, taxonomy):
    found = load_truth(written(tmp_path, "t.csv", "id,labels\n1,dog;cat\n2,\n3,newt\n"), taxonomy)
    assert isinstance(found.nodes, NodeLists)
    assert [one.tolist() for one in found.nodes] == [[3, 2], [], [6]]
    assert found.is_known.tolist() == [True, False, True]


def test_truth_without_header(tmp_path, taxonomy):
    found = load_truth(written(tmp_path, "t.csv", "x.png,cat\ny.png,dog\n"), taxonomy)
    assert found.nodes.tolist() == [2, 3]
    assert found.ids.tolist() == ["x.png", "y.png"]
    assert load_truth(written(tmp_path, "u.txt", "cat\ndog\n"), taxonomy).nodes.tolist() == [2, 3]


def test_truth_from_memory(taxonomy):
    assert load_truth(["cat", "", None, 3], taxonomy).nodes.tolist() == [2, -1, -1, 3]
    assert load_truth(np.array(["cat", "newt"]), taxonomy).nodes.tolist() == [2, 6]
    assert load_truth(np.array([1, -1], dtype=np.int8), taxonomy).nodes.tolist() == [1, -1]
    lists = load_truth([["cat", 3], []], taxonomy).nodes
    assert [one.tolist() for one in lists] == [[2, 3], []]
    with pytest.raises(PredictionsError, match=r"truth, sample 1: .*got 'duk'\. Did you mean 'duck'"):
        load_truth(["cat", "duk"], taxonomy)


def test_truth_numbers_outside_the_taxonomy(tmp_path, taxonomy):
    with pytest.raises(PredictionsError, match=r"truth: expected node numbers from 0 to 6 .*got 7"):
        load_predictions(written(tmp_path, "p.csv", WIDE), taxonomy, truth=[2, 7])


# Join


def test_score_files_leave_out_truths_without_prediction(tmp_path, taxonomy):
    truth = written(tmp_path, "t.csv", "id,truth,place\nx,cat,here\nb,dog,there\nz,,\n")
    found = load_predictions(written(tmp_path, "p.csv", WIDE), taxonomy, truth)
    assert found.sample_ids.tolist() == ["b", "a"]
    assert found.truth.tolist() == [3, -1]
    assert found.attributes["place"].tolist() == ["there", ""]
    # x has a truth and no row; a has a row and no truth; z has neither and is nothing.
    assert (found.n_without_prediction, found.n_without_truth) == (1, 1)
    notes = " | ".join(found.notes)
    assert "1 sample has a truth but no prediction ('x'); it was left out" in notes
    assert "1 sample has a prediction but no truth ('a'); it is not evaluated" in notes


def test_label_files_take_truths_without_prediction_as_empty(tmp_path, taxonomy):
    labels = written(tmp_path, "p.csv", "id,labels,note\nb,cat;dog,hm\na,newt,\n")
    truth = written(tmp_path, "t.csv", "id,labels,place\nx,cat,here\nb,dog;cat,there\ny,duck,far\n")
    found = load_predictions(labels, taxonomy, truth)
    assert found.sample_ids.tolist() == ["b", "a", "x", "y"]
    assert [one.tolist() for one in found.labels] == [[2, 3], [6], [], []]
    assert [one.tolist() for one in found.truth] == [[3, 2], [], [2], [5]]
    assert found.attributes["note"].tolist() == ["hm", "", "", ""]
    assert found.attributes["place"].tolist() == [
        "there",
        "",
        "here",
        "far",
    ]
    assert (found.n_samples, found.n_without_prediction, found.n_without_truth) == (4, 2, 1)


def test_rows_in_order_take_the_ids_of_the_truth(tmp_path, taxonomy):
    found = load_predictions(written(tmp_path, "p.npy", npy(VALUES)), taxonomy, written(tmp_path, "t.csv", TRUTH))
    assert found.sample_ids.tolist() == ["a", "b"]
    assert found.truth.tolist() == [6, 1]
    assert "p.npy has no sample ids: the 2 rows of p.npy and t.csv were joined in order" in found.notes


def test_captions_and_pictures_may_be_digits(tmp_path, taxonomy):
    path = written(tmp_path, "p.csv", "id,predicted,text,image\na,cat,42,0007\n")
    found = load_predictions(path, taxonomy)
    assert {key: one.tolist() for key, one in found.attributes.items()} == {"text": ["42"], "image": ["0007"]}


def test_truth_file_wins_over_the_column(tmp_path, taxonomy):
    path = written(tmp_path, "p.csv", "id,truth,predicted\na,cat,cat\n")
    found = load_predictions(path, taxonomy, written(tmp_path, "t.csv", "id,truth\na,dog\n"))
    assert found.truth.tolist() == [3]
    assert "the truth is that of t.csv, not the column in p.csv" in found.notes


def test_attributes_of_both_files(tmp_path, taxonomy):
    path = written(tmp_path, "p.csv", "id,predicted,text,file\na,cat,one,x.png\n")
    found = load_predictions(path, taxonomy, written(tmp_path, "t.csv", "id,truth,text,file\na,dog,two,x.png\n"))
    assert {key: one.tolist() for key, one in found.attributes.items()} == {
        "text": ["one"],
        "file": ["x.png"],
        "text (t.csv)": ["two"],
    }


def test_truth_object_and_no_truth(tmp_path, taxonomy):
    path = written(tmp_path, "p.csv", WIDE)
    found = load_predictions(path, taxonomy, Truth(np.array([4]), np.array(["a"])))
    assert found.truth.tolist() == [-1, 4]
    found = load_predictions(path, taxonomy)
    assert found.truth is None
    assert found.n_without_truth == 2
    assert "there is no truth" in found.notes[0]


def test_truth_column_in_the_prediction_file(tmp_path, taxonomy):
    path = written(
        tmp_path,
        "p.csv",
        WIDE.replace("duck", "duck,gold").replace("0.125\na", "0.125,cat\na").replace("0.25,0\n", "0.25,0,newt\n"),
    )
    found = load_predictions(path, taxonomy)
    assert found.truth is None
    assert found.attributes["gold"].tolist() == ["cat", "newt"]
    found = load_predictions(path, taxonomy, truth_column="gold")
    assert found.truth.tolist() == [2, 6]
    assert not found.attributes


def test_long_form_with_truth_and_text(tmp_path, taxonomy):
    text = LONG.replace("score\n", "score,truth,place\n").replace("5\n", "5,cat,x\n").replace("0.0\n", "0.0,cat,x\n")
    found = load_predictions(written(tmp_path, "p.csv", text), taxonomy)
    assert found.truth.tolist() == [2, 2]
    assert found.attributes["place"].tolist() == ["x", "x"]
    with pytest.raises(
        PredictionsError, match=r"p\.csv:3, column 'place': expected one value per sample, got 'y' after 'x'"
    ):
        load_predictions(written(tmp_path, "p.csv", text.replace("newt,0.125,cat,x", "newt,0.125,cat,y")), taxonomy)


# Real files


def test_real_wikivitals(shared_data):
    folder = shared_data / "hwv"
    taxonomy = load_taxonomy(folder / "hwv.taxonomy")
    flat = load_predictions(folder / "pred_flat.npz", taxonomy, folder / "test.csv")
    assert flat.parametrisation == "leaf_probabilities"
    assert flat.scores.shape == (2003, 953)
    assert flat.scores.dtype == np.float32
    assert flat.notes == ()
    assert flat.has_truth.all()
    assert set(flat.attributes) == {"path", "text"}
    # per_sample_flat.csv: p of the true leaf, worked out by other code.
    expected = load_truth(folder / "per_sample_flat.csv", taxonomy, "truth")
    assert np.array_equal(expected.nodes, flat.truth)
    p_truth = np.array(expected.attributes["p_truth"].tolist(), dtype=float)
    found = np.concatenate(
        [flat.node_probabilities(rows)[np.arange(rows.stop - rows.start), flat.truth[rows]] for rows in flat.blocks()]
    )
    assert np.allclose(found, p_truth, atol=1e-11)
    bce = load_predictions(folder / "pred_bce_nodes.npz", taxonomy, folder / "test.csv")
    assert bce.parametrisation == "node_probabilities"
    assert bce.scores.shape == (2003, 1186)


def test_real_transposons(shared_data):
    folder = shared_data / "transposon"
    taxonomy = load_taxonomy(folder / "taxonomy.csv")
    raw = load_predictions(folder / "pred_RFSB.csv.gz", taxonomy, folder / "truth.csv.gz", truth_column="label_raw")
    # The README: 2 718 of 9 006 truths are inner nodes; predictions always are leaves.
    assert raw.is_hard
    assert (~taxonomy.is_leaf[raw.truth]).sum() == 2718
    assert taxonomy.is_leaf[raw.labels.nodes].all()
    scores = load_predictions(
        folder / "scores_RFSB.csv.gz", taxonomy, folder / "truth.csv.gz", truth_column="label_paper"
    )
    assert scores.parametrisation == "node_probabilities"
    assert scores.scores[0, 1] == 0.99
    assert scores.n_samples == 9006
    with pytest.raises(PredictionsError, match="'label_raw', 'label_paper'"):
        load_predictions(folder / "pred_RFSB.csv.gz", taxonomy, folder / "truth.csv.gz")


@pytest.mark.parametrize(
    ("task", "submission", "n_missing", "n_empty"),
    [
        # expected.json: samples without a row, empty labels.
        ("1a", "EricssonResearch__fconv_A6C1Y", 0, 0),
        ("1a", "Comtravo-DS__local_clf_logit_cnn", 0, 237),
        ("1a", "LT-UHH__baseline", 516, 0),
        ("1b", "LT-UHH__baseline", 495, 0),
        ("1b", "DFKI-SLT__full", 0, 0),
    ],
)
def test_real_blurbs(task, submission, n_missing, n_empty, shared_data):
    folder = shared_data / "germeval2019"
    taxonomy = load_taxonomy(folder / f"taxonomy_{task}.csv")
    path, truth = folder / f"pred_{task}_{submission}.csv.gz", folder / f"truth_{task}.csv.gz"
    found = load_predictions(path, taxonomy, truth, keep_empty_labels=True)
    assert (found.n_samples, found.n_without_prediction, found.n_without_truth) == (4157, n_missing, 0)
    assert (found.labels.nodes == -1).sum() == n_empty
    assert not found.is_hard
    assert (load_predictions(path, taxonomy, truth).labels.nodes == -1).sum() == 0
