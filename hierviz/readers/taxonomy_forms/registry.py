"""All forms of taxonomy files: what each is, how it is recognised, and what reads it.

Help, the page *Open files* and ``docs/formats.md`` are written from `TAXONOMY_FORMS`. The forms of `taxonomy_file` itself
(edges, levels, paths, nested JSON, HiTIN) are tried after these.
"""

from __future__ import annotations

from hierviz.readers.prediction_forms import speciesnet
from hierviz.readers.taxonomy_forms import (
    coco_categories,
    code_list,
    darknet_tree,
    darwin_core,
    google_products,
    label_studio,
    ncbi_taxdump,
    newick_tree,
    obo,
    open_images,
    skos,
    speciesnet_labels,
    wordnet_data,
    wordnet_is_a,
)
from hierviz.readers.taxonomy_forms.form import TaxonomyForm

_FORMS = (
    TaxonomyForm(
        "coco",
        "categories of COCO or iNaturalist, with supercategories or ranks",
        (".json",),
        "a list `categories` of objects with id and name, or a list of objects with a supercategory",
        "json",
        coco_categories.looks_like,
        coco_categories.read,
    ),
    TaxonomyForm(
        "open_images",
        "the hierarchy of Open Images",
        (".json",),
        "an object with `LabelName`",
        "json",
        open_images.looks_like,
        open_images.read,
    ),
    TaxonomyForm(
        "speciesnet",
        "the taxonomy that the labels in SpeciesNet's predictions carry",
        (".json",),
        "`predictions` of objects with filepath and classifications",
        "json",
        speciesnet.looks_like,
        speciesnet_labels.read_json,
    ),
    TaxonomyForm(
        "newick",
        "a Newick tree",
        (".nwk", ".newick", ".tre", ".tree"),
        "begins with a bracket and ends with a semicolon",
        "text",
        newick_tree.looks_like_newick,
        newick_tree.read_newick,
    ),
    TaxonomyForm(
        "nexus",
        "the first tree of a Nexus file",
        (".nex", ".nexus"),
        "begins with `#NEXUS`",
        "text",
        newick_tree.looks_like_nexus,
        newick_tree.read_nexus,
    ),
    TaxonomyForm(
        "obo", "an ontology in OBO", (".obo",), "`format-version:` or `[Term]`", "text", obo.looks_like, obo.read
    ),
    TaxonomyForm(
        "skos",
        "a SKOS concept scheme in Turtle, RDF/XML or N-Triples (needs rdflib)",
        (".ttl", ".rdf", ".nt"),
        "prefixes, `<rdf:RDF>`, or triples of addresses",
        "text",
        skos.looks_like,
        skos.read,
    ),
    TaxonomyForm(
        "wordnet",
        "WordNet's is_a as pairs of wnids, with words.txt beside it",
        (".txt",),
        "every line is two wnids",
        "text",
        wordnet_is_a.looks_like,
        wordnet_is_a.read,
    ),
    TaxonomyForm(
        "wordnet_data",
        "WordNet's own data.noun or data.verb",
        (".noun", ".verb"),
        "every line but the licence is a synset: offset, file, part of speech, words, pointers",
        "text",
        wordnet_data.looks_like,
        wordnet_data.read,
    ),
    TaxonomyForm(
        "darknet",
        "darknet's WordTree, with .names beside it",
        (".tree",),
        "every line is a name and -1 or the number of an earlier line",
        "text",
        darknet_tree.looks_like,
        darknet_tree.read,
    ),
    TaxonomyForm(
        "google_products",
        "Google's product taxonomy, with or without ids",
        (".txt",),
        "`# Google_Product_Taxonomy_Version`, or `1 - Animals > ...` in every line",
        "text",
        google_products.looks_like,
        google_products.read,
    ),
    TaxonomyForm(
        "speciesnet_labels",
        "SpeciesNet's list of labels",
        (".txt",),
        "uuid;class;order;family;genus;species;common name in every line",
        "text",
        speciesnet_labels.looks_like,
        speciesnet_labels.read,
    ),
    TaxonomyForm(
        "label_studio",
        "the labelling interface of Label Studio",
        (".xml",),
        "`<View>`, `<Taxonomy>` or `<Choices>` with `<Choice>`",
        "text",
        label_studio.looks_like,
        label_studio.read,
    ),
    TaxonomyForm(
        "codes",
        "codes whose parents are their beginnings (ICD-10, NAICS, UNSPSC)",
        (".csv", ".tsv"),
        "a table of two or three columns, one called `code`, one `title`, `name` or `description`",
        "text",
        code_list.looks_like,
        code_list.read,
    ),
    TaxonomyForm(
        "taxdump",
        "the taxonomy of NCBI: nodes.dmp and names.dmp in a folder, zip or .tar.gz",
        (".dmp", ".zip", ".tar.gz"),
        "the files `nodes.dmp` and `names.dmp`",
        "large",
        ncbi_taxdump.looks_like,
        ncbi_taxdump.read,
    ),
    TaxonomyForm(
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
