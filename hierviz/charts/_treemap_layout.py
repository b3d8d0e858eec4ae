"""Rectangles whose areas are in proportion to numbers, as square as can be.

References
----------
.. [1] M. Bruls, K. Huizing, J. van Wijk, Squarified treemaps, Data Visualization 2000.
"""

from __future__ import annotations


def squarified(sizes, x, y, width, height):
    """Rectangles (x, y, width, height) that fill a rectangle, one for each of some sizes above 0, the largest first [1]_.

    Parameters
    ----------
    sizes : sequence of float
        Descending.
    x, y, width, height : float
        The rectangle to fill, pixels.

    Returns
    -------
    list of tuple of float
        In the order of the sizes.
    """
    total = float(sum(sizes))
    if not total or width <= 0 or height <= 0:
        return []
    areas = [size * width * height / total for size in sizes]
    placed, start = [], 0
    while start < len(areas):
        short = min(width, height)
        end, area = start + 1, areas[start]
        # A strip along the short side takes in rectangles as long as the worst of them gets no longer.
        while end < len(areas) and _longest(areas[start], areas[end], area + areas[end], short) <= _longest(
            areas[start], areas[end - 1], area, short
        ):
            area += areas[end]
            end += 1
        thick, at = area / short, 0.0
        for one in areas[start:end]:
            long = one / thick
            placed.append((x, y + at, thick, long) if width >= height else (x + at, y, long, thick))
            at += long
        if width >= height:
            x, width = x + thick, max(width - thick, 0.0)
        else:
            y, height = y + thick, max(height - thick, 0.0)
        if end < len(areas) and min(width, height) <= 0:
            placed += [(x, y, 0.0, 0.0)] * (len(areas) - end)
            break
        start = end
    return placed


def _longest(largest, smallest, area, short):
    """The largest ratio of sides among the rectangles of a strip."""
    return max(short**2 * largest / area**2, area**2 / (short**2 * smallest)) if smallest > 0 else float("inf")
