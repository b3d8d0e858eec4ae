"""Predictions whose names are markup, and what a test reads out of the HTML of a report."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import numpy as np

import hierviz as hv

HOSTILE = (
    "<script>window.hit = 1</script>",
    '"><img src=x onerror="window.hit = 2">',
    "</script><script>window.hit = 3</script>",
    "<!--<script>",
    "{{7*7}} ${window.hit = 4} '\" & é 日本",
    "javascript:window.hit=5",
)


def hostile_predictions(n_samples=40, seed=0, name="<b>model</b>"):
    """Scores of a small tree of which every name, id, attribute and text is markup."""
    root, one, two, three, four, five = HOSTILE
    edges = [(root, one), (root, two), (one, three), (one, four), (two, five), (two, "plain")]
    taxonomy = hv.Taxonomy.from_edges(edges)
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(taxonomy.n_leaves, 0.4), n_samples)
    truth = rng.choice(taxonomy.leaves, n_samples)
    ids = np.array([f"{HOSTILE[row % 6]} {row}" for row in range(n_samples)], dtype=object)
    text = np.array([f"{HOSTILE[row % 3]} words" for row in range(n_samples)], dtype=object)
    return hv.Predictions.from_scores(
        taxonomy,
        scores,
        "leaf_probabilities",
        truth=truth,
        name=name,
        sample_ids=ids,
        attributes={"text": text, "<i>kind</i>": ids},
    )


class Seen(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.links, self.texts, self._skip = {}, [], [], False
        self.handlers = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.links += [value for name, value in attributes if name in ("src", "href", "action", "data", "poster")]
        self.handlers += [name for name, _ in attributes if name.startswith("on")]
        self._skip = tag in ("script", "style")

    def handle_endtag(self, tag):
        self._skip = False

    def handle_data(self, data):
        if not self._skip:
            self.texts.append(data)


def numbers_of(html):
    """The JSON that a report holds."""
    return json.loads(re.search(r'<script type="application/json" id="hierviz-report">(.*?)</script>', html, re.S)[1])


def packed_of(html, name):
    """What the browser unpacks, by its name."""
    text = re.search(rf'<script type="text/plain" id="packed-{name}">(.*?)</script>', html)[1]
    return json.loads(gzip.decompress(base64.b64decode(text)))
