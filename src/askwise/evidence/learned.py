"""Evidence that learns: how far to trust votes, workers and machines, from where they agree.

The log-odds of a pair are the sum of two things. What the votes say: log P(votes | same) - log P(votes | different),
with the crowd's rates (rates.py) and each worker's own (workers.py). And what the machine says, if there is one:
slope * (opinion - cut).

The opinion is a regression of the share of YES on the machine's view, held near what the machine thought without votes,
and without a pair's own votes in the pair's own opinion. It ranks pairs well, but where a YES begins is another matter:
a crowd that misses half of the matches answers NO to pairs that are the same. So the cut is found by transitivity:
expectation-maximisation from each cut of a range (clustering with votes and machine, rates from the clustering), and
the end whose clustering explains the votes best wins. The votes that a strategy chose to ask for are no fair sample of
all; but here they only have to say which of two clusterings they fit. Where pairs have one or two votes, each pair is
explained by what would be without its own, the opinion of one without votes goes by those on similar pairs (groups.py),
and pairs that are no candidates have a say (silence.py).

A vote that is a probability says in part what a whole one says; but a fit goes by the side of 1/2 that it is on. Rates,
the opinion and the cut are about answers: parts of answers would make them all flat, and nobody would be believed.

A fit is a function of the votes alone, in their order: it starts from nothing, and takes place when the log has reached
certain lengths, each at least a quarter longer than the last. So a state is rebuilt by one fit.
"""

from __future__ import annotations

import math

import numpy as np

from askwise.arrays import Floats, Int32s, Singles
from askwise.evidence.company import Listed
from askwise.evidence.fitting import Fit
from askwise.evidence.known import Known
from askwise.evidence.machine import MOST, MOST_UNTRIED, Machine
from askwise.evidence.regression import logistic
from askwise.evidence.view import View
from askwise.evidence.votes import VoteLog
from askwise.kernels.mixing import pair_hashes

FIRST, GROWTH = 64, 1.25
"""A fit at the first 64 votes, then whenever they have grown by a quarter."""

EARLY_GROWTH, EARLY = 2, 200
"""But while there is less than one vote for 200 pairs, whenever they have doubled. Not more rarely: a strategy that
asks for long by what was learned from few votes gets votes on one kind of pairs only."""

CHEAP = 100_000
"""A fit costs the number of pairs. So each vote pays for as many, beyond the first 100,000, as it stands for (`EARLY`):
a vote costs about the same, however many pairs there are."""

FEW, MOST_ASKED = 15, 5_000
"""Fewer pairs with votes teach nothing; of more, a sample is enough."""


MOST_ALONE = 9.0
"""How sure a machine may be of a pair, as log-odds, where estimates go by its word."""


class Learned:
    """An evidence model that may have a machine, or go by the list of candidates, and may tell workers apart."""

    def __init__(
        self, machine: Machine | None, known: Known, by_worker: bool, seed: int, listed: Listed | None = None
    ) -> None:
        self.machine = machine
        self._listed = listed
        self._known = known
        self._by_worker = by_worker
        self._seed = np.uint64(seed)
        self.view = View(np.empty(0) if machine is None else machine.lean, most=MOST_UNTRIED)

    def fit_at(self, votes: int) -> int:
        """The last length of the log, at most `votes`, at which a fit takes place; 0 if there is none."""
        pairs = 0 if self.machine is None else len(self.machine)
        length, following = 0, FIRST
        while following <= votes:
            length = following
            if EARLY * length < pairs:
                following = EARLY_GROWTH * length
            else:
                following = max(math.ceil(GROWTH * length), length + (pairs - CHEAP) // EARLY)
        return length

    def fit(self, log: VoteLog, left: Int32s, right: Int32s) -> None:
        """Learn from all votes in the log; `left` and `right` are the records of every row."""
        asked = log.voted()
        if asked.size < FEW:
            return
        if asked.size > MOST_ASKED:
            ranks = pair_hashes(self._seed, left[asked], right[asked])
            asked = asked[np.argsort(ranks, kind="stable")[:MOST_ASKED]]
        asked = asked[np.lexsort((right[asked], left[asked]))]  # rows may be in another order, and so would sums be
        known, traits = self._known.of(asked), self._traits(asked)
        self.view = Fit(self.machine, log, left, right, asked, known, self._by_worker, traits).view()

    def _traits(self, rows: Int32s) -> Singles:
        """The company of some pairs of which no machine has an opinion; no columns if it tells nothing."""
        return _no_traits(rows) if self._listed is None else self._listed.of(rows)

    def hunch(self) -> Floats | None:
        """What their company says of all listed candidates, as log-odds; None if nobody knows."""
        if self._listed is None or not self.view.odds.company:
            return None
        return self.view.odds.by_company(self._listed.traits)

    def said(self, log: VoteLog, rows: Int32s) -> Floats:
        """What the votes on some pairs say, whatever the machine thinks."""
        return self.view.vote_weight(log, rows, *log.tally(rows), self.view.of(rows)[0])

    def p(self, log: VoteLog, rows: Int32s) -> Floats:
        """The evidence for some rows; NaN where neither votes nor a machine say anything."""
        yes, no = log.tally(rows)
        view = self.view
        opinion, machine = view.of(rows)
        weight = np.where(machine, view.machine_weight(opinion), 0.0)
        if view.silence.size:
            weight -= view.against(rows)
        voted = yes + no > 0
        alone = voted & ~machine
        traits = self._traits(rows[alone]) if view.odds.company else _no_traits(rows[alone])
        weight[alone] = view.odds.of(log, rows[alone], traits)
        weight[voted] += view.vote_weight(log, rows[voted], yes[voted], no[voted], opinion[voted])
        p = logistic(np.clip(weight, -MOST, MOST))
        p[~voted & ~machine] = np.nan
        return self._known.over(rows, p)

    def odds(self, log: VoteLog, weight: Floats) -> Floats:
        """What is likely, as log-odds, row by row: for pairs that only the machine knows, all that it says."""
        found = weight.copy()
        alone = np.ones(min(self.view.opinion.size, weight.size), np.bool_)
        voted = log.voted()
        alone[voted[voted < alone.size]] = False
        rows = np.flatnonzero(alone).astype(np.int32)
        odds = self.view.machine_odds(self.view.opinion[rows]) - self.view.against(rows)
        found[rows] = np.clip(odds, -MOST_ALONE, MOST_ALONE)
        return found


def _no_traits(rows: Int32s) -> Singles:
    return np.empty((rows.size, 0), np.float32)
