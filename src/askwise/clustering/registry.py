"""Clusterers by name, each with or without a local search after it: "scc", "scc+moves", "vote+kernighan-lin"."""

from collections.abc import Callable

from askwise.arrays import Int32s
from askwise.checks import known_name
from askwise.clustering.closure import closure
from askwise.clustering.linking import best_link, first_link, vote
from askwise.clustering.local_search import kernighan_lin_with_joins, moves_of_records_and_groups, one_move_search
from askwise.clustering.minmax import minmax
from askwise.clustering.pivot import pivot
from askwise.clustering.scc import scc
from askwise.clustering.subgraph import Subgraph

Clusterer = Callable[[Subgraph, int], Int32s]
LocalSearch = Callable[[Subgraph, Int32s], Int32s]

CLUSTERERS: dict[str, Clusterer] = {
    "scc": scc,
    "closure": closure,
    "minmax": minmax,
    "pivot": pivot,
    "first_link": first_link,
    "best_link": best_link,
    "vote": vote,
}

STEADY = frozenset({"scc"})
"""Clusterers that a further NO between two of their clusters never changes. SCC's merges stay what they are: such a NO
only lowers weights of two clusters that were never merged, because they were never the largest."""

LOCAL_SEARCHES: dict[str, LocalSearch] = {
    "one-move": one_move_search,
    "moves": moves_of_records_and_groups,
    "kernighan-lin": kernighan_lin_with_joins,
}


def clusterer(name: str) -> Clusterer:
    """The clusterer of that name, with the local search that may follow a plus sign."""
    method, plus, search = name.partition("+") if isinstance(name, str) else (name, "", "")
    first = known_name("clustering", method, CLUSTERERS)
    if not plus:
        return first
    improve = known_name("local search", search, LOCAL_SEARCHES)

    def searched(some: Subgraph, seed: int) -> Int32s:
        return improve(some, first(some, seed))

    return searched
