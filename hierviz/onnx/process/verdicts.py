"""How a run in the model's own process ended, in words: each function returns text that fits after "<file>: " of an error."""

import re
import signal

MOST_MESSAGE = 220
# How Windows ends a process that used all of its processor time: STATUS_QUOTA_EXCEEDED, ERROR_NOT_ENOUGH_QUOTA.
_OVER_TIME = (0xC0000044, 1816)
NO_MEMORY = r"bad.?alloc|[Ff]ailed to allocate memory|MemoryError|Cannot allocate memory|Unable to allocate"


def ended_words(code, limits, memory_mb, doing):
    """Why a process ended without a verdict.

    Parameters
    ----------
    code : int
        Return code, negative for a signal.
    limits : Limits
    memory_mb : int
    doing : str
        "load" or "run".
    """
    name = signal.Signals(-code).name if code < 0 and -code in set(signal.Signals) else f"code {code}"
    name = "SIGXCPU" if code & 0xFFFFFFFF in _OVER_TIME else name
    if name == "SIGXCPU":
        return slow_words(doing, f"{limits.cpu_seconds:g} s of processor time")
    if name == "SIGKILL":
        return (
            f"expected a model that this machine can {doing}, got its process ended by the system (SIGKILL), most likely "
            "because memory ran out. Close other programs, or run it on a larger machine."
        )
    if code >= 0:
        return (
            f"expected an answer from the process that should {doing} the model, got none ({name}). "
            "Make room in the folder for temporary files, or set TMPDIR, and try again."
        )
    return (
        f"expected a model that can {doing}, got a crash ({name}) in its own process, which had {memory_mb} MB. "
        "Export it again, or raise the limit with {limits.memory_mb} if it is a large one."
    )


def slow_words(doing, limit):
    """A model that does not end."""
    each = "loads" if doing == "load" else "runs each batch"
    return (
        f"expected a model that {each} within {limit}, got one that did not finish. "
        "If it is only slow, raise the limit with {limits.cpu_seconds}; otherwise export it again."
    )


def is_out_of_memory(verdict):
    """True when a run failed for want of memory, so that fewer rows at a time may do."""
    said = f"{verdict.get('kind', '')}: {verdict.get('message', '')}"
    return verdict.get("stage") == "run" and re.search(NO_MEMORY, said) is not None


def failure_words(verdict, memory_mb, output_mb, feeds, step=None):
    """An exception in the model's process.

    Parameters
    ----------
    verdict : dict
        As `child/child_job.py` writes it.
    memory_mb, output_mb : int
    feeds : str
        The inputs in words, for a failed run.
    step : int, optional
        Rows of a batch of it.
    """
    if "refused" in verdict:
        return one_line(str(verdict["refused"]), 1000)
    stage, kind, raw = (str(verdict.get(key, "")) for key in ("stage", "kind", "message"))
    text, short = f"{kind}: {raw}", message(raw, kind)
    if stage == "import":
        return f"expected onnxruntime to start, got {kind}: {short}. Run pip install --upgrade onnxruntime onnx."
    if re.search(NO_MEMORY, text):
        match = re.search(r"requested buffer of size (\d+)", text)
        asked = f", {int(match[1]) / 2**30:.1f} GB at once" if match and int(match[1]) >= 1 << 27 else ""
        rows = "" if step is None or stage in ("inspect", "load") else f" with {step} row{'s' * (step > 1)} at a time"
        advice = "Raise the limit with {limits.memory_mb} if it is a large model."
        if rows and step > 1:
            advice = "Raise the limit with {limits.memory_mb}, or export it with a batch of any length."
        return f"expected a model that needs at most {memory_mb} MB of memory, got one that needs more{asked}{rows}. {advice}"
    if "File too large" in raw:
        return f"expected outputs of at most {output_mb} MB, got more. Run fewer rows or fewer outputs ({{outputs}}) at once."
    if "No space left" in raw:
        return "expected room for its outputs in the folder for temporary files, got none. Make room, or set TMPDIR."
    if stage in ("inspect", "load", "start"):
        return load_words(kind, raw)
    if kind == "ValueError" and raw.startswith("output "):
        return f"expected one value per row from each output, got {short}. Export it with the batch as the first axis."
    return (
        f"expected onnxruntime to run the model on {feeds}, got {short}. Check the layout, size and type of the inputs."
    )


def load_words(kind, raw):
    """Why onnxruntime does not load a model."""
    text = " ".join(raw.split())
    match = re.search(r"Unsupported model IR version: (\d+), max supported IR version: (\d+)", text)
    if match:
        return f"expected IR version {match[2]} or lower, got {match[1]}. Update onnxruntime, or export with an older opset."
    match = re.search(r"is till opset (\d+)", text)
    if match:
        return (
            f"expected opset {match[1]} or lower, got a newer one. Update onnxruntime, or export with an older opset."
        )
    if "construct locale" in text:
        return (
            "expected a locale that exists here, got a text model whose StringNormalizer wants another one. "
            "Export it again with options={id(vectoriser): {'locale': 'C.UTF-8'}}."
        )
    if re.search(r"external.?(?:data|initializer)|\.data\b|onnx_data", text, re.IGNORECASE) and "Protobuf" not in text:
        if re.search("escapes|symlink|symbolic|absolute", text, re.IGNORECASE):
            return "expected its weights in a file next to the model, got a path that leads elsewhere. Export it again."
        return (
            f"expected its complete weights file next to the model, got {message(raw, kind)}. Fetch the weights "
            "file (often <model>.onnx.data, under its first name) again, or export with external_data=False."
        )
    if kind == "UnicodeDecodeError" or re.search("Protobuf parsing failed|INVALID_PROTOBUF|No graph", text):
        return "expected an ONNX model, got a file that is damaged, cut short or of another kind. Download or export it again."
    match = re.search(r"No Op registered for (\S+) with domain_version of (\d+)", text)
    if match:
        return (
            f"expected standard operators, got {one_line(match[1], 80)!r}, which onnxruntime does not know in opset "
            f"{match[2]}. Export it without custom operators."
        )
    if re.search(r"is not a registered function/op|Fatal error:", text):
        return f"expected standard operators, got {message(raw, kind)}. Export it without custom operators."
    return f"expected a model that onnxruntime can load, got {message(raw, kind)}. Export it again."


def message(raw, kind=""):
    """The message of a foreign exception on one line, without onnxruntime's prefix and paths in its source."""
    text = " ".join(raw.split()) or kind
    text = re.sub(r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"^Load model from .*? failed: ?", "", text)
    text = re.sub(r"/\S+/onnxruntime/\S+:\d+ .*?\) ", "", text)
    text = re.sub(r"\w+\.(?:cc|h):\d+ \w+ ", "", text)
    return one_line(text, MOST_MESSAGE).rstrip(". ")


def printable(text):
    """Foreign text without what would break the line or command a terminal."""
    return "".join(character if character.isprintable() else " " for character in text)


def one_line(text, most):
    """Foreign text as one printable line."""
    text = printable(" ".join(text.split()))
    return text[:most] + "…" if len(text) > most else text
