"""A minimal file for each fault that was found: `corpus()` lists (name, role, file name, content); roles as in `doors`."""

import gzip
import io
import json
import struct
import zipfile
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from .commands import Case, model
from .forms import PARENTS, Forms, classes, predictions, taxonomies
from .seeds import IDS, LEAVES, TRUTH, P, archive, odd_columns, parquet, png, saved, score_columns

# 604 million rows of one number, 4.8 GB, in 2 kB: nine row groups of pa.array(np.zeros(1 << 26)), dictionary-encoded.
ONE_VALUE = Path(__file__).with_name("files") / "one_value.parquet"


def _repeated(piece, n):
    """gzip of `n` bytes and more of a repeated piece, made of equal members, so that making it takes no time."""
    block = piece * ((1 << 20) // len(piece))
    return gzip.compress(block, 9) * (n // len(block) + 1)


def _declared_npy(shape, dtype="<f8", data=b""):
    header = repr({"descr": dtype, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def _npz(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(f"{name}.npy", content)
    return file.getvalue()


@cache
def _zeros_npz(n):
    """A large array of zeros inside an `.npz`, written block by block."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made,
        made.open("x.npy", "w", force_zip64=True) as member,
    ):
        member.write(_declared_npy((n // 8, 8), "|i1"))
        for _ in range(n >> 20):
            member.write(bytes(1 << 20))
    return file.getvalue()


def _bad_text():
    """Text of an `.npz` with a code point beyond Unicode."""
    names = np.array(LEAVES)
    codes = names.view(np.uint32).copy()
    codes[0] = 0x110000
    return _npz(prob=saved(np.save, P), leaf=_declared_npy((4,), f"<U{names.itemsize // 4}", codes.tobytes()))


def _damaged_lzma():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("prob.npy", saved(np.save, P))
    content = bytearray(file.getvalue())
    at = content.index(b"prob.npy") + len("prob.npy")
    content[at + 4 : at + 9] = b"\xff" * 5  # the properties of the decoder
    return bytes(content)


def _odd_parquet(kind, place):
    columns = score_columns()
    columns[place] = (columns[place][0], odd_columns()[kind])
    return parquet(columns)


@cache
def corpus():
    """List of (name, role, file name, content)."""
    twice = [*score_columns(), ("cat", pa.array(P[:, 0]))]
    chain = "".join(f"n{i},n{i + 1}\n" for i in range(10_000))
    path = " > ".join(f"n{i}" for i in range(3000))
    digits = "9" * 5000
    cases = [
        # What unpacks to more than memory holds
        ("parquet of one value", "predictions", "p.parquet", ONE_VALUE.read_bytes()),
        ("gzipped parquet", "predictions", "p.parquet.gz", gzip.compress(ONE_VALUE.read_bytes())),
        ("parquet as taxonomy", "taxonomy", "t.parquet", ONE_VALUE.read_bytes()),
        ("zeros in an npz", "predictions", "p.npz", _zeros_npz(1 << 27)),
        ("zeros in an npz for a model", "array", "x.npz", _zeros_npz(1 << 27)),
        ("gzipped newlines", "taxonomy", "t.csv.gz", _repeated(b"\n", 900 << 20)),
        ("gzipped newlines as scores", "predictions", "p.csv.gz", _repeated(b"\n", 900 << 20)),
        ("one endless line", "predictions", "p.csv.gz", _repeated(b"a,", 500 << 20)),
        ("one endless cell", "truth", "t.csv.gz", _repeated(b"a", 500 << 20)),
        (
            "rows without end",
            "predictions",
            "p.csv.gz",
            gzip.compress(b"sample_id,labels\n") + _repeated(b"a,cat\n", 1 << 30),
        ),
        ("a declared npy", "predictions", "p.npy", _declared_npy((1 << 40, 4))),
        ("a declared npy for a model", "array", "x.npy", _declared_npy((1 << 40, 3), "<f4")),
        (
            "unused arrays",
            "predictions",
            "p.npz",
            _npz(prob=saved(np.save, P), leaf=saved(np.save, LEAVES), more=saved(np.save, np.zeros(40_000_000))),
        ),
        ("a picture of 30,000 x 30,000", "pictures", "p.zip", archive(a__png=_large_png())),
        # Work that explodes
        ("paths of 3,000 steps", "taxonomy", "t.txt", path + "\n" + path + " > x\n"),
        ("a chain into a cycle", "taxonomy", "t.csv", "parent,child\n" + chain + "n10000,n5000\n"),
        ("a chain of 10,000", "taxonomy", "t.csv", "parent,child\n" + chain),
        ("a name of 100,000 letters", "taxonomy", "t.csv", f"parent,child\nanimal,{'x' * 100_000}\nanimal,y\n"),
        ("no name of 20,000 letters is near", "truth", "t.csv", f"sample_id,truth\na,{'x' * 20_000}\n"),
        (
            "a long text beside many rows",
            "predictions",
            "p.csv",
            f"sample_id,labels,text\nx,cat,{'t' * 50_000}\n" + "".join(f"{i},cat,t\n" for i in range(20_000)),
        ),
        # Nothing but one line
        ("a column twice", "predictions", "p.parquet", parquet(twice)),
        (
            "a column twice in a taxonomy",
            "taxonomy",
            "t.parquet",
            parquet([("parent", pa.array(["a"])), ("parent", pa.array(["b"]))]),
        ),
        ("a text with an invalid code point", "predictions", "p.npz", _bad_text()),
        ("a shape of True", "predictions", "p.npz", _npz(prob=_declared_npy((True, 2), "<f8", bytes(16)))),
        ("a shape of True in npy", "predictions", "p.npy", _declared_npy((True, 2), "<f8", bytes(16))),
        ("damaged LZMA", "predictions", "p.npz", _damaged_lzma()),
        (
            "a picture's name of 5,000 digits",
            "pictures",
            "p.zip",
            archive(**{f"{digits}__png": png(), "1__png": png()}),
        ),
        (
            "a picture whose name is empty but for its suffix",
            "pictures",
            "p.zip",
            archive(__png=png(), a__png=png()),
        ),
        ("an empty name in a table", "pictures", "named.csv", "sample_id,image\na,\nb,..\nc,a\0b\n"),
        ("a class called path", "taxonomy", "t.csv", "path,footpath\npath,cycle path\n"),
        ("a class called path, as paths", "taxonomy", "t.txt", "way > path\nway > road\n"),
        ("a file name not in UTF-8", "predictions", "\udcff.csv", "sample_id,cat\n"),
        ("a file name of lines", "taxonomy", "a\nb\u2028.csv", "x\n"),
        ("a file name of 255 bytes", "predictions", "x" * 251 + ".csv", "sample_id,cat\n"),
        ("a value of 70,000 letters", "predictions", "p.csv", f"sample_id,cat,dog,duck,newt\na,{'y' * 70_000},0,0,0\n"),
        ("ids of 70,000 letters", "truth", "t.csv", f"sample_id,truth\n{'z' * 70_000},cat\n{'z' * 70_000},cat\n"),
        ("control characters", "taxonomy", "t.csv", "parent,child\n\u202eanimal\x1b[31m,\u2028\n"),
    ]
    cases += _of_other_tools()
    cases += [
        (f"a {kind} column in place {place}", "predictions", "p.parquet", _odd_parquet(kind, place))
        for kind in odd_columns()
        for place in (0, 1)
    ]
    cases += [
        (
            f"a {kind} column as {role}",
            role,
            f"t.{ending}",
            parquet([("sample_id", pa.array(IDS)), (name, odd_columns()[kind])]),
        )
        for kind in odd_columns()
        for role, ending, name in (
            ("truth", "parquet", "truth"),
            ("nodes", "parquet", "node"),
            ("table", "parquet", "length"),
        )
    ]
    return [(name, role, file, one.encode("utf-8") if isinstance(one, str) else one) for name, role, file, one in cases]


def _of_other_tools():
    """Files of other tools with parts of another kind, and pieces that a search would try again at every place."""
    huge, label, blanks = "9" * 400, Forms(PARENTS).labels()[0], " " * 200_000
    classified = '{"predictions": [{"filepath": "a", "failures": 3, "classifications": %s}]}'
    task = '[{"id": 1, "data": {}, "annotations": [%s], "predictions": [{"result": %s}]}]'
    sample = '{"samples": [{"filepath": "a", "ground_truth": %s, "p": {"_cls": "Classification", "label": "cat"}}]}'
    return [
        ("a number of 400 digits", "predictions", "p.json", f'{{"a.jpg": {{"label": ["cat"], "prob": [{huge}]}}}}'),
        (
            "a place of 5,000 digits",
            "predictions",
            "p.json",
            f'{{"a": {{"label_0": "cat", "prob_0": 1, "prob_{"9" * 5000}": 0}}}}',
        ),
        ("timm without rows", "predictions", "p.json", '{"columns": ["prob"], "index": ["a"], "data": [3]}'),
        ("timm without columns", "predictions", "p.json", '{"columns": 3, "index": ["a"], "data": []}'),
        *(
            (f"classifications {inside}", role, "p.json", classified % inside)
            for inside in ('"x"', '{"classes": true, "scores": [1]}', '{"classes": [["x"]], "scores": [1]}')
            for role in ("predictions", "taxonomy")
        ),
        (
            "scores of another kind",
            "predictions",
            "p.json",
            classified % json.dumps({"classes": [label, label], "scores": [0.5, int(huge)]}),
        ),
        *(
            (f"results {result}", "predictions", "p.json", task % ('{"result": 3}', result))
            for result in (
                "3",
                '[{"type": "choices", "value": "x"}]',
                '[{"type": "choices", "value": {"choices": 0.5}}]',
            )
        ),
        *(
            (f"ground truth {truth}", "predictions", "p.json", sample % truth)
            for truth in (
                "3",
                '["x"]',
                '{"_cls": "Classification"}',
                '{"_cls": "Classifications", "classifications": [3]}',
            )
        ),
        (
            "parts that are a number",
            "taxonomy",
            "t.json",
            '{"LabelName": "a", "Part": 3, "Subcategory": [{"LabelName": "b"}]}',
        ),
        (
            "a damaged address",
            "taxonomy",
            "t.ttl",
            taxonomies()["skos"][1]["t.ttl"] + b"x:cat skos:broader <http://e.org/{ > .",
        ),
        ("a line of brackets", "taxonomy", "t.nex", "[" * 7_900_000),
        ("a length that is none", "taxonomy", "t.nwk", "(cat:1.2.3,dog:1)animal;\n"),
        ("an infinite length", "taxonomy", "t.nwk", "(cat:1e999,dog:1)animal;\n"),
        *(
            (f"a taxdump with {line!a} in {name}", "taxonomy", "t.zip", _dump(name, line))
            for name in ("names.dmp", "nodes.dmp")
            for line in ("# a comment", '"3"', "3\t|\tcat\t|", "3\v", "?1\t|\tx\t|\t\t|\tscientific name\t|", huge)
        ),
        ("a number behind many blanks", "classes", "c.txt", f"cat{blanks}x 1\n"),
        (
            "many blanks in a cell",
            "predictions",
            "p.csv",
            f"sample_id,cat,dog,duck,newt\na,1{blanks}x,0,0,0\nb,0,1,0,0\n",
        ),
        ("many lines before a label map", "classes", "c.pbtxt", "item {" + "\n" * 200_000 + "id: 1 name: 'cat' }"),
        ("a long word in a label map", "classes", "c.pbtxt", "item { " + "x" * 200_000 + " id: 1 name: 'cat' }"),
        ("no item in a label map", "classes", "c.pbtxt", "item { "),
        ("many lines of YAML", "classes", "c.yaml", "\n" * 200_000 + "names: [cat]\n"),
        ("names with an invalid code point", "classes", "c.npy", _bad_names()),
        ("a header of names that is cut", "classes", "c.npy", classes()["npy"][1].replace(b"(4,)", b"(4, ")),
        ("names of a declared npy", "classes", "c.npy", _declared_npy((1 << 40,), "<U4")),
    ]


def _dump(name, line):
    files = dict(taxonomies()["taxdump"][1])
    files[name] += line.encode() + b"\n"
    return archive(**{key.replace(".", "__"): content for key, content in files.items()})


def _bad_names():
    names = np.array(LEAVES)
    codes = names.view(np.uint32).copy()
    codes[0] = 0x110000
    return _declared_npy((4,), f"<U{names.itemsize // 4}", codes.tobytes())


@cache
def command_corpus():
    """List of (name, Case): commands that were a finding."""
    tree, scores = taxonomies()["edges"][1]["t.csv"], predictions()["p.csv"][1]
    named = ["--taxonomy", "t.csv", "--predictions", "p.csv"]
    truth = ["--truth", "truth.csv"]
    files = {"t.csv": tree, "p.csv": scores, "truth.csv": TRUTH.encode()}
    dumps = {
        f"--taxonomy-classes, {line!a} in {name}": Case(
            ["taxonomy", "t.zip", "--taxonomy-classes", "c.txt"],
            {"t.zip": _dump(name, line), "c.txt": b"cat\nanother name\n"},
        )
        for name in ("names.dmp", "merged.dmp")
        for line in ("# a comment", "3\t|\tcat", '"3"\t|\tx\t|\t\t|\tscientific name\t|', "3\v", "?1\t|\tx", "9" * 400)
    }
    forms = {
        f"--taxonomy-form {form} of {of}": Case(["taxonomy", "t.json", "--taxonomy-form", form], {"t.json": content})
        for form in ("coco", "open_images", "speciesnet", "newick")
        for of, content in (("records", predictions()["records"][1]), ("json", taxonomies()["json"][1]["t.json"]))
    }
    numbers = {
        f"{flag} {value}": Case([*command, *named, *truth, f"{flag}={value}"], files)
        for command, flag in (
            (["diagnose"], "--beta"),
            (["diagnose"], "--q"),
            (["table", "--predictions", "q.csv"], "--resamples"),
            (["table", "--predictions", "q.csv"], "--confidence"),
            (["chart", "methods", "--out", "o.csv", "--resamples", "20"], "--width"),
        )
        for value in ("1e308", "-0", "inf", "nan", "9" * 12, "9" * 5000)
    }
    for case in numbers.values():
        case.files["q.csv"] = scores
    written = {
        "taxonomy over its input": Case(["taxonomy", "t.csv", "--to", "newick", "--out", "t.csv"], files),
        "evaluate over NAME=FILE": Case(
            ["evaluate", *named[:2], "--predictions", "a=p.csv", *truth, "--json", "p.csv"], files
        ),
    }
    of_model = {"m.onnx": model(), "x.npy": saved(np.save, P[:, :3].astype(np.float32))}
    return [
        *{**dumps, **forms, **numbers, **written}.items(),
        ("scores as the truth", Case(["evaluate", *named, "--truth-column", "cat"], files)),
        (
            "a model without names, with a truth",
            Case(
                ["predict", "--model", "m.onnx", *named[:2], "--inputs", "x.npy", *truth, "--out", "o.csv"],
                files | of_model,
            ),
        ),
        ("a tar that is cut", Case(["taxonomy", "t.tar.gz"], {"t.tar.gz": gzip.compress(_tar_of_dump()[:700])})),
        ("RDF that is cut", Case(["evaluate", "--taxonomy", "t.ttl", *named[2:]], files | {"t.ttl": _cut_turtle()})),
    ]


def _tar_of_dump():
    return gzip.decompress(taxonomies()["taxdump in tar"][1]["t.tar.gz"])


def _cut_turtle():
    return taxonomies()["skos"][1]["t.ttl"].replace(b"x:cat", b"<http://e.org/{cat>")[:-20]


def _large_png():
    """A PNG that says it holds 30,000 x 30,000 pixels, with the first rows of them."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(90_001)))
        + chunk(b"IEND", b"")
    )
