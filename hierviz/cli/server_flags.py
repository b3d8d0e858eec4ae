"""Who may reach `hierviz app` and what visitors may bring: its options, and the arguments and settings that they stand for."""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

from hierviz.messages.errors import FileError, shown
from hierviz.opening.flags import Option

ALL_ADDRESSES = ("0.0.0.0", "::")
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:]*:[0-9a-f:.]*", re.IGNORECASE)


OPTIONS = (
    Option("--host ADDRESS", "address to listen on (default: 127.0.0.1, this machine only)"),
    Option(
        "--allow-host NAME",
        "host name under which browsers on other machines open the app; may be given several times",
        several=True,
        default=(),
    ),
    Option("--max-upload-mb N", "maximum size in MB of one uploaded file (default: 1000)", type=int),
)


def path_flags(options):
    """The arguments of the app that say which files visitors may name by their path.

    Raises
    ------
    FileError
        If the folder is none.
    """
    if options.allow_paths is None:
        return []
    if not os.path.isdir(options.allow_paths):  # also of a name that is too long
        raise FileError(f"--allow-paths: expected a folder, got {shown(options.allow_paths)}. Check the path.")
    return ["--allow-paths", str(Path(options.allow_paths).resolve())]


def limit_arguments(options):
    """What visitors may bring, as arguments of the app.

    Raises
    ------
    FileError
        If a limit leaves no room at all.
    """
    for flag in ("max-upload-mb", "max-data-gb", "max-files"):
        value = getattr(options, flag.replace("-", "_"))
        if value is not None and not 0 < value < 1e9:
            raise FileError(
                f"--{flag}: expected a number above 0 and below 1,000,000,000, got {value:g}. Give another one."
            )
    return ["--max-data-gb", str(options.max_data_gb), "--max-files", str(options.max_files)]


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
