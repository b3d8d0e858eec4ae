"""How much a model may use: processor time, waiting time and memory."""

from __future__ import annotations

from dataclasses import dataclass

from hierviz.messages.errors import ModelError
from hierviz.messages.parameters import PARAMETERS

MOST = 1e9


@dataclass(frozen=True)
class Limits:
    """What inspecting, loading and running one model may use, each step by itself.

    Parameters
    ----------
    cpu_seconds : float
        Processor time of inspecting and loading together, and of each batch of a run: a long run that gets on is never
        stopped, one that hangs is.
    wall_seconds : float, optional
        Waiting time without any progress; five times `cpu_seconds`, at least 30, when absent. Catches a process that
        sleeps, and replaces `cpu_seconds` where the system cannot limit it (Windows).
    memory_mb : int, optional
        Address space; 2048 plus four times the model's files when absent.
    output_mb : int
        Most bytes of all outputs of a run together.

    Raises
    ------
    ModelError
        If a limit is not above 0, or above `MOST`, which the system may not be able to count.
    """

    cpu_seconds: float = 60.0
    wall_seconds: float | None = None
    memory_mb: int | None = None
    output_mb: int = 4096

    def __post_init__(self):
        for name in ("cpu_seconds", "wall_seconds", "memory_mb", "output_mb"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= MOST:
                limit = f"limits.{name}"
                where = f"{{{limit}}}" if limit in PARAMETERS else name
                raise ModelError(
                    f"{where}: expected a limit above 0 and up to {MOST:g}, got {value}. Leave it out for the default."
                )

    @property
    def wall(self):
        """Seconds to wait without progress."""
        return max(30.0, 5 * self.cpu_seconds) if self.wall_seconds is None else self.wall_seconds

    def memory(self, n_bytes):
        """Address space in MB for files of `n_bytes`."""
        return 2048 + 4 * (n_bytes >> 20) if self.memory_mb is None else int(self.memory_mb)
