"""How good a clustering is when the truth is known."""

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from askwise.checks import collection
from askwise.errors import PartitionError
from askwise.frames import html_table
from askwise.records import Clusters


class Scores(NamedTuple):
    """Pairwise precision, recall and their harmonic mean.

    Attributes
    ----------
    precision : float
        The share of the pairs within clusters that are right.
    recall : float
        The share of the right pairs that are within clusters.
    f1 : float
        The harmonic mean of the two.
    """

    precision: float
    recall: float
    f1: float

    def _repr_html_(self) -> str:
        return html_table({name: [value] for name, value in self._asdict().items()})


def pairwise_scores(
    clustering: Clusters,
    gold: Clusters,
) -> Scores:
    """Compare a clustering with the truth, pair by pair.

    Parameters
    ----------
    clustering, gold
        Clusters, or mappings from record to cluster. Records that are not in `gold` do not count.

    Returns
    -------
    Scores
        Precision is 1 if no pair is within a cluster, recall is 1 if there is no pair to find.

    Raises
    ------
    PartitionError
        If clusters overlap, or a record of `gold` is in none.

    Examples
    --------
    >>> from askwise import pairwise_scores
    >>> pairwise_scores([{"a", "b", "c"}], {"a": 1, "b": 1, "c": 2}).recall
    1.0
    """
    found, truth = cluster_of(clustering), cluster_of(gold)
    missing = next((record for record in truth if record not in found), None)
    if missing is not None:
        raise PartitionError(f"record {missing!r} is in the gold clusters but not in the clustering")
    both = _pairs(Counter((found[record], entity) for record, entity in truth.items()))
    claimed = _pairs(Counter(found[record] for record in truth))
    true = _pairs(Counter(truth.values()))
    precision = both / claimed if claimed else 1.0
    recall = both / true if true else 1.0
    return Scores(precision, recall, 2 * both / (claimed + true) if claimed + true else 1.0)


def cluster_of(clustering: Clusters) -> Mapping[Any, Hashable]:
    """Each record's cluster."""
    if isinstance(clustering, Mapping):
        unnamed = next((record for record, name in clustering.items() if not isinstance(name, Hashable)), None)
        if unnamed is not None:
            raise PartitionError(f"record {unnamed!r} has the cluster {clustering[unnamed]!r}, which cannot be a name")
        return clustering
    labels = getattr(clustering, "labels", None)
    if isinstance(labels, Mapping):
        return labels
    found: dict[Hashable, Hashable] = {}
    for number, members in enumerate(collection("clusters", clustering)):
        for record in collection("a cluster", members):
            if record in found:
                raise PartitionError(f"record {record!r} is in more than one cluster")
            found[record] = number
    return found


def _pairs(sizes: Counter[Hashable] | Counter[tuple[Hashable, Hashable]]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes.values())
