"""`hierviz app`: the app in the browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hierviz.cli.files import add_app_options
from hierviz.cli.model_flags import model_options
from hierviz.errors import FileError

PATHS = ("taxonomy", "predictions", "truth", "classes", "model", "inputs", "nodes", "media")


def add_app(commands):
    """Add the command `app`."""
    command = commands.add_parser("app", help="open the app in the browser, on the bundled demo or on these files")
    actions = add_app_options(command)
    command.add_argument("--port", type=int, help="port to listen on (8501 or the next free one)")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    command.set_defaults(run=run_app, actions=actions)


def run_app(options):
    """`hierviz app`: start Streamlit on the bundled app as a process of its own."""
    import importlib.util
    import signal
    import subprocess

    if importlib.util.find_spec("streamlit") is None:
        raise FileError("app: expected streamlit, got no such package. Run: pip install 'hierviz[app]'")
    from hierviz.demo import bundle_folder

    if (options.predictions or options.model) and not options.taxonomy:
        raise FileError("app: expected --taxonomy with --predictions or --model, got none. Name the taxonomy file.")
    folder = bundle_folder()
    model_options(options)  # a flag that is no number is said here, not on a page
    files = _named(options)
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py"), *_server_flags(folder)]
    command += ["--server.port", str(options.port)] if options.port else []
    command += ["--server.headless", "true"] if options.no_browser else []
    server = subprocess.Popen([*command, "--", *files])
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    while True:
        try:
            return server.wait()
        except KeyboardInterrupt:  # it may not have got that itself; then it ends in order, without uploads left behind
            server.terminate()


def _named(options):
    """The flags of `add_app_options` as they were given, paths in full."""
    from hierviz.readers.streams import require_file

    flags = []
    for action in getattr(options, "actions", ()):
        flag, given = action.option_strings[0], getattr(options, action.dest)
        for value in given if isinstance(given, list) else [given]:
            if value is None or value is False or value == action.default:
                continue
            if action.dest in PATHS:
                if not os.path.exists(value):
                    raise FileError(f"{value}: expected a file for {flag}, got nothing there. Check the path.")
                require_file(value)
            value = Path(value).resolve() if action.dest in PATHS else value
            # With "=", a value such as -1,1 is not taken for a flag.
            flags.append(flag if value is True else f"{flag}={value}")
    return flags


def _server_flags(folder):
    """The settings of .streamlit/config.toml as flags: Streamlit itself reads that file only in its own folder."""
    import tomllib

    settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    flat = {}

    def walk(prefix, table):
        for key, value in table.items():
            walk(f"{prefix}{key}.", value) if isinstance(value, dict) else flat.update({prefix + key: value})

    walk("", settings)
    return [f"--{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in flat.items()]
