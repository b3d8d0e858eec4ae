"""What is to know about the shape of a taxonomy: only children, several parents, uneven depths, names that repeat."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hierviz.findings.finding import counted, some
from hierviz.findings.look_alikes import look_alikes


def look_at_shape(taxonomy, where, found, with_names=True):
    """Note what is to know about a taxonomy.

    Parameters
    ----------
    taxonomy : Taxonomy
    where : str
    found : Findings
    with_names : bool
        Look for names that look alike too: where no table was looked at.
    """
    names, children = taxonomy.names, taxonomy.children
    if not taxonomy.is_tree:
        nodes = np.flatnonzero(taxonomy.parents.lengths > 1)
        text = (
            f"{counted(len(nodes), 'class has', 'classes have')} several parents "
            f"({some(names[node] for node in nodes[:5])}): the "
            "taxonomy is a graph, on which the win, rules that go down the tree, and curves of one answer are not defined."
        )
        found.note("several_parents", where, text)
    is_only = children.lengths == 1
    only = children.nodes[np.repeat(is_only, children.lengths)]
    if len(only):
        text = (
            f"{counted(len(only), 'class has', 'classes have')} no siblings ({some(names[node] for node in only[:5])}). "
            "The step into an only child is always right: it never lowers the hierarchical win and takes the weight of deeper "
            "steps, it counts as a step in numbers by depth, and as nothing in numbers by information. Compare wins on the same "
            "taxonomy only."
        )
        found.note("only_children", where, text)
    if taxonomy.is_tree:
        depths, counts = np.unique(taxonomy.depth[taxonomy.leaves], return_counts=True)
        if len(depths) > 1:
            shown = ", ".join(
                f"{count:,} at {depth}" for depth, count in zip(depths[:6].tolist(), counts[:6].tolist(), strict=True)
            )
            text = (
                f"leaves lie at {len(depths)} depths ({shown}{', ...' if len(depths) > 6 else ''}): not every class has one of each level "
                f"of all classes."
            )
            found.note("uneven_depths", where, text)
    if taxonomy.titles is not None:
        # Names from paths and levels that repeat are called by their parent too.
        ends = [name.rpartition(" > ")[2] for name in names]
        twice = [name for name, n in Counter(end for end, name in zip(ends, names, strict=True)).items() if n > 1]
        twice = [name for name in twice if any(" > " in other and other.endswith(f" > {name}") for other in names)]
        if twice:
            text = (
                f"{counted(len(twice), 'name is', 'names are')} used under several parents ({some(twice)}): they are "
                f"called by their parent too."
            )
            found.note("duplicate_names", where, text)
    for group in look_alikes(names) if with_names else ():
        text = f"{some(group)} look alike and are {len(group)} classes. If one is meant, write one of them everywhere."
        found.note("look_alike_names", where, text, severity="warning")
