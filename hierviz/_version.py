"""The version of the installed package."""


def version():
    """Version of the installed package as text."""
    # Finding it takes half as long as the rest of `import hierviz`.
    import importlib.metadata

    try:
        return importlib.metadata.version("hierviz")
    except importlib.metadata.PackageNotFoundError:
        return "0+unknown"
