"""Cycles of named edges: all of them, and which edge closes one that was a tree before.

References
----------
.. [1] R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1, 1972 (strongly connected components).
"""

from __future__ import annotations


def knots(edges):
    """Sets of classes that lie below each other.

    Parameters
    ----------
    edges : list of (parent, child)
        Without edges from a class to itself.

    Returns
    -------
    list of list of str
        Strongly connected components of two and more classes.
    """
    below: dict = {}
    for parent, child in edges:
        if parent is not None:
            below.setdefault(parent, []).append(child)
    number: dict = {}
    low: dict = {}
    stack: list = []
    on_stack, found = set(), []
    for start in list(below):
        if start in number:
            continue
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        walk = [(start, iter(below[start]))]
        while walk:
            node, children = walk[-1]
            child = next(children, None)
            if child is None:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == number[node]:
                    knot = []
                    while not knot or knot[-1] != node:
                        knot.append(stack.pop())
                        on_stack.discard(knot[-1])
                    if len(knot) > 1:
                        found.append(knot[::-1])
            elif child not in number:
                number[child] = low[child] = len(number)
                stack.append(child)
                on_stack.add(child)
                walk.append((child, iter(below.get(child, ()))))
            elif child in on_stack:
                low[node] = min(low[node], number[child])
    return found


def closing_edges(knot, edges):
    """Which edges to leave out of a knot so that it is none.

    Parameters
    ----------
    knot : list of str
    edges : list of (parent, child)

    Returns
    -------
    closing : set of (parent, child)
    is_certain : bool
        Only one edge can be wrong: a plain cycle, of which one class alone has a parent outside.
    cycle : list of str
        One way round, its first class at both ends.
    """
    inside, own = set(knot), {}
    entries = {child for parent, child in edges if child in inside and parent is not None and parent not in inside}
    pairs = {(parent, child) for parent, child in edges if parent in inside and child in inside}
    for parent, child in sorted(pairs):
        own.setdefault(parent, []).append(child)
    start = min(entries) if entries else knot[0]
    is_certain = len(entries) == 1 and len(pairs) == len(knot)
    # Edges back to a class that the walk down from the start is still below.
    closing, state, path = set(), {start: "open"}, [start]
    walk, cycle = [(start, iter(own[start]))], []
    while walk:
        node, children = walk[-1]
        child = next(children, None)
        if child is None:
            walk.pop()
            path.pop()
            state[node] = "done"
        elif state.get(child) == "open":
            closing.add((node, child))
            cycle = cycle or [*path[path.index(child) :], child]
        elif child not in state:
            state[child] = "open"
            path.append(child)
            walk.append((child, iter(own[child])))
    return closing, is_certain, cycle
