"""The paper draft, with numbers computed from the bundled demos.

python docs/paper_text.py > docs/paper.md
"""

import hierviz as hv
from hierviz.demo import load_demo, load_wikipedia

TEXT = """# hierviz: the mistakes of hierarchical classifiers

*Draft. Written by `python docs/paper_text.py`, which computes every number from the demos that hierviz brings.*

## Summary

Classifiers of species, products, diseases or texts choose among classes that form a tree. A wrong leaf of the right
branch is a smaller mistake than one of another branch, and a model that is unsure may stop at an inner class. hierviz
is a Python package, a command and a local app that show this: for each sample the probabilities along the tree, with
hierarchical win [1] and confusion [2]; for each model the operating curve over all thresholds of its confidence [3],
on which a threshold is chosen for a target, or with a guarantee for new samples; for several models a table with
paired intervals. It reads what common tools write, and runs without a network.

## Statement of need

Accuracy of leaves does not tell a cautious model from a careless one, and libraries report one number at one
threshold. Papers use at least five families of hierarchical metrics [1-5] under the same names. hierviz computes
{n_metrics} numbers, each with definition, range and source, and `hierviz evaluate --verify` computes them a second
time from plain definitions.

## Example: drawings of vehicles

{n_models} small networks, {n_pictures} pictures, {n_nodes} classes, {n_leaves} of them leaves. Over all thresholds,
{best} has the highest average correctness ({best_ac:.3f}); {worst} the lowest ({worst_ac:.3f}).

{table}

By exact leaves the first is {best_leaf} ({best_leaf_value}); by information F1 at τ = 0.5, which is on another scale
for each model, it is {best_f1} ({best_f1_value:.3f}). {best_f1} less {best} on the same pictures,
with 95 % paired intervals: AC {ac_difference}, F1 {f1_difference}; {clear}.

With {best}, the most specific answers of which 95 % are correct on these pictures need the
threshold {threshold:.3f}: {reached} are correct, and {no_answer} of the pictures get no answer below the root. The
threshold was chosen on the same pictures, so that of new ones somewhat fewer may be correct. A guarantee for new
pictures of the same kind: {guarantee}

## Example: openings of Wikipedia articles

{n_texts:,} texts, {text_nodes:,} classes, two models. {n_unseen} texts have a leaf without any training text, which
the flat model cannot name: {flat_exact} of its most probable leaves are exact, but {flat_correct} of its majority
answers are correct, because they may
stop above the leaf or give no answer. Micro F1 of the sets of classes above τ = 0.5 is
{flat_f1:.3f}, and {node_f1:.3f} for a classifier per class (difference with its 95 % paired interval {text_difference}), where
τ = 0.5 is on another scale for each of the two.

## Limits

Drawings are no photographs, and two demos are no benchmark: the numbers above illustrate the methods, they do not
rank losses.

## References

1. C. Wu, M. Tygert, Y. LeCun, A hierarchical loss and its problems when classifying non-hierarchically, PLoS ONE 2019.
2. K. Riehl, M. Neunteufel, M. Hemberg, Hierarchical confusion matrix for classification performance evaluation, JRSS-C 2023.
3. J. Valmadre, Hierarchical classification at multiple operating points, NeurIPS 2022.
4. R. Plaud et al., Revisiting hierarchical text classification: inference and metrics, CoNLL 2024.
5. S. Kiritchenko et al., Learning and evaluation in the presence of class hierarchies, Canadian AI 2006.
"""


def paper():
    """The Markdown of the paper."""
    taxonomy, predictions = load_demo()
    models = {one.name: hv.Evaluation.from_predictions(one) for one in predictions}
    areas = {name: model.curve.summary()["ac"] for name, model in models.items()}
    numbers = {name: hv.evaluate(model, "leaf")["models"][0] for name, model in models.items()}
    exact = {name: found["predicted"]["exact"] for name, found in numbers.items()}
    best, worst, best_leaf = max(areas, key=areas.get), min(areas, key=areas.get), max(exact, key=exact.get)
    f1 = {name: model.curve.at(0.5)["info_f1"] for name, model in models.items()}
    best_f1 = max(f1, key=f1.get)
    rows = [
        f"| {name} | {areas[name]:.3f} | {exact[name]:.3f} | {f1[name]:.3f} |"
        for name in sorted(areas, key=areas.get, reverse=True)
    ]
    table = ["| model | AC | exact leaf | information F1 at τ = 0.5 |", "|---|---|---|---|", *rows]
    choice = hv.thresholds.choose(models[best].curve, subject_to={"correct": 0.95})
    chosen = models[best]
    guaranteed = hv.thresholds.guaranteed_threshold(taxonomy, chosen.truth, chosen.judged_table, alpha=0.1, delta=0.1)
    of_pair = hv.comparison.gate(models[best], models[best_f1], ["curve.ac", "predicted.info_f1"])
    texts, (flat, per_node) = load_wikipedia()
    trained = texts.attributes["train_count"]
    seen = [trained[node] > 0 for node in flat.truth.tolist()]
    of_texts = hv.comparison.gate(flat, per_node, "labels.micro_f1")
    of_flat, of_leaf = hv.evaluate(flat)["models"][0], hv.evaluate(flat, "leaf")["models"][0]
    return TEXT.format(
        n_metrics=len(hv.METRICS),
        n_models=len(models),
        n_pictures=chosen.n_judged,
        n_nodes=taxonomy.n_nodes,
        n_leaves=taxonomy.n_leaves,
        best=best,
        best_ac=areas[best],
        worst=worst,
        worst_ac=areas[worst],
        table="\n".join(table),
        best_leaf=best_leaf,
        best_leaf_value=_share(exact[best_leaf]),
        best_f1=best_f1,
        best_f1_value=f1[best_f1],
        clear="neither is clear" if all(row.lower < 0 < row.upper for row in of_pair.rows) else "a clear difference",
        ac_difference=_difference(of_pair.rows[0]),
        f1_difference=_difference(of_pair.rows[1]),
        text_difference=_difference(of_texts.rows[0]),
        threshold=choice.threshold,
        reached=_share(choice.values["correct"]),
        no_answer=_share(choice.values["no_answer"]),
        guarantee=guaranteed.sentence,
        n_texts=flat.n_samples,
        text_nodes=texts.n_nodes,
        n_unseen=seen.count(False),
        flat_exact=_share(of_leaf["predicted"]["exact"]),
        flat_correct=_share(of_flat["predicted"]["correct"]),
        flat_f1=of_flat["labels"]["micro_f1"],
        node_f1=hv.evaluate(per_node)["models"][0]["labels"]["micro_f1"],
    )


def _difference(row):
    """Of a row of a gate: the difference with its interval."""
    return f"{row.difference:+.3f} [{row.lower:+.3f}, {row.upper:+.3f}]".replace("-", "−")


def _share(value):
    return f"{100 * value:.1f} %"


if __name__ == "__main__":
    print(paper(), end="")
