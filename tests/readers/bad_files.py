"""Files that people really have and that cannot be used: written on demand, each with what the error must say.

`BAD_FILES` maps a name to a `BadFile`. Its `write(folder)` writes the files into a folder and returns the arguments of the
command line as a dict (``taxonomy``, ``predictions`` and, where they matter, ``truth``, ``classes``, ``truth_column``,
``parametrisation``); `match` is a regular expression that the one line of the error must contain. All use the small tree.
"""

import gzip
import io
import pickle
import struct
import zipfile
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tests.small_tree import EDGES_CSV as EDGES
from tests.small_tree import LEAVES

SCORES = "sample_id,cat,dog,duck,newt\na,0.5,0.25,0.125,0.125\nb,0.25,0.25,0.25,0.25\n"
TRUTH = "sample_id,truth\na,cat\nb,duck\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0"


class BadFile(NamedTuple):
    """`write(folder)` gives arguments by name, `match` is in the error."""

    write: Callable
    match: str


def _put(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _files(**contents):
    """A writer of good files but for `contents`: (file name, content) by argument, or the plain value of an argument."""

    def write(folder):
        arguments = {
            "taxonomy": ("taxonomy.csv", EDGES),
            "predictions": ("scores.csv", SCORES),
            "truth": ("truth.csv", TRUTH),
        }
        arguments.update(contents)
        found = {}
        for key, value in arguments.items():
            if isinstance(value, tuple):
                name, content = value
                value = _put(folder / name, content() if callable(content) else content)
            if value is not None:
                found[key] = value
        return found

    return write


def taxonomy(content, match, name="taxonomy.csv"):
    """A bad taxonomy."""
    return BadFile(_files(taxonomy=(name, content)), match)


def scores(content, match, name="scores.csv", **more):
    """A bad prediction file."""
    return BadFile(_files(predictions=(name, content), **more), match)


def truth(content, match, name="truth.csv", **more):
    """A bad truth file."""
    return BadFile(_files(truth=(name, content), **more), match)


def _saved(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def _zipped(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _objects():
    return np.array([[0.5, None], [0.5, 0.5]], dtype=object)


def _npz_of_objects():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("prob.npy", _saved(_objects(), allow_pickle=True))
    return file.getvalue()


def _npy_stating(shape, data=b""):
    """An array whose header states `shape` and that holds `data`."""
    header = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + data


def _npz_bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("prob.npy", _npy_stating((2, 4)))
    # The directory says 64 GB: nothing may be asked for before it is read.
    content = bytearray(file.getvalue())
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 0xFFFFFFFF)
    extra = struct.pack("<HHQ", 1, 8, 1 << 36)
    name_length = struct.unpack("<H", content[at + 28 : at + 30])[0]
    content[at + 30 : at + 32] = struct.pack("<H", len(extra))
    content[at + 46 + name_length : at + 46 + name_length] = extra
    end = content.rindex(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<I", struct.unpack("<I", content[end + 12 : end + 16])[0] + len(extra))
    return bytes(content)


def _npz_of_wrong_size():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("prob.npy", _npy_stating((1 << 40, 1 << 10)))
    return file.getvalue()


def _parquet(**columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def _parquet_of(names, *columns):
    """A table whose columns are arrow arrays and may have the same name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table([pa.array(*column) for column in columns], names=names), file)
    return file.getvalue()


def _typed(name, make):
    """Good scores and a column `name` of arrow type ``make(pyarrow)[1]`` with the values ``make(pyarrow)[0]``."""
    import pyarrow as pa

    scores = [([0.5, 0.25],)] * 2 + [([0.0, 0.25],)] * 2
    names = ["sample_id", *LEAVES]
    if name == "sample_id":
        return _parquet_of(names, make(pa), *scores)
    return _parquet_of([*names, name], (["a", "b"],), *scores, make(pa))


def _npy_of(header, data=b""):
    """An array with any header."""
    header = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + data


def _npz_of_code_points(*numbers):
    """Scores of two samples whose ids are one number each where a character is expected."""
    ids = _npy_of("{'descr': '<U1', 'fortran_order': False, 'shape': (2,)}", struct.pack("<2I", *numbers))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("prob.npy", _saved(np.full((2, 4), 0.25)))
        archive.writestr("sample_id.npy", ids)
    return file.getvalue()


def _npz_of_damaged_lzma():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("prob.npy", _saved(np.full((2, 4), 0.25)))
    content = bytearray(file.getvalue())
    content[50:60] = b"\xff" * 10
    return bytes(content)


def _good_parquet():
    return _parquet(sample_id=["a", "b"], cat=[0.5, 0.25], dog=[0.25, 0.25], duck=[0.125, 0.25], newt=[0.125, 0.25])


def _as_dictionary(values):
    import pyarrow as pa

    return pa.array(values).dictionary_encode()


def _decimals(values):
    from decimal import Decimal

    import pyarrow as pa

    return [None if one is None else Decimal(one) for one in values], pa.decimal128(5, 2)


def _pickled_rows():
    return pickle.dumps([["animal", "cat"]])


def _changed(old, new, text=SCORES):
    assert old in text
    return text.replace(old, new, 1)


def _folder(argument):
    def write(folder):
        (folder / "folder").mkdir()
        return _files(**{argument: None})(folder) | {argument: folder / "folder"}

    return write


def _missing(argument):
    return lambda folder: _files(**{argument: None})(folder) | {argument: folder / "nowhere.csv"}


_ROW = "c,0.5,0.25,0.125\n"
_FLAT_NPY = _saved(np.full((2, 4), 0.25))
_HTML = "<!DOCTYPE html>\n<html><body>Sign in to download</body></html>\n"
_LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
_ONNX = b"\x08\x08\x12\x07pytorch\x1a\x052.0.0"
_LIST = "sample_id,labels\na,cat;dog\nb,duck\n"

BAD_FILES = {
    # What a file is
    "taxonomy missing": BadFile(_missing("taxonomy"), r"nowhere\.csv: expected a file, got nothing"),
    "predictions missing": BadFile(_missing("predictions"), r"nowhere\.csv: expected a file, got nothing"),
    "truth missing": BadFile(_missing("truth"), r"nowhere\.csv: expected a file, got nothing"),
    "taxonomy is a folder": BadFile(_folder("taxonomy"), r"folder: expected a file, got a folder"),
    "predictions are a folder": BadFile(_folder("predictions"), r"folder: expected a file, got a folder"),
    "taxonomy empty": taxonomy("", r"taxonomy\.csv: expected a class taxonomy.*, got an empty file"),
    "taxonomy blank": taxonomy("\n \n\n", r"taxonomy\.csv: .*got an empty file"),
    "predictions empty": scores("", r"scores\.csv: expected predictions.*, got an empty file"),
    "truth empty": truth("", r"truth\.csv: .*got an empty file"),
    "gzip of nothing": scores(gzip.compress(b""), r"got an empty file", "scores.csv.gz"),
    "binary": scores(b"\x01\x02\0\xff\0\0\x10" * 50, r"scores\.csv: .*got binary data \(NUL bytes\)"),
    "NUL in the text": scores(SCORES + "c\0" * 3 + "\n" * 5000, r"scores\.csv.*NUL"),
    "PNG called CSV": scores(PNG, r"scores\.csv: .*got a PNG picture"),
    "taxonomy is a PNG": taxonomy(PNG, r"taxonomy\.csv: .*got a PNG picture"),
    "web page": scores(_HTML, r"scores\.csv: .*got a web page"),
    "taxonomy is a web page": taxonomy(_HTML, r"taxonomy\.csv: .*got a web page"),
    "git-lfs pointer": scores(_LFS, r"got a git-lfs pointer.*git lfs pull", "scores.npz"),
    "ONNX model as predictions": scores(_ONNX, r"got an ONNX model.*(--model|load_model)", "model.onnx"),
    "zip of a table as taxonomy": taxonomy(_zipped(a=np.zeros(2)), r"got a zip archive", "taxonomy.zip"),
    "taxonomy is Parquet": taxonomy(_good_parquet, r"got a Parquet table.*CSV", "taxonomy.parquet"),
    "pickled taxonomy": taxonomy(_pickled_rows, r"got a pickle.*python -c", "taxonomy.pkl"),
    "pickled predictions": scores(_pickled_rows, r"got a pickle.*python -c", "scores.pkl"),
    "old pickle": scores(pickle.dumps({"a": 1}, 0), r"got a pickle", "scores.pickle"),
    # Text
    "Latin-1": scores(
        _changed("a,", "caf\xe9,").encode("latin-1"), r"scores\.csv:2: expected UTF-8 text, got byte 0xe9 at byte 4"
    ),
    "Latin-1 taxonomy": taxonomy(
        b"animal,mammal\nmammal,f\xfcchsin\n", r"taxonomy\.csv:2: expected UTF-8 text, got byte 0xfc"
    ),
    "UTF-16 cut in half": scores(SCORES.encode("utf-16")[:-1], r"scores\.csv: expected UTF-16.* text"),
    "gzip cut off": scores(gzip.compress(SCORES.encode() * 50)[:60], r"scores\.csv\.gz: .*truncated", "scores.csv.gz"),
    "gzip broken": scores(
        gzip.compress(SCORES.encode() * 50)[:-8] + b"\0" * 8,
        r"scores\.csv\.gz: expected an intact archive",
        "scores.csv.gz",
    ),
    "ragged, too short": scores(SCORES + _ROW, r"scores\.csv:4: expected 5 cells as in line 1, got 4"),
    "ragged, too long": scores(SCORES + "c,1,0,0,0,0\n", r"scores\.csv:4: expected 5 cells as in line 1, got 6"),
    "ragged taxonomy": taxonomy(EDGES + "newt,eft,red\n", r"taxonomy\.csv:7: expected 2 cells as in line 1, got 3"),
    "open quote": scores(
        _changed("\na,", '\n"a,'), r"scores\.csv: expected cells quoted as in RFC 4180, got an error .in line 2"
    ),
    "wrong separator": scores(SCORES.replace(",", "#"), r"scores\.csv: expected .*'sample_id#cat#dog#duck#newt'"),
    "pipes as separator of edges": taxonomy(
        EDGES.replace(",", "#"), r"taxonomy\.csv: expected a tree .*got one column of names"
    ),
    "header only": scores("sample_id,cat,dog,duck,newt\n", r"scores\.csv: expected a row for every sample, got none"),
    "truth with header only": truth("sample_id,truth\n", r"truth\.csv: expected a row for every sample, got none"),
    "taxonomy with header only": taxonomy(
        "parent,child\n", r"taxonomy\.csv: expected edges below the header, got none"
    ),
    "one row of one cell": scores("x\n", r"scores\.csv.*expected"),
    "absurdly wide": scores(
        "sample_id," + ",".join(f"c{k}" for k in range(20000)) + "\na" + ",0" * 20000 + "\n",
        r"scores\.csv, column 'c0': .* named after nodes .* and 19995 more",
    ),
    "one endless line": scores(
        lambda: b"x" * 8_000_001, r"scores\.csv:1: expected lines of at most 8,000,000 characters"
    ),
    # Taxonomies
    "cycle": taxonomy(
        EDGES + "cat,kitten\nkitten,mammal\nkitten,animal\n", r"taxonomy\.csv: .*got a cycle: .*'kitten'"
    ),
    "cycle below a root": taxonomy(
        "a,b\nb,c\nc,d\nd,b\n", r"taxonomy\.csv: .*got a cycle: 'b' > 'c' > 'd' > 'b'|.*got a cycle: "
    ),
    "self edge": taxonomy(EDGES + "cat,cat\n", r"taxonomy\.csv:7: .*'cat' as its own parent"),
    "nameless child": taxonomy(EDGES + "cat,\n", r"taxonomy\.csv:7: expected the name of a class, got an empty cell"),
    "one column": taxonomy(
        "cat\ndog\nduck\nnewt\n", r"taxonomy\.csv: expected a tree .*got one column of names \('cat', 'dog', 'duck'\)"
    ),
    "gap in the levels": taxonomy(
        "kingdom,class,species\nanimal,mammal,cat\nanimal,,newt\n",
        r"taxonomy\.csv:3, column 'class': expected the parent of 'newt'",
    ),
    "levels with header only": taxonomy(
        "kingdom,class,species\n", r"taxonomy\.csv: expected classes in level columns, got none"
    ),
    "gap in a path": taxonomy(
        "animal > mammal > cat\nanimal >  > newt\n", r"taxonomy\.csv: expected a name .*'animal >  > newt'"
    ),
    "bad JSON": taxonomy(
        '{"name": "animal",\n "children": [}',
        r"taxonomy\.json:2: expected JSON, got an error in column 15",
        "taxonomy.json",
    ),
    "empty JSON object": taxonomy(
        "{}", r"taxonomy\.json: expected a tree of classes, got an object without entries", "taxonomy.json"
    ),
    "empty JSON list": taxonomy(
        "[]", r"taxonomy\.json: expected a tree of classes, got a list without entries", "taxonomy.json"
    ),
    "JSON number": taxonomy("[1.5]", r"taxonomy\.json: expected names of classes, got 1\.5", "taxonomy.json"),
    "JSON with a key twice": taxonomy(
        '{"a": ["b"], "a": ["c"]}', r"expected every key .* once, got 'a' again", "taxonomy.json"
    ),
    "JSON too deep": taxonomy("[" * 100_000, r"taxonomy\.json: .*nested levels", "taxonomy.json"),
    "COCO": taxonomy(
        '{"images": [], "categories": [{"id": 1, "name": "cat"}]}',
        r"expected at least two nodes, got 1",
        "taxonomy.json",
    ),
    "JSON with an unpaired surrogate": taxonomy(
        '{"name": "animal", "children": [{"name": "cat", "note": "\\ud800"}]}',
        r"got an unpaired surrogate",
        "taxonomy.json",
    ),
    "a path as deep as it is long": taxonomy(
        " > ".join("a" * 3000) + "\n", r"expected at most 1,000 levels, got 2,999"
    ),
    "a chain of 3,000 classes": taxonomy(
        "".join(f"c{k},c{k + 1}\n" for k in range(3000)),
        r"expected at most 1,000 levels, got 3,000",
    ),
    "broken .taxonomy": taxonomy(
        "animal\tmammal\nmammal\n", r"hwv\.taxonomy:2: expected a parent and its children", "hwv.taxonomy"
    ),
    # Columns
    "unknown class": scores(
        _changed("cat", "catt"),
        r"scores\.csv, column 'catt': expected columns of numbers to be named .*Did you mean 'cat'\?",
    ),
    "missing class": scores(
        "sample_id,cat,dog,duck\na,0.5,0.25,0.25\n",
        r"scores\.csv: expected a column for every leaf \(4\), got 3: missing 'newt'",
    ),
    "missing inner node": scores(
        "sample_id,mammal,cat,dog,duck,newt\na,1,1,0,0,0\n", r"expected a column for every node .*missing 'bird'"
    ),
    "duplicate column": scores(
        _changed("dog", "cat"), r"scores\.csv: expected every column once, got 'cat' more than once"
    ),
    # Texts there are the ids of samples; numbers may be those of rows.
    "column of numbers without a name": scores(
        ",cat,dog,duck,newt\n0,0.5,0.25,0.25,0\n1,0.5,0.25,0.25,0\n", r"got none for column 1.*index=False"
    ),
    "numbers that are no class": scores(
        "sample_id,cat,dog,duck,newt,year\na,0.5,0.5,0,0,1999\n",
        r"scores\.csv, column 'year': .*put other numbers of a sample in the truth file",
    ),
    "no header": scores("0.5,0.25,0.125,0.125\n", r"scores\.csv:1: expected a header row .*(--classes|classes=)"),
    "labels without header": scores(
        "cat,dog\ndog,dog\n", r"scores\.csv:1: expected a header row such as 'sample_id,truth,predicted'"
    ),
    "neither scores nor labels": scores(
        "sample_id,colour\na,red\n", r"scores\.csv: expected a column per class, or a column of predicted"
    ),
    "too few classes": scores(
        SCORES, r"scores\.csv: expected 3 columns of numbers .*got 4", classes=("classes.txt", "cat\ndog\nduck\n")
    ),
    "class list with a stranger": scores(
        SCORES, r"classes\.txt:2: .*got 'nwet'\. Did you mean 'newt'", classes=("classes.txt", "cat\nnwet\nduck\ndog\n")
    ),
    "class list with a class twice": scores(
        SCORES,
        r"classes\.txt:3: expected every class once, got 'cat' again",
        classes=("classes.txt", "cat\ndog\ncat\nnewt\n"),
    ),
    "unknown parametrisation": scores(
        SCORES, r"expected one of flat_softmax, .*got 'softmax'", parametrisation="softmax"
    ),
    "parametrisation of other columns": scores(
        SCORES, r"scores\.csv: expected a column for .*'mammal'", parametrisation="deep_rtc"
    ),
    # Values
    "NaN": scores(
        _changed("0.125", "nan"),
        r"scores\.csv, sample 'a', column 'duck': expected a probability .*got nan\..*Correct them, or leave these samples out\.",
    ),
    "infinite": scores(_changed("0.125", "inf"), r"sample 'a', column 'duck': expected a probability .*got inf"),
    "negative": scores(
        _changed("0.125", "-0.125"), r"sample 'a', column 'duck': .*got -0\.125\. .*(--|\b)parametrisation"
    ),
    "above 1": scores(
        _changed("0.125", "1.125"), r"sample 'a', column 'duck': .*got 1\.125\. .*(--|\b)parametrisation"
    ),
    "not summing to 1": scores(
        _changed("0.125", "0.5"), r"sample 'a': expected leaf probabilities that sum to 1, got a sum of 1\.375.*param"
    ),
    "infinite logit": scores(
        _changed("0.125", "-inf"),
        r"sample 'a', column 'duck': expected a finite score, got -inf",
        parametrisation="flat_softmax",
    ),
    "a word for a number": scores(
        _changed("0.125", "high"), r"scores\.csv:2, column 'duck': expected a number, got 'high'"
    ),
    "an empty cell for a number": scores(
        _changed("0.125", ""), r"scores\.csv:2, column 'duck': expected a number, got ''"
    ),
    "a number with an underscore": scores(
        _changed("0.125", "1_0"), r"scores\.csv:2, column 'duck': expected a number, got '1_0'"
    ),
    # Long form
    "long form without a pair": scores(
        "sample_id,class,score\na,cat,0.5\na,dog,0.5\na,duck,0\na,newt,0\nb,cat,1\nb,dog,0\nb,newt,0\n",
        r"scores\.csv: .*got none of sample 'b' for class 'duck'\. Missing pairs: 1\.",
    ),
    "top-k classes": scores(
        "sample_id,class,score\na,cat,0.5\na,dog,0.5\nb,duck,1\nb,newt,0\n",
        r"got none of sample 'a' for class 'duck'\. .*(--missing|missing=)",
    ),
    "long form with a pair twice": scores(
        "sample_id,class,score\na,cat,0.5\na,cat,0.5\n",
        r"scores\.csv:3: expected every pair .* once, got 'a' and 'cat' again",
    ),
    "long form with a stranger": scores(
        "sample_id,class,score\na,ducc,0.5\n", r"scores\.csv:2, column 'class': .*got 'ducc'\. Did you mean 'duck'"
    ),
    # The best classes
    "top-k scores that rise": scores(
        "sample_id,class_1,score_1,class_2,score_2\na,cat,0.25,dog,0.5\n",
        r"scores\.csv:2, column 'score_2': expected scores that fall .*got 0\.5 after 0\.25",
    ),
    "top-k class twice": scores(
        "sample_id,class_1,score_1,class_2,score_2\na,cat,0.5,cat,0.25\n",
        r"scores\.csv:2, column 'class_2': expected every class once in a row, got 'cat' again",
    ),
    "top-k mass above 1": scores(
        "sample_id,class_1,score_1,class_2,score_2\na,cat,0.75,dog,0.5\n",
        r"sample 'a': .*sum to at most 1, got 1\.25.*(--parametrisation |parametrisation=')node_probabilities",
    ),
    "top-k mass too small": scores(
        "sample_id,class_1,score_1,class_2,score_2\na,cat,0.25,dog,0.125\n",
        r"sample 'a': .*got 0\.375 listed and 2 other leaves of at most 0\.125.*(--missing |missing=')zero",
    ),
    "lists out of order": scores(
        '[[{"label": "cat", "score": 0.25}, {"label": "dog", "score": 0.5}]]',
        r"scores\.json: .*the best of each in falling order.*(--missing|missing=)",
        name="scores.json",
    ),
    # Labels
    "unknown label": scores(
        "sample_id,label\na,cat\nb,duk\n", r"scores\.csv:3, column 'label': .*got 'duk'\. Did you mean 'duck'"
    ),
    "unknown labels in lists": scores(
        _LIST + "c,w;x;y;z\nd,u;v;w\n", r"scores\.csv:4, column 'labels': .*got 'w', 'x', 'y', 'z', 'u' and 1 more"
    ),
    # Truth and join
    "unknown truth": truth(
        _changed("duck", "dukc", TRUTH), r"truth\.csv:3, column 'truth': .*got 'dukc'\. Did you mean 'duck'"
    ),
    "unknown truth in the file": scores(
        "sample_id,true,predicted\na,cat,cat\nb,mamal,dog\n",
        r"scores\.csv:3, column 'true': .*got 'mamal'\. Did you mean 'mammal'",
        truth=None,
    ),
    "truth column ambiguous": truth(
        "sample_id,first,second\na,cat,cat\nb,dog,duck\n",
        r"truth\.csv: .*2 columns of node names \('first', 'second'\)\. Name it with (--truth-column|truth_column=)",
    ),
    "no truth column": truth(
        "sample_id,colour,size\na,red,big\nb,blue,small\n",
        r"truth\.csv: .*none whose values are all nodes.*(--truth-column|truth_column=)",
    ),
    "truth column not there": truth(
        TRUTH, r"truth\.csv: expected the column 'trut'.*Did you mean 'truth'", truth_column="trut"
    ),
    "truth column not in predictions": scores(
        SCORES,
        r"scores\.csv: expected the column 'gold' of (--truth-column|truth_column=), got",
        truth=None,
        truth_column="gold",
    ),
    "duplicate id": scores(
        _changed("\nb,", "\na,"),
        r"scores\.csv:3: expected every sample id once, got 'a' again \(first at scores\.csv:2\)",
    ),
    "duplicate id in the truth": truth(
        TRUTH + "a,dog\n", r"truth\.csv:4: expected every sample id once, got 'a' again"
    ),
    "empty id": scores(_changed("\nb,", "\n,"), r"scores\.csv:3: expected a sample id, got an empty cell"),
    "ids with nothing in common": truth(
        "id,truth\n1,cat\n2,dog\n3,dog\n", r"got none in common: 'a', 'b' here, '1', '2' there"
    ),
    "ids without their zeros": BadFile(
        _files(
            predictions=("scores.csv", SCORES.replace("\na,", "\n007,").replace("\nb,", "\n010,")),
            truth=("truth.csv", "sample_id,truth\n7,cat\n10,dog\n"),
        ),
        r"none in common: '007', '010' here, '7', '10' there",
    ),
    "other row count without ids": truth(
        "truth\ncat\ndog\ndog\n", r"scores\.csv: expected 3 rows as in truth\.csv .*got 2"
    ),
    "array with another row count": scores(
        _FLAT_NPY,
        r"scores\.npy: expected 3 rows as in truth\.csv",
        "scores.npy",
        truth=("truth.csv", "truth\ncat\ncat\ncat\n"),
    ),
    # Arrays and Parquet
    "array of objects": scores(
        lambda: _saved(_objects(), allow_pickle=True),
        r"scores\.npy: .*Python objects \(a pickle\).*python -c.*scores\.npy",
        "scores.npy",
    ),
    "array of three axes": scores(
        _saved(np.zeros((2, 2, 2))), r"scores\.npy: expected two axes .*\(2, 2, 2\)", "scores.npy"
    ),
    "array of text": scores(
        _saved(np.array([["cat", "dog"]])),
        r"scores\.npy, sample 0: expected a child of 'animal' in column 0, got 'cat'",
        "scores.npy",
    ),
    "array without rows": scores(
        _saved(np.zeros((0, 4))), r"scores\.npy: expected samples and classes, got shape \(0, 4\)", "scores.npy"
    ),
    "array cut off": scores(_FLAT_NPY[:-8], r"scores\.npy: expected the 64 bytes.*truncated", "scores.npy"),
    "array with a broken header": scores(
        b"\x93NUMPY\x01\0\x10\0{'descr': nonsen", r"scores\.npy: expected a numpy array", "scores.npy"
    ),
    "array that states too much": scores(
        _npy_stating((1 << 40, 4)), r"scores\.npy: .*header states, got", "scores.npy"
    ),
    "array of another width": scores(
        _saved(np.full((2, 3), 1 / 3)),
        r"scores\.npy: expected 4 columns \(one per leaf\), 6 or 7 .*got 3",
        "scores.npy",
    ),
    "npz of objects": scores(_npz_of_objects, r"scores\.npz, array 'prob': .*Python objects", "scores.npz"),
    "npz cut off": scores(
        _zipped(prob=np.full((2, 4), 0.25))[:-20], r"scores\.npz: expected an intact archive", "scores.npz"
    ),
    "npz that says it is huge": scores(_npz_bomb, r"scores\.npz: .*got 65536 MB", "scores.npz"),
    "npz that states too much": scores(_npz_of_wrong_size, r"scores\.npz, array 'prob': .*header states", "scores.npz"),
    "npz with two tables": scores(
        _zipped(a=np.zeros((2, 4)), b=np.zeros((2, 4))),
        r"scores\.npz: expected one array .*got 2 \('a' \(2, 4\) float64",
        "scores.npz",
    ),
    "npz without a table": scores(_zipped(a=np.zeros(4)), r"scores\.npz: expected one array .*got 0", "scores.npz"),
    "npz with a stranger": scores(
        _zipped(prob=np.full((2, 4), 0.25), leaf=["cat", "dog", "duk", "newt"]),
        r"scores\.npz, array 'leaf': .*got 'duk'\. Did you mean 'duck'",
        "scores.npz",
    ),
    "npz with too few names": scores(
        _zipped(prob=np.full((2, 4), 0.25), leaf=["cat", "dog", "duck"]),
        r"expected 4 names in 'leaf' .*got 3",
        "scores.npz",
    ),
    "npz with too few ids": scores(
        _zipped(prob=np.full((2, 4), 0.25), ids=[1]), r"expected 2 sample ids in 'ids', got 1", "scores.npz"
    ),
    "zip of something else": scores(
        lambda: _zip_of("readme.txt", b"hello"), r"got a zip archive of 'readme\.txt'", "scores.npz"
    ),
    "Parquet cut off": scores(
        lambda: _good_parquet()[:-30], r"scores\.parquet: expected an intact Parquet table", "scores.parquet"
    ),
    "Parquet with text for numbers": scores(
        lambda: _parquet(sample_id=["a"], cat=["x"], dog=[0.5], duck=[0.5], newt=[0.0]),
        r"scores\.parquet, column 'cat': expected numbers, got values of type string",
        "scores.parquet",
    ),
    "array of no shape": scores(
        _npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (True, 4)}", bytes(32)),
        r"scores\.npy: expected a numpy array, got one that cannot be read \(shape \(True, 4\)\)",
        "scores.npy",
    ),
    "array of too large a number of nothing": scores(
        _npy_of(f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {10**30})}}"),
        r"scores\.npy: expected a numpy array, .*shape \(0, 1000",
        "scores.npy",
    ),
    "array of empty text": scores(
        _npy_of("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000, 4)}"),
        r"scores\.npy: expected a numpy array, .*values of type <U0",
        "scores.npy",
    ),
    "array of arrays": scores(
        _npy_of("{'descr': ('<f8', (4,)), 'fortran_order': False, 'shape': (2,)}", bytes(64)),
        r"scores\.npy: expected a numpy array",
        "scores.npy",
    ),
    "npz with a number that is no character": scores(
        lambda: _npz_of_code_points(97, 0x110000), r"scores\.npz, array 'sample_id': expected text", "scores.npz"
    ),
    "npz with an unpaired surrogate": scores(
        lambda: _npz_of_code_points(97, 0xD800), r"scores\.npz, array 'sample_id': expected text", "scores.npz"
    ),
    "npz of damaged LZMA": scores(_npz_of_damaged_lzma, r"scores\.npz: expected an archive", "scores.npz"),
    "Parquet with a column twice": scores(
        lambda: _parquet_of(["sample_id", "cat", "cat"], (["a"],), ([0.5],), ([0.5],)),
        r"scores\.parquet: expected every column once, got 'cat'",
        "scores.parquet",
    ),
    "Parquet truth with a column twice": truth(
        lambda: _parquet_of(["sample_id", "truth", "truth"], (["a"],), (["cat"],), (["cat"],)),
        r"truth\.parquet: expected every column once, got 'truth'",
        "truth.parquet",
    ),
    "Parquet with a year that no calendar has": scores(
        lambda: _typed("when", lambda pa: ([1 << 50, 0], pa.timestamp("ms"))),
        r"scores\.parquet, column 'when': expected values that can be written as text, got values of type timestamp",
        "scores.parquet",
    ),
    "Parquet with a day that no calendar has": scores(
        lambda: _typed("when", lambda pa: ([1 << 30, 0], pa.date32())),
        r"scores\.parquet, column 'when': expected values that can be written as text, got values of type date32",
        "scores.parquet",
    ),
    "Parquet with a time zone that no map has": scores(
        lambda: _typed("when", lambda pa: ([0, 1], pa.timestamp("s", tz="Atlantis/Capital"))),
        r"scores\.parquet, column 'when': expected values that can be written as text",
        "scores.parquet",
    ),
    "Parquet with lists as ids": scores(
        lambda: _typed("sample_id", lambda pa: ([["a"], ["b"]], pa.list_(pa.string()))),
        r"scores\.parquet, column 'sample_id': expected one value in each row, got lists",
        "scores.parquet",
    ),
    "Parquet with dictionaries for numbers": scores(
        lambda: _parquet_of(["sample_id", *LEAVES], (["a"],), *[([0.25],)] * 3, (_as_dictionary(["0.25"]),)),
        r"scores\.parquet, column 'newt': expected numbers, got values of type dictionary",
        "scores.parquet",
    ),
    "Parquet with a decimal missing": scores(
        lambda: _parquet_of(["sample_id", *LEAVES], (["a", "b"],), *[([0.25, 0.25],)] * 3, _decimals(["0.25", None])),
        r"scores\.parquet, sample 'b', column 'newt': expected a probability .*got nan",
        "scores.parquet",
    ),
    "Parquet with text that is not UTF-8": scores(
        lambda: _typed("text", lambda pa: (pa.array([b"\xff\xfe", b"a"]).view(pa.string()),)),
        r"scores\.parquet, column 'text': expected values that can be written as text",
        "scores.parquet",
    ),
    "Parquet with a missing value": scores(
        lambda: _parquet(sample_id=["a", "b"], cat=[1.0, None], dog=[0.0, 0.5], duck=[0.0, 0.5], newt=[0.0, 0.0]),
        r"scores\.parquet, sample 'b', column 'cat': expected a probability .*got nan",
        "scores.parquet",
    ),
}


def _zip_of(name, content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()
