"""What the chart tests draw: small curves worked by hand, a random large taxonomy, and a walk through a specification."""

import re

import numpy as np
from hypothesis import strategies as st

from hierviz import Taxonomy
from hierviz.curves import OperatingCurve
from hierviz.metrics.registry import path_keys

# How red-, green- and blue-blind eyes see linear RGB (Machado, Oliveira & Fernandes, IEEE TVCG 15 (2009) 1291, severity 1).
EYES = {
    "all": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(colour):
    """Linear RGB of "#rrggbb"."""
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def curve_of(threshold, **values):
    """An OperatingCurve with the given metrics; all others are 0.5 everywhere."""
    n = len(threshold) + 1
    given = {key: np.asarray(value, dtype=float) for key, value in values.items()}
    return OperatingCurve(
        np.asarray(threshold, dtype=float), {key: given.get(key, np.full(n, 0.5)) for key in path_keys()}, 10
    )


def three_points():
    """threshold >= 0.8: nothing said, never wrong. 0.4 <= threshold < 0.8: half said, 0.9 right. Below: 0.75 said, 0.6 right."""
    return curve_of([0.8, 0.4], info_recall=[0, 0.5, 0.75], correct=[1, 0.9, 0.6], info_f1=[0, 0.6, 0.7])


def many_curves(n, n_points=300, seed=0):
    """`n` falling curves with awkward names."""
    rng = np.random.default_rng(seed)
    names = [
        "Flat softmax",
        "hxe α=0.5",
        'say "hi" </script>',
        "a.b[0]",
        "conditional sigmoid with 30 chars",
        "x",
        "y",
        "z",
    ]
    made = {}
    for i in range(n):
        threshold = np.sort(rng.random(n_points))[::-1]
        steps = np.linspace(0, 1, n_points + 1)
        values = {
            key: np.clip(steps * (0.9 - 0.08 * i) + rng.normal(0, 0.004, n_points + 1), 0, 1) for key in path_keys()
        }
        values["correct"] = 1 - 0.4 * values["correct"]
        made[names[i]] = curve_of(threshold, **values)
    return made


def distance_to_polyline(point, kept):
    """Distance of a point to the nearest segment of a polyline, shape (n_points, 2), straight from the definition."""
    a, d = kept[:-1], np.diff(kept, axis=0)
    along = np.clip(((point - a) * d).sum(1) / np.maximum((d * d).sum(1), 1e-30), 0, 1)
    return float(np.hypot(*(a + along[:, None] * d - point).T).min())


def large(n_nodes=3000, seed=1):
    """A random taxonomy with names of thirty letters, a fan of 600 siblings, an only child and a random sample."""
    rng = np.random.default_rng(seed)
    parents = [0] * 12 + [int(rng.integers(0, i // 4 + 1)) for i in range(13, n_nodes - 601)]
    parents += [3] * 600 + [5]
    names = [f"node {i:05d} with a long name".ljust(30, "x") for i in range(len(parents) + 1)]
    taxonomy = Taxonomy.from_edges([(names[parent], names[i]) for i, parent in enumerate(parents, 1)])
    return taxonomy, probabilities(taxonomy, rng)


def probabilities(taxonomy, rng, concentration=0.05):
    """Coherent random node probabilities of one sample, shape (n_nodes,)."""
    p = np.zeros(taxonomy.n_nodes)
    p[taxonomy.leaves] = rng.dirichlet(np.full(taxonomy.n_leaves, concentration))
    for level in reversed(taxonomy.levels[1:]):
        np.add.at(p, taxonomy.parent[level], p[level])
    return p


def views(spec):
    """All unit views of a specification, however deep, with their datasets' rows under ``rows``."""
    found = []

    def walk(view, data):
        data = view.get("data", data)
        for key in ("layer", "vconcat", "hconcat"):
            for below in view.get(key, ()):
                walk(below, data)
        if "mark" in view:
            rows = spec["datasets"].get((data or {}).get("name"), [])
            found.append({**view, "rows": rows})

    walk(spec, None)
    return found


def shown_texts(svg):
    """All words of an SVG."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def size(svg):
    """Width and height of an SVG in pixels."""
    return tuple(float(one) for one in re.search(r'<svg[^>]*? width="([\d.]+)" height="([\d.]+)"', svg).groups())


def font_sizes(svg):
    """Sizes of all texts of an SVG, pixels."""
    return [float(one) for one in re.findall(r'font-size="([\d.]+)px"', svg)]


@st.composite
def folding_samples(draw):
    """A random tree up to 400 nodes, probabilities coherent or not, truth and answer anywhere or unknown."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.sampled_from([2, 3, 8, 40, 150, 400]))
    shape = draw(st.sampled_from(["any", "deep", "star", "chain"]))
    parents = {
        "any": [int(rng.integers(0, i)) for i in range(1, n)],
        "deep": [int(rng.integers(max(0, i - 4), i)) for i in range(1, n)],
        "star": [0] * (n - 1),
        "chain": list(range(min(n, 20) - 1)),
    }[shape]
    taxonomy = Taxonomy.from_edges([(f"n{parent}", f"n{i}") for i, parent in enumerate(parents, 1)])
    p = probabilities(taxonomy, rng) if draw(st.booleans()) else rng.random(taxonomy.n_nodes)
    truth, predicted = (draw(st.one_of(st.none(), st.integers(0, taxonomy.n_nodes - 1))) for _ in range(2))
    return taxonomy, p, truth, predicted, draw(st.sampled_from([5, 20, 34, 60]))
