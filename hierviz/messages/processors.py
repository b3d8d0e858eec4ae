"""How many processors there are for this process."""

import os


def n_processors():
    """Those that it may use where the system says so (Linux), else those of the machine; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
