"""Transitive closure: records joined by a chain of YES majorities are the same; a tie counts as NO.

It is what most tools do, and is here for comparison: one wrong YES merges two entities. If a rule keeps records apart,
pairs are taken from the surest on, and those that would break it are skipped.

Wang, Li, Kraska, Franklin, Feng 2013 (doi:10.1145/2463676.2465280).
"""

import numpy as np

from askwise.arrays import Int32s
from askwise.clustering.subgraph import Subgraph
from askwise.components import Components
from askwise.kernels.agglomerate import STRONGEST


def closure(some: Subgraph, seed: int) -> Int32s:
    """Cluster by connected components of the pairs with p > 1/2. Costs about E, with rules E log E."""
    if not some.ruled:
        return some.components.part
    yes = np.where(np.isfinite(some.weight), np.maximum(some.weight, 0.0), some.weight)
    return Components(some.nodes.size, some.left, some.right, yes, some.values).merged(STRONGEST)
