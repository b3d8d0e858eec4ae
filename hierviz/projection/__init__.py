"""The same predictions judged on a part of the taxonomy.

cut                no deeper than a depth or a rank
only_known         only the classes that the models know
truth_is_known     which samples have a truth that the model knows
with_other_leaves  inner truths as leaves of their own
"""

from typing import TYPE_CHECKING

from hierviz._public import lazy

if TYPE_CHECKING:
    from hierviz.projection.projected import cut as cut
    from hierviz.projection.projected import only_known as only_known
    from hierviz.projection.projected import truth_is_known as truth_is_known
    from hierviz.projection.projected import with_other_leaves as with_other_leaves

__getattr__, __dir__, __all__ = lazy(__name__)
