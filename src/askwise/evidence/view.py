"""What was learned from votes, and what it makes of a pair."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Singles, as_run
from askwise.evidence.machine import MOST_MACHINE
from askwise.evidence.prior import EVEN, PriorOdds
from askwise.evidence.rates import DIFFERENT, SAME, VoteRates
from askwise.evidence.regression import add_traits
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import WorkerRates


@dataclass(frozen=True)
class Leaning:
    """What votes made of how a machine leans (log-odds): shifted by `level`, and steeper or flatter by `rise`.

    `mean` and `spread` are those of the pairs that it was learned on; `traits` is what each trait counts.
    """

    level: float
    rise: float
    mean: float
    spread: float
    traits: tuple[float, ...] = ()

    def opinion(self, lean: Floats, traits: Singles) -> Floats:
        """The opinion of some pairs, their own votes not left out."""
        found: Floats = np.asarray(lean + self.level + self.rise * ((lean - self.mean) / self.spread), np.float64)
        add_traits(found, traits, self.traits)
        return found


@dataclass(frozen=True)
class View:
    """The machine's opinion of its pairs, where it is even and how steep it is; the crowd's rates; the workers'.

    `odds` are those before votes of a pair of which no machine has an opinion; `most` is how sure a machine may
    be, and `share` what part of that counts in a clustering; `leaning` is how the opinion came about, but for the
    pairs' own votes. `silence` is what pairs that are no candidates say against each of the machine's (silence.py),
    empty if that is nothing.
    """

    opinion: Floats
    cut: float = 0.0
    slope: float = 1.0
    same: VoteRates = SAME
    different: VoteRates = DIFFERENT
    workers: WorkerRates | None = None
    odds: PriorOdds = EVEN
    most: float = MOST_MACHINE
    share: float = 1.0
    leaning: Leaning | None = None
    silence: Floats = field(default_factory=lambda: np.empty(0))

    def of(self, rows: Int32s) -> tuple[Floats, Bools]:
        """The machine's opinion of some pairs, 0 where it has none, and of which it has one."""
        machine = rows < self.opinion.size
        run = as_run(rows)
        if isinstance(run, slice) and run.stop <= self.opinion.size:
            return self.opinion[run], machine
        opinion = np.zeros(rows.size)
        opinion[machine] = self.opinion[rows[machine]]
        return opinion, machine

    def against(self, rows: Int32s) -> Floats:
        """What pairs that are no candidates say against some pairs."""
        found: Floats = np.zeros(rows.size)
        machine = rows < self.silence.size
        found[machine] = self.silence[rows[machine]]
        return found

    def machine_odds(self, opinion: Floats) -> Floats:
        """How likely pairs are the same to the machine, as log-odds."""
        return self.slope * (opinion - self.cut)

    def machine_weight(self, opinion: Floats) -> Floats:
        """What of that counts in a clustering."""
        return np.clip(self.share * self.machine_odds(opinion), -self.most, self.most)

    def vote_weight(self, log: VoteLog, rows: Int32s, yes: Floats, no: Floats, opinion: Floats) -> Floats:
        """What the votes on some pairs say, as log-odds."""
        weight = self.same.log_chance(yes, no, opinion) - self.different.log_chance(yes, no, opinion)
        if self.workers is not None:
            # Where votes on a pair are alike, a good worker adds less: the others said the same for the same reason.
            alike = 0.5 * (self.same.concentration + self.different.concentration)
            weight += self.workers.lean(log, rows) * (1.0 + alike) / (yes + no + alike)
        return weight
