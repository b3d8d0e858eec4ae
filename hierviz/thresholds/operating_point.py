"""An operating point for export: the threshold, what it was chosen for and what it reaches, as a small JSON.

The values and the guarantee of an operating point next to those of other samples: sentences for the notes of an evaluation.

Conventions
-----------
The JSON is an object with the keys of `KEYS`. It names the taxonomy by `Taxonomy.sha256`, so that the threshold is not
applied to other classes, and the model by name and, where it is a file, by its SHA-256. Files are read and written by
`hierviz.readers.operating_point_file`.

Functions
---------
operating_point_notes
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hierviz._version import version
from hierviz.curves.operating_curve import OperatingCurve
from hierviz.messages.errors import FileError, TaxonomyError, listed, near_miss, shown
from hierviz.messages.notebook_html import Short
from hierviz.metrics.registry import METRICS, share_keys
from hierviz.metrics.ties import at_least, at_most
from hierviz.taxonomy.checks import check_kind, check_taxonomy, check_threshold, is_number, is_within
from hierviz.taxonomy.taxonomy import Taxonomy
from hierviz.thresholds.risk_control import Guarantee

RULE = "threshold"
KEYS = ("hierviz", "model", "taxonomy_sha256", "rule", "threshold", "n_samples", "values", "guarantee", "created_from")
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class OperatingPoint(Short):
    """A threshold with its provenance.

    Attributes
    ----------
    model_name : str
    taxonomy_sha256 : str
        `Taxonomy.sha256`.
    threshold : float
        In [0, 1], of rule ``threshold``.
    n_samples : int
        Number of samples behind `values`.
    values : dict of str to dict
        Metric -> {"value": mean, "low": ..., "high": ...}; low and high where an interval is known.
    guarantee : dict or None
        `hierviz.thresholds.risk_control.Guarantee.to_json` of a certified threshold: this one.
    created_from : dict
        Anything JSON can hold: files, goal, seed.
    model_sha256 : str or None
    hierviz : str
        Version that made it.
    """

    model_name: str
    taxonomy_sha256: str
    threshold: float
    n_samples: int
    values: dict = field(default_factory=dict)
    guarantee: dict | None = None
    created_from: dict = field(default_factory=dict)
    model_sha256: str | None = None
    hierviz: str = field(default_factory=version)

    @classmethod
    def from_curve(
        cls,
        taxonomy: Taxonomy,
        curve: OperatingCurve,
        threshold: float,
        model_name: str,
        *,
        intervals: Mapping[str, tuple[float, float]] | None = None,
        guarantee: Guarantee | None = None,
        created_from: dict[str, Any] | None = None,
        model_sha256: str | None = None,
    ) -> OperatingPoint:
        """The point of a curve at a threshold.

        Parameters
        ----------
        taxonomy : Taxonomy
        curve : OperatingCurve
        threshold : float
            In [0, 1].
        model_name : str
        intervals : mapping of str to (low, high), optional
            Of some or all keys of the curve.
        guarantee : Guarantee, optional
            Of this threshold.
        created_from : dict, optional
        model_sha256 : str, optional

        Returns
        -------
        OperatingPoint

        Raises
        ------
        PredictionsError
            If the threshold is not in [0, 1].
        FileError
            If the rest would make no valid file: a guarantee of another threshold, an interval that is none.
        """
        check_taxonomy(taxonomy)
        check_kind("curve", curve, OperatingCurve, "It comes after the taxonomy.")
        check_threshold(threshold)
        values = {key: {"value": float(value)} for key, value in curve.at(threshold).items()}
        for key, interval in (intervals or {}).items():
            if key not in values or np.shape(interval) != (2,):
                raise FileError(
                    f"intervals: expected a pair (low, high) for keys among {', '.join(values)}, got {shown(interval)} for "
                    f"{key!r}. Correct it."
                )
            low, high = interval
            values[key] |= {"low": float(low), "high": float(high)}
        point = cls(
            str(model_name),
            taxonomy.sha256,
            float(threshold),
            int(curve.n_samples),
            values,
            None if guarantee is None else guarantee.to_json(),
            dict(created_from or {}),
            model_sha256,
        )
        return cls.from_json(point.to_json(), taxonomy=taxonomy)

    @classmethod
    def from_json(
        cls, value: dict[str, Any], *, taxonomy: Taxonomy | None = None, where: str = "operating point"
    ) -> OperatingPoint:
        """The OperatingPoint of a dict.

        Parameters
        ----------
        value : dict
            As `OperatingPoint.to_json` writes it.
        taxonomy : Taxonomy, optional
            The point must be of this one.
        where : str
            How errors call the source, for example a file name.

        Returns
        -------
        OperatingPoint

        Raises
        ------
        FileError
            If keys are missing or unknown, the rule is another one, or a value is of another kind or out of range.
        TaxonomyError
            If the point belongs to another taxonomy; names both.
        """
        _require(isinstance(value, dict), where, "an object", value, "Pass what hierviz wrote")
        _check_keys(value, KEYS, where)
        threshold, n_samples, model = (value[key] for key in ("threshold", "n_samples", "model"))
        is_count = isinstance(n_samples, int) and not isinstance(n_samples, bool) and n_samples > 0
        _check_plain(value["created_from"], f"{where}: created_from")
        for key, holds, expected, hint in (
            ("rule", value["rule"] == RULE, repr(RULE), "Other rules have no operating point"),
            ("threshold", is_within(threshold, 0, 1), "a number from 0 to 1", "Correct it"),
            ("n_samples", is_count, "a whole number above 0", "Correct it"),
            ("hierviz", isinstance(value["hierviz"], str), "a version as text", "Correct it"),
            ("model", isinstance(model, dict), "an object", "Correct it"),
            ("created_from", isinstance(value["created_from"], dict), "an object", "Correct it"),
        ):
            _require(holds, f"{where}: {key}", expected, value[key], hint)
        _check_keys(model, ("name", "sha256"), f"{where}: model")
        _require(isinstance(model["name"], str), f"{where}: model name", "text", model["name"], "Correct it")
        if model["sha256"] is not None:
            _check_hash(model["sha256"], f"{where}: model sha256")
        _check_hash(value["taxonomy_sha256"], f"{where}: taxonomy_sha256")
        _check_plain(value["guarantee"], f"{where}: guarantee")
        _check_values(value["values"], f"{where}: values")
        _check_guarantee(value["guarantee"], threshold, f"{where}: guarantee")
        point = cls(
            model["name"],
            value["taxonomy_sha256"],
            float(threshold),
            n_samples,
            {key: dict(numbers) for key, numbers in value["values"].items()},
            None if value["guarantee"] is None else dict(value["guarantee"]),
            dict(value["created_from"]),
            model["sha256"],
            value["hierviz"],
        )
        if taxonomy is not None:
            point.require_taxonomy(taxonomy, where)
        return point

    def to_json(self) -> dict[str, Any]:
        """The point as a dict of plain values."""
        return {
            "hierviz": self.hierviz,
            "model": {"name": self.model_name, "sha256": self.model_sha256},
            "taxonomy_sha256": self.taxonomy_sha256,
            "rule": RULE,
            "threshold": self.threshold,
            "n_samples": self.n_samples,
            "values": {key: dict(value) for key, value in self.values.items()},
            "guarantee": None if self.guarantee is None else dict(self.guarantee),
            "created_from": dict(self.created_from),
        }

    def require_taxonomy(self, taxonomy: Taxonomy, where: str = "operating point") -> None:
        """Raise a TaxonomyError that names both hashes unless the point belongs to this taxonomy."""
        if taxonomy.sha256 != self.taxonomy_sha256:
            raise TaxonomyError(
                f"{where}: expected an operating point of this taxonomy (sha256 {taxonomy.sha256}), got one of another "
                f"(sha256 {self.taxonomy_sha256}). Use the taxonomy that it was chosen with."
            )


def _check_values(values, where):
    _require(isinstance(values, dict), where, "an object", values, "Correct it")
    for key, value in values.items():
        here = f"{where}, {key}"
        _require(isinstance(value, dict), here, 'an object such as {"value": 0.9}', value, "Correct it")
        wanted = ("value", "low", "high") if len(value) > 1 else ("value",)
        _check_keys(value, wanted, here)
        _require(all(map(is_number, value.values())), here, "numbers", value, "Correct it")
        if len(value) > 1:
            _require(value["low"] <= value["high"], here, "low <= high", [value["low"], value["high"]], "Swap them")


def _check_guarantee(guarantee, threshold, where):
    if guarantee is None:
        return
    _require(isinstance(guarantee, dict), where, "an object or null", guarantee, "Correct it")
    missing = [key for key in ("key", "alpha", "delta", "threshold") if key not in guarantee]
    if missing:
        raise FileError(f"{where}: expected the key {missing[0]!r}, got none. Choose the threshold again.")
    _require(
        guarantee["threshold"] == threshold,
        f"{where}: threshold",
        f"{threshold!r}, the threshold of the operating point",
        guarantee["threshold"],
        "The guarantee holds only for the threshold that was certified",
    )


def _check_plain(value, where):
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        _require(False, where, "what JSON can hold", value, "Pass plain numbers, texts, lists and dicts")


def _check_keys(value, keys, where):
    missing = [key for key in keys if key not in value]
    unknown = [key for key in value if key not in keys]
    if missing:
        raise FileError(
            f"{where}: expected the keys {', '.join(keys)}, got none for {listed(missing)}. Write the file again."
        )
    if unknown:
        hint = near_miss(str(unknown[0]), keys)
        raise FileError(
            f"{where}: expected only the keys {', '.join(keys)}, got {listed(unknown)}.{hint} Remove the rest."
        )


def _check_hash(value, where):
    is_hash = isinstance(value, str) and _HASH.fullmatch(value)
    _require(is_hash, where, "a SHA-256 of 64 hexadecimal digits", value, "Write the file again")


def _require(holds, where, expected, got, hint):
    if not holds:
        raise FileError(f"{where}: expected {expected}, got {shown(got, 80)}. {hint}.")


def operating_point_notes(point, entry):
    """Sentences on an operating point and what was measured with it.

    Parameters
    ----------
    point : OperatingPoint
    entry : dict
        Of one model, as `hierviz.evaluation.summary.model_summary` makes it with the rule and threshold of the point.

    Returns
    -------
    list of str
        Whose threshold it is; each metric when it was chosen and here; the guarantee, where there is one, and whether
        these samples meet it.
    """
    start = f"operating point: τ = {point.threshold:.12g}"
    whose = f"{start} was chosen for {point.model_name} on {point.n_samples} samples"
    if point.model_name != entry["name"]:
        whose += f"; this is {entry['name']}"
    if entry["threshold"] is None:
        return [f"{whose}; this file holds labels, so the operating point does not apply"]
    here = entry["predicted"]
    if here is None:
        return [f"{whose}; these samples have no metrics to compare with"]
    notes = [whose]
    for key in (*share_keys(), "no_answer"):
        if key not in point.values or here.get(key) is None:
            continue
        then = point.values[key]
        interval = f" ({then['low']:.3f} to {then['high']:.3f})" if "low" in then else ""
        outside = "low" in then and not (at_least(here[key], then["low"]) and at_most(here[key], then["high"]))
        notes.append(
            f"operating point: {METRICS[key].name} was {then['value']:.3f}{interval}, is {here[key]:.3f} here"
            f"{', outside the interval' if outside else ''}"
        )
    if point.guarantee is not None:
        notes.append(_guarantee_note(point.guarantee, here, entry["n_samples"]))
    return notes


def _guarantee_note(guarantee, here, n_samples):
    key, alpha, delta = (guarantee[name] for name in ("key", "alpha", "delta"))
    guaranteed = (
        f"operating point: guarantee of a mean loss (1 - {METRICS[key].name if key in METRICS else key}) of at most "
        f"{100 * alpha:.4g} % with a confidence of {100 * (1 - delta):.4g} %"
    )
    if here.get(key) is None:
        return f"{guaranteed}; it is not measured here"
    loss = 1 - here[key]
    counted = (
        "; in the guarantee every group has the same weight, in this mean every sample"
        if guarantee.get("unit") == "group"
        else ""
    )
    verdict = "met" if at_most(loss, alpha) else "not met"
    return f"{guaranteed}; on these {n_samples} samples the mean loss is {100 * loss:.4g} %: {verdict}{counted}"
