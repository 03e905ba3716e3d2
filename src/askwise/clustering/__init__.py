"""From an uncertain graph to a partition of its records.

A clusterer is a function (size, left, right, p, weight, seed) -> labels on the pairs with evidence of `size` records:
`labels[i]` is the smallest record of i's cluster. It must not join records that no chain of pairs with p > 1/2 joins;
so a change needs clustering again only in the components that it touches. Adding one is a file here and a line in
`CLUSTERERS`.
"""

from askwise.clustering.likelihood import log_likelihood
from askwise.clustering.partition import CLUSTERERS, Clustering, Partition, cluster

__all__ = ["CLUSTERERS", "Clustering", "Partition", "cluster", "log_likelihood"]
