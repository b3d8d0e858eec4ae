"""Runs the public evaluator, installed in an environment of its own, and prints its unrounded numbers as JSON.

Arguments: OBO file, folder of predictions, truth, information accretion.
"""

import json
import logging
import sys


def main(obo, folder, truth, accretion):
    from cafaeval.evaluation import cafa_eval

    logging.disable(logging.CRITICAL)
    rows, _ = cafa_eval(obo, folder, truth, ia=accretion, no_orphans=True, norm="cafa", prop="max", th_step=0.01)
    columns = {"f_max": "f", "f_max_micro": "f_micro", "wf_max": "f_w", "wf_max_micro": "f_micro_w", "s_min": "s_w"}
    best = {key: float(rows[column].min() if key == "s_min" else rows[column].max()) for key, column in columns.items()}
    print(json.dumps(best))


if __name__ == "__main__":
    main(*sys.argv[1:])
