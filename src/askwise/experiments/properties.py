"""The paper's Table 2: properties of a dataset, with its crowd's measured error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askwise.experiments.dataset_names import open_dataset
from askwise.resolution import Resolution

_MOST_QUESTIONS = 5_000


@dataclass(frozen=True)
class Properties:
    """Records, entities, pairs that may be asked, votes to a pair, and the share of wrong votes, a mean over pairs."""

    dataset: str
    records: int
    entities: int
    pairs: int
    votes: float
    error: float


def measure(dataset: str) -> Properties:
    """Ask up to 5,000 random pairs, and compare with gold."""
    data = open_dataset(dataset, 0)
    drawing = Resolution(data.gold, data.candidates, strategy="random")
    wrong: dict[frozenset[object], list[bool]] = {}
    for vote in data.crowd.ask(drawing.by_chance(min(_MOST_QUESTIONS, drawing.to_ask))):
        if vote.label is not None:
            truth = data.gold[vote.left] == data.gold[vote.right]
            wrong.setdefault(frozenset((vote.left, vote.right)), []).append(vote.label != truth)
    rates = [np.mean(votes) for votes in wrong.values()]
    return Properties(
        data.name,
        len(data.gold),
        len(set(data.gold.values())),
        drawing.graph.candidates.total,
        float(np.mean([len(votes) for votes in wrong.values()])) if wrong else 0.0,
        float(np.mean(rates)) if rates else 0.0,
    )
