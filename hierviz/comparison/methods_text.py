"""The paragraph about methods that a table carries: what was compared, how, and by which conventions."""

from __future__ import annotations

from hierviz._version import version
from hierviz.metrics.registry import PROTEIN_METRICS
from hierviz.uncertainty.comparison import fewest_resamples


def methods_paragraph(table):
    """Sentences for the section on methods, from a ComparisonTable.

    Returns
    -------
    str
    """
    n_runs = [method.n_runs for method in table.methods]
    some_runs = f"{n_runs[0]}" if len(set(n_runs)) == 1 else f"{min(n_runs)} to {max(n_runs)}"
    samples = " or ".join(f"{n:,}" for n in sorted({method.n_samples for method in table.methods}))
    has_scores = any(model.predictions.has_scores for model in table.models)
    sentences = {
        f"Numbers were computed with hierviz {version()} on {samples} test samples of a taxonomy with "
        f"{table.taxonomy.n_nodes:,} nodes and {table.taxonomy.n_leaves:,} leaves.": True,
        _answers(table): not has_scores or any(column.is_of_answers for column in table.columns),
        f"Methods have {some_runs} runs: values are means over runs, ± is the standard deviation between runs (n − 1 in the "
        "denominator), not 1.96 standard deviations or an interval as in some published tables.": max(n_runs) > 1,
        "Scores that a file does not list are unknown and were left out; bounds are those of `hierviz evaluate`.": any(
            model.predictions.has_unknown for model in table.models
        ),
        **_intervals(table, max(n_runs)),
        "The best constant answer is that of each metric: one node for answers and label sets, the distribution "
        "of class frequencies for scores.": True,
        **_conventions(table),
    }
    return " ".join(sentence for sentence, applies in sentences.items() if applies)


def _answers(table):
    rules, thresholds = list(dict.fromkeys(table.rules or [table.choice["rule"]])), sorted(set(table.thresholds))
    if not any(model.predictions.has_scores for model in table.models):
        is_hard = all(one.is_hard or one.is_by_level for one in (model.predictions for model in table.models))
        return (
            "Each predicted label counts with its whole path." if is_hard else "Predicted labels were taken as listed."
        )
    at = " or ".join(f"{threshold:g}" for threshold in thresholds)
    has_threshold = any(rule in ("threshold", "threshold_set") for rule in rules)
    of_rule = f", at threshold {at}" if has_threshold else ""
    sentence = f"Answers are those of the rule '{rules[0]}'{of_rule}"
    if len(rules) > 1:
        by_rule = {
            rule: [file.name for file, own in zip(table.files, table.rules, strict=True) if own == rule]
            for rule in rules
        }
        named = "; ".join(f"'{rule}' ({', '.join(dict.fromkeys(names))})" for rule, names in by_rule.items())
        sentence = f"Answers are those of the rules {named}{of_rule}"
    if any(column.block == "labels" for column in table.columns):
        sentence += f"; label sets hold the classes with a score above {at}"
    sentence += "."
    if has_threshold or "majority" in rules or any(c.block == "labels" for c in table.columns):
        sentence += (
            " The same threshold means different things for models whose scores are on different scales: such columns compare "
            "the answers, not what the models could answer at other thresholds, as areas over all thresholds do."
        )
    return sentence


def _intervals(table, most_runs):
    """Sentences on the intervals, and whether each applies."""
    resamples, enough = table.resamples, fewest_resamples(table.level)
    if resamples is None:
        return {"No intervals were computed, so no method is marked.": True}
    if resamples.why_no_interval is not None:
        return {f"There are no intervals and no marks: {resamples.why_no_interval}.": True}
    units = "samples" if resamples.group_of is None else f"{resamples.n_units:,} groups"
    shares = "; means of 0/1 values have Wilson's interval" if any(m.shares for m in table.methods) else ""
    has_several = len(table.methods) > 1
    return {
        f"Intervals of {100 * table.level:g} % come from {resamples.n_resamples:,} bootstrap resamples of {units} "
        f"(seed {resamples.seed}), the same for all methods; sums and ratios were computed again in each.": True,
        "For methods with several runs the variance between resamples, with the runs fixed, and that of the mean over "
        "runs were added, and intervals are Student's t with Welch-Satterthwaite degrees of freedom.": most_runs > 1,
        f"An interval of a method with one run is a percentile interval and says nothing about retraining{shares}.": any(
            method.n_runs == 1 for method in table.methods
        ),
        "Bold are the best method and all that are not clearly different from it by simultaneous intervals of all pairs of "
        "methods (max-|t| over the same resamples), column by column; the best of the rest is marked second.": has_several
        and resamples.n_resamples >= enough,
        f"{resamples.n_resamples:,} resamples are too few to mark methods: take at least {enough:,}.": has_several
        and resamples.n_resamples < enough,
    }


def _conventions(table):
    """Sentences on how metrics are defined, and whether each applies."""
    metrics = {column.metric for column in table.columns}
    weights = "the given weight" if table.has_class_weights else "the same weight"

    def has(*starts):
        return any(metric.startswith(starts) for metric in metrics)

    return {
        "Macro averages run over all nodes but the root, with 0 for a node that is neither true nor predicted; those "
        "called supported run over nodes with a true sample.": has("macro_f1", "c_f1_macro"),
        "hP of an empty prediction counts as 1.": "hp_samples" in metrics,
        "R@C is 0 where no threshold reaches that share of correct answers; it is read off steps, not "
        "interpolated.": has("recall_at"),
        "C-F1 drops predicted nodes of which an ancestor is not predicted.": has("c_f1"),
        "F-max and S-min take terms with a score of at least .01, .02, ..., .99, with their ancestors and without the root; "
        "precision runs over samples with a predicted term, all other means over all samples.": bool(
            metrics & set(PROTEIN_METRICS)
        ),
        f"Balanced numbers give each true class {weights}.": any(column.is_balanced for column in table.columns),
        "The confusion matrix counts nodes of paths (Riehl et al. 2023); its measures are ratios of summed "
        "counts.": bool(metrics & {"mcc", "f1"}),
    }
