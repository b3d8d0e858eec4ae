"""Cases of `make_models`: networks on pictures, exported by torch. Expected values come from torch alone."""

import json
from itertools import chain

import numpy as np
import torch
from model_cases import ASKS_CLASSES, CLASSES, DIGITS, LEAVES, Case, names_at
from torch import nn
from torch_networks import IDS, MEAN, SIZE, STD, Net, ask, export, normalised, photos, softmax


def torch_two_files_fixed_batch(folder):
    """All defaults: weights in a file beside, the batch of the example."""
    preprocessing = {"range": [0, 1], "mean": list(MEAN), "std": list(STD), "colour": "RGB"}
    case = Case(
        folder,
        "torch_two_files_fixed_batch",
        "exporter's defaults; float32 NCHW, mean and std outside the graph, batch of 4; logits",
        load={**CLASSES, "preprocessing": preprocessing},
        asks={**ASKS_CLASSES, "preprocessing": "--range|'range'"},
    )
    net, pictures = Net(1), photos(1)
    export(case, net, (normalised(pictures),))
    case.inputs_pictures(pictures, IDS)
    case.write_lines("classes.txt", LEAVES)
    case.finish(softmax(ask(net, normalised(pictures))), LEAVES, IDS)
    return case


def torch_one_file_preprocessor(folder):
    """As saved beside a model by transformers."""
    case = Case(
        folder,
        "torch_one_file_preprocessor",
        "one file, free batch; float32 NCHW with preprocessor_config.json and the class names of config.json; logits",
    )
    net, pictures, names = Net(2), photos(2), sorted(LEAVES)
    export(case, net, (normalised(pictures, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3)),), batch="batch", external_data=False)
    said = {
        "do_normalize": True,
        "do_rescale": True,
        "do_resize": True,
        "image_mean": [0.5, 0.4, 0.3],
        "image_processor_type": "ViTImageProcessor",
        "image_std": [0.2, 0.25, 0.3],
        "resample": 2,
        "rescale_factor": 0.00392156862745098,
        "size": {"height": SIZE[0], "width": SIZE[1]},
    }
    case.write_text("preprocessor_config.json", json.dumps(said, indent=2) + "\n")
    case.write_text("config.json", json.dumps({"id2label": {str(k): one for k, one in enumerate(names)}}, indent=2))
    case.inputs_pictures(pictures, IDS)
    case.finish(softmax(ask(net, normalised(pictures, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3)))), names, IDS)
    return case


def torch_two_files_nhwc_softmax(folder):
    """Channels last, scaled to -1..1 by the caller."""
    case = Case(
        folder,
        "torch_two_files_nhwc_softmax",
        "two files, free batch; float32 NHWC, -1..1, BGR; softmax",
        load={**CLASSES, "preprocessing": {"range": [-1, 1], "colour": "BGR"}},
        asks=ASKS_CLASSES,
    )
    net, pictures = Net(3, last=nn.Softmax(dim=1), nhwc=True), photos(3)
    fed = torch.from_numpy(np.ascontiguousarray(pictures[..., ::-1])).to(torch.float32) / 127.5 - 1
    export(case, net, (fed,), batch="batch")
    case.inputs_pictures(pictures, IDS)
    case.write_lines("classes.txt", LEAVES)
    case.finish(ask(net, fed), LEAVES, IDS)
    return case


def torch_nchw_arrays(folder):
    """Ready tensors need no preprocessing."""
    case = Case(
        folder,
        "torch_nchw_arrays",
        "one file, free batch; float32 NCHW from an npz, fed as it is; class names in model.labels.txt; log_softmax",
    )
    net = Net(4, last=nn.LogSoftmax(dim=1))
    fed, names = normalised(photos(4)), LEAVES[::-1]
    export(case, net, (fed,), batch="n", external_data=False)
    case.inputs_npz(pictures=fed.numpy(), ids=np.array(IDS))
    case.write_lines("model.labels.txt", names)
    case.finish(np.exp(ask(net, fed).astype(np.float64)), names, IDS)
    return case


def torch_uint8_nhwc(folder):
    """Scaling inside the graph."""
    case = Case(
        folder,
        "torch_uint8_nhwc",
        "one file, free batch; uint8 NHWC, scaled in the graph; logits",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net, pictures = Net(5, nhwc=True, scale=(1 / 127.5, -1.0)), photos(5)
    fed = torch.from_numpy(pictures)
    export(case, net, (fed,), batch="batch", external_data=False)
    case.inputs_pictures(pictures, IDS)
    case.write_lines("classes.txt", LEAVES)
    case.finish(softmax(ask(net, fed)), LEAVES, IDS)
    return case


def torch_uint8_nchw_fixed_batch(folder):
    """The same, channels first, from an array without ids."""
    case = Case(
        folder,
        "torch_uint8_nchw_fixed_batch",
        "two files, batch of 4; uint8 NCHW from an npy; softmax",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net = Net(6, scale=(1 / 127.5, -1.0), last=nn.Softmax(dim=1))
    fed = torch.from_numpy(np.ascontiguousarray(photos(6).transpose(0, 3, 1, 2)))
    export(case, net, (fed,))
    case.inputs_npy(fed.numpy())
    case.write_lines("classes.txt", LEAVES)
    case.finish(ask(net, fed), LEAVES)
    return case


def torch_three_levels(folder):
    """One head a depth, logits."""
    levels = [names_at("taxonomy.csv", depth) for depth in (1, 2, 3)]
    case = Case(
        folder,
        "torch_three_levels",
        "two files, free batch; uint8 NHWC; one head for each depth, logits, the deepest named first",
        load={**CLASSES, "scores": "levels", "outputs": ["species", "order", "family"]},
        asks={**ASKS_CLASSES, "scores": "--scores|scores="},
    )
    net, pictures = Net(11, widths=[len(one) for one in levels], nhwc=True, scale=(1 / 127.5, -1.0)), photos(11)
    fed = torch.from_numpy(pictures)
    export(case, net, (fed,), batch="batch", output_names=["order", "family", "species"])
    case.inputs_pictures(pictures, IDS)
    case.write_lines("classes.txt", [*levels[2], *levels[0], *levels[1]])
    case.finish(np.hstack([softmax(one) for one in ask(net, fed)]), list(chain(*levels)), IDS, over="nodes")
    return case


def torch_two_levels_softmax(folder):
    """Coarse and fine, probabilities."""
    levels = [names_at("numbers.csv", depth) for depth in (1, 2)]
    case = Case(
        folder,
        "torch_two_levels_softmax",
        "one file, batch of 4; coarse and fine head, softmax",
        "numbers.csv",
        load=CLASSES,
        asks=ASKS_CLASSES,
    )
    net, fed = Net(12, widths=(3, len(DIGITS)), last=nn.Softmax(dim=1)), normalised(photos(12))
    export(case, net, (fed,), external_data=False, output_names=["coarse", "fine"])
    case.inputs_npz(pictures=fed.numpy(), ids=np.array(IDS))
    case.write_lines("classes.txt", list(chain(*levels)))
    case.finish(np.hstack(ask(net, fed)), list(chain(*levels)), IDS, over="nodes")
    return case


CASES = (
    torch_two_files_fixed_batch,
    torch_one_file_preprocessor,
    torch_two_files_nhwc_softmax,
    torch_nchw_arrays,
    torch_uint8_nhwc,
    torch_uint8_nchw_fixed_batch,
    torch_three_levels,
    torch_two_levels_softmax,
)
