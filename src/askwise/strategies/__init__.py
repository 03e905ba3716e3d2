"""Strategies: what to ask next. A new one is a file here and a line in `STRATEGIES` (docs/systems.md)."""

from pkgutil import resolve_name

from askwise.checks import known_name
from askwise.errors import UnknownNameError
from askwise.strategies.by_evidence import Contradicting, Highest, Uncertain
from askwise.strategies.dense import BDense, Dense
from askwise.strategies.minmax import MinMax
from askwise.strategies.pc_pivot import PCPivot
from askwise.strategies.perc import Perc
from askwise.strategies.question import Question
from askwise.strategies.random import Random
from askwise.strategies.strategy import Strategy
from askwise.strategies.transitive import Transitive
from askwise.strategies.wise import Wise

__all__ = ["STRATEGIES", "Question", "Strategy", "strategy_class"]

STRATEGIES: dict[str, type[Strategy]] = {
    "wise": Wise,
    "perc": Perc,
    "transitive": Transitive,
    "minmax": MinMax,
    "dense": Dense,
    "bdense": BDense,
    "pc_pivot": PCPivot,
    "random": Random,
    "uncertain": Uncertain,
    "contradicting": Contradicting,
    "highest": Highest,
}


def strategy_class(name: str) -> type[Strategy]:
    """The strategy of that name; "module:Class" is one from elsewhere."""
    if not isinstance(name, str) or ":" not in name:
        return known_name("strategy", name, STRATEGIES)
    try:
        found = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownNameError(f"strategy {name!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise UnknownNameError(f"strategy {name!r} is {found!r}, not a subclass of askwise.strategies.Strategy")
    return found
