"""A checksum of the inputs of a model, to be kept with what came out."""

from __future__ import annotations

import hashlib

import numpy as np

from hierviz.onnx.description.file import sha256

_BYTES_AT_ONCE = 1 << 24


def input_digest(files, pictures, arrays):
    """SHA-256 in hexadecimal digits.

    Parameters
    ----------
    files : sequence of Path
        Read for the arrays, or naming the pictures.
    pictures : Pictures, or None
    arrays : mapping of input name to ndarray, or None
        What the model is fed; pictures count only without them, and they only without files.

    Returns
    -------
    str
        Of a single file or picture that of its bytes; of several, that of the sorted lines ``name<TAB>checksum<LF>``, the
        same for a folder of pictures and a zip of it. Of arrays, likewise by input name, that of type, shape and values.
    """
    parts = {path.name: sha256(path) for path in files}
    if arrays is None:
        unique = dict.fromkeys(pictures.names)
        parts |= {name: hashlib.sha256(pictures.bytes(name)).hexdigest() for name in unique}
    elif not files:
        parts = {name: _array_digest(array) for name, array in arrays.items()}
    if len(parts) == 1:
        return next(iter(parts.values()))
    lines = "".join(f"{name}\t{digest}\n" for name, digest in sorted(parts.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _array_digest(array):
    digest = hashlib.sha256(f"{'text' if array.dtype.kind in 'UTO' else array.dtype.str} {array.shape}\n".encode())
    if array.dtype.kind in "UTO":
        for value in array.ravel().tolist():
            data = str(value).encode("utf-8", "surrogatepass")
            digest.update(b"%d " % len(data) + data)
        return digest.hexdigest()
    step = max(1, _BYTES_AT_ONCE // max(1, array.nbytes // max(1, len(array))))
    for start in range(0, len(array), step):
        digest.update(np.ascontiguousarray(array[start : start + step]).data)
    return digest.hexdigest()
