"""The systems under comparison: a strategy, a clusterer, an evidence model. One of your own is one line more."""

from dataclasses import dataclass


@dataclass(frozen=True)
class System:
    """What a system asks, how it clusters, and what it makes of votes."""

    strategy: str
    clustering: str
    evidence: str = "ratio"


SYSTEMS = {
    "PERC": System("perc", "scc"),
    "bDENSE": System("bdense", "scc", "majority"),
    "MinMax": System("minmax", "minmax"),
    "PC-Pivot": System("pc_pivot", "pivot"),
    "TC": System("transitive", "closure"),
    "random": System("random", "scc"),
}
