"""How fast the machine is today: limits of the benchmarks are for one that needs 2 s of CPU for a loop in Python."""

import time

SECONDS = 2.0
# At the top of a module, where names are looked up.
LOOP = "x = 0\nfor i in range(20_000_000): x += i & 3"


def loop():
    """CPU seconds of `LOOP`."""
    start = time.process_time()
    exec(LOOP, {})
    return round(time.process_time() - start, 2)


def slower(*measured):
    """How many times as long this machine takes as that of the limits, by the mean of some loops; at least 1."""
    return max(1.0, sum(measured) / len(measured) / SECONDS)
