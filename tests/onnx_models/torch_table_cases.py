"""Cases of `make_models`: networks on numbers and tokens, exported by torch. Expected values come from torch alone."""

import json
from itertools import chain

import numpy as np
import torch
from model_cases import ASKS_CLASSES, CLASSES, LEAVES, NODES, TAXONOMIES, Case
from torch import nn
from torch_networks import BATCH, IDS, ROWS, Half, Softmaxes, Table, Tokens, ask, export, features, softmax

EDGES = TAXONOMIES["taxonomy.csv"]


def torch_tokens(folder):
    """Several inputs."""
    case = Case(
        folder,
        "torch_tokens",
        "two files, free batch; int64 input_ids and attention_mask; class names in config.json; logits",
    )
    net, rng = Tokens(7), np.random.default_rng(7)
    ids = rng.integers(1, 50, size=(ROWS, 12))
    mask = (np.arange(12) < rng.integers(3, 13, size=(ROWS, 1))).astype(np.int64)
    fed = (torch.from_numpy(ids * mask), torch.from_numpy(mask))
    export(case, net, fed, batch="batch", input_names=["input_ids", "attention_mask"], output_names=["logits"])
    case.inputs_npz(input_ids=(ids * mask).astype(np.int32), attention_mask=mask, ids=np.array(IDS))
    names = sorted(LEAVES)
    said = {
        "id2label": {str(k): one for k, one in enumerate(names)},
        "label2id": {one: k for k, one in enumerate(names)},
    }
    case.write_text("config.json", json.dumps(said, indent=2))
    case.finish(softmax(ask(net, *fed)), names, IDS)
    return case


def torch_float16_output(folder):
    """float32 inside, float16 out: one rounding, which both libraries make alike."""
    case = Case(
        folder,
        "torch_float16_output",
        "one file, free batch; float32 in, logits rounded to float16",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net, fed = Table(368, last=Half()), features(368)
    export(case, net, (fed,), batch="batch", external_data=False)
    with torch.no_grad():
        exact = net.head(torch.tanh(net.hidden(fed))).double()
        steps = exact / torch.from_numpy(np.spacing(exact.numpy().astype(np.float16))).double().abs()
    # A value half-way between two float16 numbers might be rounded otherwise on another machine: choose another seed.
    assert float((steps - steps.floor() - 0.5).abs().min()) > 1e-2
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", LEAVES)
    case.finish(softmax(ask(net, fed)), LEAVES, IDS)
    return case


def torch_float16_whole(folder):
    """Half precision throughout: the two libraries round in different places."""
    case = Case(
        folder,
        "torch_float16_whole",
        "one file, free batch; float16 weights, input and output; logits",
        load=CLASSES,
        asks=ASKS_CLASSES,
        tolerance=2e-3,
    )
    net, fed = Table(9).half(), features(9).half()
    export(case, net, (fed,), batch="batch", external_data=False)
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", LEAVES)
    case.finish(softmax(ask(net, fed)), LEAVES, IDS)
    return case


def torch_double(folder):
    """float64 in and out; the array at hand is float32."""
    case = Case(
        folder,
        "torch_double",
        "two files, batch of 4; float64 weights, input and output; softmax; table as input",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net, fed = Table(10, last=nn.Softmax(dim=1)).double(), features(10)
    export(case, net, (fed.double(),))
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", LEAVES)
    case.finish(ask(net, fed.double()), LEAVES, IDS)
    return case


def torch_sigmoid_nodes(folder):
    """Every node but the root has a probability of its own."""
    case = Case(
        folder,
        "torch_sigmoid_nodes",
        "two files, free batch; sigmoid of every node but the root, in alphabetical order",
        load={**CLASSES, "parametrisation": "node_probabilities"},
        asks={**ASKS_CLASSES, "parametrisation": "--parametrisation|parametrisation="},
    )
    net, fed, names = Table(13, width=len(NODES), last=nn.Sigmoid()), features(13), sorted(NODES)
    export(case, net, (fed,), batch="batch")
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", names)
    case.finish(ask(net, fed), names, IDS, over="nodes")
    return case


def torch_siblings_softmax(folder):
    """A softmax over the children of each node, so that a probability is the product along the path."""
    families = [
        [child for parent, child in EDGES if parent == one] for one in dict.fromkeys(parent for parent, _ in EDGES)
    ]
    names = list(chain(*families))
    case = Case(
        folder,
        "torch_siblings_softmax",
        "two files, batch of 4; a softmax for the children of each node",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net, fed = Table(16, width=len(names), last=Softmaxes([len(one) for one in families])), features(16)
    export(case, net, (fed,))
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", names)
    given = dict(zip(names, torch.from_numpy(ask(net, fed)).double().unbind(dim=1), strict=True))
    product = {EDGES[0][0]: torch.ones(ROWS).double()}
    for parent, child in EDGES:
        product[child] = product[parent] * given[child]
    case.finish(torch.stack([product[one] for one in names], dim=1), names, IDS, over="nodes")
    return case


def torch_logits_nodes(folder):
    """Logits of nodes fit many parametrisations, so one must be named."""
    case = Case(
        folder,
        "torch_logits_nodes",
        "one file, free batch; logits of every node but the root, meant as independent sigmoids",
        load={**CLASSES, "parametrisation": "multilabel_sigmoid"},
        asks={**ASKS_CLASSES, "parametrisation": "--parametrisation|parametrisation="},
    )
    net, fed = Table(14, width=len(NODES)), features(14)
    export(case, net, (fed,), batch="batch", external_data=False)
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", NODES)
    case.finish(torch.sigmoid(torch.from_numpy(ask(net, fed)).double()), NODES, IDS, over="nodes")
    return case


def torch_old_exporter(folder):
    """dynamo=False, still common."""
    case = Case(
        folder,
        "torch_old_exporter",
        "the exporter before dynamo; free batch; table of numbers; logits",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net, fed = Table(15), features(15)
    axes = {"features": {0: "batch"}, "logits": {0: "batch"}}
    torch.onnx.export(
        net,
        (fed[:BATCH],),
        case.model,
        dynamo=False,
        input_names=["features"],
        output_names=["logits"],
        dynamic_axes=axes,
    )
    case.inputs_npz(features=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", LEAVES)
    case.finish(softmax(ask(net, fed)), LEAVES, IDS)
    return case


CASES = (
    torch_tokens,
    torch_float16_output,
    torch_float16_whole,
    torch_double,
    torch_sigmoid_nodes,
    torch_siblings_softmax,
    torch_logits_nodes,
    torch_old_exporter,
)
