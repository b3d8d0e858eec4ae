"""Damage to files: to their bytes, to their content as text, JSON, arrays, tables or archives, and to their names."""

import gzip
import io
import json
import re
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .seeds import odd_columns, parquet, saved

# What people and programs put into cells, and what breaks readers.
CELLS = (
    *(
        "",
        " ",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1e999",
        "-0.0",
        "1e-320",
        "0x10",
        "1_000",
        "1,5",
        "١٢",
        "NULL",
        "None",
        "true",
    ),
    *(
        "cat",
        "animal",
        "path",
        "truth",
        "sample_id",
        "index",
        "node",
        "cat;dog",
        ";",
        ";;",
        "mammal/cat",
        "a > b",
        "cat,cat",
    ),
    *(
        '"',
        '"cat',
        'c"a"t',
        "'",
        "=1+1",
        "+1",
        "-1",
        "@x",
        "\t",
        "\r",
        "\n",
        "\v",
        "\x85",
        "\u2028",
        "\ufeff",
        "\0",
        "\x1b[31m",
    ),
    *(
        "é",
        "e\u0301",
        "😀",
        "\u202ecat",
        "ﬁ",
        "x" * 400,
        "x" * 70_000,
        "9" * 5000,
        "../../x",
        "<b>x</b>",
        "$x$",
        "\ud7ff",
    ),
)
PIECES = (
    b"\n",
    b"\r\n",
    b",",
    b"\t",
    b'"',
    b"\0",
    b"\xff",
    b"{",
    b"[",
    b";",
    b"nan",
    b"\xef\xbb\xbf",
    b" > ",
    b"\x1f\x8b",
    b"PK\x03\x04",
)
NAMES = (
    *(
        "{}",
        "{}",
        "{}",
        "{}",
        "{}",
        "{}",
        " {}",
        "{} ",
        "a b {}",
        "é{}",
        "#{}",
        "%41{}",
        "-{}",
        "--{}",
        "a\n{}",
        "a\u2028{}",
    ),
    *(
        "$x${}",
        "<b>{}",
        "\udcff{}",
        "x" * 200 + "{}",
        "{}.gz",
        "{}.txt",
        "{}.npy",
        "{}.csv",
        "{}.parquet",
        "{}.zip",
        "{}.json",
    ),
)


def mutant(seed, number, originals):
    """One damaged file, always the same for the same seed and number.

    Returns
    -------
    role, name, content : str, str, bytes
    """
    rng = np.random.default_rng((seed, number))
    role, name, content = originals[number % len(originals)]
    others = [one for one in originals if one[0] == role]
    for _ in range(int(rng.integers(1, 4))):
        content = damaged(rng, name, content, others)
    if rng.random() < 0.1:
        name = _pick(rng, NAMES).format(name)
    return role, name, content


# What stands in a file a hundred thousand times makes an endless search of what is searched for it once.
REPEATED = (
    *(
        b" ",
        b"\t",
        b"\n",
        b"\r",
        b"\x0b",
        b",",
        b";",
        b'"',
        b"'",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"<",
        b">",
        b"/",
        b"\\",
    ),
    *(
        b"|",
        b".",
        b"-",
        b"_",
        b":",
        b"=",
        b"#",
        b"@",
        b"0",
        b"9",
        b"a",
        b"\xc2\xa0",
        b" > ",
        b"a ",
        b"a,",
        b"[1,",
        b'"\\',
        b"a\n",
    ),
)
_PLACES = 4


def n_repeated(originals):
    """How many files `repeated` has."""
    return len(originals) * len(REPEATED) * _PLACES


def repeated(number, originals, n=100_000):
    """A file with one of `REPEATED` put in `n` times, at its beginning or at another place."""
    rest, place = divmod(number, _PLACES)
    which, piece = divmod(rest, len(REPEATED))
    role, name, content = originals[which]
    inside = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    at = int(np.random.default_rng(number).integers(len(inside) + 1)) if place else 0
    inside = inside[:at] + REPEATED[piece] * n + inside[at:]
    return role, name, gzip.compress(inside) if inside is not content and name.endswith(".gz") else inside


def _pick(rng, values):
    return values[int(rng.integers(len(values)))]


def damaged(rng, name, content, others):
    """The content of a file with one damage more; `others` are (role, name, content) to take pieces of."""
    if len(content) > 4 << 20:  # what repeats itself grows without end
        return content[: 1 << 20]
    if rng.random() < 0.35:
        return _bytes(rng, content, others)
    try:
        if content.startswith(b"\x1f\x8b"):
            inside = gzip.decompress(content)
            if rng.random() < 0.15:
                return gzip.compress(inside) * int(rng.choice([1, 2, 10**4]))
            return gzip.compress(damaged(rng, name.removesuffix(".gz"), inside, others))
        if content.startswith(b"\x93NUMPY"):
            return _array_file(rng, content)
        if content.startswith(b"PK"):
            return _archive(rng, content, others)
        if content.startswith(b"PAR1"):
            return _table(rng, content)
        if content.startswith((b"{", b"[")):
            return _json(rng, content)
        return _text(rng, content)
    except Exception:  # no longer what it was: only its bytes are left to damage
        return _bytes(rng, content, others)


def _bytes(rng, content, others):
    content, at = bytearray(content), int(rng.integers(len(content) + 1))
    match int(rng.integers(7)):
        case 0:
            for place in rng.integers(0, max(len(content), 1), int(rng.integers(1, 5))):
                if len(content):
                    content[place] = int(rng.integers(256))
        case 1:
            del content[at:]
        case 2:
            content[at:at] = _pick(rng, PIECES)
        case 3:
            content[at:at] = content[: int(rng.integers(len(content) + 1))]
        case 4:
            del content[at : at + int(rng.integers(1, 40))]
        case 5:
            other = _pick(rng, others)[2]
            content[at:] = other[int(rng.integers(len(other) + 1)) :]
        case _:
            content[at:at] = bytes([int(rng.integers(256))]) * int(rng.choice([1, 10, 1000, 200_000]))
    return bytes(content)


def _text(rng, content):
    text = content.decode()
    lines = text.split("\n")
    separator = next((one for one in ("\t", ",", ";", " > ", "/", " ") if one in lines[0]), ",")
    rows = [line.split(separator) for line in lines]
    row = int(rng.integers(len(rows)))
    cell = int(rng.integers(len(rows[row])))
    match int(rng.integers(14)):
        case 0 | 1 | 2:
            rows[row][cell] = _pick(rng, CELLS)
        case 3:
            rows[row].insert(cell, _pick(rng, CELLS))
        case 4:
            del rows[row][cell]
        case 5:
            rows.insert(row, list(rows[row]))
        case 6:
            del rows[row]
        case 7:
            for other in rows:
                other.insert(min(cell, len(other)), _pick(rng, ("0", "1", "", "x", other[0])))
        case 8:
            for other in rows:
                del other[cell : cell + 1]
        case 9:
            order = rng.permutation(len(rows[0]))
            rows = [[one[i] for i in order] if len(one) == len(order) else one for one in rows]
        case 10:
            separator = _pick(rng, (",", ";", "\t", " ", "|", " > ", "/", ", ", "::"))
        case 11:
            rows = rows[:row] + rows[row:] * int(rng.choice([2, 20, 1000]))
        case 12:
            return text.replace("\n", _pick(rng, ("\r\n", "\r", "\n\n", "\x85"))).encode()
        case _:
            return text.encode(_pick(rng, ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037")))
    return "\n".join(separator.join(one) for one in rows).encode("utf-8", "surrogatepass")


def _json(rng, content):
    value = json.loads(content)
    places = []

    def walk(holder, key):
        places.append((holder, key))
        inside = holder[key]
        for one in range(len(inside)) if isinstance(inside, list) else list(inside) if isinstance(inside, dict) else ():
            walk(inside, one)

    top = [value]
    walk(top, 0)
    holder, key = _pick(rng, places)
    old = holder[key]
    odd = (
        None,
        True,
        -1,
        0,
        1e400,
        2**70,
        "",
        "cat",
        "x" * 70_000,
        [],
        {},
        [old],
        {"name": old},
        [[[]]],
        [None],
        ["cat", "cat"],
    )
    holder[key] = _pick(rng, odd)
    if rng.random() < 0.2:
        holder[key] = old
        depth = int(rng.choice([3, 50, 3000]))
        return re.sub(
            rb"\[|\{",
            lambda found: found.group() if rng.random() < 0.5 else b"[" * depth + found.group(),
            content,
            count=1,
        )
    return json.dumps(top[0]).encode()


def _array(rng, array):
    shapes = ((), (0,), (1,), (3,), (3, 0), (0, 4), (1, 3, 4), (4, 3), (3, 4), (12, 1), (1, 12))
    match int(rng.integers(6)):
        case 0:
            kinds = (
                "f2",
                "f4",
                ">f8",
                "i1",
                "u8",
                "c16",
                "U3",
                "S3",
                "?",
                "O",
                "M8[s]",
                "m8[D]",
                "V8",
                [("a", "f8"), ("b", "U2")],
            )
            return np.zeros(array.shape, np.dtype(_pick(rng, kinds)))
        case 1:
            return np.zeros(_pick(rng, shapes), array.dtype)
        case 2:
            return np.asfortranarray(np.concatenate([array, array])) if array.ndim else array[None]
        case 3 if array.size and array.dtype.kind == "f":
            array = array.copy()
            array.ravel()[int(rng.integers(array.size))] = _pick(
                rng, (np.nan, np.inf, -np.inf, -1e-300, 1.0000001, 1e308)
            )
            return array
        case 4 if array.size and array.dtype.kind == "U":
            array = array.astype(object)
            array.ravel()[int(rng.integers(array.size))] = _pick(rng, CELLS)
            return array.astype(str)
        case _:
            return array[::-1].T


def _header(rng, content):
    """The same array under a header that says something else."""
    length = int.from_bytes(content[8:10], "little")
    header, data = content[10 : 10 + length].decode("latin1"), content[10 + length :]
    shapes = (
        "(True, 2)",
        "(-1, 4)",
        "(3, 4.0)",
        "(2**40,)",
        "(1099511627776, 4)",
        "(3,4,)",
        "3",
        "(3, 'a')",
        "[3, 4]",
        "()",
    )
    header = _pick(
        rng,
        (
            re.sub(r"\(\d*,? ?\d*,?\)", lambda _: _pick(rng, shapes), header),
            header.replace("<f8", _pick(rng, ("|O", "<f16", "<U99999999", "<f1", "|S0", ">c8", "f8", "<M8"))),
            header.replace("False", _pick(rng, ("True", "None", "1", "'a'"))),
            header.replace("descr", _pick(rng, ("shape", "x", ""))),
        ),
    )
    encoded = header.encode("latin1")
    return content[:8] + len(encoded).to_bytes(2, "little") + encoded + data


def _array_file(rng, content):
    if rng.random() < 0.4:
        return _header(rng, content)
    return saved(np.save, _array(rng, np.load(io.BytesIO(content), allow_pickle=False)))


def _archive(rng, content, others):
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        members = [(name, found.read(name)) for name in found.namelist()]
    place = int(rng.integers(len(members)))
    name, data = members[place]
    kind = _pick(rng, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    match int(rng.integers(8)):
        case 0 | 1 | 2:
            members[place] = (name, damaged(rng, name, data, others))
        case 3:
            odd = (
                "",
                "../x.npy",
                "/x.npy",
                "a\0b.npy",
                "x" * 300 + ".png",
                "9" * 5000 + ".png",
                "é.npy",
                "dir/",
                "classes.npy",
                "ids.npy",
                "x",
            )
            members[place] = (_pick(rng, odd), data)
        case 4:
            del members[place]
        case 5:
            members.append(_pick(rng, members))
        case 6:
            members.append(("more.npy", saved(np.save, np.zeros(_pick(rng, ((3, 4), (3,), (2000, 2000), (0,)))))))
        case _:
            pass
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", kind) as made:
        for name, data in members:
            made.writestr(name, data)
    packed = bytearray(file.getvalue())
    if rng.random() < 0.3:  # inside the packed data: CRC, LZMA header, sizes
        packed[int(rng.integers(len(packed)))] ^= 1 << int(rng.integers(8))
    return bytes(packed)


def _table(rng, content):
    table = pq.read_table(io.BytesIO(content))
    columns = list(zip(table.column_names, (column.combine_chunks() for column in table.columns), strict=True))
    place, odd = int(rng.integers(len(columns))), odd_columns()
    name = columns[place][0]
    kind = _pick(rng, tuple(odd))
    match int(rng.integers(6)):
        case 0 | 1:
            columns[place] = (name, odd[kind] if len(table) == 3 else odd[kind][: len(table)])
        case 2:
            columns.append(columns[place])
        case 3:
            columns[place] = (_pick(rng, CELLS[:40]), columns[place][1])
        case 4:
            del columns[place]
        case _:
            n = int(rng.choice([0, 1, 50_000]))
            columns = [(key, pa.concat_arrays([array] * n) if n else array[:0]) for key, array in columns]
    return parquet(columns)
