"""The choice of thresholds by plain loops."""

import naive


def naive_thresholds(graph, truth, rows, level):
    """Per depth the interval [low, high) of thresholds with the most offers of which the share `level` is right; (1, 1)."""
    found = []
    for depth in range(1, max(naive.depth(graph, node) for node in range(graph.n)) + 1):
        here = [node for node in naive.candidates(graph) if naive.depth(graph, node) == depth]
        offers = []
        for row, due in zip(rows, truth):
            if here:
                best = max(here, key=lambda node: (row[node], -node))
                right = best in naive.ancestors(graph, due) or due in naive.ancestors(graph, best)
                offers.append((row[best], right))
        values = sorted({score for score, _ in offers if score > 0})
        interval = (1, 1)
        for low, high in zip([0, *values], values):
            taken = [right for score, right in offers if score > low]
            if sum(taken) / len(taken) >= level - 1e-12:
                interval = (low, high)
                break
        found.append(interval)
    return found
