"""Training losses: scores and truth in, value and gradient of each sample out. `LOSSES` describes them by key.

| file | holds |
|---|---|
| registry.py | `LOSSES`, and `loss` that calls any of them |
| softmax.py | one softmax over leaves, top-level classes or a cut of the tree |
| conditional.py | a softmax within each family of siblings |
| sigmoid.py | one yes/no decision per node |
| margin.py | one softmax over all nodes |
| _rows.py | checks, and blocks of rows |
"""

from hierviz.losses.conditional import conditional_softmax, conditional_softmax_la, hxe, train_shares
from hierviz.losses.margin import hard_margin, soft_max_descendant, soft_max_margin
from hierviz.losses.registry import LOSSES, Loss, loss, loss_entry
from hierviz.losses.sigmoid import champ, conditional_sigmoid, multilabel_bce, multilabel_focal
from hierviz.losses.softmax import coarse_ce, deep_rtc, flat_ce, log_win, ps_softmax, raw_win

__all__ = [
    "LOSSES",
    "Loss",
    "champ",
    "coarse_ce",
    "conditional_sigmoid",
    "conditional_softmax",
    "conditional_softmax_la",
    "deep_rtc",
    "flat_ce",
    "hard_margin",
    "hxe",
    "log_win",
    "loss",
    "loss_entry",
    "multilabel_bce",
    "multilabel_focal",
    "ps_softmax",
    "raw_win",
    "soft_max_descendant",
    "soft_max_margin",
    "train_shares",
]
