"""The network of the demo models, how it is trained, and how batch norm is folded away."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

WIDTHS = (16, 32, 48, 64)
SHIFT = 4


class Network(nn.Module):
    """Four convolutions, then the mean and the maximum over the plane side by side, then one linear layer.

    Input float (n, 3, 64, 64) in -1..1, output scores (n, n_scores).
    """

    def __init__(self, n_scores):
        super().__init__()
        channels = (3, *WIDTHS)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(a, b, 5 if k == 0 else 3, stride=2 if k == 0 else 1, padding=2 if k == 0 else 1)
            for k, (a, b) in enumerate(zip(channels, WIDTHS))
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for width in WIDTHS)
        self.head = nn.Linear(2 * WIDTHS[-1], n_scores)

    def forward(self, x):
        for k, (convolution, norm) in enumerate(zip(self.convolutions, self.norms)):
            x = F.relu(norm(convolution(x)))
            if k < len(WIDTHS) - 1:
                x = F.max_pool2d(x, 2)
        return self.head(torch.cat([x.mean((2, 3)), x.amax((2, 3))], dim=1))

    def folded(self):
        """Weight and bias of every convolution with its batch norm worked in: list of (weight, bias), float32 arrays."""
        out = []
        for convolution, norm in zip(self.convolutions, self.norms):
            gain = (norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()).detach()
            weight = convolution.weight.detach().double() * gain[:, None, None, None]
            bias = (
                convolution.bias.detach().double() - norm.running_mean.double()
            ) * gain + norm.bias.detach().double()
            out.append((weight.float().numpy(), bias.float().numpy()))
        return out


def scaled(pictures):
    """uint8 (n, 64, 64, 3) to float (n, 3, 64, 64) in -1..1."""
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))).float().div_(127.5).sub_(1)


def _moved(batch, rng):
    """Mirror and shift every picture of a batch by itself, edges repeated."""
    n, _, height, width = batch.shape
    padded = F.pad(batch, (SHIFT,) * 4, mode="replicate")
    out = torch.empty_like(batch)
    for k, (dy, dx, mirror) in enumerate(zip(*rng.integers(0, 2 * SHIFT + 1, (2, n)), rng.random(n) < 0.5)):
        crop = padded[k, :, dy : dy + height, dx : dx + width]
        out[k] = crop.flip(2) if mirror else crop
    return out


def train(n_scores, pictures, truth, loss_of_epoch, *, seed, epochs=10, batch=64, rate=2e-3, decay=1e-3):
    """Train one network; the same seed and one thread give the same weights on one machine.

    Parameters
    ----------
    n_scores : int
    pictures : ndarray of uint8, shape (n, 64, 64, 3)
    truth : ndarray of int, shape (n,)
        Node numbers.
    loss_of_epoch : callable
        Epoch number to a function (scores, truth) -> (n,).
    seed : int

    Returns
    -------
    Network
        In evaluation mode.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = Network(n_scores)
    target = torch.from_numpy(truth).long()
    steps = len(pictures) // batch
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=epochs * steps)
    for epoch in range(epochs):
        loss = loss_of_epoch(epoch)
        order = rng.permutation(len(pictures))[: steps * batch].reshape(steps, batch)
        for rows in order:
            scores = network(_moved(scaled(pictures[rows]), rng))
            optimiser.zero_grad()
            loss(scores, target[rows]).mean().backward()
            optimiser.step()
            schedule.step()
    return network.eval()


@torch.no_grad()
def scores_of(network, pictures, batch=200):
    """float32 (n, n_scores)."""
    return np.concatenate([network(scaled(pictures[k : k + batch])).numpy() for k in range(0, len(pictures), batch)])
