"""The options that say how a taxonomy file is read."""

from __future__ import annotations

from hierviz.readers.taxonomy_file import FORMS


def add_taxonomy_flags(command):
    """Add the options.

    Returns
    -------
    list of argparse.Action
    """
    return [
        command.add_argument(
            "--taxonomy-form",
            choices=tuple(FORMS),
            metavar="FORM",
            help=f"form of the taxonomy where it is not recognised: {', '.join(FORMS)}",
        ),
        command.add_argument(
            "--taxonomy-classes",
            metavar="F",
            help="class list: only these classes and what is above them are read of a large taxonomy",
        ),
        command.add_argument(
            "--taxonomy-relations",
            metavar="NAME,...",
            help="what leads to the parents in an OBO file (default: is_a), for example is_a,part_of",
        ),
    ]


def taxonomy_options(options):
    """Keywords of `load_taxonomy` from the options."""
    relations = options.taxonomy_relations
    return {
        "form": options.taxonomy_form,
        "classes": options.taxonomy_classes,
        "relations": None if relations is None else [name.strip() for name in relations.split(",") if name.strip()],
    }
