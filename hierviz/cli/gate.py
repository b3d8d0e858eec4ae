"""`hierviz gate`: is a candidate at most so much worse than a baseline, for a continuous integration."""

import json
import os
import sys
from dataclasses import replace

from hierviz.cli.judging import GROUP, RESAMPLES, SEED, THREADS, choice_options, judged, note_last_step
from hierviz.cli.output import progress, require_places, write_text
from hierviz.messages.errors import FileError, HiervizError, printable, shown
from hierviz.opening.flags import Option
from hierviz.opening.named_files import run_files
from hierviz.opening.options import with_flags
from hierviz.predictions.predictions import listed_models

BASELINE, CANDIDATE = "baseline", "candidate"
_FORMS = {
    "json": lambda found: json.dumps(with_flags(found.to_dict()), indent=1, ensure_ascii=False) + "\n",
    "markdown": lambda found: found.to_markdown(),
    "junit": lambda found: found.to_junit(),
}


def add_gate(command):
    """The options of `gate`."""
    command.description = (
        "Check that a candidate is at most so much worse than a baseline, by paired intervals. Exits with 0 where every metric "
        "holds, 1 where one fails, 3 where the samples are too few to tell, 2 for bad input, 4 for a bug of hierviz (docs/ci.md)."
    )
    files = [option for option in choice_options() if not option.usage.startswith("--predictions ")]
    return [
        Option(
            "--baseline [NAME=]P",
            "predictions of the model to compare with, or a file that --save-baseline wrote; repeat it for runs of it",
            several=True,
        ),
        Option(
            "--candidate [NAME=]P",
            "predictions of the model that is checked; repeat it for runs of it",
            several=True,
            required=True,
        ),
        *files,
        Option(
            "--metric KEY[=LIMIT]",
            "number of `evaluate` and the largest drop of it that is allowed, in its unit (default: curve.ac=0.01; 0.01 of a "
            "share without a limit); may be given several times",
            several=True,
        ),
        Option(
            "--by depth|node|COLUMN",
            "also fail where a part of the samples drops clearly: by depth of the truth, every class, or a column of the samples",
            several=True,  # refused, where argparse would keep the last
        ),
        Option(
            "--max-drop X",
            "largest drop that is allowed in a part, with --by (default: that of the metric)",
            type=float,
        ),
        Option("--confidence X", "level of the intervals (default: 0.95)", type=float, default=0.95),
        replace(RESAMPLES, help="bootstrap resamples, at least 100 (default: 1000)"),
        SEED,
        GROUP,
        THREADS,
        Option("--json FILE|-", "file for the JSON (- is standard output, in place of the text)"),
        Option("--markdown FILE|-", "file for Markdown, such as the summary of a job"),
        Option("--junit FILE|-", "file for JUnit XML"),
        Option(
            "--save-baseline FILE.npz",
            "keep the candidate as the baseline of later calls, where the gate holds: ids, truth, answers and Pareto table; "
            "without --baseline nothing is compared",
        ),
    ]


def run_gate(options):
    """`hierviz gate`; returns the exit code."""
    from hierviz.comparison.gating._gate import gate

    outputs = {name: path for name in _FORMS if (path := getattr(options, name)) is not None}
    require_places(options, *outputs.values(), options.save_baseline)
    _check(options, outputs)
    metrics = (
        None if options.metric is None else [one for text in options.metric for one in text.split(",") if one.strip()]
    )
    saved = _saved(options)
    named = [(CANDIDATE, text) for text in options.candidate]
    named += [(BASELINE, text) for text in options.baseline or () if text not in saved]
    sides = [
        (side, file)
        for side in (CANDIDATE, BASELINE)
        for file in _of_last_steps(run_files([text for of, text in named if of == side]))
    ]
    options.each_step = True  # a step of one training may be compared with another
    options.predictions = [f"{file.name or side}={file.path}" for side, file in sides]
    chosen = judged(options)
    models = _shown_names(chosen.predictions, [file for _, file in sides])
    by_side = {
        side: [model for model, (of, _) in zip(models, sides, strict=True) if of == side]
        for side in (CANDIDATE, BASELINE)
    }
    rules, thresholds = list(chosen.rules), list(chosen.thresholds)
    if saved:
        from hierviz.readers.baseline_file import load_baseline

        file = run_files(saved)[0]
        kept = load_baseline(file.path, chosen.taxonomy)
        name = file.name or f"{kept.predictions.name} ({os.path.basename(file.path)})"
        by_side[BASELINE] = listed_models({name: kept})
        rules, thresholds = [*rules, rules[0]], [*thresholds, thresholds[0]]
    candidates = _evaluations(by_side[CANDIDATE], chosen, options) if options.save_baseline else by_side[CANDIDATE]
    how = {"rule": rules, "threshold": thresholds, "class_weights": chosen.class_weights, "threads": options.threads}
    how |= {"stage": progress, "group": options.group, "seed": options.seed, **chosen.parameters}
    if not options.baseline:
        return _only_save(options, candidates, metrics, how)
    found = gate(
        by_side[BASELINE],
        candidates,
        metrics,
        by=None if options.by is None else options.by[0],
        max_drop=options.max_drop,
        level=options.confidence,
        resamples=options.resamples,
        **how,
    )
    if metrics is None:
        found.notes.append("no --metric is given: curve.ac may drop by at most 0.01")
    if options.save_baseline and found.passed:
        _save(options, candidates)
    elif options.save_baseline:
        print(f"{options.save_baseline}: not written, since the gate does not hold", file=sys.stderr)
    try:
        for name, path in outputs.items():
            write_text(path, _FORMS[name](found))
        if "-" in outputs.values():
            print(f"{found.verdict} (exit {found.code}): {printable(found.sentence)}", file=sys.stderr)
        else:
            write_text("-", found.to_text())
    except BrokenPipeError:
        pass  # who reads only the first lines must not make it green
    return found.code


def _check(options, outputs):
    """What is wrong with the options together, before anything is read."""
    if list(outputs.values()).count("-") > 1:
        raise FileError(
            "--json, --markdown, --junit: expected one of them on standard output, got several. Name files."
        )
    if not options.baseline and not options.save_baseline:
        raise FileError(
            "--baseline: expected predictions to compare with, got none. Name them, or --save-baseline FILE.npz."
        )
    if not options.baseline:
        given = next((name for name in ("by", "max_drop", *outputs) if getattr(options, name) is not None), None)
        if given is not None:
            raise FileError(
                f"--{given.replace('_', '-')}: expected --baseline with it, got none. Name it, or leave this out."
            )
    if options.save_baseline and len([file for text in options.candidate for file in run_files([text])]) > 1:
        raise FileError("--save-baseline: expected one candidate, got several runs. Save one of them.")
    if options.by is not None and len(options.by) > 1:
        raise FileError(f"--by: expected one, got {' and '.join(map(shown, options.by))}. Run the gate once for each.")
    if options.max_drop is not None and options.by is None:
        raise FileError("--max-drop: expected --by with it, got none. Name the parts, or leave --max-drop out.")


def _of_last_steps(files):
    """The files of one side, of a training the last step, which is said."""
    steps: dict[str, list] = {}
    for file in files:
        if file.step is not None:
            steps.setdefault(file.method, []).append(file.step)
    for name, of in steps.items():
        of.sort()
        if len(of) > 1:
            note_last_step(name, of)
    return [file for file in files if file.step is None or file.step == steps[file.method][-1]]


def _saved(options):
    """Texts of --baseline that name a file of --save-baseline; at most one, and then no other baseline. No candidate is one."""
    from hierviz.readers.baseline_file import is_baseline

    for file in run_files(options.candidate):
        if is_baseline(file.path):
            raise FileError(
                f"--candidate: expected predictions, got {shown(file.path)}, a baseline that --save-baseline wrote. Name it with "
                "--baseline, and the predictions to check with --candidate."
            )
    given = options.baseline or []
    saved = [text for text in given if any(is_baseline(file.path) for file in run_files([text]))]
    if saved and len(given) > 1:
        raise FileError(
            "--baseline: expected one file that --save-baseline wrote, got several baselines. Leave the others out."
        )
    return saved


def _shown_names(models, files):
    """The Predictions under the names of their files, where these tell them apart; with the names that were given."""
    names = [file.name or os.path.basename(os.path.normpath(file.path)) for file in files]
    if len({*names}) < len(names):
        names = [file.name or file.path for file in files]
    return [model.replace(name=name) for model, name in zip(models, names, strict=True)]


def _evaluations(models, chosen, options):
    from hierviz.evaluation.evaluation import Evaluation

    return [
        Evaluation.from_predictions(model, progress(model.name), threshold=threshold, threads=options.threads)
        for model, threshold in zip(models, chosen.thresholds, strict=False)
    ]


def _only_save(options, candidates, metrics, how):
    """Compute what a later call will ask for, and write it."""
    from hierviz.comparison.gating._gate import limits_of
    from hierviz.comparison.table import compare

    asked = limits_of(candidates[0].taxonomy, metrics)
    # Two resamples make everything that those of a gate need.
    compare(candidates, metrics=[one.column.key for one in asked], resamples=2, **how)
    _save(options, candidates)
    return 0


def _save(options, candidates):
    from hierviz.readers.baseline_file import write_baseline

    try:
        write_baseline(candidates[0], options.save_baseline)
    except HiervizError as error:
        raise FileError(f"--save-baseline: {error}") from None
    print(f"{options.save_baseline}: baseline of {candidates[0].n_judged:,} samples written", file=sys.stderr)
