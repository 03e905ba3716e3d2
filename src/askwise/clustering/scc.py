"""Spectral-Connected-Components: merge the two clusters most likely to be one, until none is more likely than not.

Pr(A, B) = prod p / (prod p + prod (1 - p)) over the asked pairs between A and B is above 1/2 exactly when the sum of
log(p / (1 - p)) is above 0, and grows with that sum: so SCC is greedy merging on summed log-odds. Paper section 4.1
(doi:10.1145/3132847.3132876); Verroios, Garcia-Molina 2015 (doi:10.1109/ICDE.2015.7113286).
"""

from askwise.arrays import Int32s
from askwise.clustering.subgraph import Subgraph
from askwise.kernels.agglomerate import SUM


def scc(some: Subgraph, seed: int) -> Int32s:
    """Cluster by SCC; ties go to the clusters with the smallest records. Costs about E log E."""
    return some.components.merged(SUM)
