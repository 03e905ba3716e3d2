"""What an experiment runs on: the truth, the crowd, and the candidates."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwise.candidate_pairs import Candidate
from askwise.crowds import Crowd
from askwise.evidence.machine import Machine
from askwise.tables import Table


@dataclass(frozen=True)
class Dataset:
    """Records with gold clusters and a crowd; `candidates` is None if every pair may be asked.

    `scored` are candidates with scores and `table` the records' fields, if there are any. `initial`, `batch` and
    `target` are the paper's settings: questions asked at random at the start, questions to a batch, and the F1 to
    reach. `budget` is where a run ends. `rules` hold whatever the votes say; `machine` is the matcher's result, if it
    is known already.
    """

    name: str
    gold: Mapping[Any, Hashable]
    crowd: Crowd
    candidates: Sequence[Candidate] | None
    scored: Sequence[Candidate] | None
    table: Table | None
    initial: int
    batch: int
    target: float
    budget: int
    rules: tuple[str, ...] = ()
    machine: Machine | None = None
