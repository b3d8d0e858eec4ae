"""What is known about an ONNX model, in JSON types."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

from hierviz.messages.parameters import in_python
from hierviz.messages.parameters import said as in_words
from hierviz.onnx.description.class_names import used_files
from hierviz.onnx.description.file import sha256
from hierviz.onnx.inputs.declared_inputs import accepted_words
from hierviz.onnx.process.session import shape_words
from hierviz.onnx.process.verdicts import printable
from hierviz.onnx.scores.outputs import wide_outputs


def full_account(path, model, said, stated):
    """What is known about a model without running it: `Model.account`.

    Parameters
    ----------
    path : Path
    model : Model
        Without an account; its outputs are empty when it is not known which hold the scores.
    said : dict
        From `metadata.declared`.
    stated : dict of str to str
        ``parametrisation_from`` and ``taxonomy``, in words.

    Returns
    -------
    dict
        JSON types.
    """
    session, facts, inputs, columns = model.session, model.session.facts, model.inputs, model.columns
    beside = used_files(path, columns.source)
    read = [{"file": file.name, "bytes": file.stat().st_size, "sha256": sha256(file)} for file in beside]
    table = columns.table(model.taxonomy)
    n_matched = sum(entry["node"] is not None for entry in table)
    classes = f"{len(table)} names from {columns.source}" if table else "not known"
    if table and n_matched < len(table):
        classes += f", {n_matched} of them nodes of the taxonomy"
    # Of a model whose classes are not known yet, the only output of scores is named all the same.
    wide = [name for name, *_ in wide_outputs(session.outputs)]
    outputs = model.outputs or (wide if len(wide) == 1 else ())
    is_stated = model.parametrisation or model.scores
    return {
        "title": model.name,
        "file": path.name,
        "bytes": facts["bytes"],
        "sha256": facts["sha256"],
        "companions": [*facts["weight_files"], *read],
        "onnxruntime": _version("onnxruntime"),
        "facts": facts,
        "metadata": sorted(session.metadata),
        "inputs": [{"name": spec.name, "dtype": spec.dtype, "shape": list(spec.shape)} for spec in inputs],
        "outputs": [{"name": name, "type": kind, "shape": list(shape)} for name, kind, shape in session.outputs],
        "output": " + ".join(outputs) or "not known",
        "batch": model.batch,
        "parametrisation": model.parametrisation,
        "parametrisation_from": stated["parametrisation_from"],
        "scores": model.scores,
        "scores_look": "" if is_stated else _ends_words(facts["made_by"], outputs),
        "classes": classes,
        "columns": table,
        "preprocessing": _preparing_words(inputs),
        "accepts": accepted_words(inputs),
        "taxonomy": stated["taxonomy"],
        "loss": said.get("loss"),
        "training": said.get("training"),
        "notes": list(model.notes),
        "questions": [question.as_dict() for question in model.questions],
    }


def account_lines(account, words=in_python):
    """The account as lines ``key: value`` for people; what is there several times has a line each.

    Parameters
    ----------
    account : dict
        From `full_account`.
    words : callable
        How parameters are called, as in `parameters.named`.

    Returns
    -------
    list of str
    """
    account, facts = in_words(account, words), account["facts"]
    opset = ", ".join(f"{domain or 'ai.onnx'} {number}" for domain, number in facts["opset"].items())
    columns = account["columns"]
    lines = {
        "title": [account["title"]],
        "file": [f"{account['file']} ({_bytes(account['bytes'])})"],
        "sha256": [account["sha256"]],
        "format": [f"IR version {facts['ir_version']}, opset {opset}, {facts['n_nodes']} operators"],
        "producer": [facts["producer"] or "not stated"],
        "metadata": [", ".join(account["metadata"]) or "none"],
        "beside": [
            f"{file['file']} ({_bytes(file['bytes'])}), sha256 {file['sha256']}" for file in account["companions"]
        ],
        "input": [f"{spec['name']}, {spec['dtype']} {shape_words(spec['shape'])}" for spec in account["inputs"]],
        "outputs": [f"{made['name']}, {made['type']} {shape_words(made['shape'])}" for made in account["outputs"]],
        "scores in": [account["output"]],
        "batch": [account["batch"] or "any number of rows"],
        "parametrisation": [parametrisation_words(account)],
        "classes": [account["classes"]],
        "class": [", ".join(column["name"] for column in columns)] if columns else [],
        "no node": [f"column {column['column']}, {column['name']!r}" for column in columns if column["node"] is None],
    }
    for column in columns:
        if column["node"] not in (None, column["name"]):
            lines[f"{column['name']!r} is node"] = [column["node"]]
    lines |= {key: [account[key]] for key in ("accepts", "preprocessing", "taxonomy")}
    lines |= {key: [account[key]] for key in ("loss", "training") if account[key] is not None}
    asked = [
        f"{question['text']} ({' or '.join(map(words, question['keywords']))})" for question in account["questions"]
    ]
    lines |= {"note": account["notes"], "question": asked}
    return [printable(f"{key}: {value}") for key, values in lines.items() for value in values]


def taxonomy_words(taxonomy, there, notes):
    """Whether it is the taxonomy of hash `there`, with which the model was trained; a note where it is another one."""
    if there is None:
        return "not stated by the model"
    if there == taxonomy.sha256:
        return "the taxonomy that the model was trained with"
    notes.append(
        f"the model was trained with another taxonomy (hash {there[:8]}…, here {taxonomy.sha256[:8]}…): "
        "its columns were matched by name"
    )
    return "not the taxonomy that the model was trained with"


def _preparing_words(inputs):
    if all(spec.why_never_pictures for spec in inputs):
        return "values are fed to the model unchanged"
    words = inputs[0].words if len(inputs) == 1 else "arrays are fed to the model unchanged"
    return f"for pictures: not known yet; {words}" if len(inputs) == 1 and inputs[0].questions else words


_ENDS = {
    "Softmax": "probabilities that sum to 1 over all columns",
    "Normalizer": "probabilities that sum to 1 over all columns",
    "LogSoftmax": "logarithms of probabilities that sum to 1 over all columns",
    "Sigmoid": "independent probabilities, or probabilities given the parent",
} | dict.fromkeys(("Gemm", "MatMul", "Conv"), "raw scores")


def _ends_words(made_by, outputs):
    """What the last operator of the score outputs implies; an empty text where that is nothing."""
    by = {made_by.get(name) for name in outputs}
    (last,) = by if len(by) == 1 else (None,)
    if last is None or (len(outputs) > 1 and last in ("Softmax", "Normalizer", "LogSoftmax")):
        return ""
    return f"according to the last operator of the graph ({last}): {_ENDS[last]}"


def parametrisation_words(account):
    """The parametrisation of an account: which and who says so, else how it will be found."""
    if account["parametrisation"] is None:
        look = f"; {account['scores_look']}" if account["scores_look"] else ""
        return f"inferred from the scores when the model runs{look}"
    return f"{account['parametrisation']} (stated by {account['parametrisation_from']})"


def _version(package):
    try:
        return installed(package)
    except PackageNotFoundError:
        return None


def _bytes(n):
    return f"{n:,} bytes" if n < 1 << 20 else f"{n / (1 << 20):,.1f} MB"
