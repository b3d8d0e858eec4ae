"""`hierviz app`: the app in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hierviz.cli.files import add_app_options
from hierviz.cli.limits import add_limit_options, add_upload_option, limit_arguments
from hierviz.cli.model_flags import model_options
from hierviz.cli.named_files import method_and_value, run_files, shared_and_own
from hierviz.cli.server_flags import add_server_options, path_flags, server_settings
from hierviz.messages.errors import FileError

PATHS = ("taxonomy", "predictions", "truth", "classes", "model", "inputs", "nodes", "media", "taxonomy_classes")
# That may hold for one prediction file only.
OF_FILES = ("classes", "parametrisation")


def add_app(commands):
    """Add the command `app`."""
    command = commands.add_parser("app", help="open the app in the browser, with the bundled demo or the given files")
    actions = add_app_options(command)
    command.add_argument("--port", type=int, help="port to listen on (default: 8501 or the next free one)")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    add_server_options(command)
    add_upload_option(command)
    add_limit_options(command)
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
    model_options(options)  # a flag that is no number is said here, not on a page
    methods = [file.method for file in run_files(options.predictions)]
    for name in OF_FILES:
        shared_and_own(f"--{name}", getattr(options, name), methods)
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
            if action.dest in PATHS:
                if not os.path.exists(value):
                    raise FileError(f"{value}: expected a file for {flag}, got nothing there. Check the path.")
                require_file(value)
            value = Path(value).resolve() if action.dest in PATHS else value
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
