"""Node probabilities to answers.

ParetoTable  the nodes that threshold inference can return, for every sample
LeafCosts    the cost of every pair of leaves, for rule `crm_leaf`
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.inference.leaf_costs import LeafCosts as LeafCosts
    from hierviz.inference.pareto_table import ParetoTable as ParetoTable

__getattr__, __dir__, __all__ = lazy(__name__)
