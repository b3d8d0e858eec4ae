"""The small tree in every form of taxonomy, and predictions and class lists for it in every form.

`TAXONOMIES`, `PREDICTIONS` and `CLASSES` map a form, or a form and what is special about it, to (file to open, files by name).
The classes are found by cat, dog, duck and newt in all of them.
"""

import io
import json
import tarfile
from functools import cache

import numpy as np

from tests.small_tree import LEAVES

from .seeds import EDGES, IDS, P, archive, saved, seeds

IDS_OF_NODES = {name: f"n0000000{k}" for k, name in enumerate(["animal", "mammal", "cat", "dog", "bird", "duck", "newt"])}
PARENTS = {"mammal": "animal", "cat": "mammal", "dog": "mammal", "bird": "animal", "duck": "bird", "newt": "animal"}


def uuid(name):
    """A label's id as SpeciesNet has them."""
    return f"0123abcd-0000-4000-8000-{IDS_OF_NODES[name][1:]:0>12}"


SPECIESNET = [f"{uuid('cat')};mammal;cat;;;;a cat", f"{uuid('dog')};mammal;dog;;;;a dog"]
SPECIESNET += [f"{uuid('duck')};bird;duck;;;;a duck", f"{uuid('newt')};newt;;;;;a newt"]


def _speciesnet():
    found = [{"filepath": name, "classifications": {"classes": SPECIESNET, "scores": row}} for name, row in zip(IDS, P.tolist())]
    return {"predictions": found}


def _turtle():
    lines = ["@prefix x: <http://e.org/> .", "@prefix skos: <http://www.w3.org/2004/02/skos/core#> ."]
    lines += [f'x:{name} a skos:Concept ; skos:prefLabel "{name}"@en .' for name in IDS_OF_NODES]
    return "\n".join([*lines, *(f"x:{child} skos:broader x:{parent} ." for child, parent in PARENTS.items()), ""])


def _triples():
    skos = "http://www.w3.org/2004/02/skos/core#"
    return "".join(f"<http://e.org/{a}> <{skos}broader> <http://e.org/{b}> .\n" for a, b in PARENTS.items())


def _rdf_xml():
    inside = "".join(
        f'<skos:Concept rdf:about="http://e.org/{a}"><skos:broader rdf:resource="http://e.org/{b}"/></skos:Concept>\n'
        for a, b in PARENTS.items()
    )
    return (
        '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
        f'xmlns:skos="http://www.w3.org/2004/02/skos/core#">\n{inside}</rdf:RDF>\n'
    )


def _wordnet_data():
    lines = ["  1 The licence of a database.  "]
    for name, wnid in IDS_OF_NODES.items():
        above = f"001 @ {IDS_OF_NODES[PARENTS[name]][1:]} n 0000" if name in PARENTS else "000"
        lines.append(f"{wnid[1:]} 05 n 01 {name} 0 {above} | a {name}  ")
    return "\n".join([*lines, ""])


def _taxdump():
    numbers = {name: k for k, name in enumerate(IDS_OF_NODES, 1)}
    nodes = [f"{numbers[name]}\t|\t{numbers[PARENTS.get(name, name)]}\t|\tno rank\t|" for name in numbers]
    names = [f"{number}\t|\t{name}\t|\t\t|\tscientific name\t|" for name, number in numbers.items()]
    names.append("3\t|\thouse cat\t|\t\t|\tcommon name\t|")
    return {"nodes.dmp": "\n".join([*nodes, ""]), "names.dmp": "\n".join([*names, ""]), "merged.dmp": "99\t|\t3\t|\n"}


def _darwin_core():
    rows = [f"{IDS_OF_NODES[name]}\t{IDS_OF_NODES.get(PARENTS.get(name), '')}\t{name}\t{name}\tx" for name in IDS_OF_NODES]
    return "\n".join(["taxonID\tparentNameUsageID\tscientificName\tcanonicalName\ttaxonRank", *rows, ""])


def _tar(files):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as made:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            made.addfile(entry, io.BytesIO(text.encode()))
    return file.getvalue()


def _zip(files):
    return archive(**{name.replace(".", "__"): text for name, text in files.items()})


def _by_name(top):
    """The nested tree of Open Images."""
    below = [_by_name(child) for child, parent in PARENTS.items() if parent == top]
    return {"LabelName": top} | ({"Subcategory": below} if below else {})


@cache
def taxonomies():
    """Dict of form to (path to open, dict of path to bytes)."""
    plain = {name: content for role, name, content in seeds() if role == "taxonomy"}
    numbers = {"animal": "1", "mammal": "11", "cat": "111", "dog": "112", "bird": "12", "duck": "121", "newt": "13"}
    steps = [["animal"], ["animal", "mammal"], ["animal", "mammal", "cat"], ["animal", "mammal", "dog"]]
    steps += [["animal", "bird"], ["animal", "bird", "duck"], ["animal", "newt"]]
    places = list(IDS_OF_NODES)
    choices = '<Choice value="mammal"><Choice value="cat"/><Choice value="dog"/></Choice>\n'
    choices += '<Choice value="bird"><Choice value="duck"/></Choice>\n<Choice value="newt"/>\n'
    obo = "".join(
        f"[Term]\nid: TT:{IDS_OF_NODES[name][1:]}\nname: {name}\n"
        + (f"is_a: TT:{IDS_OF_NODES[PARENTS[name]][1:]} ! above\n" if name in PARENTS else "")
        + "\n"
        for name in IDS_OF_NODES
    )
    nexus = "#NEXUS\n[a comment]\nbegin trees;\n translate 1 cat, 2 dog, 3 duck, 4 newt;\n"
    category = [{"id": k, "name": name, "supercategory": PARENTS.get(name, "none")} for k, name in enumerate(IDS_OF_NODES)]
    one = {
        "edges": ("t.csv", EDGES),
        "levels": ("t.csv", plain["levels.csv"]),
        "paths": ("t.txt", plain["paths.txt"] + b"animal > mammal > dog\n"),
        "json": ("t.json", plain["t.json"].replace(b'{"id": "newt"}', b'{"name":"bird","children":[{"name":"duck"}]},{"name":"newt"}')),
        "taxonomy": ("t.taxonomy", plain["t.taxonomy"]),
        "coco": ("t.json", json.dumps({"categories": category})),
        "open_images": ("t.json", json.dumps(_by_name("animal"))),
        "speciesnet": ("t.json", json.dumps(_speciesnet())),
        "newick": ("t.nwk", "((cat:1,dog:2)mammal:1,(duck)bird,newt)animal;\n"),
        "nexus": ("t.nex", nexus + " tree a = [&R] ((1,2)mammal,(3)bird,4)animal;\nend;\n"),
        "obo": ("t.obo", f"format-version: 1.2\n\n{obo}"),
        "skos": ("t.ttl", _turtle()),
        "skos in XML": ("t.rdf", _rdf_xml()),
        "skos in triples": ("t.nt", _triples()),
        "wordnet_data": ("data.noun", _wordnet_data()),
        "google_products": (
            "t.txt",
            "# Google_Product_Taxonomy_Version: 1\n" + "".join(f"{k} - {' > '.join(step)}\n" for k, step in enumerate(steps, 1)),
        ),
        "speciesnet_labels": ("t.txt", "\n".join(SPECIESNET)),
        "label_studio": ("t.xml", f'<View><Taxonomy name="t" toName="i">\n{choices}</Taxonomy></View>\n'),
        "codes": ("t.csv", "code,title\n" + "".join(f"{code},{name}\n" for name, code in numbers.items())),
        "darwin_core": ("Taxon.tsv", _darwin_core()),
        "taxdump in tar": ("t.tar.gz", _tar(_taxdump())),
        "taxdump in zip": ("t.zip", _zip(_taxdump())),
        "darwin_core in zip": ("t.zip", _zip({"Taxon.tsv": _darwin_core()})),
    }
    beside = {
        "wordnet": (
            "is_a.txt",
            {
                "is_a.txt": "".join(f"{IDS_OF_NODES[parent]} {IDS_OF_NODES[child]}\n" for child, parent in PARENTS.items()),
                "words.txt": "".join(f"{wnid}\t{name}\n" for name, wnid in IDS_OF_NODES.items()),
            },
        ),
        "darknet": (
            "t.tree",
            {
                "t.tree": "".join(
                    f"{IDS_OF_NODES[name]} {places.index(PARENTS[name]) if name in PARENTS else -1}\n" for name in places
                ),
                "t.names": "".join(f"{name}\n" for name in places),
            },
        ),
        "taxdump": ("", _taxdump()),
    }
    found = {form: (name, {name: content}) for form, (name, content) in one.items()} | beside
    return {form: (name, _bytes(files)) for form, (name, files) in found.items()}


def _bytes(files):
    return {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}


@cache
def predictions():
    """Dict of form to (file name, content); those of `seeds`, and the forms of other tools."""
    found = {name: (name, content) for role, name, content in seeds() if role == "predictions"}
    best = [(name, [LEAVES[k] for k in np.argsort(-row)], np.sort(row)[::-1].tolist()) for name, row in zip(IDS, P)]
    timm = [{"filename": name, "index": [0, 1, 2, 3], "label": labels, "prob": scores} for name, labels, scores in best]
    tasks = [
        {
            "id": k,
            "data": {"image": name},
            "annotations": [{"result": [{"type": "choices", "value": {"choices": ["cat"]}}]}],
            "predictions": [{"score": 0.5, "result": [{"type": "choices", "value": {"choices": labels[:1]}}]}],
        }
        for k, (name, labels, _) in enumerate(best)
    ]
    samples = [
        {
            "filepath": name,
            "ground_truth": {"_cls": "Classification", "label": "cat"},
            "p": {"_cls": "Classification", "label": labels[0], "confidence": scores[0]},
        }
        for name, labels, scores in best
    ]
    coco = [
        {"image_id": name, "category_id": LEAVES.index(label), "score": score}
        for name, labels, scores in best
        for label, score in zip(labels, scores)
    ]
    labels = {"classes": LEAVES, "labels": {name: {"label": found[0], "confidence": 0.5} for name, found, _ in best}}
    more = {
        "timm": ("p.json", json.dumps(timm)),
        "timm by file": ("p.json", json.dumps({one.pop("filename"): one for one in json.loads(json.dumps(timm))})),
        "timm columns": ("p.csv", "filename,index_0,label_0,prob_0\na,0,cat,0.5\nb,1,dog,0.25\nc,1,dog,1\n"),
        "timm lists": ("p.csv", "filename,label,prob\na,['cat' 'dog'],[0.5 0.25]\nb,['dog'],[0.25]\nc,['newt'],[1]\n"),
        "speciesnet": ("p.json", json.dumps(_speciesnet())),
        "coco_results": ("p.json", json.dumps(coco)),
        "fiftyone": ("p.json", json.dumps(labels)),
        "fiftyone samples": ("p.json", json.dumps({"samples": samples})),
        "label_studio_tasks": ("p.json", json.dumps(tasks)),
        "cafa": ("p.tsv", "AUTHOR\tteam\n" + "".join(f"{name}\tTT:0000000{k}\t0.5\n" for name in IDS for k in (2, 3)) + "END\n"),
        "levels": ("p.csv", "sample_id,level_1,level_2,true_1,true_2\na,mammal,cat,mammal,dog\nb,bird,,bird,duck\nc,newt,,newt,\n"),
        "records": ("p.json", json.dumps([dict(zip(["id", *LEAVES], [n, *row])) for n, row in zip(IDS, P.tolist())])),
        "level arrays": ("p.npz", saved(np.savez, level_1=P[:, :2], level_2=P, level_1_names=["mammal", "bird"], level_2_names=LEAVES)),
    }
    return found | {form: (name, text.encode() if isinstance(text, str) else text) for form, (name, text) in more.items()}


@cache
def classes():
    """Dict of form to (file name, content)."""
    found = {name: (name, content) for role, name, content in seeds() if role == "classes"}
    more = {
        "numbered": ("c.txt", "0: cat\n1: dog\n2: duck\n3: newt\n"),
        "wnids": ("c.txt", "n00000002 cat\nn00000003 dog\nn00000005 duck\nn00000006 newt\n"),
        "literal": ("c.txt", "{0: 'cat', 1: 'dog', 2: 'duck', 3: 'newt'}\n"),
        "yaml": ("c.yaml", "names:\n  0: cat\n  1: dog\n  2: duck\n  3: newt\n"),
        "pbtxt": ("c.pbtxt", "".join(f"item {{\n  id: {k}\n  name: '{name}'\n}}\n" for k, name in enumerate(LEAVES))),
        "npy": ("c.npy", saved(np.save, np.array(LEAVES))),
        "settings": ("config.json", json.dumps({"id2label": dict(enumerate(LEAVES))})),
    }
    return found | {form: (name, text.encode() if isinstance(text, str) else text) for form, (name, text) in more.items()}


@cache
def originals():
    """List of (role, file name, content): those of `seeds`, and the other forms of one file."""
    more = [
        (role, name, content)
        for role, forms in (("predictions", predictions()), ("classes", classes()))
        for name, content in forms.values()
    ]
    more += [("taxonomy", name, files[name]) for name, files in taxonomies().values() if len(files) == 1]
    return list(dict.fromkeys([*seeds(), *more]))
