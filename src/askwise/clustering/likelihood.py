"""How likely a clustering is: every pair inside a cluster is a YES, every pair between clusters a NO (section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from askwise.graph import UncertainGraph
    from askwise.records import Clusters


def log_likelihood(graph: UncertainGraph, clustering: Clusters) -> float:
    """How likely a clustering is, by the asked pairs alone.

    Parameters
    ----------
    graph : UncertainGraph
        Pairs and their probabilities.
    clustering
        Clusters, or a mapping from record to cluster.

    Returns
    -------
    float
        The natural logarithm of the probability that every asked pair inside a cluster is the same and every other one
        is different.

    Raises
    ------
    PartitionError
        If the clusters overlap or do not cover the records.

    Examples
    --------
    >>> import math
    >>> from askwise import UncertainGraph, log_likelihood
    >>> graph = UncertainGraph(["a", "b", "c"], [("a", "b", 0.9), ("b", "c", 0.2)])
    >>> round(math.exp(log_likelihood(graph, [{"a", "b"}, {"c"}])), 2)
    0.72
    """
    from askwise.clustering.partition import as_labels

    labels = as_labels(graph.records, clustering)
    p = graph.pair_p[: graph.pair_count]
    known = ~np.isnan(p)
    p = p[known]
    together = (labels[graph.pair_u[: graph.pair_count]] == labels[graph.pair_v[: graph.pair_count]])[known]
    return float(np.log(p[together]).sum() + np.log1p(-p[~together]).sum())
