"""`hierviz app`: the app in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hierviz.cli.server_flags import OPTIONS, limit_arguments, path_flags, server_settings
from hierviz.messages.errors import FileError
from hierviz.opening.files import OF_FILES, ROLES
from hierviz.opening.flags import Option, add_flags
from hierviz.opening.named_files import method_and_value, run_files
from hierviz.opening.start_options import VISITORS, add_app_options, start_files


def add_app(command):
    """Add the options of `app`."""
    actions = add_app_options(command)
    options = [
        Option("--port N", "port to listen on (default: 8501 or the next free one)", type=int),
        Option("--no-browser", "do not open a browser window"),
        *OPTIONS,
        *VISITORS.values(),
    ]
    add_flags(command, options)
    command.set_defaults(run=run_app, actions=actions)


def run_app(options):
    """`hierviz app`: serve the bundled app until it is ended."""
    import importlib.util
    import runpy

    if importlib.util.find_spec("streamlit") is None:
        raise FileError('app: expected streamlit, got no such package. Run: pip install "hierviz[app]"')
    from hierviz.demo import bundle_folder

    if (options.predictions or options.model) and not options.taxonomy:
        raise FileError("app: expected --taxonomy with --predictions or --model, got none. Name the taxonomy file.")
    if options.demo and (options.taxonomy or options.predictions or options.model):
        raise FileError("--demo: expected no files beside it, got some. Leave one of them out.")
    folder = bundle_folder()
    start_files(options)  # a flag that is no number is said here, not on a page
    files = _named(options)
    sys.argv = [str(folder / "app.py"), *files, *path_flags(options), *limit_arguments(options)]
    runpy.run_path(sys.argv[0])["app"].run(config=_server_settings(folder, options))


def _named(options):
    """The flags of `add_app_options` as they were given, paths in full."""
    from hierviz.readers.streams import require_file

    flags = []
    methods = [file.method for file in run_files(options.predictions)]
    for action in getattr(options, "actions", ()):
        flag, given = action.option_strings[0], getattr(options, action.dest)
        if action.dest == "predictions":
            flags += [f"{flag}={text}" for text in _predictions(given)]
            continue
        for value in given if isinstance(given, list) else [given]:
            if value is None or value is False or value == action.default:
                continue
            name = None
            if action.dest in OF_FILES:
                name, value = method_and_value(flag, value, methods)
            if action.dest in ROLES:
                if not os.path.exists(value):
                    raise FileError(f"{value}: expected a file for {flag}, got nothing there. Check the path.")
                require_file(value)
            value = Path(value).resolve() if action.dest in ROLES else value
            value = value if name is None else f"{name}={value}"
            # With "=", a value such as -1,1 is not taken for a flag.
            flags.append(flag if value is True else f"{flag}={value}")
    return flags


def _predictions(texts):
    """Prediction files as NAME=path, paths in full, of what ``--predictions`` names."""
    from hierviz.readers.streams import require_file

    for file in run_files(texts):
        if not os.path.exists(file.path):
            raise FileError(f"{file.path}: expected a file for --predictions, got nothing there. Check the path.")
        require_file(file.path)
        path = Path(file.path).resolve()
        yield str(path) if file.name is None else f"{file.name}={path}"


def _server_settings(folder, options):
    """Settings of the server by name: those of .streamlit/config.toml, which Streamlit would mix with others, and the options."""
    import tomllib

    settings = {}

    def walk(prefix, table):
        for key, value in table.items():
            walk(f"{prefix}{key}.", value) if isinstance(value, dict) else settings.update({prefix + key: value})

    walk("", tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8")))
    if options.port:
        settings["server.port"] = options.port
    if options.no_browser:
        settings["server.headless"] = True
    if options.max_upload_mb:
        settings["server.maxUploadSize"] = options.max_upload_mb
    return settings | server_settings(options, settings["server.allowedHosts"])
