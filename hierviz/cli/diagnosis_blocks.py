"""The blocks of `hierviz diagnose`: each a table for a file, and its first rows for the JSON."""

from functools import cached_property

import numpy as np

from hierviz._version import version
from hierviz.cli.chart_pairs import OF_CHANGES, changes_of, difference_tree_of, two_by_two_of
from hierviz.diagnosis._class_table import READINGS, class_table, hierarchical_f
from hierviz.diagnosis._confidence_reliability import confidence_reliability
from hierviz.diagnosis._departures import departures
from hierviz.diagnosis._flip_intervals import flip_intervals
from hierviz.diagnosis._label_errors import label_errors
from hierviz.diagnosis._means_by import means_by
from hierviz.diagnosis._node_table import node_table
from hierviz.diagnosis._overconfidence import overconfidence
from hierviz.diagnosis._reliability import reliability
from hierviz.diagnosis._slices import slices
from hierviz.diagnosis.confusion_matrix import matrix
from hierviz.diagnosis.confusions import confused_pairs
from hierviz.diagnosis.many_tests import ManyTests
from hierviz.diagnosis.mistakes import mistakes, set_mistakes
from hierviz.evaluation._answer_confidence import answer_confidence, why_no_confidence
from hierviz.evaluation._judged_answers import judged_answers
from hierviz.messages.errors import FileError, TaxonomyError
from hierviz.messages.extras import frame as frame_of

# In the order of the JSON.
BLOCKS = (
    *("node_table", "class_table", "confusions", "matrix", "mistakes"),
    *("departures", "slices", "reliability", "overconfidence", "label_errors"),
)


PAIRED = ("estimate", "lower", "upper", "p_value", "test", "confidence")


class DiagnosisBlocks:
    """What one model's answers show; each block is computed once.

    Parameters
    ----------
    evaluation : Evaluation
    choice : dict
        Rule, threshold and parameters.
    options : argparse.Namespace
        Of the command.
    second : Evaluation, optional
        Of a second model, with which it is compared.
    """

    def __init__(self, evaluation, choice, options, second=None):
        self.evaluation, self.choice, self.options, self.second = evaluation, choice, options, second
        self.taxonomy, self.predictions = evaluation.taxonomy, evaluation.predictions
        # Misspelt names are reported before anything is computed.
        self.opened, self.calibrated = (self._nodes_of(flag) for flag in ("open", "calibrate"))
        self.flipped = {sample: self._row(sample) for sample in options.flips}
        self.answers = judged_answers(evaluation, **choice)
        self.tests = ManyTests(options.q, options.correction)

    def table(self, name):
        """Header and rows of the table for a file; an undefined value is an empty cell.

        Raises
        ------
        PredictionsError
            If the block does not apply to this input; says why.
        """
        frame = self._bins() if name == "reliability" else self._frame(name)
        return list(frame), (["" if value is None else value for value in row] for row in _rows(frame))

    def _bins(self):
        """The reliability in bins, which are several rows a node, a depth, or the confidence of the answers."""
        found = [self.reliability, *([] if self.confidence is None else [self.confidence_reliability])]
        frames = [one.to_frame(of_bins=True) for one in found]
        columns = {name: np.concatenate([frame[name] for frame in frames]) for name in frames[0]}
        return frame_of(columns)

    def report(self):
        """The JSON: the first rows of each block, null with a note where it does not apply."""
        taxonomy, notes = self.taxonomy, list(self.predictions.notes)
        report = {
            "hierviz": version(),
            "taxonomy": {name: getattr(taxonomy, name) for name in ("n_nodes", "n_leaves", "is_tree", "max_depth")},
            "model": self.predictions.name,
            "n_samples": self.evaluation.n_judged,
            "rule": self.answers.rule,
            "threshold": self.answers.threshold,
        }
        for name in BLOCKS:
            reason = self.why_not(name)
            if reason:
                notes.append(f"{name} is null: {reason}")
            report[name] = None if reason else self._block(name)
        if self.options.confidence_map is not None:
            report["confidence"] = self._confidence_block(notes)
        report["means_by"] = {by: self._means(by) for by in self.options.means_by}
        flips = {sample: flip_intervals(self.evaluation, row) for sample, row in self.flipped.items()}
        report["flips"] = {sample: _records(found.to_frame()) for sample, found in flips.items()}
        if any(getattr(self.options, name) is not None for name in OF_CHANGES):
            report["changes"] = self._changes()
        if self.second is not None:
            report["against"] = self._against()
        return report | {"notes": notes}

    def _confidence_block(self, notes):
        """The block of --confidence-map; null with a note where answers have no confidence."""
        if self.confidence is None:
            notes.append(f"confidence is null: {self._why_no_confidence}")
            return None
        found, maps = self.confidence, self.confidence.compared()
        return {
            "map": found.how,
            "group": found.group,
            "said": found.said,
            "sentence": maps.sentence,
            "n_samples": maps.n_samples,
            "n_folds": maps.n_folds,
            "maps": _records(maps.to_frame()),
            "rows": _records(self.confidence_reliability.to_frame().drop(columns="depth")),
        }

    def _changes(self):
        """The block of two thresholds or rules: what becomes of the answers."""
        found = self.changes
        first, second = found.labels
        return {
            "from": first,
            "to": second,
            "sentence": found.sentence,
            "n_samples": found.n_samples,
            "n_changed": found.n_changed,
            "flows": _records(found.to_frame()),
            "rows": _records(found.to_sample_frame().iloc[: self.options.most]),
        }

    def _against(self):
        """The blocks of two models: where the second is better or worse."""
        table, tree = self.two_by_two, self.difference_tree
        difference = {name: _known(getattr(table.difference, name)) for name in PAIRED}
        return {
            "models": list(table.names),
            "n_samples": table.n_samples,
            "two_by_two": {
                "sentence": table.sentence,
                "reading": table.reading,
                "level": table.level,
                "thresholds": None if table.points is None else [point.threshold for point in table.points],
                "difference": difference,
                "notes": table.notes,
                "rows": _records(table.to_frame()),
            },
            "difference_tree": {
                "sentence": tree.sentence,
                "metric": tree.metric,
                "test": tree.test,
                "n_tested": tree.n_tested,
                "n_flagged": len(tree.flagged),
                "notes": tree.notes,
                "rows": _records(tree.to_frame().iloc[: self.options.most]),
            },
        }

    def why_not(self, name):
        """Why a block does not apply to this input, in words; None when it does."""
        if name in ("reliability", "overconfidence") and not self.predictions.has_scores:
            return "it needs scores, and this file holds labels"
        if name == "overconfidence" and not self.taxonomy.is_tree:
            return "subtrees need a tree, and in this graph some classes have several parents"
        if name == "departures":
            return self._why_no_departures()
        if name == "label_errors":
            several = self.answers.why_not_single()
            return self.evaluation.why_no_curve() or (
                several and f"they need one answer per sample, and there are {several}"
            )
        return None

    def _why_no_departures(self):
        if not self.taxonomy.is_tree:
            return "they are defined on trees"
        several = self.answers.why_not_single()
        return several and f"they need one answer per sample, and there are {several}"

    def _block(self, name):
        frame = self._frame(name)
        if name == "class_table":
            # Most samples first.
            frame = frame.sort_values("support", ascending=False, kind="stable")
        if name == "node_table":
            # Most truths without an answer at or below them first.
            frame = frame.iloc[np.argsort(-(self.node_table.support - self.node_table.hits), kind="stable")]
        rows = frame if name in ("matrix", "reliability", "departures") else frame.iloc[: self.options.most]
        head = {
            "node_table": lambda: {"n_nodes": self.taxonomy.n_nodes, "reasons": self.node_table.reasons},
            "confusions": lambda: {
                "by": self.options.by,
                "level": self.options.level,
                "cost": self.confusions.cost_key,
                "n_groups": len(self.confusions),
                "n_total": self.confusions.n_total,
            },
            "matrix": lambda: {
                "open": [self.taxonomy.names[node] for node in self.matrix.open_nodes.tolist()],
                "classes_of_truth": self.matrix.row_labels,
                "classes_of_answer": self.matrix.column_labels,
                "total": self.matrix.total,
            },
            "mistakes": lambda: {"n": len(frame), "severity": self._order},
            "class_table": lambda: {
                "beta": self.class_table.beta,
                "averages": {name: getattr(self.class_table, name).averages() for name in READINGS},
                "hierarchical_f": hierarchical_f(self.answers, beta=self.options.class_beta),
            },
            "departures": lambda: {"sentence": self.departures.sentence},
            "slices": lambda: {
                "sentence": self.slices.sentence(),
                "worst_subtree": self.slices.worst_sentence() or None,
                "loss": self.slices.loss_key,
                "test": self.slices.test,
                "overall_rate": self.slices.overall_rate,
                "n_tested": len(self.slices),
                "n_flagged": self.slices.n_flagged,
                "n_groups": self.slices.n_groups,
            },
            "reliability": lambda: {"n_samples": self.reliability.n_samples, "n_used": self.reliability.n_used},
            "overconfidence": lambda: {
                "sentence": self.overconfidence.sentence("{}"),
                "n_tested": len(self.overconfidence),
                "n_flagged": int((self.overconfidence.direction != 0).sum()),
            },
            "label_errors": lambda: {"n": self.label_errors.n_candidates, "caution": self.label_errors.caution},
        }[name]()
        return head | {"rows": _records(rows)}

    def _frame(self, name):
        if name == "mistakes":
            return self._mistakes_frame()
        if name == "changes":
            return self.changes.to_sample_frame()
        frame = getattr(self, name).to_frame()
        return frame.drop(columns="node") if name == "slices" else frame

    def _means(self, by):
        found = means_by(self.answers, by, metric=self.options.metric, group=self.options.group)
        head = {name: getattr(found, name) for name in ("metric", "overall", "n_without", "confidence")}
        return head | {"rows": _records(found.to_frame())}

    def _row(self, sample):
        row = self.predictions.row(sample)
        if row is None:
            raise FileError(f"--flips: expected the id of a sample, got {sample!r}. Check the ids of the predictions.")
        return row

    @cached_property
    def node_table(self):
        """NodeTable, with the calibration of the nodes of --calibrate."""
        return node_table(self.answers, calibration=self.reliability if self.options.calibrate else None)

    @cached_property
    def class_table(self):
        """ScoresByClass."""
        return class_table(self.answers, beta=self.options.class_beta)

    @cached_property
    def confusions(self):
        """Confusions."""
        options = self.options
        return confused_pairs(self.answers, by=options.by, level=options.level, cost=options.severity)

    @cached_property
    def matrix(self):
        """ConfusionMatrix."""
        return matrix(self.answers, open_nodes=self.opened)

    @cached_property
    def departures(self):
        """Departures."""
        return departures(self.answers)

    @cached_property
    def slices(self):
        """Slices."""
        options = self.options
        asked = {"attributes": options.attribute, "loss": options.loss, "group": options.group}
        return slices(self.answers, **asked, tests=self.tests)

    @cached_property
    def changes(self):
        """AnswerChanges from the rule and threshold of the command to those of --to and --to-rule."""
        return changes_of(self.evaluation, None, self.choice, self.options)

    @cached_property
    def two_by_two(self):
        """TwoByTwo of both models."""
        return two_by_two_of(*self._pair, self.options)

    @cached_property
    def difference_tree(self):
        """DifferenceTree of both models."""
        return difference_tree_of(*self._pair, self.options)

    @property
    def _pair(self):
        return self.answers, judged_answers(self.second, **self.choice)

    @cached_property
    def reliability(self):
        """Reliability of the depths of a tree and of the nodes of --calibrate."""
        depths = range(1, self.taxonomy.max_depth + 1) if self.taxonomy.is_tree else ()
        return reliability(self.answers, nodes=self.calibrated, depths=depths, tests=self.tests)

    @property
    def _why_no_confidence(self):
        return why_no_confidence(self.evaluation, self.choice["rule"])

    @cached_property
    def confidence(self):
        """AnswerConfidence by --confidence-map; None without one."""
        how = self.options.confidence_map
        if how is None or self._why_no_confidence is not None:
            return None
        return answer_confidence(self.answers, how, group=self.options.group)

    @cached_property
    def confidence_reliability(self):
        """Reliability of the confidence of the answers."""
        return confidence_reliability(self.confidence, tests=self.tests)

    @cached_property
    def overconfidence(self):
        """Overconfidence of the subtrees."""
        return overconfidence(self.answers, tests=self.tests)

    @cached_property
    def label_errors(self):
        """LabelErrors."""
        return label_errors(self.answers)

    @property
    def _order(self):
        """Key of the severity that mistakes are ranked by."""
        if not self._has_one_answer:
            return "lost_hf1"
        return self.options.severity or ("win_lost" if self.predictions.has_scores else "info_dist")

    @property
    def _has_one_answer(self):
        return self.answers.is_single and self.evaluation.why_no_mistakes() is None

    def _mistakes_frame(self):
        if not self._has_one_answer:
            frame = set_mistakes(self.answers).to_frame()
        else:
            frame = mistakes(self.evaluation, **self.choice, outcome="wrong", order=self._order).to_frame(self.taxonomy)
        rows = frame["row"].to_numpy()
        frame.insert(0, "sample_id", self.predictions.ids[rows])
        if self.confidence is not None:
            frame["confidence"] = self.confidence.confidence[rows]
        return frame.drop(columns="row")

    def _nodes_of(self, flag):
        try:
            return [self.taxonomy.node(name) for name in getattr(self.options, flag)]
        except TaxonomyError as error:
            raise FileError(f"--{flag}: {error}") from None


def _known(value):
    """A number, or None where it is not defined."""
    return None if isinstance(value, float) and np.isnan(value) else value


def _rows(frame):
    """Rows of a frame as Python values, None where a number is not defined."""
    columns = [frame[name].tolist() for name in frame]
    for row in zip(*columns):
        yield [_known(value) for value in row]


def _records(frame):
    return [dict(zip(list(frame), row)) for row in _rows(frame)]
