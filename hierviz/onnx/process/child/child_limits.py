"""Limits of this process, as far as the system offers them; what it does not is left to the clock of the parent.

| limit | Linux | macOS | Windows |
|---|---|---|---|
| processor time | RLIMIT_CPU | RLIMIT_CPU | that of a job object |
| memory | RLIMIT_AS, address space | its own peak, measured ten times a second | that of a job object |
| size of a file | RLIMIT_FSIZE | RLIMIT_FSIZE | none |
"""

import contextlib
import ctypes
import math
import os
import sys
import threading
import time

LOOK_SECONDS = 0.1
# Windows: what is limited, and the kind of the record that says it.
PROCESS_TIME, PROCESS_MEMORY, ENDS_WITH_JOB = 0x2, 0x100, 0x2000
EXTENDED = 9
TICKS = 10_000_000  # of 100 ns, in a second


class Basic(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION"""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class Extended(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION"""

    _fields_ = (
        ("Basic", Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class JobObject:
    """A job object of Windows with this process in it; its limits can be said again.

    `kernel` has the functions of kernel32, those of the system when absent. OSError where there is no such object.
    """

    def __init__(self, memory, seconds, kernel=None):
        self.kernel, self.memory = kernel or ctypes.WinDLL("kernel32", use_last_error=True), memory
        self.kernel.CreateJobObjectW.restype = self.kernel.GetCurrentProcess.restype = ctypes.c_void_p
        self.job = self.kernel.CreateJobObjectW(None, None)
        if not self.job or not self.set_limits(seconds):
            raise OSError("no job object")
        this = ctypes.c_void_p(self.kernel.GetCurrentProcess())
        if not self.kernel.AssignProcessToJobObject(ctypes.c_void_p(self.job), this):
            raise OSError("a job object that does not take this process")

    def set_limits(self, seconds):
        """Limit memory, and processor time counted from the start of the process; whether it worked."""
        said = Extended()
        said.Basic.LimitFlags = PROCESS_TIME | PROCESS_MEMORY | ENDS_WITH_JOB
        said.Basic.PerProcessUserTimeLimit = int(seconds * TICKS)
        said.ProcessMemoryLimit = self.memory
        size = ctypes.sizeof(said)
        return self.kernel.SetInformationJobObject(ctypes.c_void_p(self.job), EXTENDED, ctypes.byref(said), size)


class ProcessLimits:
    """The limits of this process.

    Parameters
    ----------
    memory, files : int
        Bytes.
    seconds : float
        Of processor time, counted from now and again from each call of `allow_more_time`.
    too_large : callable
        Called where this process measures its memory itself and needs more; it is ended afterwards.
    platform : str
        As `sys.platform`.
    """

    def __init__(self, memory, files, seconds, too_large, platform=sys.platform):
        self.seconds, self.job = seconds, None
        if platform == "win32":
            with contextlib.suppress(OSError, AttributeError):
                self.job = JobObject(memory, self._until())
            return
        import resource

        limits = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": files}
        if platform == "darwin":  # it takes a limit of address space, which means nothing
            watch_memory(memory, too_large)
        else:
            limits["RLIMIT_AS"] = memory
        for what, most in limits.items():
            try:
                resource.setrlimit(getattr(resource, what), (most, most))
            except (AttributeError, ValueError, OSError):
                continue
        self.allow_more_time()

    def _until(self):
        """Seconds of processor time that this process may have used in all."""
        return time.process_time() + self.seconds

    def allow_more_time(self):
        """Another `seconds` of processor time."""
        if self.job is not None:
            self.job.set_limits(self._until())
            return
        try:
            import resource

            soft = math.ceil(self._until())
            resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        except (ImportError, ValueError, OSError):
            pass


def peak_memory(platform=sys.platform):
    """Most bytes that this process has had in memory."""
    import resource

    # macOS counts bytes, others kilobytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if platform == "darwin" else 1024)


def watch_memory(most, too_large, pause=LOOK_SECONDS, peak=peak_memory, end=os._exit):
    """Call `too_large` and end when the peak of the memory is above `most` bytes; looks as long as the process lives."""

    def look():
        while peak() <= most:
            time.sleep(pause)
        try:
            too_large()
        finally:
            end(1)

    thread = threading.Thread(target=look, name="memory", daemon=True)
    thread.start()
    return thread
