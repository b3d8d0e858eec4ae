"""A program of its own: opens, inspects, loads and runs foreign ONNX models away from the app.

    python -I child [--serve] FOLDERS

FOLDERS is a JSON list of folders with packages. Without --serve, one more argument names the folder of one job. With it,
lines of JSON come in on standard input, ["start", folder, folder of the model] or ["kill", folder], and each job gets a
fork of its own: the imports are paid once. Nothing of hierviz is imported here.
"""

import json
import sys


def _find_packages(folders):
    """Make packages importable that -I hides (such as those of the user), after the standard library."""
    places = [
        at for at, folder in enumerate(sys.path) if folder.rstrip("/\\").endswith(("site-packages", "dist-packages"))
    ]
    at = places[0] if places else len(sys.path)
    sys.path[at:at] = [folder for folder in folders if folder not in sys.path]


if __name__ == "__main__":
    serving = sys.argv[1] == "--serve"
    _find_packages(json.loads(sys.argv[2 if serving else 1]))
    if serving:
        from child_serve import serve

        serve()
    else:
        from child_job import do

        do(sys.argv[2])
