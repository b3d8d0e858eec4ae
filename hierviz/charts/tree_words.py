"""What the probability tree of a sample says: one plain sentence on its answer, its truth and where they part."""

from hierviz.charts.folding import as_nodes
from hierviz.messages.number_text import count_text, probability_text


def tree_sentence(folded, rows):
    """One plain sentence on answer and truth of a sample."""
    taxonomy, p, top, truth, predicted = folded.taxonomy, folded.p, folded.top, folded.truth, folded.predicted
    shown = sum(row["node"] >= 0 for row in rows)
    scope = (
        ""
        if shown == taxonomy.n_nodes
        else f" The chart shows {shown} of {taxonomy.n_nodes:,} nodes, the rest is folded."
        if not top
        else f" The chart shows {taxonomy.title(top)} alone, {shown} of {taxonomy.subtree_size[top]:,} nodes."
    )

    def named(node):
        if node < 0:
            return taxonomy.title(node)
        return f"{taxonomy.title(node)} (p = {probability_text(float(p[node]))})"

    truths, answers = as_nodes(truth), as_nodes(predicted, "predicted")
    if len(answers) > 1:
        return f"{_several(answers, truths, named)}{scope}"
    predicted = answers[0] if answers else None
    if predicted is None and not truths:
        return f"Neither an answer nor the truth is given.{scope}"
    if predicted is None and len(truths) > 1:
        return f"The true classes are {', '.join(map(named, truths))}; no answer is given.{scope}"
    if predicted is None:
        return f"The truth is {named(truths[0])}; no answer is given.{scope}"
    if not truths:
        return f"The answer is {named(predicted)}; the truth is not known.{scope}"
    if len(truths) > 1:
        return f"{_among(taxonomy, truths, predicted, named)}{scope}"
    truth = truths[0]
    if predicted == truth:
        return f"The answer {named(predicted)} is exactly the truth.{scope}"
    if predicted < 0:
        return f"The answer lies outside the taxonomy, the truth is {named(truth)}.{scope}"
    if taxonomy.is_ancestor(predicted, truth):
        steps = int(taxonomy.depth[truth] - taxonomy.depth[predicted])
        if predicted == 0:
            return f"The answer is the root. The truth is {named(truth)}.{scope}"
        return f"The answer {named(predicted)} is correct and stops {_levels(steps)} above the truth {named(truth)}.{scope}"
    if taxonomy.is_ancestor(truth, predicted):
        steps = int(taxonomy.depth[predicted] - taxonomy.depth[truth])
        return (
            f"The answer {named(predicted)} goes {_levels(steps)} further than the known truth {named(truth)}.{scope}"
        )
    common = int(taxonomy.lca([truth], [predicted])[0])
    where = "at the root" if common == 0 else f"after {taxonomy.title(common)}"
    return f"The answer is {named(predicted)}, the truth is {named(truth)}; their paths diverge {where}.{scope}"


def _among(taxonomy, truths, predicted, named):
    """One answered class and several true ones, in words."""
    classes = f"the {len(truths)} true classes {', '.join(map(named, truths))}"
    if predicted in truths:
        return f"The answer {named(predicted)} is one of {classes}."
    if predicted == 0:
        return f"The answer is the root, above {classes}."
    if predicted < 0:
        return f"The answer lies outside the taxonomy: none of {classes}."
    if any(taxonomy.is_ancestor(predicted, truth) for truth in truths):
        return f"The answer {named(predicted)} is correct, but less specific than the truth: {classes}."
    if any(taxonomy.is_ancestor(truth, predicted) for truth in truths):
        return f"The answer {named(predicted)} goes further than the known truth: {classes}."
    return f"The answer {named(predicted)} is none of {classes}."


def _several(answers, truths, named):
    """Several answers, with the truth where it is known, in words."""
    said = f"The {len(answers)} answers are {', '.join(map(named, answers))}"
    if not truths:
        return f"{said}; the truth is not known."
    right = len(set(answers) & set(truths))
    classes = f"the {len(truths)} true classes are {', '.join(map(named, truths))}"
    classes = f"the truth is {named(truths[0])}" if len(truths) == 1 else classes
    return f"{said}; {classes}. {right} of the answers {'is' if right == 1 else 'are'} exactly true."


def _levels(steps):
    return "one level" if steps == 1 else f"{count_text(steps)} levels"
