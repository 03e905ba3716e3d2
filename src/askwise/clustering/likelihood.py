"""How likely a clustering is: every pair inside a cluster is a YES, every pair between clusters a NO (section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from askwise.graph import UncertainGraph
    from askwise.records import Clusters


def log_likelihood(graph: UncertainGraph, clustering: Clusters) -> float:
    """The natural logarithm of the probability of the possible world that the clustering is, over the asked pairs."""
    from askwise.clustering.partition import as_labels

    labels = as_labels(graph.records, clustering)
    p = graph.pair_p[: graph.pair_count]
    known = ~np.isnan(p)
    p = p[known]
    together = (labels[graph.pair_u[: graph.pair_count]] == labels[graph.pair_v[: graph.pair_count]])[known]
    return float(np.log(p[together]).sum() + np.log1p(-p[~together]).sum())
