"""Taxonomies with a class in each line: darknet's WordTree, Google's products, WordNet's own database and its ``is_a``.

Conventions
-----------
- Darknet: ``name parent`` in each line, the parent as the number of its line from 0, -1 for none [1]_.
- Google: ``Animals > Live Animals`` in each line, with or without ``3237 -`` in front of it.
- WordNet's ``data.noun`` and ``data.verb`` [2]_: a synset in each line, called by its wnid (``n02084071``), with its words as
  title; its parents are its hypernyms (``@``) and, of an instance, what it is one of (``@i``). Some synsets have several.
- WordNet's ``is_a`` as ImageNet writes it: the wnids of parent and child in each line; ``words.txt`` next to it names them.

References
----------
.. [1] J. Redmon and A. Farhadi, YOLO9000: better, faster, stronger, CVPR 2017.
.. [2] Princeton University, WordNet 3.0 reference manual, wndb(5WN).
"""

import re

from hierviz.messages.errors import TaxonomyError, shown
from hierviz.readers import file_limits
from hierviz.readers.class_paths import taxonomy_of_ids, taxonomy_of_places
from hierviz.readers.sources import open_source
from hierviz.readers.tables import open_table
from hierviz.readers.taxonomy_forms import taxonomy_form
from hierviz.readers.taxonomy_tables import read_edges
from hierviz.taxonomy.class_places import Places


def looks_like_darknet(name, lines):
    """Whether the lines are names with -1 or the number of an earlier line, the first with -1."""
    found = [re.fullmatch(r"(\S+)\s+(-1|\d+)\s*", line) for line in lines]
    return (
        all(found)
        and found[0][2] == "-1"
        and all(int(match[2]) < k for k, match in enumerate(found))
        and len(found) > 1
    )


@taxonomy_form(
    "darknet's WordTree, with .names next to it",
    (".tree",),
    "every line is a name and -1 or the number of an earlier line",
    looks_like_darknet,
)
def read_darknet(source, options):
    """Taxonomy of a ``.tree``; names of the classes come from ``<name>.names`` next to it, one a line, if there is one.

    Raises
    ------
    TaxonomyError
        If a line is no name and number, the number is that of no other line, or a name is repeated.
    """
    where, names, parents, seen = source.where, [], [], {}
    lines = [(k, line.strip()) for k, line in enumerate(source.read_text().split("\n"), 1) if line.strip()]
    for number, line in lines:
        match = re.fullmatch(r"(\S+)\s+(-?\d+)", line)
        if match is None or not -1 <= int(match[2]) < len(lines) or int(match[2]) == len(names):
            raise TaxonomyError(
                f"{where}:{number}: expected a name and the number of its parent's line (0 to {len(lines) - 1}, or -1), got "
                f"{line!r:.60}. Correct it."
            )
        if match[1] in seen:
            raise TaxonomyError(f"{where}:{number}: expected every name once, got {match[1]!r} again. Rename one.")
        seen[match[1]] = number
        names.append(match[1])
        parents.append(int(match[2]))
    edges = [(None if parent < 0 else names[parent], name) for parent, name in zip(parents, names, strict=True)]
    titles, notes = _names_beside(source, names)
    detected = {"form": "darknet tree", **source.detected, "direction": "name, number of the parent"}
    return taxonomy_of_ids(edges, titles, where, notes=notes, detected=detected)


def _names_beside(source, names):
    """Titles of the classes from the names next to the tree, and a note about them."""
    beside = source.path.with_suffix(".names") if source.pipe is None else None
    if beside is None or not beside.is_file():
        return None, []
    lines = [line.strip() for line in open_source(beside, "names of classes").read_text().split("\n") if line.strip()]
    if len(lines) != len(names):
        return None, [f"{beside.name} next to {source.where} was not used: {len(lines)} names for {len(names)} classes"]
    return dict(zip(names, lines, strict=True)), [
        f"the names of the classes come from {beside.name} next to {source.where}"
    ]


_GOOGLE_LINE = re.compile(r"(?:(\d+)\s+-\s+)?(\S.*)")


def looks_like_google(name, lines):
    """Whether the first line says so, or all lines begin with an id and a hyphen."""
    if lines[0].lstrip("\ufeff").startswith("# Google_Product_Taxonomy"):
        return True
    return (
        len(lines) > 1 and all(re.match(r"\d+ - \S", line) for line in lines) and any(" > " in line for line in lines)
    )


@taxonomy_form(
    "Google's product taxonomy, with or without ids",
    (".txt",),
    "`# Google_Product_Taxonomy_Version`, or `1 - Animals > ...` in every line",
    looks_like_google,
)
def read_google_products(source, options):
    """Taxonomy of the lines; the ids become the attribute ``id``."""
    where, places, ids = source.where, Places(), {}
    for number, line in enumerate(source.read_text().split("\n"), 1):
        line = line.strip().lstrip("\ufeff")
        if not line or line.startswith("#"):
            continue
        match = _GOOGLE_LINE.fullmatch(line)
        path = [step.strip() for step in re.split(r"(?:^|\s)>(?=\s|$)", match[2])]
        if "" in path:
            raise TaxonomyError(f"{where}:{number}: expected a name between all '>', got {line!r:.80}. Correct it.")
        above = Places.TOP
        for step in path:
            above = places.add(above, step)
        if match[1]:
            ids[above] = int(match[1])
    if not len(places):
        raise TaxonomyError(
            f"{where}: expected classes such as 'Animals > Live Animals', got none. Is the file complete?"
        )
    detected = {"form": "Google product taxonomy", **source.detected, "separator": ">"}
    return taxonomy_of_places(places, where, detected=detected, attributes={"id": ids})


_SYNSET = re.compile(r"(\d{8}) \d\d ([nvasr]) ([0-9a-f]{2}) (.*)")
_LICENCE = re.compile(r"  \d+ ")
HYPERNYMS = ("@", "@i")


def looks_like_synsets(name, lines):
    """Whether all lines but those of the licence are synsets."""
    synsets = [line for line in lines if not _LICENCE.match(line)]
    return bool(synsets) and all(map(_SYNSET.match, synsets))


@taxonomy_form(
    "WordNet's own data.noun or data.verb",
    (".noun", ".verb"),
    "every line but the licence is a synset: offset, file, part of speech, words, pointers",
    looks_like_synsets,
)
def read_wordnet_data(source, options):
    """Taxonomy of a file of synsets.

    Raises
    ------
    TaxonomyError
        If a line is cut, or names a hypernym that is not in the file.
    """
    where, edges, titles, first = source.where, [], {}, {}
    for number, line in enumerate(source.read_text().split("\n"), 1):
        if not line.strip() or _LICENCE.match(line):
            continue
        match = _SYNSET.match(line)
        read_one = (
            None if match is None else _words_and_parents(match[4].partition(" | ")[0].split(), int(match[3], 16))
        )
        if read_one is None:
            raise TaxonomyError(
                f"{where}:{number}: expected a synset as wndb(5WN) describes it, got {shown(line, 60)}. Is the file complete?"
            )
        words, parents = read_one
        wnid = match[2] + match[1]
        titles[wnid] = ", ".join(word.replace("_", " ") for word in words)
        edges += [(parent, wnid) for parent in parents] or [(None, wnid)]
        for parent in parents:
            first.setdefault(parent, number)
    for parent, number in first.items():
        if parent not in titles:
            raise TaxonomyError(
                f"{where}:{number}: expected a hypernym in the same file, got {parent!r}. Is the file complete?"
            )
    detected = {"form": "WordNet's synsets with their hypernyms", **source.detected}
    return taxonomy_of_ids(edges, titles, where, detected=detected)


def _words_and_parents(cells, n_words):
    """Words and hypernyms of a synset from the cells after the number of words; None where some are missing."""
    end = 2 * n_words
    if len(cells) <= end or not cells[end].isdigit() or len(cells) < end + 1 + 4 * int(cells[end]):
        return None
    pointers = [cells[k : k + 3] for k in range(end + 1, end + 1 + 4 * int(cells[end]), 4)]
    parents = [pos + offset for symbol, offset, pos in pointers if symbol in HYPERNYMS]
    return cells[0:end:2], parents


_PAIR = re.compile(r"([nvars]\d{8})[\s,]+([nvars]\d{8})\s*")
_WORDS = re.compile(r"([nvars]\d{8})\s+(\S.*)")
WORDS_BESIDE = ("words.txt", "synset_words.txt", "wordnet.words.txt")


@taxonomy_form(
    "WordNet's is_a as pairs of wnids, with words.txt next to it",
    (".txt",),
    "every line is two wnids",
    lambda name, lines: all(map(_PAIR.fullmatch, lines)),
)
def read_wordnet(source, options):
    """Taxonomy of pairs of wnids, a graph where a synset has several hypernyms; parents are detected as in edge lists."""
    where = source.where
    taxonomy = read_edges(open_table(source, "pairs of wnids", most_rows=file_limits.CLASS_ROWS), has_header=False)
    for name in WORDS_BESIDE if source.pipe is None else ():
        beside = source.path.with_name(name)
        if beside.is_file():
            found = map(_WORDS.fullmatch, open_source(beside, "words of wnids").read_text().split("\n"))
            titles = {match[1]: match[2].strip() for match in found if match and match[1] in taxonomy.index}
            note = f"the words of {len(titles)} of {taxonomy.n_nodes} wnids come from {name} next to {where}"
            return taxonomy.with_nodes(titles, notes=[note])
    return taxonomy
