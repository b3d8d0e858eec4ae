"""Picture files in memory and in zips."""

import io
import zipfile


def png(image, array, **more):
    """Bytes of a PNG file; `image` is Pillow's Image module."""
    made = io.BytesIO()
    image.fromarray(array).save(made, "PNG", **more)
    return made.getvalue()


def zipped(path, files):
    """Write a zip of names and contents."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
