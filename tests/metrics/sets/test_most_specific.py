"""The most specific of listed nodes against the definition, on random graphs."""

import naive
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples, from_graph, graphs

from hierviz import NodeLists
from hierviz.metrics.sets.node_sets import most_specific


@given(st.data())
@settings(max_examples=examples(30))
def test_nodes_with_a_listed_descendant_are_left_out(data):
    graph = data.draw(graphs())
    taxonomy = from_graph(graph)
    node = st.integers(-1, taxonomy.n_nodes - 1)
    lists = data.draw(st.lists(st.lists(node, max_size=6), max_size=4))
    found = most_specific(taxonomy, NodeLists.from_lists([np.array(one, dtype=int) for one in lists]))
    assert len(found) == len(lists)
    for place, nodes in enumerate(lists):
        above = {a for one in nodes if one >= 0 for a in naive.ancestors(graph, one) if a != one}
        assert found[place].tolist() == [one for one in nodes if one not in above]
