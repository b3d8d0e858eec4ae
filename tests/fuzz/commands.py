"""Whole commands: every command with every form of file, damaged or not, and with odd values of its flags.

A command ends with 0, or with 2 and exactly one line on standard error; `doctor` may end with 2 and its findings instead, and
`gate` with 1 or 3.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np

from hierviz import cli
from hierviz.inference.registry import INFERENCE_RULES, rule_parameters
from hierviz.messages.errors import HiervizError
from hierviz.readers.predictions_file import FORMS as PREDICTION_FORMS
from hierviz.readers.taxonomy_file import FORMS as TAXONOMY_FORMS
from tests.small_tree import LEAVES

from .forms import classes, predictions, taxonomies
from .mutations import CELLS, damaged
from .seeds import TRUTH, archive, png, seeds

COMMANDS = ("evaluate", "table", "gate", "curve", "chart", "diagnose", "doctor", "report", "predict", "taxonomy", "app")
# What takes longest comes least often.
_TURNS = ("evaluate", "table", "curve", "diagnose", "doctor", "taxonomy") * 3 + (
    "app",
    "chart",
    "gate",
    "predict",
    "report",
)
LONGEST_LINE = 520
MOST_OUTPUT = 64 << 20
# Of a damaged file: rdflib takes a minute for 5 MB.
MOST_BYTES = 1 << 20
NUMBERS = (
    *(
        "0",
        "1",
        "-1",
        "2",
        "0.5",
        "0.999999999",
        "1.0000001",
        "-0",
        "-0.0",
        "inf",
        "-inf",
        "nan",
        "1e308",
        "-1e308",
        "1e-320",
    ),
    *(
        "1e400",
        "1e9",
        "9" * 12,
        "9" * 25,
        "9" * 5000,
        "4294967296",
        "2147483648",
        "1e5",
        "100001",
        "0x10",
        "1_0",
        "",
        "x",
        "١",
    ),
)
_CHOICES = {
    "rule": (
        "majority",
        "leaf",
        "threshold",
        "darts",
        "information_threshold",
        "threshold_set",
        "crm_leaf",
        "depth_thresholds",
        "at_level",
        "optimal_node",
        "hf_optimal",
    ),
    "parametrisation": (
        "leaf_probabilities",
        "node_probabilities",
        "softmax",
        "conditional_softmax",
        "sigmoid",
        "NOPE",
    ),
    "classes": ("{classes}",),
    "truth": ("{truth}",),
    "nodes": ("nodes.csv",),
    "truth_column": ("truth", "place", "cat", ""),
    "class_weights": ("equal", "weights.csv", "nope"),
    "operating_point": ("point.json",),
    "media": ("pictures.zip", "."),
    "ia": ("ia.csv",),
    "annotations": ("{truth}",),
    "story": ("demo", "point.json"),
    "missing": ("zero", "unknown", "x"),
    "unseen": ("project", "error", "x"),
    "inner_truth": ("own", "other"),
    "preset": ("all", "nope"),
    "metric": ("exact", "curve.ac", "hierarchical_f1", "nope"),
    "metrics": ("curve.ac", "curve.ac,labels.macro_f1_by_depth.2", "labels.x.999999999999999999999", "."),
    "by": ("depth", "n_labels", "train_count", "place", "parents", "nope"),
    "means_by": ("depth", "n_labels", "train_count", "place", "nope"),
    "group": ("place", "text", "nope"),
    "attribute": ("place", "text", "nope"),
    "values": ("support", "recall,precision", "win", ","),
    "open": ("mammal", "cat", "nope"),
    "calibrate": ("mammal", "nope"),
    "flips": ("a", "nope"),
    "sample": ("a", "nope"),
    "severity": ("info_dist", "lca_height", "nope"),
    "loss": ("wrong", "info_dist", "nope"),
    "look_at": ("p", "nope"),
    "cut_level": ("1", "2", "rank", "9" * 30),
    "taxonomy_classes": ("{classes}",),
    "taxonomy_relations": ("is_a", "part_of", ","),
    "inputs": ("pictures.zip", "x.npy", "texts.txt"),
    "model": ("m.onnx", "p"),
    "cluster": ("local:x", "tcp://", "nope"),
    "kind": (
        "curves",
        "rules",
        "fronts",
        "rejection",
        "facets",
        "groups",
        "levels",
        "ranks",
        "methods",
        "agreement",
        "nope",
    ),
    "out": ("out.svg", "out.csv", "out.json", "out.png", "out.parquet", "{taxonomy}", "{predictions}", "-", "."),
    "json": ("out.json", "-", "{taxonomy}", "{predictions}"),
    "csv": ("out.csv", "-", "{taxonomy}"),
    "fix": ("mended", "."),
    "view": ("http://x/Mistakes?rule=leaf", "x"),
    "costs": ("hops", "costs.csv", "nope"),
    "host": ("127.0.0.1", "x y"),
    "allow_paths": (".", "nope"),
    "size": ("8x8", "0x8", "9x" + "9" * 30, "x"),
    "range": ("0,1", "nan,1", "1e308,-1e308", "x"),
}
_NUMBERS_AS_TEXT = ("threshold", "depth_thresholds", "mean", "std", "resize", "crop", "pad")
# What needs a network, another machine or hours, or is tried elsewhere.
_LEFT_OUT = ("help", "version", "demo", "verify", "host")


@dataclass(frozen=True)
class Case:
    """A command and the files that lie in its folder."""

    arguments: list
    files: dict

    def write(self, folder):
        """Write the files; returns the folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder

    def run(self, folder):
        """Run it in its folder; returns, raises a HiervizError with its one line, or an AssertionError."""
        before = os.getcwd()
        os.chdir(folder)
        try:
            code, said, told = outcome(self.arguments, folder)
        finally:
            os.chdir(before)
        shown = f"hierviz {' '.join(self.arguments)!a}: exit {code}, {told[-1500:]!r}"
        assert len(said) <= MOST_OUTPUT, f"{shown}: {len(said)} bytes"
        assert all(len(line) <= LONGEST_LINE for line in told.split("\n")), shown
        if code == 0 or (code in (1, 3) and self.arguments[0] == "gate"):
            assert "Traceback" not in told, shown
            assert "Warning" not in told, shown
            return
        lines = told.splitlines()
        assert code == 2, shown
        if self.arguments[0] == "doctor" and not told:
            return
        assert len(lines) == 1, shown
        assert lines[0].startswith("hierviz"), shown
        raise HiervizError(lines[0].partition(": ")[2])


def outcome(arguments, folder):
    """(exit code, standard output, standard error) of a command in this process, by the descriptors: libraries write too."""
    kept = [os.dup(1), os.dup(2)]
    files = [open(folder / name, "w+b") for name in (".said", ".told")]  # noqa: SIM115
    try:
        for descriptor, file in enumerate(files, 1):
            os.dup2(file.fileno(), descriptor)
        try:
            with mock.patch("runpy.run_path", return_value=mock.MagicMock()):  # no server
                code = cli.main(arguments)
        except SystemExit as ended:
            code = ended.code or 0
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        for file in files:
            file.seek(0)
        return code, files[0].read(), files[1].read().decode(errors="backslashreplace")
    finally:
        for descriptor, number in enumerate(kept, 1):
            os.dup2(number, descriptor)
            os.close(number)
        for file in files:
            file.close()


@cache
def actions():
    """Dict of command to its flags: list of argparse.Action."""
    commands = next(a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
    assert set(commands) == set(COMMANDS)
    return {name: [a for a in parser._actions if a.dest not in _LEFT_OUT] for name, parser in commands.items()}


@cache
def _beside():
    """Files that flags name."""
    point = next(content for role, _, content in seeds() if role == "point")
    costs = "predicted,truth,cost\n" + "".join(f"{a},{b},{int(a != b)}\n" for a in LEAVES for b in LEAVES)
    made = {
        "nodes.csv": "node,name,train_count\ncat,the cat,10\ndog,,20\nnewt,a newt,\n",
        "weights.csv": "node,weight\ncat,1\ndog,2\nduck,0.5\nnewt,0\n",
        "costs.csv": costs,
        "ia.csv": "cat\t1\ndog\t2\nmammal\t0.5\n",
        "texts.txt": "one\ntwo\nthree\n",
        "truth.csv": TRUTH,
        "pictures.zip": archive(a__png=png(), b__png=png(), c__png=png()),
        "point.json": point,
        "x.npy": next(content for _, name, content in seeds() if name == "x.npy"),
    }
    return {name: content.encode() if isinstance(content, str) else content for name, content in made.items()}


@cache
def model():
    """A small model of four classes."""
    from tests.onnx_models.mutants import originals

    return bytes(originals()[0])


def command(seed, number):
    """One case, always the same for the same seed and number; forms and commands take turns."""
    rng = np.random.default_rng((seed, number))
    turn, place = divmod(number, len(_TURNS))
    name = _TURNS[place]
    of_taxonomy = list(taxonomies().items())[turn % len(taxonomies())]
    of_predictions = list(predictions().items())[int(rng.integers(len(predictions())))]
    of_classes = list(classes().items())[int(rng.integers(len(classes())))]
    files = dict(_beside())
    taxonomy = "t" if not of_taxonomy[1][0] else f"t/{of_taxonomy[1][0]}"
    files |= {f"t/{file}": content for file, content in of_taxonomy[1][1].items()}
    files_of_taxonomy = [file for file in files if file.startswith("t/")]
    scores, class_list = f"p/{of_predictions[1][0]}", f"c/{of_classes[1][0]}"
    files |= {scores: of_predictions[1][1], class_list: of_classes[1][1]}
    if name == "predict":
        files["m.onnx"] = model()
    damage, beside = rng.random(), sorted(_beside())
    for share, mine in ((0.2, files_of_taxonomy), (0.4, [scores]), (0.43, [class_list]), (0.46, beside)):
        if damage < share:
            file = _pick(rng, mine)
            others = [(None, None, content) for _, inside in taxonomies().values() for content in inside.values()]
            for _ in range(int(rng.choice([1, 1, 2, 3]))):
                files[file] = damaged(rng, Path(file).name, files[file], others)[:MOST_BYTES]
            break
    named = {"taxonomy": taxonomy, "predictions": scores, "classes": class_list, "truth": "truth.csv"}
    return Case(_arguments(rng, name, named, 0 if damage < 0.46 else int(rng.integers(4))), files)


_OF_KIND = {"chart": ("methods", "--out", "out.csv"), "report": ("--out", "out.html"), "taxonomy": ("t/t.csv",)}


@cache
def numeric_flags():
    """List of (command, flag, value): every flag of numbers with every one of `NUMBERS`."""
    return [
        (name, action.option_strings[0], value)
        for name, flags in actions().items()
        for action in flags
        if (action.type in (int, float) or action.dest in _NUMBERS_AS_TEXT) and action.choices is None
        for value in NUMBERS
    ]


@cache
def said_forms():
    """List of (command, form, file of another one): every form of taxonomies and predictions said of every file."""
    files = list(taxonomies()) + [form for form, (name, _) in predictions().items() if name.endswith(".json")]
    found = [("taxonomy", form, file) for form in TAXONOMY_FORMS for file in files]
    return found + [("evaluate", form, file) for form in PREDICTION_FORMS for file in predictions()]


def n_exhaustive():
    """How many cases `exhaustive_case` has."""
    return len(numeric_flags()) + len(said_forms())


def exhaustive_case(number):
    """Each of `numeric_flags`, then each of `said_forms`."""
    n_flags = len(numeric_flags())
    if number < n_flags:
        return _flag_case(*numeric_flags()[number])
    command, form, of = said_forms()[number - n_flags]
    if command == "taxonomy":
        name, files = taxonomies().get(of) or ("p.json", {"p.json": predictions()[of][1]})
        files = {f"t/{file}": content for file, content in files.items()}
        return Case(["taxonomy", f"t/{name}" if name else "t", "--taxonomy-form", form], files)
    name, content = predictions()[of]
    files = {"t.csv": taxonomies()["edges"][1]["t.csv"], name: content, "truth.csv": TRUTH.encode()}
    said = ["--predictions", name, "--predictions-form", form, "--truth", "truth.csv"]
    return Case(["evaluate", "--taxonomy", "t.csv", *said], files)


def _flag_case(name, flag, value):
    """A command on whole files with one flag."""
    arguments = [name, *_OF_KIND.get(name, ())]
    arguments += [] if name == "taxonomy" else ["--taxonomy", "t/t.csv"]
    files = {
        "t/t.csv": taxonomies()["edges"][1]["t.csv"],
        "p.csv": predictions()["p.csv"][1],
        "truth.csv": TRUTH.encode(),
    }
    if name == "predict":
        files |= {"m.onnx": model(), "x.npy": _beside()["x.npy"], "classes.txt": classes()["classes.txt"][1]}
        arguments += ["--model", "m.onnx", "--inputs", "x.npy", "--out", "out.csv", "--classes", "classes.txt"]
    else:
        files["q.csv"] = files["p.csv"]
        arguments += ["--baseline" if name == "gate" else "--predictions", "p.csv", "--truth", "truth.csv"]
        arguments += ["--candidate", "q.csv"] if name == "gate" else []
        arguments += ["--predictions", "q.csv"] if name in ("chart", "table", "report") else []
        arguments += ["--values", "support"] if name == "taxonomy" and flag != "--depth" else []
    key = flag.strip("-").replace("-", "_")
    if key in rule_parameters():
        rules = [rule for rule, entry in INFERENCE_RULES.items() if key in entry.parameters and rule != "threshold_set"]
        kinds = ["groups" if part == "methods" else part for part in arguments] if name == "chart" else arguments
        arguments = [*kinds, "--rule", rules[0]]
    return Case([*arguments, f"{flag}={value}"], files)


def _pick(rng, values):
    return values[int(rng.integers(len(values)))]


def _arguments(rng, name, named, n_flags):
    """The command with the files it needs, and some flags more."""
    arguments, flags = [name], {a.dest: a for a in actions()[name]}
    if name == "taxonomy":
        arguments.append(named["taxonomy"])
        of_scores = rng.random() < 0.5
        arguments += ["--predictions", named["predictions"], "--values", "support"] if of_scores else []
    else:
        if name == "chart":
            arguments.append(_pick(rng, _CHOICES["kind"]))
        arguments += ["--taxonomy", named["taxonomy"]]
        if name == "gate":
            arguments += ["--baseline", named["predictions"], "--candidate", named["predictions"]]
        elif name != "predict":
            arguments += ["--predictions", named["predictions"]]
    if name == "predict":
        arguments += ["--model", "m.onnx", "--inputs", "x.npy", "--out", "out.csv"]
        arguments += ["--classes", named["classes"]] if rng.random() < 0.8 else []
    if name == "report":
        arguments += ["--out", "out.html"]
    if name == "chart":
        arguments += ["--out", f"out.{_pick(rng, ('csv', 'csv', 'json', 'svg', 'png'))}"]
    if "truth" in flags and rng.random() < 0.6:
        arguments += ["--truth", named["truth"]]
    if name in ("table", "chart") and rng.random() < 0.9:
        arguments += ["--resamples", "20"]
    odd = [key for key in flags if flags[key].option_strings]
    for _ in range(n_flags):
        action = flags[_pick(rng, odd)]
        arguments += [action.option_strings[0], *_value(rng, action, named)]
    return arguments


def _value(rng, action, named):
    if action.nargs == 0:
        return []
    if action.choices is not None and rng.random() < 0.9:
        return [str(_pick(rng, list(action.choices)))]
    if action.type in (int, float) or action.dest in _NUMBERS_AS_TEXT:
        return [_pick(rng, NUMBERS)]
    if rng.random() < 0.15:
        return [_pick(rng, CELLS).replace("\0", "0")]
    text = _pick(rng, _CHOICES.get(action.dest, ("out.csv" if "FILE" in str(action.metavar) else "cat", "x")))
    return [named.get(text[1:-1], text)]
