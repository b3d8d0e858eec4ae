"""Training losses: scores and truth in, value and gradient of each sample out. `LOSSES` describes them by key.

| file | holds |
|---|---|
| registry.py | `LOSSES`, and `loss` that calls any of them |
| softmax.py | one softmax over leaves or top-level classes |
| path_sums.py | one softmax of sums along paths, over the leaves or a cut of the tree |
| conditional.py | a softmax within each family of siblings |
| sigmoid.py | one yes/no decision per node |
| margin.py | one softmax over all nodes |
| _masses.py | shares of the mass of a softmax |
| _rows.py | checks, and blocks of rows |
"""

from hierviz.losses.conditional import conditional_softmax, conditional_softmax_la, hxe, train_shares
from hierviz.losses.margin import hard_margin, soft_max_descendant, soft_max_margin
from hierviz.losses.path_sums import deep_rtc, ps_softmax
from hierviz.losses.registry import LOSSES, Loss, loss, loss_entry
from hierviz.losses.sigmoid import champ, conditional_sigmoid, multilabel_bce, multilabel_focal
from hierviz.losses.softmax import coarse_ce, flat_ce, log_win, raw_win

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
