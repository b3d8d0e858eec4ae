"""Files of a training on the small tree: scores that come nearer to the truth with each step."""

import numpy as np

from hierviz import Predictions, Taxonomy
from tests.small_tree import EDGES, EDGES_CSV, LEAVES

N = 40


def step_scores(steps, seed=0):
    """By step: leaf probabilities, shape (N, 4), that are ever surer of the truth; and the truths."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(LEAVES), N)
    noise = rng.dirichlet(np.ones(len(LEAVES)), N)
    last = max(steps)
    made = {}
    for step in steps:
        share = 0.8 * step / last
        made[step] = (1 - share) * noise + share * np.eye(len(LEAVES))[truth]
    return made, truth


def step_predictions(steps, seed=0):
    """Predictions by step, in memory."""
    taxonomy = Taxonomy.from_edges(EDGES)
    made, truth = step_scores(steps, seed)
    nodes = taxonomy.nodes(*[LEAVES[place] for place in truth])
    ids = [f"s{row}" for row in range(N)]
    return {
        step: Predictions.from_scores(
            taxonomy, scores, "leaf_probabilities", truth=nodes, sample_ids=ids, name=f"flat@{step}"
        )
        for step, scores in made.items()
    }


def write_training(folder, steps=(1, 2, 10), name="flat"):
    """taxonomy.csv, truth.csv and ``name/epoch_STEP.csv`` in a folder."""
    made, truth = step_scores(steps)
    (folder / "taxonomy.csv").write_text(f"parent,child\n{EDGES_CSV}")
    rows = "".join(f"s{row},{LEAVES[place]}\n" for row, place in enumerate(truth))
    (folder / "truth.csv").write_text(f"sample_id,truth\n{rows}")
    (folder / name).mkdir()
    for step, scores in made.items():
        lines = [",".join(["sample_id", *LEAVES])]
        lines += [f"s{row}," + ",".join(f"{p:.12f}" for p in values) for row, values in enumerate(scores)]
        (folder / name / f"epoch_{step}.csv").write_text("\n".join(lines) + "\n")
    return folder
