"""From an uncertain graph to a partition of its records.

A clusterer is a function (subgraph, seed) -> labels on some records, in order: `labels[i]` is the place among them of
the first record of i's cluster. It must not join records that no chain of pairs with p > 1/2 joins, and what it does to
one component must not depend on the others; so a change needs clustering again only in the components that it touches.
Adding one is a file here and a line in `registry.py`.
"""

from askwise.clustering.likelihood import log_likelihood
from askwise.clustering.partition import Clustering, Partition, cluster
from askwise.clustering.registry import CLUSTERERS, LOCAL_SEARCHES

__all__ = ["CLUSTERERS", "LOCAL_SEARCHES", "Clustering", "Partition", "cluster", "log_likelihood"]
