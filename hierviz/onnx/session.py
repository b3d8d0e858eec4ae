"""Running an ONNX model: the only file that touches onnxruntime.

Conventions
-----------
A signature is (name, type, shape) of an input or output: the type as onnxruntime writes it, None for an axis of any length.
"""

from __future__ import annotations

import re

from hierviz.errors import ModelError

# Earlier releases read any file of the machine as weights when a model says so.
OLDEST_ONNXRUNTIME = (1, 24, 1)


class Session:
    """One loaded model in onnxruntime: its inputs, outputs and metadata, and how to run it.

    Parameters
    ----------
    path : Path
        A path, not bytes: that halves the memory and lets weights lie beside the model.

    Attributes
    ----------
    inputs, outputs : list of signatures
    metadata : dict of str to str
    """

    def __init__(self, path):
        self.where = path.name
        ort = _onnxruntime()
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            # With the fallback on, onnxruntime prints to standard output and tries again.
            self._session = ort.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"], enable_fallback=False
            )
            self.inputs = [_signature(one) for one in self._session.get_inputs()]
            self.outputs = [_signature(one) for one in self._session.get_outputs()]
            self.metadata = dict(self._session.get_modelmeta().custom_metadata_map)
        except Exception as error:  # onnxruntime's exceptions have no base of their own
            raise ModelError(f"{self.where}: {_load_failure(error)}") from None

    def run(self, feeds, output):
        """The value of one output for exactly typed feeds."""
        try:
            return self._session.run([output], feeds)[0]
        except Exception as error:
            shapes = ", ".join(f"{name} {block.dtype} {block.shape}" for name, block in feeds.items())
            raise ModelError(
                f"{self.where}: expected onnxruntime to run the model on {shapes}, got {_message(error)}. "
                "Check the layout and size of the inputs."
            ) from None


def shape_words(shape):
    """A shape as errors and notes write it, such as ``[any, 4]``."""
    return "[" + ", ".join("any" if axis is None else str(axis) for axis in shape) + "]"


def _onnxruntime():
    try:
        import onnxruntime
    except ImportError:
        raise ModelError(
            "onnxruntime: expected it to be installed to run ONNX models, got no such package. Run pip install 'hierviz[onnx]'."
        ) from None
    version = tuple(int(part) for part in re.findall(r"\d+", onnxruntime.__version__)[:3])
    if version < OLDEST_ONNXRUNTIME:
        raise ModelError(
            f"onnxruntime: expected {'.'.join(map(str, OLDEST_ONNXRUNTIME))} or newer (older ones read any file as weights), "
            f"got {onnxruntime.__version__}. Run pip install --upgrade onnxruntime."
        )
    return onnxruntime


def _signature(one):
    return one.name, one.type, tuple(axis if isinstance(axis, int) and axis >= 0 else None for axis in one.shape)


def _message(error):
    """The message of a foreign exception on one line, without onnxruntime's prefix and paths in its source."""
    text = " ".join(str(error).split()) or type(error).__name__
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", text)
    text = re.sub(r"\w+\.(?:cc|h):\d+ \w+ ", "", text)
    text = re.sub(r"^Load model from .*? failed: ?", "", text)
    text = re.sub(r"/\S+/onnxruntime/\S+:\d+ .*?\) ", "", text)
    return (text[:220] + "…" if len(text) > 220 else text).rstrip(". ")


def _load_failure(error):
    text = " ".join(str(error).split())
    found = re.search(r"Unsupported model IR version: (\d+), max supported IR version: (\d+)", text)
    if found:
        return f"expected IR version {found[2]} or lower, got {found[1]}. Update onnxruntime, or export with an older opset."
    found = re.search(r"is till opset (\d+)", text)
    if found:
        return (
            f"expected opset {found[1]} or lower, got a newer one. Update onnxruntime, or export with an older opset."
        )
    if "construct locale" in text:
        return (
            "expected a locale that exists here, got a text model whose StringNormalizer wants another one. "
            "Export it again with options={id(vectoriser): {'locale': 'C.UTF-8'}}."
        )
    if re.search(r"external.?data|\.data\b|onnx_data", text, re.IGNORECASE) and "Protobuf" not in text:
        if re.search("escapes|symlink|symbolic|absolute", text, re.IGNORECASE):
            return "expected its weights in a file beside the model, got a path that leads elsewhere. Export it again."
        return (
            f"expected the file of its weights beside the model, got {_message(error)}. Put the weights file (often "
            "<model>.onnx.data, under its first name) into the same folder, or export with external_data=False."
        )
    if isinstance(error, UnicodeDecodeError) or re.search("Protobuf parsing failed|INVALID_PROTOBUF|No graph", text):
        return "expected an ONNX model, got a file that is damaged, cut short or of another kind. Download or export it again."
    found = re.search(r"(?:No Op registered for|is not a registered function/op|Fatal error:) ?([\w.:]*)", text)
    if found:
        return f"expected standard operators, got {_message(error)}. Export it without custom operators."
    return f"expected a model that onnxruntime can load, got {_message(error)}. Export it again."
