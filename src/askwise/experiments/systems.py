"""The systems to compare: a strategy, a clusterer, an evidence model. A new one is one more line."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class System:
    """A strategy, a clusterer, an evidence model, and the data it uses in addition to votes, if there is any."""

    strategy: str
    clustering: str
    evidence: str = "ratio"
    sees: Literal["votes", "scores", "fields"] = "votes"


SYSTEMS = {
    "PERC": System("perc", "scc"),
    "bDENSE": System("bdense", "scc", "majority"),
    "MinMax": System("minmax", "minmax"),
    "PC-Pivot": System("pc_pivot", "pivot"),
    "TC": System("transitive", "closure"),
    "random": System("random", "scc"),
}

ASKING = ("wise", "perc", "uncertain", "contradicting", "highest", "random")

PARTS = {
    "the paper's PERC": System("perc", "scc"),
    "+ smoothing": System("perc", "scc", "smoothed"),
    "+ workers": System("perc", "scc", "workers"),
    "+ scores": System("perc", "scc", "auto", "scores"),
    "+ matcher": System("perc", "scc", "auto", "fields"),
    "+ local search": System("perc", "scc+moves", "auto", "fields"),
}
"""From the paper's system to ours, a part at a time."""

RULES = {
    **{rule: System(rule, "scc+moves", "auto", "scores") for rule in ASKING},
    **{f"{rule}, fields": System(rule, "scc+moves", "auto", "fields") for rule in ASKING},
}
"""Rules of asking, all with our evidence: with scores alone, and with the fields of the records."""

DEFAULT = "wise, fields"
"""What users get who choose nothing."""

EVERY_SYSTEM = {**SYSTEMS, **PARTS, **RULES}
