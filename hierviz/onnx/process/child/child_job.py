"""One job: limits first, then inspect and load a model, or load and run it; the verdict goes into a file.

`job.json` holds {"task": "look" | "load" | "run", "model": path, "cpu_seconds":, "memory_mb":, "file_mb":, ...}; `verdict.json`
{"ok": true, ...} or {"ok": false, "stage":, "kind":, "message":} for a foreign exception, {"refused": words} for our own.
"""

import json
import os

from child_limits import ProcessLimits
from child_refused import Refused

OLDEST_ONNXRUNTIME = (1, 24, 1)
MOST_SAID = 8 << 20  # bytes of a verdict: the app reads it into its memory
MOST_SIGNATURES = 10_000


class Job:
    """The task of the process, its folder, and its stage.

    Attributes
    ----------
    folder : str
    stage : str
        For the verdict: "import", "inspect", "load", "run", "write".
    """

    def __init__(self, folder):
        self.folder, self.stage = folder, "start"
        with open(self.path("job.json"), encoding="utf-8") as file:
            self.wanted = json.load(file)

    def path(self, name):
        """Path of a file of the job."""
        return os.path.join(self.folder, name)

    def limit(self):
        """Set the limits of this process."""
        memory, files = self.wanted["memory_mb"] << 20, self.wanted["file_mb"] << 20
        self.limits = ProcessLimits(memory, files, self.wanted["cpu_seconds"], self.too_large)

    def too_large(self):
        """Say that this process needs more memory than it may have."""
        self.answer({"ok": False, "stage": self.stage, "kind": "MemoryError", "message": "its memory was measured"})

    def allow_more_time(self):
        """Another `cpu_seconds` of processor time, counted from now."""
        self.limits.allow_more_time()

    def answer(self, verdict):
        """Write the verdict: it is there whole or not at all."""
        text = json.dumps(verdict)
        if len(text) > MOST_SAID:
            words = f"expected at most {MOST_SAID >> 20} MB of names and metadata, got {len(text) >> 20} MB"
            text = json.dumps({"ok": False, "refused": f"{words}. Export it without them."})
        with open(self.path("verdict.new"), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(self.path("verdict.new"), self.path("verdict.json"))


def do(folder):
    """Do a job and end this process."""
    job = Job(folder)
    try:
        job.limit()
        verdict = {"ok": True, **_task(job)}
    except Refused as refused:
        verdict = {"ok": False, "refused": str(refused)}
    except BaseException as error:  # onnxruntime's exceptions have no base of their own
        verdict = {"ok": False, "stage": job.stage, "kind": type(error).__name__, "message": str(error)[:4000]}
    try:
        job.answer(verdict)
    finally:
        os._exit(0)


def _task(job):
    wanted = job.wanted
    made = {}
    if wanted["task"] == "look":
        job.stage = "inspect"
        from child_inspect import inspect_file

        made = inspect_file(wanted["model"])
        if made["weight_files"]:  # the parent brings them, then asks for "load"
            return made
    session = load(job)
    if wanted["task"] == "run":
        from child_run import run

        return run(job, session)
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) + len(outputs) > MOST_SIGNATURES:
        raise Refused(
            f"expected at most {MOST_SIGNATURES:,} inputs and outputs, got {len(inputs) + len(outputs):,}. Export it again "
            "with fewer, wider ones."
        )
    return made | {
        "inputs": [_signature(spec) for spec in inputs],
        "outputs": [_signature(output) for output in outputs],
    }


def load(job):
    """The model in onnxruntime, on one thread, by the processor alone and without libraries of custom operators."""
    job.stage = "import"
    import onnxruntime

    parts = "".join(character if character.isdigit() else " " for character in onnxruntime.__version__).split()
    if tuple(int(part) for part in parts[:3]) < OLDEST_ONNXRUNTIME:
        # Earlier releases read any file of the machine as weights when a model says so.
        oldest = ".".join(map(str, OLDEST_ONNXRUNTIME))
        raise Refused(
            f"expected onnxruntime {oldest} or newer (older ones read any file as weights), "
            f"got {onnxruntime.__version__}. Run pip install --upgrade onnxruntime."
        )
    onnxruntime.disable_telemetry_events()
    job.stage = "load"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # With the fallback on, onnxruntime prints to standard output and tries again.
    return onnxruntime.InferenceSession(
        job.wanted["model"], options, providers=["CPUExecutionProvider"], enable_fallback=False
    )


def _signature(argument):
    shape = [axis if isinstance(axis, int) and axis >= 0 else None for axis in argument.shape]
    return [argument.name, argument.type, shape]
