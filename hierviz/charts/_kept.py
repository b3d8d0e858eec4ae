"""What charts compute from millions of points, kept as long as the curve or table it comes from."""

from __future__ import annotations

from weakref import WeakKeyDictionary

_KEPT: WeakKeyDictionary = WeakKeyDictionary()
# Of one curve or table.
MOST = 24


def kept(source, key, make):
    """`make()`, or its earlier result for the same `source` (an OperatingCurve or ParetoTable) and `key`."""
    results = _KEPT.setdefault(source, {})
    if key not in results:
        while len(results) >= MOST:
            results.pop(next(iter(results)), None)
        results[key] = make()
    return results[key]
