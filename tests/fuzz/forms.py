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

from .seeds import IDS, P, archive, saved, seeds

PARENTS = {"mammal": "animal", "cat": "mammal", "dog": "mammal", "bird": "animal", "duck": "bird", "newt": "animal"}
SKOS = "http://www.w3.org/2004/02/skos/core#"
OWL = 'xmlns:owl="http://www.w3.org/2002/07/owl#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"'
PURL = "http://purl.obolibrary.org/obo/TT_"


class Forms:
    """A tree in all forms.

    Parameters
    ----------
    parents : dict of str to str
        Of every node but the top, above before below; at most nine children a node, and four levels below the top.
    """

    def __init__(self, parents):
        self.parents = parents
        self.top = next(name for name in parents.values() if name not in parents)
        self.names = [self.top, *parents]
        self.numbers = {name: k for k, name in enumerate(self.names, 1)}
        self.ids = {name: f"n{number:08}" for name, number in self.numbers.items()}
        self.leaves = [name for name in self.names if name not in parents.values()]

    def below(self, name):
        """Children of a node."""
        return [child for child, parent in self.parents.items() if parent == name]

    def path(self, name):
        """From the top to a node."""
        return [*(self.path(self.parents[name]) if name in self.parents else ()), name]

    def nested(self, name, key, children):
        """Objects inside objects."""
        below = [self.nested(child, key, children) for child in self.below(name)]
        return {key: name} | ({children: below} if below else {})

    def brackets(self, name, called):
        """Newick."""
        below = ",".join(self.brackets(child, called) for child in self.below(name))
        return (f"({below})" if below else "") + called.get(name, name)

    def choices(self, name):
        """Label Studio."""
        return "".join(f'<Choice value="{child}">{self.choices(child)}</Choice>\n' for child in self.below(name))

    def owl(self):
        """Classes of OWL."""
        found = '<owl:Ontology rdf:about="http://e.org/t.owl"/>\n'
        for name in self.names:
            above = self.parents.get(name)
            found += f'<owl:Class rdf:about="{PURL}{self.ids[name][1:]}"><rdfs:label>{name}</rdfs:label>'
            if above is not None:
                found += f'<rdfs:subClassOf rdf:resource="{PURL}{self.ids[above][1:]}"/>'
            found += "</owl:Class>\n"
        return found

    def obograph(self):
        """A graph of obographs."""
        address = {name: f"{PURL}{self.ids[name][1:]}" for name in self.names}
        nodes = [{"id": address[name], "lbl": name, "type": "CLASS"} for name in self.names]
        edges = [{"sub": address[a], "pred": "is_a", "obj": address[b]} for a, b in self.parents.items()]
        return {"id": "http://e.org/t.json", "nodes": nodes, "edges": edges}

    def labels(self):
        """SpeciesNet's, of the leaves."""
        steps = {leaf: [*self.path(leaf)[1:], "", "", ""][:4] for leaf in self.leaves}
        return [
            f"0123abcd-0000-4000-8000-{self.numbers[leaf]:012};{';'.join(steps[leaf])};;a {leaf}"
            for leaf in self.leaves
        ]

    def speciesnet(self, ids, p):
        """SpeciesNet's predictions."""
        found = [
            {"filepath": name, "classifications": {"classes": self.labels(), "scores": row}}
            for name, row in zip(ids, p.tolist(), strict=True)
        ]
        return {"predictions": found}

    def speciesnet_5(self, ids, p):
        """Those of version 5, with a box for each picture."""
        found = [
            {
                "filepath": name,
                "detections": [
                    {"category": "1", "conf": 0.5, "raw_classifications": {"classes": self.labels(), "scores": row}}
                ],
            }
            for name, row in zip(ids, p.tolist(), strict=True)
        ]
        return {"format_version": 20261015, "predictions": found}

    def megadetector(self, ids, p):
        """MegaDetector's JSON, with a box for each picture."""
        names = {str(k): leaf for k, leaf in enumerate(self.leaves)}
        found = [
            {
                "file": name,
                "detections": [{"category": "1", "conf": 0.5, "classifications": list(map(list, zip(names, row)))}],
            }
            for name, row in zip(ids, p.tolist(), strict=True)
        ]
        return {"images": found, "detection_categories": {"1": "animal"}, "classification_categories": names}

    def report(self, name, depth=0):
        """Lines of a report of Kraken 2."""
        own = f"100.00\t1\t1\tS\t{self.numbers[name]}\t{'  ' * depth}{name}\n"
        return [own, *(line for child in self.below(name) for line in self.report(child, depth + 1))]

    def code(self, name):
        """A code that begins with its parent's."""
        above = self.parents.get(name)
        return "1" if above is None else f"{self.code(above)}{self.below(above).index(name) + 1}"

    def all(self):
        """Dict of form to (path to open, dict of path to text or bytes)."""
        parents, names, numbers, ids = self.parents, self.names, self.numbers, self.ids
        paths = [self.path(leaf) for leaf in self.leaves]
        width = max(map(len, paths))
        above = {name: ids[parents[name]] for name in parents}
        obo = "".join(
            f"[Term]\nid: TT:{ids[name][1:]}\nname: {name}\n"
            + (f"is_a: TT:{above[name][1:]} ! above\n" if name in parents else "")
            + "\n"
            for name in names
        )
        synsets = "".join(
            f"{ids[name][1:]} 05 n 01 {name} 0 "
            + (f"001 @ {above[name][1:]} n 0000 | a {name}  \n" if name in parents else f"000 | a {name}  \n")
            for name in names
        )
        prefixes = f"@prefix x: <http://e.org/> .\n@prefix skos: <{SKOS}> .\n"
        turtle = "".join(f'x:{name} a skos:Concept ; skos:prefLabel "{name}"@en .\n' for name in names)
        turtle += "".join(f"x:{child} skos:broader x:{parent} .\n" for child, parent in parents.items())
        rdf = "".join(
            f'<skos:Concept rdf:about="http://e.org/{a}"><skos:broader rdf:resource="http://e.org/{b}"/></skos:Concept>\n'
            for a, b in parents.items()
        )
        spaces = f'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="{SKOS}"'
        called = {leaf: str(k) for k, leaf in enumerate(self.leaves, 1)}
        translate = ", ".join(f"{number} {leaf}" for leaf, number in called.items())
        categories = [
            {"id": k, "name": name, "supercategory": parents.get(name, "none")} for name, k in numbers.items()
        ]
        taxa = "".join(f"{ids[name]}\t{above.get(name, '')}\t{name}\t{name}\tx\n" for name in names)
        taxa = f"taxonID\tparentNameUsageID\tscientificName\tcanonicalName\ttaxonRank\n{taxa}"
        own = {name: numbers[parents.get(name, name)] for name in names}
        dump = {
            "nodes.dmp": "".join(f"{numbers[name]}\t|\t{own[name]}\t|\tno rank\t|\n" for name in names),
            "names.dmp": "".join(f"{k}\t|\t{name}\t|\t\t|\tscientific name\t|\n" for name, k in numbers.items())
            + f"{numbers[self.leaves[0]]}\t|\tanother name\t|\t\t|\tcommon name\t|\n",
            "merged.dmp": f"99\t|\t{numbers[self.leaves[0]]}\t|\n",
        }
        product = "".join(f"{k} - {' > '.join(self.path(name))}\n" for name, k in numbers.items())
        one = {
            "edges": ("t.csv", "parent,child\n" + "".join(f"{b},{a}\n" for a, b in parents.items())),
            "edges backwards": ("t.csv", "parent,child\n" + "".join(f"{b},{a}\n" for a, b in [*parents.items()][::-1])),
            "levels": (
                "t.csv",
                "".join(
                    f"{','.join(row)}\n"
                    for row in [[f"level_{k}" for k in range(width)], *([*p, *[""] * (width - len(p))] for p in paths)]
                ),
            ),
            "paths": ("t.txt", "".join(f"{' > '.join(path)}\n" for path in paths)),
            "json": ("t.json", json.dumps(self.nested(self.top, "name", "children"))),
            "taxonomy": ("t.taxonomy", "".join("\t".join([n, *self.below(n)]) + "\n" for n in names if self.below(n))),
            "coco": ("t.json", json.dumps({"categories": categories})),
            "open_images": ("t.json", json.dumps(self.nested(self.top, "LabelName", "Subcategory"))),
            "speciesnet": (
                "t.json",
                json.dumps(self.speciesnet(["a"], np.ones((1, len(self.leaves))) / len(self.leaves))),
            ),
            "newick": ("t.nwk", f"{self.brackets(self.top, {leaf: f'{leaf}:1' for leaf in self.leaves})};\n"),
            "nexus": (
                "t.nex",
                f"#NEXUS\n[a comment]\nbegin trees;\n translate {translate};\n tree a = [&R] "
                f"{self.brackets(self.top, called)};\nend;\n",
            ),
            "obo": ("t.obo", f"format-version: 1.2\n\n{obo}"),
            "owl": ("t.owl", f'<?xml version="1.0"?>\n<rdf:RDF {spaces} {OWL}>\n{self.owl()}</rdf:RDF>\n'),
            "obographs": ("t.json", json.dumps({"graphs": [self.obograph()]})),
            "skos": ("t.ttl", prefixes + turtle),
            "skos in XML": ("t.rdf", f'<?xml version="1.0"?>\n<rdf:RDF {spaces}>\n{rdf}</rdf:RDF>\n'),
            "skos in triples": (
                "t.nt",
                "".join(f"<http://e.org/{a}> <{SKOS}broader> <http://e.org/{b}> .\n" for a, b in parents.items()),
            ),
            "wordnet_data": ("data.noun", f"  1 The licence of a database.  \n{synsets}"),
            "google_products": ("t.txt", f"# Google_Product_Taxonomy_Version: 1\n{product}"),
            "speciesnet_labels": ("t.txt", "\n".join(self.labels())),
            "label_studio": (
                "t.xml",
                f'<View><Taxonomy name="t" toName="i">\n{self.choices(self.top)}</Taxonomy></View>\n',
            ),
            "fiftyone_taxonomy": ("t.json", json.dumps({"name": "t", "root": self.nested(self.top, "name", "values")})),
            "qiime2": (
                "t.tsv",
                "Feature ID\tTaxon\n"
                + "".join(f"f{k}\t{'; '.join(f'd__{name}' for name in path)}\n" for k, path in enumerate(paths)),
            ),
            "qiime2 without a header": (
                "t.txt",
                "".join(f"f{k}\t{'; '.join(f'd__{name}' for name in path)}; s__\n" for k, path in enumerate(paths)),
            ),
            "kraken2_report": ("t.txt", "".join(self.report(self.top))),
            "codes": ("t.csv", "code,title\n" + "".join(f"{self.code(name)},{name}\n" for name in names)),
            "darwin_core": ("Taxon.tsv", taxa),
            "darwin_core in zip": ("t.zip", _zip({"Taxon.tsv": taxa})),
            "taxdump in tar": ("t.tar.gz", _tar(dump)),
            "taxdump in zip": ("t.zip", _zip(dump)),
        }
        lines = [f"{ids[name]} {names.index(parents[name]) if name in parents else -1}\n" for name in names]
        beside = {
            "wordnet": (
                "is_a.txt",
                {
                    "is_a.txt": "".join(f"{above[name]} {ids[name]}\n" for name in parents),
                    "words.txt": "".join(f"{wnid}\t{name}\n" for name, wnid in ids.items()),
                },
            ),
            "darknet": ("t.tree", {"t.tree": "".join(lines), "t.names": "".join(f"{name}\n" for name in names)}),
            "taxdump": ("", dump),
        }
        return {form: (name, {name: content}) for form, (name, content) in one.items()} | beside


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


def _bytes(files):
    return {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}


@cache
def taxonomies():
    """Dict of form to (path to open, dict of path to bytes)."""
    return {form: (name, _bytes(files)) for form, (name, files) in Forms(PARENTS).all().items()}


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
    segments = [(name, label, score) for name, labels, scores in best for label, score in zip(labels, scores)]
    head = "observationID,mediaID,observationType,scientificName,classificationMethod,classificationProbability\n"
    labels = {"classes": LEAVES, "labels": {name: {"label": found[0], "confidence": 0.5} for name, found, _ in best}}
    more = {
        "timm": ("p.json", json.dumps(timm)),
        "timm by file": ("p.json", json.dumps({one.pop("filename"): one for one in json.loads(json.dumps(timm))})),
        "timm columns": ("p.csv", "filename,index_0,label_0,prob_0\na,0,cat,0.5\nb,1,dog,0.25\nc,1,dog,1\n"),
        "timm lists": ("p.csv", "filename,label,prob\na,['cat' 'dog'],[0.5 0.25]\nb,['dog'],[0.25]\nc,['newt'],[1]\n"),
        "speciesnet": ("p.json", json.dumps(Forms(PARENTS).speciesnet(IDS, P))),
        "speciesnet_5": ("p.json", json.dumps(Forms(PARENTS).speciesnet_5(IDS, P))),
        "megadetector": ("p.json", json.dumps(Forms(PARENTS).megadetector(IDS, P))),
        "camtrap_dp": (
            "observations.csv",
            head
            + "".join(f"o{k},{name},animal,{found[0]},machine,0.5\n" for k, (name, found, _) in enumerate(best))
            + "".join(f"h{k},{name},animal,cat,human,\n" for k, (name, _, _) in enumerate(best)),
        ),
        "birdnet": (
            "p.csv",
            "Start (s),End (s),Scientific name,Common name,Confidence,File\n"
            + "".join(f"0.0,3.0,{label},a {label},{score},{name}.wav\n" for name, label, score in segments),
        ),
        "bioclip": ("p.csv", "file_name,classification,score\n" + "".join(f"{a},{b},{c}\n" for a, b, c in segments)),
        "celltypist": (
            "p.csv",
            ",predicted_labels,over_clustering,majority_voting\n"
            + "".join(f"{name},{found[0]},1,{found[1]}\n" for name, found, _ in best),
        ),
        "celltypist_matrix": (
            "p.csv",
            f",{','.join(LEAVES)}\n" + "".join(f"{name},{','.join(map(str, row / 2))}\n" for name, row in zip(IDS, P)),
        ),
        "qiime2_labels": (
            "p.tsv",
            "Feature ID\tTaxon\tConfidence\n" + "".join(f"{name}\td__{found[0]}\t0.5\n" for name, found, _ in best),
        ),
        "kraken2": (
            "p.txt",
            "".join(f"C\t{name}\tcat (taxid 3)\t100\t3:66\n" for name in IDS) + "U\tx\t0\t100\t0:66\n",
        ),
        "kaiju": ("p.txt", "".join(f"U\t{name}\t0\n" for name in IDS)),
        "spacy": (
            "p.jsonl",
            "".join(
                json.dumps({"id": n, "text": "a", "cats": dict(zip(LEAVES, r))}) + "\n" for n, r in zip(IDS, P.tolist())
            ),
        ),
        "openai_batch": (
            "p.jsonl",
            "".join(
                json.dumps({"custom_id": name, "response": {"body": {"choices": [{"message": {"content": found[0]}}]}}})
                + "\n"
                for name, found, _ in best
            ),
        ),
        "language_model": (
            "p.csv",
            "sample_id,response\n" + "".join(f"{name},This is a {found[0]}.\n" for name, found, _ in best),
        ),
        "coco_results": ("p.json", json.dumps(coco)),
        "fiftyone": ("p.json", json.dumps(labels)),
        "fiftyone samples": ("p.json", json.dumps({"samples": samples})),
        "label_studio_tasks": ("p.json", json.dumps(tasks)),
        "cafa": (
            "p.tsv",
            "AUTHOR\tteam\n" + "".join(f"{name}\tTT:0000000{k}\t0.5\n" for name in IDS for k in (3, 4)) + "END\n",
        ),
        "levels": (
            "p.csv",
            "sample_id,level_1,level_2,true_1,true_2\na,mammal,cat,mammal,dog\nb,bird,,bird,duck\nc,newt,,newt,\n",
        ),
        "records": ("p.json", json.dumps([dict(zip(["id", *LEAVES], [n, *row])) for n, row in zip(IDS, P.tolist())])),
        "level arrays": (
            "p.npz",
            saved(np.savez, level_1=P[:, :2], level_2=P, level_1_names=["mammal", "bird"], level_2_names=LEAVES),
        ),
    }
    return found | {
        form: (name, text.encode() if isinstance(text, str) else text) for form, (name, text) in more.items()
    }


@cache
def classes():
    """Dict of form to (file name, content)."""
    found = {name: (name, content) for role, name, content in seeds() if role == "classes"}
    more = {
        "numbered": ("c.txt", "0: cat\n1: dog\n2: duck\n3: newt\n"),
        "wnids": ("c.txt", "n00000003 cat\nn00000004 dog\nn00000006 duck\nn00000007 newt\n"),
        "literal": ("c.txt", "{0: 'cat', 1: 'dog', 2: 'duck', 3: 'newt'}\n"),
        "yaml": ("c.yaml", "names:\n  0: cat\n  1: dog\n  2: duck\n  3: newt\n"),
        "pbtxt": ("c.pbtxt", "".join(f"item {{\n  id: {k}\n  name: '{name}'\n}}\n" for k, name in enumerate(LEAVES))),
        "npy": ("c.npy", saved(np.save, np.array(LEAVES))),
        "settings": ("config.json", json.dumps({"id2label": dict(enumerate(LEAVES))})),
    }
    return found | {
        form: (name, text.encode() if isinstance(text, str) else text) for form, (name, text) in more.items()
    }


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
