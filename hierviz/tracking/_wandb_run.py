"""`hierviz.log_to_wandb`."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from hierviz.messages.errors import PredictionsError
from hierviz.messages.extras import require
from hierviz.taxonomy.checks import check_whole
from hierviz.tracking.logged import FOLDER, REPORT, Logged, environment

_UNFIT = re.compile(r"[^\w.\-]")
# Reports of errors go to a server of their own.
_SWITCHES = {"WANDB_ERROR_REPORTING": "false", "WANDB_SILENT": "true"}


def log_to_wandb(
    results: Any,
    run: Any = None,
    *,
    step: int | None = None,
    with_report: bool = True,
    **choice: Any,
) -> str:
    """Log numbers, curves and the report of some models to a run of Weights & Biases.

    Parameters
    ----------
    results : Report, Evaluation, Predictions, or list or dict of the last two
        A Report is logged as it is; of models one is made.
    run : wandb.Run, optional
        The active run (``wandb.run``) when None; without one a new run in offline mode is made in the folder ``wandb``, and
        finished. ``wandb sync`` sends it later, if you want.
    step : int, optional
        Of the numbers and tables, such as an epoch; the step of the run when None.
    with_report : bool
        Whether a report is made of models.
    **choice
        rule, threshold and parameters of the rule, as of `hierviz.evaluate`.

    Returns
    -------
    str
        The id of the run. Its numbers are called ``block/key``, such as ``curve/ac``, or ``model/block/key`` of several models;
        its table is called ``hierviz/curve``, or ``hierviz/MODEL-curve``, and its artifact ``hierviz-report``.

    Raises
    ------
    PredictionsError
        If these are no results, `run` is no run, or `step` is no whole number >= 0.
    MissingExtraError
        Without wandb.

    Notes
    -----
    A run on a server is reached only where the caller has started it.
    """
    require("log_to_wandb", "wandb", "wandb")
    if step is not None:
        check_whole("step", step, 0, advice="Leave it out for that of the run.")
    logged = Logged.from_results(results, with_report, choice)
    # wandb reads these when it is imported and when a run starts; what the caller has set is kept.
    with environment({name: value for name, value in _SWITCHES.items() if name not in os.environ}):
        import wandb

        run = wandb.run if run is None else run
        is_ours = run is None
        if is_ours:
            run = wandb.init(mode="offline", project=FOLDER, settings=wandb.Settings(disable_git=True, save_code=False))
        elif not hasattr(run, "log_artifact") or not hasattr(run, "summary"):
            raise PredictionsError(
                f"run: expected a run of Weights & Biases, got {type(run).__name__}. Pass what wandb.init() returns."
            )
        failed = 1
        try:
            _log(wandb, run, logged, None if step is None else int(step))
            failed = 0
        finally:
            if is_ours:
                run.finish(exit_code=failed)
    return run.id


def _log(wandb, run, logged, step):
    tables: dict[str, Any] = {}
    for name, columns in logged.curves.items():
        rows = [list(row) for row in zip(*(values.tolist() for values in columns.values()), strict=True)]
        tables[f"{FOLDER}/{name}"] = wandb.Table(columns=list(columns), data=rows)
    run.config.update(logged.tags, allow_val_change=True)
    run.log({**logged.numbers, **tables}, step=step)
    if logged.report is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / REPORT
            logged.report.write(path)
            artifact = wandb.Artifact(_UNFIT.sub("-", f"{FOLDER}-report"), type="report", metadata=logged.tags)
            # Copied now: the folder is gone before the run ends.
            artifact.add_file(str(path), name=REPORT, policy="mutable")
            run.log_artifact(artifact)
