"""All forms of taxonomy files: what each is, how it is recognised, and what reads it.

Help, the page *Open files* and ``docs/formats.md`` are written from `TAXONOMY_FORMS`. The forms of `taxonomy_file` itself
(edges, levels, paths, nested JSON, HiTIN) are tried after these. `FileForm` is also what is said of a form of predictions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hierviz.readers.prediction_forms import speciesnet
from hierviz.readers.taxonomy_forms import (
    code_list,
    darwin_core,
    labelling_tools,
    line_forms,
    ncbi_taxdump,
    newick_tree,
    ontologies,
)


@dataclass(frozen=True)
class FileForm:
    """A form of files.

    Parameters
    ----------
    key : str
        As `hierviz.load_taxonomy` and `hierviz.load_predictions` take it.
    words : str
        What it is, for help and documents.
    endings : tuple of str
        Of usual file names, without ``.gz``.
    recognised : str
        How it is recognised, in words.
    kind : str
        What its functions get. Of a taxonomy: "text" (a Source), "json" (a parsed value) or "large" (the files of a folder or
        archive). Of predictions: "json", "table" or "lines".
    looks_like : callable
        Of "text" (name of the file, its first lines), of "json" the value, of "large" (name, names of files), of "table" the
        names of the columns, of "lines" the first lines.
    read : callable
        Of a taxonomy: (source, options), (value, where, detected), or (files, wanted, where). Of predictions: of "json" (value,
        where, taxonomy) → records, each a dict with ``sample_id``, a list ``scores`` of label and score (or a list
        ``predicted`` of labels) and perhaps ``truth``; of "table" (table, names, columns of samples); of "lines" (source,
        taxonomy).
    """

    key: str
    words: str
    endings: tuple
    recognised: str
    kind: str
    looks_like: Callable
    read: Callable


_FORMS = (
    FileForm(
        "coco",
        "categories of COCO or iNaturalist, with supercategories or ranks",
        (".json",),
        "a list `categories` of objects with id and name, or a list of objects with a supercategory",
        "json",
        labelling_tools.looks_like_coco,
        labelling_tools.read_coco,
    ),
    FileForm(
        "open_images",
        "the hierarchy of Open Images",
        (".json",),
        "an object with `LabelName`",
        "json",
        labelling_tools.looks_like_open_images,
        labelling_tools.read_open_images,
    ),
    FileForm(
        "speciesnet",
        "the taxonomy that the labels in SpeciesNet's predictions carry",
        (".json",),
        "`predictions` of objects with filepath and classifications",
        "json",
        speciesnet.looks_like,
        speciesnet.read_taxonomy,
    ),
    FileForm(
        "newick",
        "a Newick tree",
        (".nwk", ".newick", ".tre", ".tree"),
        "begins with a bracket and ends with a semicolon",
        "text",
        newick_tree.looks_like_newick,
        newick_tree.read_newick,
    ),
    FileForm(
        "nexus",
        "the first tree of a Nexus file",
        (".nex", ".nexus"),
        "begins with `#NEXUS`",
        "text",
        newick_tree.looks_like_nexus,
        newick_tree.read_nexus,
    ),
    FileForm(
        "obo",
        "an ontology in OBO",
        (".obo",),
        "`format-version:` or `[Term]`",
        "text",
        ontologies.looks_like_obo,
        ontologies.read_obo,
    ),
    FileForm(
        "skos",
        "a SKOS concept scheme in Turtle, RDF/XML or N-Triples (needs rdflib)",
        (".ttl", ".rdf", ".nt"),
        "prefixes, `<rdf:RDF>`, or triples of addresses",
        "text",
        ontologies.looks_like_skos,
        ontologies.read_skos,
    ),
    FileForm(
        "wordnet",
        "WordNet's is_a as pairs of wnids, with words.txt next to it",
        (".txt",),
        "every line is two wnids",
        "text",
        line_forms.looks_like_wnids,
        line_forms.read_wnids,
    ),
    FileForm(
        "wordnet_data",
        "WordNet's own data.noun or data.verb",
        (".noun", ".verb"),
        "every line but the licence is a synset: offset, file, part of speech, words, pointers",
        "text",
        line_forms.looks_like_synsets,
        line_forms.read_synsets,
    ),
    FileForm(
        "darknet",
        "darknet's WordTree, with .names next to it",
        (".tree",),
        "every line is a name and -1 or the number of an earlier line",
        "text",
        line_forms.looks_like_darknet,
        line_forms.read_darknet,
    ),
    FileForm(
        "google_products",
        "Google's product taxonomy, with or without ids",
        (".txt",),
        "`# Google_Product_Taxonomy_Version`, or `1 - Animals > ...` in every line",
        "text",
        line_forms.looks_like_google,
        line_forms.read_google,
    ),
    FileForm(
        "speciesnet_labels",
        "SpeciesNet's list of labels",
        (".txt",),
        "uuid;class;order;family;genus;species;common name in every line",
        "text",
        speciesnet.are_labels,
        speciesnet.read_labels,
    ),
    FileForm(
        "label_studio",
        "the labelling interface of Label Studio",
        (".xml",),
        "`<View>`, `<Taxonomy>` or `<Choices>` with `<Choice>`",
        "text",
        labelling_tools.looks_like_interface,
        labelling_tools.read_interface,
    ),
    FileForm(
        "codes",
        "codes whose parents are their beginnings (ICD-10, NAICS, UNSPSC)",
        (".csv", ".tsv"),
        "a table of two or three columns, one called `code`, one `title`, `name` or `description`",
        "text",
        code_list.looks_like,
        code_list.read,
    ),
    FileForm(
        "taxdump",
        "the taxonomy of NCBI: nodes.dmp and names.dmp in a folder, zip or .tar.gz",
        (".dmp", ".zip", ".tar.gz"),
        "the files `nodes.dmp` and `names.dmp`",
        "large",
        ncbi_taxdump.looks_like,
        ncbi_taxdump.read,
    ),
    FileForm(
        "darwin_core",
        "Darwin Core taxa (GBIF's Taxon.tsv), alone, in a folder or in a zip",
        (".tsv", ".txt", ".zip"),
        "the file `Taxon.tsv`, or the columns `taxonID` and `parentNameUsageID`",
        "large",
        darwin_core.looks_like,
        darwin_core.read,
    ),
)
TAXONOMY_FORMS = {form.key: form for form in _FORMS}
