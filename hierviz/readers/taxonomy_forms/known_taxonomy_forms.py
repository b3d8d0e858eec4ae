"""All forms of taxonomy files, in the order in which they are tried: what each is, how it is recognised, and what reads it.

Help, the page *Open files* and ``docs/formats.md`` are written from `TAXONOMY_FORMS`. The forms of `taxonomy_file` itself
(edges, levels, paths, nested JSON, HiTIN) are tried after these.
"""

from hierviz.readers.prediction_forms.speciesnet import read_speciesnet, read_speciesnet_labels
from hierviz.readers.taxonomy_forms import FileForm
from hierviz.readers.taxonomy_forms.code_list import read_codes
from hierviz.readers.taxonomy_forms.darwin_core import read_darwin_core
from hierviz.readers.taxonomy_forms.labelling_tools import (
    read_coco,
    read_fiftyone_taxonomy,
    read_label_studio,
    read_open_images,
)
from hierviz.readers.taxonomy_forms.line_forms import (
    read_darknet,
    read_google_products,
    read_wordnet,
    read_wordnet_data,
)
from hierviz.readers.taxonomy_forms.ncbi_taxdump import read_taxdump
from hierviz.readers.taxonomy_forms.newick_tree import read_newick, read_nexus
from hierviz.readers.taxonomy_forms.ontologies import read_obo, read_skos
from hierviz.readers.taxonomy_forms.pronto_files import read_obographs, read_owl
from hierviz.readers.taxonomy_forms.sequence_taxonomies import read_kraken2_report, read_qiime2

TAXONOMY_FORMS: dict[str, FileForm] = {
    read.form.key: read.form
    for read in (
        *(
            read_coco,
            read_open_images,
            read_fiftyone_taxonomy,
            read_speciesnet,
            read_newick,
            read_nexus,
            read_obo,
            read_owl,
            read_obographs,
            read_skos,
            read_wordnet,
        ),
        *(read_wordnet_data, read_darknet, read_google_products, read_speciesnet_labels, read_label_studio, read_codes),
        *(read_qiime2, read_kraken2_report, read_taxdump, read_darwin_core),
    )
}
