"""Small networks with fixed weights, what they are fed, and torch's exporter."""

import logging
import re
import warnings

import numpy as np
import torch
from torch import nn

# torch uses what it has deprecated itself.
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
# Two inputs that share an axis are meant to.
warnings.filterwarnings("ignore", message="# The axis name: batch will not be used")
# It tells of every operator of torchvision that is not installed.
logging.getLogger("torch.onnx._internal.exporter._registration").setLevel(logging.ERROR)

SIZE = (10, 8)  # height and width differ, so that exchanging them is seen
ROWS = 10  # no multiple of the fixed batch
BATCH = 4
IDS = [f"photo-{k:02}" for k in range(ROWS)]
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Net(nn.Module):
    """A convolution, the mean over the plane, linear heads. `last` turns each head's logits into outputs."""

    def __init__(self, seed, widths=(8,), last=None, nhwc=False, scale=None):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.heads = nn.ModuleList(nn.Linear(6, width) for width in widths)
        self.last, self.nhwc, self.scale = last, nhwc, scale
        fill(self, seed)

    def forward(self, pictures):
        if self.scale is not None:
            pictures = pictures.to(torch.float32) * self.scale[0] + self.scale[1]
        if self.nhwc:
            pictures = pictures.permute(0, 3, 1, 2)
        seen = torch.relu(self.conv(pictures)).mean(dim=(2, 3))
        outs = [head(seen) for head in self.heads]
        outs = outs if self.last is None else [self.last(one) for one in outs]
        return outs[0] if len(outs) == 1 else tuple(outs)


class Table(nn.Module):
    """Two linear layers on 5 numbers."""

    def __init__(self, seed, width=8, last=None):
        super().__init__()
        self.hidden, self.head, self.last = nn.Linear(5, 7), nn.Linear(7, width), last
        fill(self, seed)

    def forward(self, features):
        out = self.head(torch.tanh(self.hidden(features)))
        return out if self.last is None else self.last(out)


class Tokens(nn.Module):
    """Mean of the embeddings where the mask is 1, then a linear layer: the inputs of a transformer."""

    def __init__(self, seed):
        super().__init__()
        self.embedding, self.head = nn.Embedding(50, 6), nn.Linear(6, 8)
        fill(self, seed)

    def forward(self, input_ids, attention_mask):
        mask = attention_mask.unsqueeze(-1).to(torch.float32)
        seen = (self.embedding(input_ids) * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        return self.head(seen)


def fill(module, seed):
    """Weights from numpy's generator; wide enough that probabilities differ between rows."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            spread = 0.3 if name.endswith("bias") else 4 / np.sqrt(weight[0].numel())
            weight.copy_(torch.from_numpy(rng.normal(scale=spread, size=tuple(weight.shape))))
    module.eval()


def photos(seed):
    """Pictures, uint8 (ROWS, *SIZE, 3), each with a colour of its own."""
    rng = np.random.default_rng(seed)
    colour = rng.integers(30, 226, size=(ROWS, 1, 1, 3))
    return np.clip(colour + rng.integers(-30, 31, size=(ROWS, *SIZE, 3)), 0, 255).astype(np.uint8)


def normalised(pictures, mean=MEAN, std=STD):
    """What torchvision's ToTensor and Normalize make of them: float32 (n, 3, h, w)."""
    scaled = torch.from_numpy(pictures).permute(0, 3, 1, 2).to(torch.float32) / 255
    return (scaled - torch.tensor(mean)[:, None, None]) / torch.tensor(std)[:, None, None]


def ask(module, *inputs):
    """The module's answer for all rows, as numpy; a list for several heads."""
    with torch.no_grad():
        answer = module(*inputs)
    return [one.numpy() for one in answer] if isinstance(answer, tuple) else answer.numpy()


def softmax(logits):
    """torch's softmax, in double precision."""
    return torch.softmax(torch.from_numpy(logits).double(), dim=1).numpy()


def export(case, module, inputs, *, batch=None, **options):
    """torch.onnx.export with an example of BATCH rows. batch: name of the free first axis; None keeps it fixed.

    The exporter writes where each line of code stands; folders of this machine are taken out of that.
    """
    example = tuple(one[:BATCH] for one in inputs)
    if batch is not None:
        options["dynamic_shapes"] = ({0: batch},) * len(inputs)
    external = options.pop("external_data", True)
    made = torch.onnx.export(module, example, verbose=False, **options)
    graph = made.model.graph
    for one in (*graph, *graph.inputs, *graph.initializers.values()):
        for key, text in one.metadata_props.items():
            one.metadata_props[key] = re.sub(r'File "[^"]*/', 'File "', text)
    made.save(case.model, external_data=external)


class Softmaxes(nn.Module):
    """A softmax over each group of neighbouring columns."""

    def __init__(self, widths):
        super().__init__()
        self.widths = widths

    def forward(self, scores):
        return torch.cat([torch.softmax(one, dim=1) for one in scores.split(self.widths, dim=1)], dim=1)


class Half(nn.Module):
    """Rounds to float16."""

    def forward(self, values):
        return values.to(torch.float16)


def features(seed):
    """Numbers, float32 (ROWS, 5)."""
    return torch.from_numpy(np.random.default_rng(100 + seed).normal(size=(ROWS, 5)).astype(np.float32))
