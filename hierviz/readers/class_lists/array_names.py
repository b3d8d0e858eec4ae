"""Class names in a numpy array, as scikit-learn's ``classes_`` saved with `numpy.save`."""

from __future__ import annotations

from hierviz.messages.errors import FileError, PredictionsError
from hierviz.readers import limits
from hierviz.readers.class_lists.class_list import ClassList
from hierviz.readers.numpy_files import Header
from hierviz.readers.sources import translated


def read_npy_names(source):
    """ClassList of an ``.npy`` file of one axis: text, or whole numbers that are names of classes.

    Raises
    ------
    FileError
        If it holds Python objects, which are never unpickled.
    PredictionsError
        If it has more axes or other numbers.
    """
    with translated(source.where), source.open(limits.TEXT_BYTES) as file:
        header = Header.read(file, source.where, source.path.name)
        if header.dtype.hasobject:
            raise FileError(
                f"{source.where}: expected an array of text, got Python objects, which are not opened. "
                "Save it again with numpy.save(file, classes.astype(str))."
            )
        if header.n_bytes > limits.TEXT_BYTES:
            raise FileError(
                f"{source.where}: expected an array of at most {limits.size_words(limits.TEXT_BYTES)}, got a larger one. Is it "
                "a list of classes?"
            )
        array = header.values(file)
    if array.ndim != 1 or array.dtype.kind not in "USiu":
        raise PredictionsError(
            f"{source.where}: expected one axis of names, got {array.dtype} of shape {array.shape}. "
            "Save the names of the classes as text."
        )
    values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in array.tolist()]
    return ClassList(source.where, tuple((f"{source.where}, entry {k}", name) for k, name in enumerate(values, 1)))
