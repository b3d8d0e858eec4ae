"""The sections of a report: what each holds, made from evaluated models."""

from __future__ import annotations

from html import escape

from hierviz.charts import CurveLayers, operating_curves, packed, packed_chart, threshold_text
from hierviz.curves._set_curve import set_curve
from hierviz.diagnosis._node_table import node_table
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.mistakes import outcome_counts
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.metrics.outcomes import outcomes_text
from hierviz.metrics.path import path_metrics
from hierviz.metrics.registry import path_keys
from hierviz.reports.browser_data import matrix_data, node_data, tree_data
from hierviz.reports.example_html import ExamplePage, chart
from hierviz.reports.number_tables import all_numbers, model_name, overview_table
from hierviz.reports.report_samples import chosen_samples, sample_pictures
from hierviz.reports.story_html import StoryHtml
from hierviz.reports.story_step import model_keys
from hierviz.reports.view_pages import MARKED
from hierviz.thresholds.most_specific import most_specific, most_specific_text

# Models of one chart.
MOST_MODELS = 8


class ReportParts:
    """Makes the sections of a report.

    Parameters
    ----------
    evaluations : list of Evaluation
    place : int
        Number of the model of the examples, the matrix and the taxonomy.
    numbers : dict
        Of `evaluate`.
    settings : dict
        Rule and its parameters.
    thresholds : list of float
        One a model.
    stage : callable
        As of `evaluate`.
    words : callable
        How notes name parameters.

    Attributes
    ----------
    store : dict of str to str
        What the browser unpacks, by name.
    """

    def __init__(self, evaluations, place, numbers, settings, thresholds, stage, words):
        self.evaluations, self.numbers, self.stage, self.words = evaluations, numbers, stage, words
        self.model, self.place = evaluations[place], place
        self.choice = settings | {"threshold": thresholds[place]}
        self.thresholds, self.store = thresholds, {}
        self.taxonomy = self.model.taxonomy

    @property
    def name(self):
        """Name of the model that is looked at."""
        return model_name(self.numbers["models"][self.place])

    @property
    def setting(self):
        """The model that is looked at and how its answers are chosen, in words."""
        if not self.model.predictions.has_scores:
            return f"{self.name}: labels of the file"
        rule = INFERENCE_RULES[self.choice["rule"]]
        at = f", τ = {self.choice['threshold']:g}" if THRESHOLD.name in rule.parameters else ""
        return f"{self.name}, rule {rule.label}{at}"

    @property
    def credits(self):
        """Whose the data are, as far as their files say."""
        found = (model.predictions.detected.get("credit") for model in self.evaluations)
        return [credit for credit in dict.fromkeys(found) if credit]

    def story(self, steps):
        """The steps of a story, HTML; empty where there are none."""
        if not steps:
            return ""
        models = dict(zip(model_keys(model.predictions.name for model in self.evaluations), self.evaluations))
        return StoryHtml(steps, models, self.numbers["models"], self.store).section()

    # Overview ------------------------------------------------------------------------------------------------------

    def overview(self):
        """What was evaluated, the first numbers, and what the answers are worth: HTML."""
        n, judged, taxonomy = self.model.predictions.n_samples, self.model.n_judged, self.taxonomy
        several = "" if len(self.evaluations) == 1 else "s"
        parts = [
            f"<p><b>{len(self.evaluations):,} model{several}</b> on <b>{n:,} samples</b>, {judged:,} of them with known truth. "
            f"The taxonomy has {taxonomy.n_leaves:,} leaf classes in {taxonomy.n_nodes:,} nodes, up to {taxonomy.max_depth} "
            f"levels below <i>{escape(taxonomy.title(0))}</i>.</p>",
            overview_table(self.numbers["models"]),
        ]
        if judged:
            parts.append(f"<p>{self._outcomes()} {self._where()}</p>{self._most_specific()}")
        return "".join(parts)

    def _outcomes(self):
        answers = judged_answers(self.model, **self.choice)
        return f"{escape(self.setting)}: {outcomes_text(outcome_counts(answers), '<b>{}</b>')}"

    def _where(self):
        """The worst subtree, and what is clearly worse than the rest; nothing where a test takes permutations."""
        answers = judged_answers(self.model, **self.choice)
        if not answers.is_single:
            return ""
        found = slices(answers)
        return escape(f"{found.worst_sentence()} {found.sentence()}") if len(found) else ""

    def _most_specific(self):
        """Which model at 95 % correct, at which threshold, and what that costs, as on the Overview of the app."""
        curves: dict[str, list] = {}
        for model in self.evaluations:
            # Runs of one method have one name.
            if model.why_no_curve() is None:
                curves.setdefault(model.predictions.name, []).append(model.curve)
        if not curves or any(model.predictions.has_unknown for model in self.evaluations):
            return ""
        found = most_specific(curves)
        name, threshold = ("", "") if found is None else (escape(found.key), threshold_text(found.choice.threshold))
        said = most_specific_text(found, name, threshold, len(curves), bold="<b>{}</b>")
        return f'<p>{said}</p><p class="muted">Chosen and measured on the same samples.</p>'

    # Curves --------------------------------------------------------------------------------------------------------

    def curves(self):
        """Operating curves with a threshold to drag, HTML; empty where no model has one."""
        found = {
            model_name(entry): model for entry, model in zip(self.numbers["models"], self.evaluations, strict=True)
        }
        single = {name: model for name, model in found.items() if model.why_no_curve() is None}
        sets = {name: model for name, model in found.items() if model.why_no_set_curve() is None}
        usable = single or sets
        if not usable:
            return ""
        names = list(usable)[:MOST_MODELS]
        if self.name in usable and self.name not in names:
            names[-1] = self.name
        curves = {
            name: usable[name].curve_with(self.stage(f"Operating curve of {name}", "steps"))
            if single
            else set_curve(usable[name], progress=self.stage(f"Predicted sets of {name}", "rows"))
            for name in names
        }
        answers = {name: (self.taxonomy, usable[name].judged_table) for name in names} if single else None
        rules = {name: self._landed(usable[name], name) for name in names} if single else None
        at = self.choice["threshold"] if self.choice["rule"] in ("threshold", "threshold_set") else 0.5
        shown = self.name if self.name in curves else names[0]
        figure = operating_curves(curves, threshold=at, model=shown, layers=CurveLayers(rules, answers), height=300)
        self.store["curves"] = packed_chart(figure)
        left_out = [name for name in usable if name not in names] + [name for name in found if name not in usable]
        told = f"<p>Not drawn: {escape(', '.join(left_out))}.</p>" if left_out else ""
        return (
            "<p>Drag the handle under the chart, or use the slider and the arrow keys: all numbers follow.</p>"
            f"{chart('curves', f'At the start: {figure.sentence}')}{told}"
        )

    def _landed(self, model, name):
        """Where the rules without a threshold land: {rule: {metric: mean}}."""
        marked = [rule for rule in MARKED if self.taxonomy.is_tree or not INFERENCE_RULES[rule].tree_only]
        answers = model.answers_by_rule(marked, progress=self.stage(f"Rules of {name}", "rows"))
        values = {
            rule: path_metrics(self.taxonomy, model.truth, found[model.judged]) for rule, found in answers.items()
        }
        return {rule: {key: float(of_rule[key].mean()) for key in path_keys()} for rule, of_rule in values.items()}

    # Examples ------------------------------------------------------------------------------------------------------

    def examples(self, worst, samples, random, seed, max_mb):
        """(HTML of all examples, what was left out as a sentence); arguments as of `report`."""
        groups = chosen_samples(self.model, worst, samples, random, seed, **self.choice)
        rows = [row for group in groups for row in group.rows]
        pictures, left_out = sample_pictures(self.model.predictions, rows, max_mb)
        examples = ExamplePage(self.model, pictures, self.choice, self.store)
        progress, done, parts = self.stage("Samples of the report", "samples"), 0, []
        for group in groups:
            parts.append(f"<h3>{escape(group.title)}</h3>")
            for row in group.rows:
                parts.append(examples.example(row, is_open=done == 0))
                done += 1
                if progress is not None:
                    progress(done, len(rows))
        return "".join(parts), left_out

    # Matrix and taxonomy -------------------------------------------------------------------------------------------

    def matrix(self):
        """The confusion matrix that opens class by class, HTML; empty where no truth is known."""
        self.store["taxonomy-tree"] = packed(tree_data(self.taxonomy))
        if not self.model.n_judged:
            return ""
        self.store["matrix"] = packed(matrix_data(judged_answers(self.model, **self.choice)))
        return (
            f"<p>{escape(self.setting)}. True classes are rows, answers are columns; a class with + opens. “itself” "
            "counts what stops at an open class. Lines without samples are left out.</p>"
            '<div class="wide" data-matrix="matrix"></div>'
        )

    def taxonomy_table(self):
        """The taxonomy with numbers of every class, which opens level by level: HTML."""
        if not self.model.n_judged:
            values = {"columns": [], "share": None, "rank": list(range(self.taxonomy.n_nodes))}
        else:
            values = node_data(node_table(self.model, **self.choice))
        self.store["taxonomy-values"] = packed(values)
        said = "".join(
            f"<dt>{escape(column['label'])}</dt><dd>{escape(column['sentence'])}</dd>" for column in values["columns"]
        )
        meaning = f"<details><summary>What these numbers mean</summary><dl>{said}</dl></details>" if said else ""
        return (
            f"<p>{escape(self.setting)}. Classes with the most wrong answers come first.</p>"
            '<div class="wide" data-tree="taxonomy-tree" data-values="taxonomy-values" data-open="0" '
            f'data-label="Classes of the taxonomy"></div>{meaning}'
        )

    # Numbers and files ---------------------------------------------------------------------------------------------

    def every_number(self):
        """Every number of `evaluate`: HTML."""
        return all_numbers(self.numbers["models"])

    def account(self):
        """How the files were read: HTML."""
        parts = []
        for entry, model in zip(self.numbers["models"], self.evaluations, strict=True):
            facts = {"samples": f"{model.predictions.n_samples:,}", **model.predictions.detected}
            rows = "".join(f"<dt>{escape(str(k))}</dt><dd>{escape(str(v))}</dd>" for k, v in facts.items())
            notes = "".join(f"<li>{escape(note)}</li>" for note in entry["notes"])
            parts.append(f'<h3>{escape(model_name(entry))}</h3><dl class="facts">{rows}</dl><ul>{notes}</ul>')
        return "".join(parts)
