"""The parameters of the inference rules as the view has them, with costs that were uploaded in place of their names."""

from __future__ import annotations

from hierviz.app.state.current import change, tied, view
from hierviz.app.state.server_memory import computed, memory
from hierviz.inference.leaf_costs import leaf_names
from hierviz.inference.registry import rule_parameters
from hierviz.messages.errors import HiervizError
from hierviz.readers.costs_file import load_costs


def rule_settings(taxonomy):
    """The values of all parameters of all rules: keywords of `Evaluation.answers`.

    Unavailable costs are the default; `missing_costs` says why. A number that is too large for this taxonomy, from a link
    or another data set, is the largest there.
    """
    values = {}
    for name, parameter in rule_parameters().items():
        value = view().parameter(name)
        if parameter.kind == "costs" and value not in parameter.choices:
            costs, _ = _uploaded(value, name, taxonomy)
            value = parameter.default if costs is None else costs
        if parameter.kind == "number":
            value = min(value, parameter.highest(taxonomy))
        values[name] = value
    return values


def missing_costs(parameter, taxonomy):
    """Why the costs that the view names are not available, in sentences; None where they are, or where the cost is built in."""
    value = view().parameter(parameter.name)
    return None if value in parameter.choices else _uploaded(value, parameter.name, taxonomy)[1]


def cost_files(name):
    """Names of the uploaded tables that a parameter can be, as a list."""
    return [path.name for path in _paths(name)]


def uploaded_costs(taxonomy):
    """The LeafCosts of the uploaded tables that can be read, for views that name them."""
    names = [name for name, parameter in rule_parameters().items() if parameter.kind == "costs"]
    found = [_uploaded(file, name, taxonomy)[0] for name in names for file in cost_files(name)]
    return [costs for costs in found if costs is not None]


def bound_parameter(name, **widget):
    """Keywords that tie a widget to a parameter of a rule."""
    return tied(f"widget_{name}", view().parameter(name), lambda value: change_parameter(name, value), **widget)


def change_parameter(name, value):
    """Change a parameter of a rule in the view."""
    change(parameters=view().with_parameter(name, value).parameters)


def _paths(name):
    kept = memory("uploads").get(name)
    return () if kept is None or kept.uploads is None else kept.uploads.paths


def _uploaded(file, name, taxonomy):
    """(LeafCosts or None, why there are none) of an uploaded table."""
    path = next((path for path in _paths(name) if path.name == file), None)
    if path is None:
        return None, f"The costs of {file} are not available. Upload that file, or choose another cost."
    try:
        # Two taxonomies of the same edges may have their leaves in another order.
        return computed("costs", (str(path), leaf_names(taxonomy)), lambda: load_costs(path, taxonomy)), None
    except HiervizError as error:
        return None, str(error)
