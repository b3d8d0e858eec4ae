"""The options of `hierviz app` that say who may reach it, and which files visitors may name by their path."""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

from hierviz.messages.errors import FileError, shown

ALL_ADDRESSES = ("0.0.0.0", "::")
_NAME = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:]*:[0-9a-f:.]*", re.IGNORECASE)


def add_server_options(command):
    """Add the options to a command."""
    command.add_argument(
        "--host", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1, this machine only)"
    )
    command.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="host name under which browsers on other machines open the app; may be given several times",
    )
    add_path_options(command)


def add_path_options(command):
    """The option that the app itself reads too, after `streamlit run app.py --`."""
    command.add_argument(
        "--allow-paths",
        metavar="FOLDER",
        help="let every visitor open files of this machine by their path, but only inside this folder",
    )


def path_flags(options):
    """The arguments of the app that stand for `add_path_options`.

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
