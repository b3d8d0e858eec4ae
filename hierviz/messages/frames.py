"""Frames of pandas, polars and Arrow: those that come in as pandas has them, and those that go out as they are asked for.

Functions
---------
is_frame, as_pandas, frame_columns, in_backend
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from hierviz.messages.errors import HiervizError, PredictionsError, shown
from hierviz.messages.extras import require

BACKENDS = ("pandas", "polars", "pyarrow")
_BACKEND = inspect.Parameter("backend", inspect.Parameter.KEYWORD_ONLY, default="pandas", annotation="str")
_WORDS = 'The frame is of pandas, or with ``backend="polars"`` or ``"pyarrow"`` of these.'


def is_frame(value: Any) -> bool:
    """Whether a value is a table with named columns: of pandas, polars, Arrow, or another package that says its columns."""
    if isinstance(value, type) or not hasattr(value, "columns"):
        return False
    return any(hasattr(value, name) for name in ("iloc", "__arrow_c_stream__", "__dataframe__", "collect"))


def as_pandas(
    value: Any, what: str, error: type[HiervizError] = PredictionsError, advice: str = "Convert it to one of them."
) -> Any:
    """A frame as a pandas DataFrame: one of pandas as it is, others through narwhals.

    Raises
    ------
    HiervizError
        Of the class `error`, which calls the value `what`, if it is no frame, or one that is not computed yet.
    """
    if all(hasattr(value, name) for name in ("columns", "index", "iloc")):
        return value
    kind = f"{type(value).__module__.split('.')[0]}.{type(value).__name__}"
    if not is_frame(value):
        raise error(f"{what}: expected a DataFrame of pandas or polars, or a table of Arrow, got {kind}. {advice}")
    if hasattr(value, "collect"):
        raise error(
            f"{what}: expected a frame with its values, got {kind}, which computes them later. Pass {what}.collect()."
        )
    require(what, "files", "narwhals", "pandas", "pyarrow")
    import narwhals

    try:
        return narwhals.from_native(value, eager_only=True).to_pandas()
    except TypeError:
        raise error(
            f"{what}: expected a DataFrame of pandas or polars, or a table of Arrow, got {kind}. {advice}"
        ) from None


def frame_columns(value: Any, what: str, error: type[HiervizError] = PredictionsError) -> dict[str, list[Any]]:
    """The columns of a frame as lists by their names as text, None where there is no value."""
    table = as_pandas(value, what, error)
    places = range(len(table.columns))
    columns = [table.iloc[:, place] for place in places]
    lists = [column.astype(object).where(column.notna(), None).tolist() for column in columns]
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise error(f"{what}, columns: expected every name once, got {', '.join(map(repr, names))}. Rename them.")
    return dict(zip(names, lists, strict=True))


def in_backend(to_frame: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a method that returns a pandas DataFrame: it takes ``backend``, a key of `BACKENDS`, too."""

    @functools.wraps(to_frame)
    def made(*args: Any, backend: str = "pandas", **keywords: Any) -> Any:
        if backend not in BACKENDS:
            raise PredictionsError(
                f"backend: expected one of {', '.join(BACKENDS)}, got {shown(backend)}. Choose one of them."
            )
        require("to_frame", "files", "pandas", *(() if backend == "pandas" else ("narwhals", backend)))
        table = to_frame(*args, **keywords)
        if backend == "pandas":
            return table
        import narwhals

        table = narwhals.from_native(table, eager_only=True)
        return table.to_polars() if backend == "polars" else table.to_arrow()

    own = inspect.signature(to_frame)
    parameters = list(own.parameters.values())
    last = parameters[-1].kind == inspect.Parameter.VAR_KEYWORD
    parameters.insert(len(parameters) - last, _BACKEND)
    made.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    first, blank, rest = (made.__doc__ or "").partition("\n\n")
    made.__doc__ = f"{first}\n\n{' ' * 8}{_WORDS}{blank}{rest}"
    return made
