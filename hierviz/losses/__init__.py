"""Training losses: scores and truth in, value and gradient of each sample out. `LOSSES` describes them by key.

| file | holds |
|---|---|
| registry.py | `LOSSES`, and `loss` that calls any of them |
| softmax.py | one softmax over leaves or top-level classes |
| path_sums.py | one softmax of sums along paths, over the leaves or a cut of the tree |
| conditional.py | a softmax within each family of siblings |
| sigmoid.py | one yes/no decision per node |
| margin.py | one softmax over all nodes |
| _rows.py | `Loss`, the decorator that makes one, and what they share |
"""
