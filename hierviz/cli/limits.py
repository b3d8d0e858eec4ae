"""The options that limit what visitors of the app may bring."""

from __future__ import annotations

from hierviz.messages.errors import FileError

DATA_GB, FILES = 8.0, 100


def add_limit_options(command):
    """Options that the app reads after `streamlit run app.py --` as well."""
    command.add_argument(
        "--max-data-gb",
        type=float,
        default=DATA_GB,
        metavar="X",
        help=f"maximum size in GB of uploaded files and opened data of all visitors; one visitor has half (default: {DATA_GB:g})",
    )
    command.add_argument(
        "--max-files",
        type=int,
        default=FILES,
        metavar="N",
        help=f"maximum number of uploaded files of one visitor (default: {FILES})",
    )


def add_upload_option(command):
    """The option that Streamlit itself obeys."""
    command.add_argument(
        "--max-upload-mb", type=int, metavar="N", help="maximum size in MB of one uploaded file (default: 1000)"
    )


def limit_arguments(options):
    """The limits as arguments of the app.

    Raises
    ------
    FileError
        If one of them leaves no room at all.
    """
    for flag in ("max-upload-mb", "max-data-gb", "max-files"):
        value = getattr(options, flag.replace("-", "_"))
        if value is not None and not 0 < value < 1e9:
            raise FileError(
                f"--{flag}: expected a number above 0 and below 1,000,000,000, got {value:g}. Give another one."
            )
    return ["--max-data-gb", str(options.max_data_gb), "--max-files", str(options.max_files)]
