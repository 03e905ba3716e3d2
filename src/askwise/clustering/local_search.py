"""Local search: change a clustering as long as that raises its likelihood.

`one-move` moves one record to the cluster, or to a new one, that raises the likelihood most, until none does (Elsner,
Schudy 2009). `moves` also splits groups of records off their clusters: where an entity was drawn into the cluster of
another record by record, each of them holds the others there; and small components are annealed (Kirkpatrick, Gelatt,
Vecchi 1983, doi:10.1126/science.220.4598.671), because where half of the evidence is wrong, greedy merging starts in
the wrong place. `kernighan-lin` makes whole runs of moves between two
clusters, of which the best prefix is kept, and joins or splits clusters (Kernighan-Lin with joins: Keuper et al. 2015,
doi:10.1109/ICCV.2015.204). Each component of the pairs with p > 1/2 is searched by itself: the result in one never
depends on another.
"""

from askwise.arrays import Int32s
from askwise.clustering.subgraph import Subgraph
from askwise.kernels.components import KERNIGHAN_LIN, MOVES, ONE_MOVE


def one_move_search(some: Subgraph, labels: Int32s) -> Int32s:
    """Move single records. A move costs the neighbourhood of the record, and a scan over the component."""
    return some.components.improved(labels, ONE_MOVE)


def moves_of_records_and_groups(some: Subgraph, labels: Int32s) -> Int32s:
    """Move single records, and split groups off. To look for a group costs the pairs inside the cluster, in a heap."""
    return some.components.improved(labels, MOVES)


def kernighan_lin_with_joins(some: Subgraph, labels: Int32s) -> Int32s:
    """Improve every two clusters with a YES between them, and every cluster against an empty one, until none improves.

    Two clusters cost the square of their size, and a scan over the component; those that did not change since they were
    last looked at are passed over.
    """
    return some.components.improved(labels, KERNIGHAN_LIN)
