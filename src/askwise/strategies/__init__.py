"""Strategies: what to ask next.

A strategy is a class made from (graph, partition, seed) with two methods. `update(rows, moved)` is called after every
change, with the pairs whose votes changed and the records whose cluster changed. `select(k)` returns questions and
changes nothing. A new one is a file here and a line in `STRATEGIES`.
"""

from collections.abc import Callable
from functools import partial

from askwise.checks import known_name
from askwise.clustering.partition import Partition
from askwise.graph import UncertainGraph
from askwise.strategies.by_evidence import ByEvidence, contradicting, highest, uncertain
from askwise.strategies.dense import BDense, Dense
from askwise.strategies.minmax import MinMax
from askwise.strategies.pc_pivot import PCPivot
from askwise.strategies.perc import Perc
from askwise.strategies.question import Question, Strategy
from askwise.strategies.random import Random
from askwise.strategies.transitive import Transitive
from askwise.strategies.wise import Wise

__all__ = ["ASK_AGAIN", "SEE_MACHINES", "STRATEGIES", "Question", "Strategy", "strategy_class"]

StrategyClass = Callable[[UncertainGraph, Partition, int], Strategy]

STRATEGIES: dict[str, StrategyClass] = {
    "wise": Wise,
    "perc": Perc,
    "transitive": Transitive,
    "minmax": MinMax,
    "dense": Dense,
    "bdense": BDense,
    "pc_pivot": PCPivot,
    "random": Random,
    "uncertain": partial(ByEvidence, uncertain),
    "contradicting": partial(ByEvidence, contradicting),
    "highest": partial(ByEvidence, highest),
}

SEE_MACHINES = frozenset({"wise", "perc", "random", "uncertain", "contradicting", "highest"})
"""Strategies that take a pair for evidence though it was never asked; to the others, evidence is what votes gave."""

ASK_AGAIN = ("wise",)
"""Strategies that weigh a further vote on a pair against a new pair."""


def strategy_class(name: str) -> StrategyClass:
    """The strategy of that name."""
    return known_name("strategy", name, STRATEGIES)
