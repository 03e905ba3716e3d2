"""How far each of many clusters is from the one that it could best be confused with."""

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s
from askwise.kernels.adjacency import Adjacency, far_end, first_half, next_half, pair_of
from askwise.kernels.compiled import compiled
from askwise.kernels.constraints import Values, agree


@compiled
def weakest_of_each(
    members: Int32s,
    starts: Int64s,
    label: Int32s,
    around: Adjacency,
    pair_p: Floats,
    candidate_starts: Int64s,
    candidate_other: Int32s,
    held: Values,
) -> tuple[Floats, Int32s]:
    """For each cluster the least disconnectivity from another, and which that is: 1 and -1 if there is none.

    Cluster i has the records members[starts[i] : starts[i + 1]], in order, and is named by the first. One with a listed
    candidate but no evidence between has 0. In ties the cluster with the smallest record is taken. Clusters that differ
    in what they have of `held` are apart by a rule, and do not count.
    """
    count = starts.size - 1
    separation = np.ones(count, np.float64)
    nearest = np.full(count, -1, np.int32)
    logs = np.ones(label.size, np.float64)  # the sum of log p to a cluster; 1: nothing yet
    met = np.empty(label.size, np.int32)
    for i in range(count):
        root = members[starts[i]]
        others = 0
        for node in members[starts[i] : starts[i + 1]]:
            half = first_half(node, around)
            while half >= 0:
                other = label[far_end(half, around)]
                p = pair_p[pair_of(half, around)]
                if other != root and not np.isnan(p):
                    if logs[other] > 0.0:
                        logs[other] = 0.0
                        met[others] = other
                        others += 1
                    logs[other] += np.log(p)
                half = next_half(half, node, around)
        for node in members[starts[i] : starts[i + 1]]:
            for at in range(candidate_starts[node], candidate_starts[node + 1]):
                other = label[candidate_other[at]]
                nearer = other != root and logs[other] > 0.0 and (nearest[i] < 0 or other < nearest[i])
                if nearer and agree(root, held, other, held):
                    nearest[i] = other
                    separation[i] = 0.0
        unlinked = nearest[i] >= 0
        for k in range(others):
            other = met[k]
            apart = -np.expm1(logs[other])
            logs[other] = 1.0
            nearer = nearest[i] < 0 or apart < separation[i] or (apart == separation[i] and other < nearest[i])
            if not unlinked and nearer and agree(root, held, other, held):
                separation[i] = apart
                nearest[i] = other
    return separation, nearest
