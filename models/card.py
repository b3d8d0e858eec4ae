"""The measured parts of the model card: everything between two marks in README.md is written here, the rest by hand."""

import hashlib

import numpy as np
from curve import Steps, middle, resampled_areas
from measure import best_leaf, measures, only_one_right
from methods import METHODS

HEADINGS = {
    "leaf_right": ("leaf accuracy", "{:.3f}"),
    "top_level_wrong": ("top-level error", "{:.3f}"),
    "height": ("height of a mistake", "{:.2f}"),
    "correct": ("correct at majority", "{:.3f}"),
    "info_recall": ("information recall at majority", "{:.3f}"),
}
AGAINST_FLAT = "AC minus flat, 95 % interval"


def write_card(folder, tree, on_examples, example_rows, on_field, field_rows):
    """Rewrite the marked parts of README.md in `folder`; skipped, with a word, where there is none.

    Parameters
    ----------
    on_examples : dict of str to ndarray, shape (n_examples, n_nodes)
        Node probabilities of the shipped models.
    example_rows : list of dict
        Rows of examples.csv.
    on_field : dict of str to list of ndarray, shape (n_field, n_nodes)
        Node probabilities, one array per training seed.
    field_rows : list of Conditions, or None
        None leaves the table over several seeds as it is.
    """
    readme = folder / "README.md"
    if not readme.exists():
        print(f"{readme}: no such file, tables not written")
        return
    truth = np.array([tree.number[row["truth"]] for row in example_rows])
    parts = {
        "files": _files(folder),
        "examples": _on_examples(tree, on_examples, truth),
        "conditions": _by_condition(tree, on_examples["flat_softmax"], truth, example_rows),
    }
    if field_rows is not None:
        parts["field"] = _on_field(tree, on_field, np.array([tree.number[row.truth] for row in field_rows]))
    text = readme.read_text(encoding="utf-8")
    for name, table in parts.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise ValueError(f"{readme}: expected a part between <!-- {name} --> and <!-- end -->, found none")
        text = before + mark + table + "\n" + end + after
    readme.write_text(text, encoding="utf-8")


def _table(header, rows):
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def _files(folder):
    rows = []
    for name in METHODS:
        content = (folder / f"{name}.onnx").read_bytes()
        rows.append(
            (
                f"`{name}.onnx`",
                METHODS[name].title,
                f"{len(content):,}".replace(",", " "),
                f"`{hashlib.sha256(content).hexdigest()}`",
            )
        )
    lessons = "\n".join(f"- **{method.title}.** {method.lesson}" for method in METHODS.values())
    return _table(("file", "title", "bytes", "sha256"), rows) + "\n\n" + lessons


def _on_examples(tree, on_examples, truth):
    flat = on_examples["flat_softmax"]
    steps = [Steps.from_probabilities(tree, p, truth) for p in on_examples.values()]
    draws = dict(zip(on_examples, resampled_areas(steps)))
    rows = []
    for (name, p), step in zip(on_examples.items(), steps):
        values = measures(tree, p, truth)
        cells = [form.format(values[key]) for key, (_, form) in HEADINGS.items()]
        cells.append(f"{step.area():.3f} ± {draws[name].std(ddof=1):.3f}")
        cells.append(_against_flat(draws, name))
        won, lost = only_one_right(tree, p, flat, truth)
        cells.append("" if name == "flat_softmax" else f"{won} : {lost}")
        rows.append((METHODS[name].title, *cells))
    headings = (heading for heading, _ in HEADINGS.values())
    return _table(("model", *headings, "AC", AGAINST_FLAT, "correct where flat is wrong : reverse"), rows)


def _on_field(tree, on_field, truth):
    steps = {name: [Steps.from_probabilities(tree, p, truth) for p in repeats] for name, repeats in on_field.items()}
    draws = resampled_areas([step for repeats in steps.values() for step in repeats])
    # The mean over the seeds in each resample: what is left is the noise of the samples.
    draws = dict(zip(steps, draws.reshape(len(steps), -1, draws.shape[1]).mean(1)))
    rows = []
    for name, repeats in on_field.items():
        values = [measures(tree, p, truth) | {"ac": step.area()} for p, step in zip(repeats, steps[name])]
        cells = []
        for key, form in (*((key, form) for key, (_, form) in HEADINGS.items()), ("ac", "{:.3f}")):
            numbers = np.array([value[key] for value in values])
            cells.append(f"{form.format(numbers.mean())} ± {form.format(numbers.std(ddof=1))}")
        rows.append((METHODS[name].title, *cells, _against_flat(draws, name)))
    return _table(("model", *(heading for heading, _ in HEADINGS.values()), "AC", AGAINST_FLAT), rows)


def _against_flat(draws, name):
    """Interval of the difference in AC from flat softmax over the same resamples, as text."""
    if name == "flat_softmax":
        return ""
    low, high = middle(draws[name] - draws["flat_softmax"])
    return f"{low:+.3f} to {high:+.3f}"


def _by_condition(tree, p, truth, example_rows):
    """Where the flat softmax goes wrong: each condition against its absence."""
    leaf = best_leaf(tree, p)
    meet, on_leaves = tree.lowest_common_ancestor(truth, leaf), tree.is_leaf[truth]
    rows = []
    for column in ("unusual_setting", "far", "occluded", "blurred"):
        flag = np.array([row[column] == "yes" for row in example_rows])
        rows.append(
            (
                f"`{column}`",
                *(
                    form.format(value)
                    for part in (flag, ~flag)
                    for form, value in (
                        ("{:d}", int(part.sum())),
                        ("{:.3f}", (leaf == truth)[on_leaves & part].mean()),
                        ("{:.3f}", (meet == 0)[part].mean()),
                    )
                ),
            )
        )
    return _table(
        ("condition", "yes: n", "leaf accuracy", "top-level error", "no: n", "leaf accuracy", "top-level error"), rows
    )
