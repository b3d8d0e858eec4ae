"""The measured parts of the model card: everything between two marks in README.md is written here, the rest by hand."""

import hashlib

import numpy as np
from measure import best_leaf, measures, only_one_right
from methods import METHODS

HEADINGS = {
    "leaf_right": ("leaf right", "{:.3f}"),
    "top_level_wrong": ("top-level wrong", "{:.3f}"),
    "height": ("height of a mistake", "{:.2f}"),
    "correct": ("correct at majority", "{:.3f}"),
    "info_recall": ("information recall at majority", "{:.3f}"),
}


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
    field_rows : list of Conditions
    """
    readme = folder / "README.md"
    if not readme.exists():
        print(f"{readme}: no such file, tables not written")
        return
    truth = np.array([tree.number[row["truth"]] for row in example_rows])
    field_truth = np.array([tree.number[row.truth] for row in field_rows])
    parts = {
        "files": _files(folder),
        "examples": _on_examples(tree, on_examples, truth),
        "field": _on_field(tree, on_field, field_truth),
        "conditions": _by_condition(tree, on_examples["flat_softmax"], truth, example_rows),
    }
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
    rows = []
    for name, p in on_examples.items():
        values = measures(tree, p, truth)
        won, lost = only_one_right(tree, p, on_examples["flat_softmax"], truth)
        rows.append(
            (
                METHODS[name].title,
                *(form.format(values[key]) for key, (_, form) in HEADINGS.items()),
                "" if name == "flat_softmax" else f"{won} : {lost}",
            )
        )
    return _table(
        ("model", *(heading for heading, _ in HEADINGS.values()), "right where flat is wrong : reverse"), rows
    )


def _on_field(tree, on_field, truth):
    rows = []
    for name, repeats in on_field.items():
        values = [measures(tree, p, truth) for p in repeats]
        cells = []
        for key, (_, form) in HEADINGS.items():
            numbers = np.array([value[key] for value in values])
            spread = f" ± {form.format(numbers.std(ddof=1))}" if len(numbers) > 1 else ""
            cells.append(form.format(numbers.mean()) + spread)
        rows.append((METHODS[name].title, *cells))
    return _table(("model", *(heading for heading, _ in HEADINGS.values())), rows)


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
        ("condition", "yes: n", "leaf right", "top-level wrong", "no: n", "leaf right", "top-level wrong"), rows
    )
