"""The `hierviz` command: open the app, evaluate files, export curves, run models.

Exit codes: 0 done, 2 bad input (one line on standard error), 1 a bug of ours (with its traceback).
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

import numpy as np

from hierviz.errors import FileError, HiervizError, ModelError
from hierviz.evaluation import NODE_COLUMNS, Evaluation
from hierviz.inference import INFERENCE_RULES
from hierviz.parametrisation import PARAMETRISATIONS
from hierviz.predictions import with_distinct_names
from hierviz.summary import evaluate, require_same_samples, version


def main(arguments=None):
    """Run the command line; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    options = parser().parse_args(arguments or ["app"])
    try:
        return options.run(options) or 0
    except HiervizError as error:
        # One line, but every space of a value that the message shows.
        print(f"hierviz: {' '.join(str(error).splitlines())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output went away, for example `hierviz evaluate ... | head`.
        sys.stderr.close()
        return 0


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are bad input: one line on standard error, without the usage."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {' '.join(message.splitlines())}. Run: {self.prog} --help\n")


def parser():
    """The argument parser of all commands."""
    top = _Parser(prog="hierviz", description="Look at a hierarchical classifier's mistakes.")
    top.add_argument("--version", action="version", version=f"hierviz {version()}")
    commands = top.add_subparsers(metavar="command", title="commands")

    app = commands.add_parser("app", help="open the app in the browser, on the bundled demo or on these files")
    add_app_options(app)
    app.add_argument("--port", type=int, help="port to listen on (8501 or the next free one)")
    app.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    app.set_defaults(run=run_app)

    evaluate = commands.add_parser("evaluate", help="every metric of one or several models, as JSON")
    _add_input(evaluate, several=True)
    evaluate.add_argument(
        "--rule", default="majority", metavar="KEY", help=f"one of {', '.join(INFERENCE_RULES)} (majority)"
    )
    evaluate.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="X",
        help="threshold of the rules `threshold` and `threshold_set` and of the block `labels` (0.5)",
    )
    evaluate.add_argument(
        "--bits", type=float, default=1.0, metavar="Z", help="of rule `information_threshold`, in bits (1)"
    )
    evaluate.add_argument("--lam", type=float, default=1.0, metavar="L", help="lambda of rule `darts`, in bits (1)")
    evaluate.add_argument(
        "--keep-empty-labels", action="store_true", help="an empty label is a predicted node of its own"
    )
    evaluate.add_argument("--nodes", metavar="F", help="CSV of node attributes: node, name, train_count, ...")
    evaluate.add_argument("--media", metavar="DIR|ZIP", help="pictures named by the column `image` or `file`")
    evaluate.add_argument("--json", default="-", metavar="FILE|-", help="where the JSON goes (- is standard output)")
    evaluate.add_argument("--per-sample", metavar="FILE.csv", help="one row per sample with its metrics and counts")
    evaluate.set_defaults(run=run_evaluate)

    curve = commands.add_parser("curve", help="the operating curve of a model: one row per threshold")
    _add_input(curve, several=False)
    curve.add_argument("--csv", default="-", metavar="FILE|-", help="where the CSV goes (- is standard output)")
    curve.set_defaults(run=run_curve)

    predict = commands.add_parser("predict", help="run an ONNX model and write its probabilities")
    predict.add_argument("--model", required=True, metavar="M.onnx")
    predict.add_argument("--taxonomy", required=True, metavar="T")
    predict.add_argument("--inputs", metavar="I", help="folder or zip of pictures, .npy or .npz")
    predict.add_argument(
        "--classes", metavar="F", help="node of each output column: one per line, or a CSV with such a column"
    )
    predict.add_argument("--parametrisation", metavar="KEY", help=f"one of {', '.join(PARAMETRISATIONS)}")
    predict.add_argument("--out", metavar="P.parquet", help="Parquet or CSV of probabilities")
    predict.add_argument("--inspect", action="store_true", help="only print what the model file says")
    predict.set_defaults(run=run_predict)
    return top


def _add_input(command, *, several):
    command.add_argument(
        "--taxonomy", required=True, metavar="T", help="edge list, level columns, paths, JSON or .taxonomy"
    )
    command.add_argument(
        "--predictions",
        required=True,
        metavar="P",
        action="append",
        help="scores or labels: CSV, TSV, Parquet, .npy, .npz" + ("; may be given several times" if several else ""),
    )
    command.add_argument("--truth", metavar="F", help="file of the truth, when it is not in the predictions")
    command.add_argument("--truth-column", metavar="C", help="column of the truth")
    command.add_argument(
        "--classes", metavar="F", help="node of each score column: one per line, or a CSV with such a column"
    )
    command.add_argument(
        "--parametrisation", metavar="KEY", help=f"how scores become probabilities: {', '.join(PARAMETRISATIONS)}"
    )


def add_app_options(command):
    """Options that say which files the app opens; the app reads the same ones after `streamlit run app.py --`."""
    command.add_argument("--taxonomy", metavar="T")
    command.add_argument("--predictions", metavar="P", action="append", default=[])
    command.add_argument("--truth", metavar="F")
    command.add_argument("--truth-column", metavar="C")
    command.add_argument("--classes", metavar="F")
    command.add_argument("--parametrisation", metavar="KEY")
    command.add_argument("--model", metavar="M.onnx", action="append", default=[])
    command.add_argument("--inputs", metavar="I", help="pictures or arrays for --model")
    command.add_argument("--nodes", metavar="F")
    command.add_argument("--media", metavar="DIR|ZIP")


def load_models(options, *, keep_empty_labels=False):
    """Taxonomy and Predictions that the options of `evaluate` and `curve` name."""
    from hierviz.readers import load_predictions, load_taxonomy, read_node_attributes

    taxonomy = load_taxonomy(options.taxonomy)
    if getattr(options, "nodes", None):
        taxonomy = read_node_attributes(options.nodes, taxonomy)
    models = [
        load_predictions(
            path,
            taxonomy,
            truth=options.truth,
            parametrisation=options.parametrisation,
            classes=options.classes,
            truth_column=options.truth_column,
            keep_empty_labels=keep_empty_labels,
        )
        for path in options.predictions
    ]
    return taxonomy, with_distinct_names(models)


def run_evaluate(options):
    """`hierviz evaluate`."""
    if options.per_sample == "-":
        raise FileError("--per-sample: expected a file, got -, which is for the JSON. Name a CSV file.")
    _, predictions = load_models(options, keep_empty_labels=options.keep_empty_labels)
    if options.media:
        from hierviz.readers import attach_media

        predictions = [attach_media(one, options.media) for one in predictions]
    require_same_samples(predictions)
    models = [Evaluation.of(one, progress=_progress(one.name)) for one in predictions]
    choice = {name: getattr(options, name) for name in ("rule", "threshold", "bits", "lam")}
    found = evaluate(models, **choice)
    if options.per_sample:
        _write_csv(options.per_sample, *per_sample_table(models, choice))
    _write_text(options.json, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def run_curve(options):
    """`hierviz curve`."""
    _, predictions = load_models(options)
    if len(predictions) != 1:
        raise FileError(
            f"--predictions: expected one file for a curve, got {len(predictions)}. Run the command once per model."
        )
    model = Evaluation.of(predictions[0], progress=_progress(predictions[0].name))
    curve = model.curve
    # The first point holds for every threshold from the first breakpoint up.
    table = {"threshold": np.append(1.0, curve.threshold), **curve.values}
    if len(curve.threshold) and curve.threshold[0] > 1:
        table["threshold"][0] = curve.threshold[0]
    _write_csv(options.csv, list(table), zip(*(column.tolist() for column in table.values())))


def run_predict(options):
    """`hierviz predict`."""
    from hierviz.readers import load_inputs, load_model, load_taxonomy, write_predictions
    from hierviz.readers.predictions_writer import check_target

    taxonomy = load_taxonomy(options.taxonomy)
    model = load_model(options.model, taxonomy, classes=options.classes, parametrisation=options.parametrisation)
    if options.inspect:
        _write_text("-", "".join(f"{key}: {value}\n" for key, value in model.account.items()))
        return
    for flag, value in (("--inputs", options.inputs), ("--out", options.out)):
        if not value:
            raise ModelError(
                f"predict: expected {flag}, got nothing. Name it, or use --inspect to only look at the model."
            )
    check_target(options.out)
    inputs = load_inputs(options.inputs, model)
    predictions = model.predict(inputs, progress=_progress(model.name))
    write_predictions(predictions, options.out)
    print(f"wrote {predictions.n_samples} rows to {options.out}", file=sys.stderr)


def run_app(options):
    """`hierviz app`: start Streamlit on the bundled app as a process of its own."""
    import importlib.util
    import subprocess

    if importlib.util.find_spec("streamlit") is None:
        raise FileError("app: expected streamlit, got no such package. Run: pip install 'hierviz[app]'")
    from hierviz.readers.demo import bundle_folder

    if (options.predictions or options.model) and not options.taxonomy:
        raise FileError("app: expected --taxonomy with --predictions or --model, got none. Name the taxonomy file.")
    folder = bundle_folder()
    files = []
    for flag in ("taxonomy", "predictions", "truth", "classes", "model", "inputs", "nodes", "media"):
        given = getattr(options, flag)
        for path in given if isinstance(given, list) else [given] if given else []:
            if not Path(path).exists():
                raise FileError(f"{path}: expected a file for --{flag}, got nothing there. Check the path.")
            files += [f"--{flag}", str(Path(path).resolve())]
    for flag in ("truth-column", "parametrisation"):
        value = getattr(options, flag.replace("-", "_"))
        files += [f"--{flag}", value] if value else []
    command = [sys.executable, "-m", "streamlit", "run", str(folder / "app.py"), *_server_flags(folder)]
    command += ["--server.port", str(options.port)] if options.port else []
    command += ["--server.headless", "true"] if options.no_browser else []
    try:
        return subprocess.run([*command, "--", *files], check=False).returncode
    except KeyboardInterrupt:
        return 0


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


def per_sample_table(models, choice):
    """Header and rows of `--per-sample`: one row per model and sample, nodes by name."""
    tables = [(model, model.per_sample(**choice)) for model in models]
    columns = list(dict.fromkeys(key for _, table in tables for key in table if key != "row"))
    rows = []
    for model, table in tables:
        n = len(table["row"])
        shown = []
        for key in columns:
            values = table.get(key)
            if values is None:
                shown.append([""] * n)
            elif key in NODE_COLUMNS:
                shown.append([model.taxonomy.names[node] for node in values.tolist()])
            else:
                shown.append(["Infinity" if value == float("inf") else value for value in values.tolist()])
        rows += [(model.predictions.name, *row) for row in zip(*shown)]
    return ["model", *columns], rows


def _write_csv(path, header, rows):
    def write(file):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)

    _write(path, write)


def _write_text(path, text):
    _write(path, lambda file: file.write(text))


def _write(path, write):
    try:
        if path == "-":
            # JSON and CSV are UTF-8 whatever the terminal's own encoding.
            if hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(encoding="utf-8")
            write(sys.stdout)
            sys.stdout.flush()
            return
        with open(path, "w", encoding="utf-8", newline="") as file:
            write(file)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "standard output" if path == "-" else path
        raise FileError(
            f"{where}: expected a file that can be written, got: {error.strerror}. Choose another place."
        ) from None


def _progress(name):
    """A progress line on standard error, only when that is a terminal."""
    if not sys.stderr.isatty():
        return None

    def report(done, total):
        print(f"\r{name}: {done} of {total}", end="\n" if done >= total else "", file=sys.stderr, flush=True)

    return report
