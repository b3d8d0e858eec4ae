"""How many rows a model runs at a time: as many as are wanted, and half of them again where its memory is not enough.

Conventions
-----------
What was found to be enough stays with the session, so that later runs begin there.
"""

from __future__ import annotations

from hierviz.onnx.process.session import OutOfMemory


def run_in_halves(session, inputs, blocks, outputs, *, n_rows, step, is_fixed, widest, progress, notes):
    """Run a session, in batches that fit its memory.

    Parameters
    ----------
    session : Session
    inputs : sequence of InputSpec
    blocks : callable that gives an iterable of dict of input name to ndarray, or a list of them
        Taken again for each size of the batches.
    outputs, n_rows, widest, progress
        As in `Session.run`.
    step : int
        Rows of one batch that are wanted.
    is_fixed : bool
        True when the model runs no other number of rows.
    notes : list of str, or None
        Grows when fewer rows were run at a time.

    Returns
    -------
    Run

    Raises
    ------
    OutOfMemory
        If a single row, or the fixed number of them, needs too much.
    ModelError
        As `Session.run`.
    """
    wanted = step
    step = wanted if is_fixed else _first_step(session, inputs, wanted)
    while True:
        given = blocks() if callable(blocks) else blocks
        try:
            run = session.run(given, list(outputs), n_rows=n_rows, step=step, widest=widest, progress=progress)
            break
        except OutOfMemory:
            if is_fixed or step == 1:
                raise
            step = session.most_rows = step // 2
    if step < wanted and notes is not None:
        rows = f"{step} row{'s' * (step > 1)} at a time"
        notes.append(
            f"{session.where} ran {rows}: {wanted} do not fit the {session.memory_mb} MB of memory that it may use"
        )
    return run


def _first_step(session, inputs, wanted):
    """Rows that are tried first: fewer where more failed before, or where the inputs alone take half of the memory."""
    step, row_bytes = wanted, sum(spec.fed_bytes for spec in inputs)
    while step > 1 and (step > (session.most_rows or step) or step * row_bytes > session.memory_mb << 19):
        step //= 2
    return step
