"""`hierviz app`: the app in the browser."""

import os
import re
import socket
import sys
from pathlib import Path

from hierviz.messages.errors import FileError, shown
from hierviz.opening.files import files_of, flags_of
from hierviz.opening.flags import Option, repeated
from hierviz.opening.model_settings import LIMITS, MODEL_OPTIONS, PREPROCESSING
from hierviz.opening.options import CLUSTER, DEMO, VISITORS, add_app_options, start_files

ALL_ADDRESSES = ("0.0.0.0", "::")
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:]*:[0-9a-f:.]*", re.IGNORECASE)


OPTIONS = (
    Option("--host ADDRESS", "address to listen on (default: 127.0.0.1, this machine only)"),
    repeated("--allow-host NAME", "host name under which browsers on other machines open the app"),
    Option("--max-upload-mb N", "maximum size in MB of one uploaded file (default: 1000)", type=int),
)


def add_app(command):
    """The options of `app`."""
    add_app_options(command)
    return [
        Option("--port N", "port to listen on (default: 8501 or the next free one)", type=int),
        Option("--no-browser", "do not open a browser window"),
        CLUSTER,
        *OPTIONS,
        *VISITORS.values(),
    ]


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
        raise FileError("--demo: expected no files with it, got some. Leave one of them out.")
    if options.cluster:
        _check_cluster(options)
    folder = bundle_folder()
    start_files(options)  # a flag that is no number is reported here, not on a page
    files = _named(options)
    cluster = [f"--cluster={options.cluster}"] if options.cluster else []
    sys.argv = [str(folder / "app.py"), *files, *cluster, *visitor_arguments(options)]
    runpy.run_path(sys.argv[0])["app"].run(config=_server_settings(folder, options))


def _check_cluster(options):
    """Raise an error unless there is something for a cluster to do, and its address is one."""
    from hierviz.cluster.connection import local_workers

    if not options.predictions or options.model:
        raise FileError(
            f"--cluster: expected --predictions with it{' and no --model' * bool(options.model)}, got others. Leave it out."
        )
    local_workers(options.cluster)


def _named(options):
    """The flags of `add_app_options` as they were given, paths in full."""
    from hierviz.readers.temporary_files import require_file

    files = files_of(options)
    for name, path in files.named_paths:
        flag = f"--{'classes' if name == 'classes_of' else name.replace('_', '-')}"
        if not os.path.exists(path):
            raise FileError(f"{path}: expected a file for {flag}, got nothing there. Check the path.")
        require_file(path)
    flags = flags_of(files.with_paths(lambda path: str(Path(path).resolve())))
    for option in (DEMO, *MODEL_OPTIONS.values(), *PREPROCESSING.values(), *LIMITS.values()):
        flag = option.usage.split()[0].split("/")[0]
        given = getattr(options, flag.strip("-").replace("-", "_"))
        for value in given if isinstance(given, list) else [given]:
            if value is not None and value is not False and value != option.default:
                flags.append((flag, None if value is True else value))
    # With "=", a value such as -1,1 is not taken for a flag.
    return [flag if value is None else f"{flag}={value}" for flag, value in flags]


def _server_settings(folder, options):
    """Settings of the server by name: those of .streamlit/config.toml, which Streamlit would mix with others, and the options."""
    import tomllib

    settings = {}

    def walk(prefix, table):
        for key, value in table.items():
            walk(f"{prefix}{key}.", value) if isinstance(value, dict) else settings.update({prefix + key: value})

    walk("", tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8")))
    given = {"port": options.port, "headless": options.no_browser, "maxUploadSize": options.max_upload_mb}
    settings |= {f"server.{name}": value for name, value in given.items() if value}
    return settings | server_settings(options, settings["server.allowedHosts"])


def visitor_arguments(options):
    """What visitors may bring and name by its path, as arguments of the app.

    Raises
    ------
    FileError
        If a limit leaves no room at all, or the folder is none.
    """
    for flag in ("max-upload-mb", "max-data-gb", "max-files"):
        value = getattr(options, flag.replace("-", "_"))
        if value is not None and not 0 < value < 1e9:
            raise FileError(
                f"--{flag}: expected a number above 0 and below 1,000,000,000, got {value:g}. Give another one."
            )
    limits = ["--max-data-gb", str(options.max_data_gb), "--max-files", str(options.max_files)]
    limits += ["--no-model-uploads"] if options.no_model_uploads else []
    if options.allow_paths is None:
        return limits
    if not os.path.isdir(options.allow_paths):  # also of a name that is too long
        raise FileError(f"--allow-paths: expected a folder, got {shown(options.allow_paths)}. Check the path.")
    return ["--allow-paths", str(Path(options.allow_paths).resolve()), *limits]


def server_settings(options, local_names):
    """Settings of the server by name, for the options.

    Parameters
    ----------
    options : argparse.Namespace
    local_names : list of str
        That requests may ask for in any case.

    Raises
    ------
    FileError
        If an address or a name is none.
    """
    names = [*local_names, *(_checked_name(name) for name in options.allow_host)]
    if not options.host:
        return {"server.allowedHosts": names}
    address = options.host.strip("[]")
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
            probe.bind((address, 0))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "no such name"
        raise FileError(
            f"--host: expected an address of this machine, got {options.host!r} ({reason}). Give 0.0.0.0 for all of them."
        ) from None
    if address not in ALL_ADDRESSES:
        names.append(address.lower())
    elif not options.allow_host:
        print(
            "hierviz: browsers on other machines are refused unless the host name that they use is given: --allow-host NAME",
            file=sys.stderr,
        )
    return {"server.address": address, "server.allowedHosts": list(dict.fromkeys(names))}


def _checked_name(name):
    if not _NAME.fullmatch(name.strip("[]")):
        raise FileError(
            f"--allow-host: expected the host name or address that browsers use, got {name!r}. Leave out http://, the "
            "port and the path; write other letters than a to z as the browser does (xn--...)."
        )
    return name.strip("[]").lower()
