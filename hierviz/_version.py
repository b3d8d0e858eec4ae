"""The version of the installed package."""

import importlib.metadata


def version():
    """Version of the installed package as text."""
    try:
        return importlib.metadata.version("hierviz")
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"
