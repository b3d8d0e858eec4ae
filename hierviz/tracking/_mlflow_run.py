"""`hierviz.log_to_mlflow`."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from hierviz.messages.errors import PredictionsError, shown
from hierviz.messages.extras import require
from hierviz.taxonomy.checks import check_whole
from hierviz.tracking.logged import FOLDER, REPORT, Logged, environment

# Names of MLflow are at most this long, and this many go into one request.
LONGEST, AT_ONCE = 250, 500
_LOCAL = ("", "file", "sqlite")
_TABLES = "mlflow.loggedArtifacts"
_SWITCH = "MLFLOW_DISABLE_TELEMETRY"


def log_to_mlflow(
    results: Any,
    run: Any = None,
    *,
    step: int = 0,
    with_report: bool = True,
    **choice: Any,
) -> str:
    """Log numbers, curves and the report of some models to a run of MLflow.

    Parameters
    ----------
    results : Report, Evaluation, Predictions, or list or dict of the last two
        A Report is logged as it is; of models one is made.
    run : mlflow.ActiveRun, mlflow.entities.Run or str, optional
        The run, or its id. The active run when None; without one a new run is made where the tracking URI names files of this
        machine, and finished.
    step : int
        Of the numbers, such as an epoch.
    with_report : bool
        Whether a report is made of models.
    **choice
        rule, threshold and parameters of the rule, as of `hierviz.evaluate`.

    Returns
    -------
    str
        The id of the run. Its metrics are called ``block/key``, such as ``curve/ac``, or ``model/block/key`` of several models;
        its artifacts are ``hierviz/report.html`` and ``hierviz/curve.json``, or ``hierviz/MODEL-curve.json``, which
        `mlflow.load_table` reads.

    Raises
    ------
    PredictionsError
        If these are no results, `step` is no whole number >= 0, or there is no active run and the tracking URI names a server.
    MissingExtraError
        Without mlflow.

    Notes
    -----
    The telemetry of MLflow is off during the call. A run on a server is reached only where the caller has started or named it.
    """
    require("log_to_mlflow", "mlflow", "mlflow")
    check_whole("step", step, 0)
    logged = Logged.from_results(results, with_report, choice)
    # MLflow asks this variable when it is imported and at each call.
    with environment({_SWITCH: "true"}):
        import mlflow

        client, run_id, is_ours = _client_and_run(mlflow, run)
        try:
            _log(mlflow, client, run_id, logged, int(step))
        except BaseException:
            if is_ours:
                client.set_terminated(run_id, "FAILED")
            raise
        if is_ours:
            client.set_terminated(run_id)
    return run_id


def _client_and_run(mlflow, run):
    """(client, run id, whether the run was made here)."""
    run = mlflow.active_run() if run is None else run
    if run is not None:
        run_id = run if isinstance(run, str) else getattr(getattr(run, "info", None), "run_id", None)
        if run_id is None:
            raise PredictionsError(
                f"run: expected a run of MLflow or its id, got {type(run).__name__}. Pass what mlflow.start_run() returns."
            )
        return mlflow.MlflowClient(), run_id, False
    address = mlflow.get_tracking_uri()
    if urlparse(address).scheme not in _LOCAL and not Path(address).drive:
        raise PredictionsError(
            f"run: expected an active run, as the tracking URI {shown(address)} names a server, got none. "
            "Call mlflow.start_run() first."
        )
    client = mlflow.MlflowClient(address)
    experiment = os.environ.get("MLFLOW_EXPERIMENT_ID") or "0"
    return client, client.create_run(experiment, run_name=FOLDER).info.run_id, True


def _log(mlflow, client, run_id, logged, step):
    now = int(time.time() * 1000)
    metrics = [mlflow.entities.Metric(name[:LONGEST], value, now, step) for name, value in logged.numbers.items()]
    tags = [mlflow.entities.RunTag(name[:LONGEST], value) for name, value in logged.tags.items()]
    for first in range(0, len(metrics), AT_ONCE):
        client.log_batch(run_id, metrics[first : first + AT_ONCE])
    client.log_batch(run_id, tags=tags)
    with tempfile.TemporaryDirectory() as folder:
        if logged.report is not None:
            logged.report.write(Path(folder) / REPORT)
        for name, columns in logged.curves.items():
            lists = {key: values.tolist() for key, values in columns.items()}
            (Path(folder) / f"{name}.json").write_text(_table_text(lists), encoding="utf-8")
        if any(Path(folder).iterdir()):
            client.log_artifacts(run_id, folder, FOLDER)
    _name_tables(client, run_id, [f"{FOLDER}/{name}.json" for name in logged.curves])


def _name_tables(client, run_id, paths):
    """Where MLflow looks for the tables of a run."""
    known = json.loads(client.get_run(run_id).data.tags.get(_TABLES, "[]"))
    tables = [{"path": path, "type": "table"} for path in paths]
    client.set_tag(run_id, _TABLES, json.dumps([*known, *(table for table in tables if table not in known)]))


def _table_text(columns):
    """The form of `mlflow.log_table`, which appends to a table that is there: this one is written anew at each call."""
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return json.dumps({"columns": list(columns), "data": rows})
