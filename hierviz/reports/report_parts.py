"""The sections of a report: what each holds, made from evaluated models."""

from __future__ import annotations

from html import escape

from hierviz.charts import packed, packed_chart, threshold_text
from hierviz.diagnosis._confidence_reliability import confidence_reliability, confidence_sentence
from hierviz.diagnosis._node_table import NODE_COLUMNS, node_table
from hierviz.diagnosis._overconfidence import depths_sentence, overconfidence
from hierviz.diagnosis._reliability import reliability
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.mistakes import outcome_counts
from hierviz.evaluation._answer_confidence import answer_confidence
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.inference.leaf_costs import LeafCosts
from hierviz.inference.parameters import THRESHOLD
from hierviz.inference.registry import INFERENCE_RULES
from hierviz.messages.errors import PredictionsError
from hierviz.messages.number_text import percent_text, value_text
from hierviz.metrics.outcomes import outcomes_text
from hierviz.metrics.path import mean_path_metrics
from hierviz.predictions.outside_lines import outside_lines
from hierviz.predictions.training_lines import training_lines
from hierviz.reports.browser_data import matrix_data, node_data, shown_columns, tree_data
from hierviz.reports.example_html import ExamplePage
from hierviz.reports.markup import chart, meaning, model_name, overview_table, table, terms
from hierviz.reports.pair_html import pair_section
from hierviz.reports.report_samples import chosen_samples, sample_pictures
from hierviz.reports.story_html import MOST_MODELS, curve_figure, drawable, story_section
from hierviz.reports.story_step import model_keys
from hierviz.reports.view_pages import MARKED
from hierviz.thresholds.most_specific import most_specific, most_specific_text


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

    Attributes
    ----------
    store : dict of str to str
        What the browser unpacks, by name.
    """

    def __init__(self, evaluations, place, numbers, settings, thresholds, stage):
        self.evaluations, self.numbers, self.stage = evaluations, numbers, stage
        self.model, self.place = evaluations[place], place
        self.choice = settings | {"threshold": thresholds[place]}
        self.thresholds, self.store = thresholds, {}
        self.taxonomy = self.model.taxonomy

    @property
    def name(self):
        """Name of the model of the examples, the matrix and the taxonomy."""
        return model_name(self.numbers["models"][self.place])

    @property
    def setting(self):
        """That model and how its answers are chosen, in words."""
        if not self.model.predictions.has_scores:
            return f"{self.name}: labels of the file"
        rule = INFERENCE_RULES[self.choice["rule"]]
        at = f", τ = {self.choice['threshold']:g}" if THRESHOLD.name in rule.parameters else ""
        return f"{self.name}, rule {rule.label}{at}"

    @property
    def credits(self):
        """Credits of the data, as far as their files hold any."""
        found = (model.predictions.detected.get("credit") for model in self.evaluations)
        return [credit for credit in dict.fromkeys(found) if credit]

    def story(self, steps, samples):
        """The steps of a story, HTML, with sensitivities and review of ReportSamples; empty where there are none."""
        if not steps:
            return ""
        models = dict(zip(model_keys(model.predictions.name for model in self.evaluations), self.evaluations))
        costs = [value for value in self.choice.values() if isinstance(value, LeafCosts)]
        looks = {one.sample: one for one in samples.sensitivities}
        return self._trainings() + story_section(
            steps, models, self.numbers["models"], self.store, costs, looks, samples.review
        )

    # Overview ------------------------------------------------------------------------------------------------------

    def overview(self):
        """What was evaluated, the main numbers, and the outcomes of the answers: HTML."""
        n, judged, taxonomy = self.model.predictions.n_samples, self.model.n_judged, self.taxonomy
        several = "" if len(self.evaluations) == 1 else "s"
        parts = [
            f"<p><b>{len(self.evaluations):,} model{several}</b> on <b>{n:,} samples</b>, {judged:,} of them with known truth. "
            f"The taxonomy has {taxonomy.n_leaves:,} leaf classes in {taxonomy.n_nodes:,} nodes, up to {taxonomy.max_depth} "
            f"levels below <i>{escape(taxonomy.title(0))}</i>.</p>",
            *(f"<p>{escape(line)}.</p>" for line in outside_lines([one.predictions for one in self.evaluations])),
            self._trainings(),
            overview_table(self.numbers["models"]),
        ]
        if judged:
            answers = judged_answers(self.model, **self.choice)
            outcomes = f"{escape(self.setting)}: {outcomes_text(outcome_counts(answers), '<b>{}</b>')}"
            parts.append(f"<p>{outcomes} {self._where(answers)}</p>{self._most_specific()}{self._conformal()}")
        return "".join(parts)

    def _trainings(self):
        """Which models are the last step of a training: HTML."""
        lines = training_lines([one.predictions for one in self.evaluations])
        return "".join(f'<p class="muted">{escape(line)}.</p>' for line in lines)

    def _conformal(self):
        """Conformal nodes of the models, where they were asked for: what is promised, and what held-out samples show."""
        found = {model_name(entry): entry["conformal"] for entry in self.numbers["models"] if entry.get("conformal")}
        if not found:
            return ""
        heads = ("Conformal node", "held", "root", "leaf", "mean information (bits)", "calibrated on", "held out")
        rows = [
            (
                escape(name),
                *(percent_text(of[key], 1) for key in ("held", "root_share", "leaf_share")),
                value_text(of["mean_information"]),
                *(f"{count:,} {of['unit']}s" for count in (_n_calibration(of), of["n_check"])),
            )
            for name, of in found.items()
        ]
        said = dict.fromkeys(f"{of['sentence']} {of['assumption']}" for of in found.values())
        return f"<p>{escape(' '.join(said))}</p>{table(heads, rows)}"

    @staticmethod
    def _where(answers):
        """The worst subtree, and what is clearly worse than the rest; nothing where a test takes permutations."""
        if not answers.is_single:
            return ""
        found = slices(answers)
        return escape(f"{found.worst_sentence()} {found.sentence()}") if len(found) else ""

    def _most_specific(self):
        """The most specific model at 95 % correct with its threshold, as on the Overview of the app."""
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

    def pair(self):
        """The model against another one, sample by sample: HTML; empty of one model."""
        models = {str(place): model for place, model in enumerate(self.evaluations)}
        return pair_section(models, str(self.place), self.store)

    # Curves --------------------------------------------------------------------------------------------------------

    def curves(self):
        """Operating curves with a threshold to drag, HTML; empty where no model has one."""
        found = {
            model_name(entry): model for entry, model in zip(self.numbers["models"], self.evaluations, strict=True)
        }
        usable, is_single = drawable(found)
        if not usable:
            return ""
        names = list(usable)[:MOST_MODELS]
        if self.name in usable and self.name not in names:
            names[-1] = self.name
        figure = curve_figure(
            {name: usable[name] for name in names},
            is_single,
            self.stage,
            threshold=self.choice["threshold"] if self.choice["rule"] in ("threshold", "threshold_set") else 0.5,
            model=self.name if self.name in names else names[0],
            height=300,
            among=list(found),
            layers={"rules": {name: self._landed(usable[name], name) for name in names} if is_single else None},
        )
        self.store["curves"] = packed_chart(figure)
        left_out = [name for name in usable if name not in names] + [name for name in found if name not in usable]
        said = f"<p>Not drawn: {escape(', '.join(left_out))}.</p>" if left_out else ""
        return (
            "<p>Drag the handle under the chart, or use the slider and the arrow keys: all numbers follow.</p>"
            f"{chart('curves', f'At the start: {figure.sentence}')}{said}"
        )

    def _landed(self, model, name):
        """Where the rules without a threshold land: {rule: {metric: mean}}."""
        marked = [rule for rule in MARKED if self.taxonomy.is_tree or not INFERENCE_RULES[rule].tree_only]
        answers = model.answers_by_rule(marked, progress=self.stage(f"Rules of {name}", "rows"))
        return {
            rule: mean_path_metrics(self.taxonomy, model.truth, found[model.judged]) for rule, found in answers.items()
        }

    # Examples ------------------------------------------------------------------------------------------------------

    def examples(self, samples):
        """(HTML of all examples, what was left out as a sentence), of ReportSamples."""
        groups = chosen_samples(self.model, samples, **self.choice)
        rows = [row for _, of_group in groups for row in of_group]
        pictures, left_out = sample_pictures(self.model.predictions, rows, samples.max_mb)
        looks = {one.sample: one for one in samples.sensitivities}
        confidence = self._confidence(samples)
        examples = ExamplePage(self.model, pictures, self.choice, self.store, self.evaluations, looks, confidence)
        progress, done, parts = self.stage("Samples of the report", "samples"), 0, []
        for title, of_group in groups:
            parts.append(f"<h3>{escape(title)}</h3>")
            for row in of_group:
                parts.append(examples.example(row, is_open=done == 0))
                done += 1
                if progress is not None:
                    progress(done, len(rows))
        return "".join(parts), left_out

    def _confidence(self, samples):
        """The AnswerConfidence of ReportSamples; None where it is shown as it is."""
        how = samples.confidence_map
        return None if how == "none" else answer_confidence(self.model, how, group=samples.group, **self.choice)

    # Matrix and taxonomy -------------------------------------------------------------------------------------------

    def matrix(self):
        """The confusion matrix that opens class by class, HTML; empty where no truth is known."""
        self.store["taxonomy-tree"] = packed(tree_data(self.taxonomy))
        if not self.model.n_judged:
            return ""
        self.store["matrix"] = packed(matrix_data(judged_answers(self.model, **self.choice)))
        return (
            f"<p>{escape(self.setting)}. True classes are rows, answers are columns; a class with + opens. “itself” "
            "counts answers and truths at an open class itself. Lines without samples are left out.</p>"
            '<div class="wide" data-matrix="matrix"></div>'
        )

    def taxonomy_table(self, samples):
        """The taxonomy with numbers of every class, which opens level by level: HTML."""
        table = node_table(self.model, **self.choice) if self.model.n_judged else None
        values = {"columns": [], "share": None, "rank": list(range(self.taxonomy.n_nodes))}
        self.store["taxonomy-values"] = packed(values if table is None else node_data(table))
        columns = () if table is None else [NODE_COLUMNS[key] for key in shown_columns(table)]
        return (
            f"{self._calibration(samples)}<p>{escape(self.setting)}. Classes with the most wrong answers come first.</p>"
            '<div class="wide" data-tree="taxonomy-tree" data-values="taxonomy-values" data-open="0" '
            f'data-label="Classes of the taxonomy"></div>{meaning(columns)}'
        )

    def _calibration(self, samples):
        """Whether the probabilities say too much, by subtree and by depth, as on the page Taxonomy: HTML."""
        if not (self.model.n_judged and self.model.predictions.has_scores and self.taxonomy.is_tree):
            return ""
        answers = judged_answers(self.model, **self.choice)
        try:
            depths = reliability(answers, nodes=(), depths=range(1, self.taxonomy.max_depth + 1))
            said = f"{overconfidence(answers).sentence('{}')} {depths_sentence(depths)}"
        except PredictionsError as error:
            said = str(error)
        confidence = self._confidence(samples)
        if confidence is not None:
            said += f" {confidence_sentence(confidence, confidence_reliability(confidence))}"
        return f"<p>Calibration: {escape(said)}</p>"

    # Numbers and files ---------------------------------------------------------------------------------------------

    def account(self):
        """How the files were read: HTML."""
        parts = []
        for entry, model in zip(self.numbers["models"], self.evaluations, strict=True):
            facts = {"samples": f"{model.predictions.n_samples:,}", **model.predictions.detected}
            rows = terms((escape(str(name)), escape(str(value))) for name, value in facts.items())
            notes = "".join(f"<li>{escape(note)}</li>" for note in entry["notes"])
            parts.append(f"<h3>{escape(model_name(entry))}</h3>{rows}<ul>{notes}</ul>")
        return "".join(parts)


def _n_calibration(conformal):
    """Calibration samples, or groups, of all top classes together."""
    found = conformal["n_calibration"]
    return sum(found.values()) if isinstance(found, dict) else found
