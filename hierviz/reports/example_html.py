"""One sample in a report: its living drawing, and below it, folded, its facts and other pictures."""

from html import escape

import numpy as np

from hierviz.charts import packed, packed_chart, sample_parts, sensitivity
from hierviz.charts._example import by_name, example_figure
from hierviz.charts.ladder_record import colour_places
from hierviz.charts.ladder_spec import ladder_spec
from hierviz.charts.theme import answer_text
from hierviz.diagnosis.sample_answers import sample_answer
from hierviz.messages.number_text import probability_text, value_text
from hierviz.predictions.outside import MARKS
from hierviz.reports.browser_data import probability_data
from hierviz.reports.markup import chart, folded, ladder, terms

HIDDEN = ("image", "file", "text", "path", MARKS)
NAMES_IN_A_SET = 8
# Models that can be chosen in a drawing, and the tables of its record that are the same for all samples.
MOST_MODELS = 8
SHARED = ("curve", "ticks_x", "ticks_y")


class ExamplePage:
    """The examples of a report.

    Parameters
    ----------
    evaluation : Evaluation
    pictures : dict of int to str
        Address of the picture of a row.
    choice : dict
        Rule, threshold and parameters.
    store : dict of str to str
        Where what the browser unpacks is put, by its name.
    others : sequence of Evaluation
        Models of the report, which can be chosen in the drawing.
    looks : dict of str to Sensitivity, optional
        Where the model looks, by the id of the sample.
    confidence : AnswerConfidence, optional
        Of the answers by `choice`, where it is calibrated.
    """

    def __init__(self, evaluation, pictures, choice, store, others=(), looks=None, confidence=None):
        self.looks, self.confidence = looks or {}, confidence
        self.evaluation, self.pictures, self.choice, self.store = evaluation, pictures, choice, store
        named = by_name(others or [evaluation])
        self.first = next(name for name, one in named.items() if one is evaluation)
        kept = [name for name in named if name != self.first][: MOST_MODELS - 1]
        self.models = {name: one for name, one in named.items() if name in (self.first, *kept)}
        self.colours = colour_places(named)
        # Tables of the same models are shared.
        self.shared = SHARED if len(self.models) == len(named) else ()

    def example(self, row, is_open=False):
        """One sample as a section that opens: HTML."""
        predictions = self.evaluation.predictions
        answer, truth = self._judged(row)
        name, sample = f"sample-{row}", predictions.sample_id(row)
        answered = self._named(answer.nodes)
        outcome = answer.outcome
        verdict = f' <span class="{outcome}">{answer_text(outcome)}</span>' if outcome else ""
        said = f"truth {self._named(truth)}, answer {answered}" if truth else f"answer {answered}"
        picture = self.pictures.get(row)
        thumbnail = f'<img class="thumbnail" src="{picture}" alt="Sample {escape(sample)}">' if picture else ""
        called = predictions.called(row)
        own = "" if called == sample else f"{escape(sample)}: "
        head = f'{thumbnail}<span class="sample-name">{escape(called)}</span> <span>{own}{said}{verdict}</span>'
        body, text = [], predictions.text(row)
        if text:
            body.append(f"<blockquote>{escape(text)}</blockquote>")
        body.append(self.facts(row))
        for part in sample_parts(self.evaluation, row, **self.choice):
            key = f"{name}-{part.name}"
            if key not in self.store:
                self.store[key] = packed_chart(part.figure)
            body.append(f"<h4>{escape(part.title)}</h4>{chart(key, part.figure.sentence)}")
            if part.name == "tree":
                body.append(self._unfolded(name, row, truth, answer.nodes))
        drawn = (
            self.drawing(row, f"{name}-ladder")
            + self._look(sample, f"{name}-look")
            + folded("Facts and other drawings", "".join(body))
        )
        is_open = " open" if is_open else ""
        return f'<details class="example"{is_open}><summary>{head}</summary>{drawn}</details>'

    def _look(self, sample, key):
        """Where the model looks, HTML; empty where that is not known."""
        if sample not in self.looks:
            return ""
        figure = sensitivity(self.looks[sample])
        self.store.setdefault(key, packed_chart(figure))
        return f"<h4>Where the model looks</h4>{chart(key, figure.sentence)}"

    def drawing(self, row, key):
        """The living drawing of a sample, whose record is put into the store by `key`: HTML."""
        sample = self.evaluation.predictions.sample_id(row)
        figure = example_figure(
            self.models, sample, self.first, self.choice, picture=False, colours=self.colours, asks=True
        )
        if key not in self.store:
            tables = {name: figure.record[name] for name in SHARED}
            self.store.setdefault("ladder", packed({"spec": ladder_spec(fills=False), "tables": tables}))
            self.store[key] = packed({name: one for name, one in figure.record.items() if name not in self.shared})
        return ladder(key, figure.sentence)

    def _unfolded(self, name, row, truth, nodes):
        """All probabilities, in a tree that opens."""
        key = f"{name}-probabilities"
        if key not in self.store:
            p = self.evaluation.predictions.node_probabilities(np.array([row]))[0]
            self.store[key] = packed(probability_data(p, truth, [node for node in nodes if node >= 0]))
        tree = f'<div class="wide" data-tree="taxonomy-tree" data-values="{key}" data-label="Probabilities of all classes">'
        return folded("All classes, as a tree that opens", f"{tree}</div>")

    def _judged(self, row):
        """The answer to a sample, and its true nodes as a list; empty where none is known."""
        is_known, truth = self.evaluation.judged[row], self.evaluation.predictions.truth
        answer = sample_answer(self.evaluation, row, **self.choice)
        return answer, np.atleast_1d(truth[row]).tolist() if is_known else []

    def facts(self, row):
        """Truth, answer and win of a sample: HTML."""
        answer, truth = self._judged(row)
        predictions, taxonomy = self.evaluation.predictions, self.evaluation.taxonomy
        facts = []
        for label, nodes in (("Truth", truth), ("Answer", answer.nodes)):
            if len(nodes) == 1 and nodes[0] >= 0 and taxonomy.is_tree:
                path = " › ".join(escape(taxonomy.title(step)) for step in taxonomy.path(nodes[0])[1:])
                facts.append((label, path or f"{escape(taxonomy.title(0))} (the root: no information)"))
            elif len(nodes) or label == "Answer":
                facts.append((label, self._named(nodes)))
        if answer.p is not None:
            facts.append(("p of the answer", probability_text(answer.p)))
        if self.confidence is not None:
            facts.append(("Confidence of the answer", escape(self.confidence.text(row))))
        if answer.win is not None:
            facts.append(("Win", value_text(answer.win)))
        known = {k: v[row] for k, v in predictions.attributes.items() if k not in HIDDEN and str(v[row]) != ""}
        facts += [(escape(str(key)), escape(str(value))) for key, value in known.items()]
        return terms(facts)

    def _named(self, nodes):
        title = self.evaluation.taxonomy.title
        names = [escape(title(node)) for node in nodes]
        more = f" and {len(names) - NAMES_IN_A_SET} more" if len(names) > NAMES_IN_A_SET else ""
        return f"<b>{'; '.join(names[:NAMES_IN_A_SET]) or 'nothing'}</b>{more}"
