"""The systems to compare: a strategy, a clusterer, an evidence model. A new one is one more line."""

from dataclasses import dataclass, replace
from typing import Literal

from askwise.checks import known_name
from askwise.strategies import STRATEGIES, strategy_class


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
    "Random": System("random", "scc"),
}

PARTS = {
    "the paper's PERC": System("perc", "scc"),
    "+ smoothing": System("perc", "scc", "smoothed"),
    "+ workers": System("perc", "scc", "workers"),
    "+ scores": System("perc", "scc", "auto", "scores"),
    "+ matcher": System("perc", "scc", "auto", "fields"),
    "+ local search": System("perc", "scc+moves", "auto", "fields"),
}
"""From the paper's system to ours, a part at a time."""

FIELDS = ", fields"
"""What follows the name of a system that uses the fields of the records."""

ASKING = ("wise", "perc", "uncertain", "contradicting", "highest", "random")
RULES = (*ASKING, *(f"{rule}{FIELDS}" for rule in ASKING))
"""Rules of asking, all with our evidence: with scores alone, and with the fields of the records."""

DEFAULT = f"wise{FIELDS}"
"""What users get who choose nothing."""


def named_system(name: str) -> System:
    """The system of that name. Every strategy is one: with our clusterer and evidence, and with scores."""
    plain = name.removesuffix(FIELDS)
    known: dict[str, object] = {**STRATEGIES, **SYSTEMS, **PARTS}
    found = strategy_class(plain) if ":" in plain else known_name("system", plain, known)
    if not isinstance(found, System):
        found = System(plain, "scc+moves", "auto", "scores")
    return found if plain == name else replace(found, sees="fields")
