"""Specifications of pictures written as dictionaries, from their views: Altair copies every view once a level of nesting for it.

What is written is what Altair writes of the same chart, but for the names of views.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from typing import Any

import altair as alt
import numpy as np
from altair.utils.schemapi import SchemaBase

from hierviz.charts._compose import KINDS
from hierviz.charts._sketch import PlainColumns, Sketch, with_properties

# What Altair moves from a view to the picture that it is a layer of.
OF_LAYERS = ("width", "height", "view")
NO_DATA = "no data"
# Fields with their types, and how channels of fields and of values are written.
SHORTHAND = re.compile(r"(\w+):([QNOT])")
TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}
FIELD, VALUE = alt.X.to_dict, alt.XValue.to_dict


class NotPlainError(Exception):
    """A chart has parts that only Altair puts together."""


def plain_spec(sketch, around):
    """Vega-Lite specification of a Sketch, not validated, data as the data transformer of Altair gives them.

    Parameters
    ----------
    sketch : Sketch
    around : dict
        More properties of the whole picture, as written.

    Returns
    -------
    dict

    Raises
    ------
    NotPlainError
        If Altair has to write it.
    """
    writer = _Writer()
    spec, data, selections = writer.part(sketch)
    if data is not NO_DATA:
        spec["data"] = writer.data(data)
    params = [*spec.pop("params", []), *selections]
    spec |= {"params": params} if params else {}
    spec |= {"$schema": alt.SCHEMA_URL} | around
    return spec | ({"datasets": writer.context["datasets"]} if writer.context["datasets"] else {})


class _Writer:
    """Parts of one picture: each as (specification, data for its neighbours too, selections for the whole picture)."""

    def __init__(self):
        self.context: dict[str, Any] = {"datasets": {}, "top_level": False}
        self._numbers, self._names, self._inferring = itertools.count(1), set(), self.context

    def part(self, part):
        """Of a Sketch or a view of Altair."""
        if isinstance(part, alt.Chart):
            return self._view(part)
        if not isinstance(part, Sketch):
            raise NotPlainError
        if part.make is with_properties:
            spec, data, selections = self.part(part.parts[0])
            return spec | self._plain(part.settings[1]), data, selections
        if part.make in KINDS:
            return self._together(KINDS[part.make], part)
        if part.table is None:
            raise NotPlainError
        return self.part(part.made_of(part.table))

    def data(self, data):
        """As written: tables by the data transformer, rows of the chart itself under the datasets of the picture."""
        if not isinstance(data, alt.InlineData):
            if isinstance(data, SchemaBase | dict | str) and not isinstance(data, PlainColumns):
                raise NotPlainError
            return alt.data_transformers.get()(data)
        rows = self._plain(data.values)
        name = f"data-{hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:32]}"
        self.context["datasets"][name] = rows
        return {"name": name}

    def _together(self, kind, sketch):
        if "data" in sketch.settings[1]:
            raise NotPlainError
        specs, tables, selections = zip(*map(self.part, sketch.parts), strict=True)
        if kind == "layer" and any(name in spec for spec in specs for name in OF_LAYERS):
            raise NotPlainError
        shared = tables[0]
        if not all(of is shared for of in tables):
            shared = NO_DATA
            for spec, of in zip(specs, tables, strict=True):
                spec |= {} if of is NO_DATA else {"data": self.data(of)}
        inner = [one for spec in specs for one in spec.pop("params", [])]
        spec = self._plain(sketch.settings[1])
        params = [*spec.pop("params", []), *inner]
        spec |= {"params": params} if params else {}
        return {kind: list(specs)} | spec, shared, [one for of in selections for one in of]

    def _view(self, chart):
        given = {name: value for name, value in chart._kwds.items() if value is not alt.Undefined}
        data, params = given.pop("data", NO_DATA), given.pop("params", ())
        # Types of fields that are not given are inferred from the data.
        self._inferring = self.context | {"data": chart.data}
        spec = {name: self._plain(value) for name, value in given.items()}
        if isinstance(spec.get("mark"), str):
            spec["mark"] = {"type": spec["mark"]}
        return spec, data, [self._selection(one, spec) for one in params]

    def _selection(self, param, spec):
        """A parameter of a view, for the whole picture; the view gets a name."""
        written = self._plain(param)
        if "select" not in written or written["name"] in self._names:
            raise NotPlainError
        self._names.add(written["name"])
        spec.setdefault("name", f"view_{next(self._numbers)}")
        return written | {"views": [spec["name"]]}

    def _plain(self, value):
        """As `SchemaBase.to_dict` writes it, which looks at each part several times."""
        if value is None or isinstance(value, str | int | float):
            return value
        if isinstance(value, SchemaBase):
            return self._object(value)
        if isinstance(value, dict):
            return {name: self._plain(one) for name, one in value.items() if one is not alt.Undefined}
        if isinstance(value, list | tuple | np.ndarray):
            return [self._plain(one) for one in value]
        if isinstance(value, np.number):
            return float(value)
        if hasattr(value, "to_dict"):
            return value.to_dict()
        raise NotPlainError

    def _object(self, value):
        kind, given = type(value).to_dict, value._kwds
        if kind is SchemaBase.to_dict:
            return self._plain(given or value._args[0]) if given or value._args else {}
        # Another way to give a field is not for here.
        if kind is FIELD and isinstance(given["shorthand"], str) and given["field"] is alt.Undefined:
            found = SHORTHAND.fullmatch(given["shorthand"])
            if found and given.get("type", alt.Undefined) is alt.Undefined:
                field = {"field": found[1]} | ({"type": TYPES[found[2]]} if "type" in given else {})
                return self._plain({name: one for name, one in given.items() if name != "shorthand"}) | field
        if kind is VALUE and not (isinstance(given.get("condition"), dict) and "field" in given["condition"]):
            return self._plain(given)
        return value.to_dict(validate=False, context=dict(self._inferring))
