"""Evidence that learns: votes and a machine as likelihood ratios, with parameters estimated from the votes themselves.

docs/model.md has the model; model.py follows it, estimation.py finds its parameters. The log-odds of a pair are what
the machine says, as far as that counts, and the log-likelihood ratio of its votes. Where there is no machine, they are
the votes alone: joining two clusters has no price of its own.

A vote of q counts as q of a YES and 1 - q of a NO. In a fit it counts as a whole YES or NO, by the side of 1/2 that it
is on: otherwise every crowd would look careless.

A fit is a function of the votes alone, in their order: it starts from nothing, and takes place when the log has reached
certain lengths. So a state is rebuilt by one fit.
"""

from __future__ import annotations

import math

import numpy as np

from askwise.arrays import Floats, Int32s, found_in
from askwise.evidence.common_neighbours import Listed
from askwise.evidence.constants import CONSTANTS
from askwise.evidence.estimation import Estimation
from askwise.evidence.known import Known
from askwise.evidence.machine import Machine
from askwise.evidence.model import Parameters, limited
from askwise.evidence.neighbourhood import cavity
from askwise.evidence.parts import LIMIT, START, Part, by_worker, cut
from askwise.evidence.regression import add_traits, fit_logistic, logistic
from askwise.evidence.votes import VoteLog
from askwise.evidence.workers import counted_votes
from askwise.kernels.constraints import Values
from askwise.kernels.mixing import pair_hashes
from askwise.parallel import Parts

GROWTH = 1.25
"""A fit at the first vote, then whenever votes have grown by a quarter."""

EARLY_GROWTH, EARLY = 2, 200
"""But of more than `CHEAP` pairs, while there is less than one vote for 200 of them, whenever votes have doubled."""

CHEAP = 100_000
"""A fit of this number of pairs takes a fraction of a second. Beyond, its cost grows with the pairs, and so does the
number of votes between two fits, one for `EARLY` pairs: the cost per vote stays about the same."""

MOST_ASKED = 20_000
"""Of more pairs with votes, a fit looks at those among a sample of the records."""

_SHARE = 1 << 17


class Learned:
    """An evidence model that may have a machine, and may tell workers apart.

    `listed` is a list of candidates without scores: it says which pairs to ask, and nothing of those that were asked.
    `values` are those of all records of which a cluster has at most one.
    """

    def __init__(
        self,
        machine: Machine | None,
        known: Known,
        by_worker: bool,
        seed: int,
        listed: Listed | None = None,
        values: Values | None = None,
    ) -> None:
        self.machine = machine
        self._values = values
        self._listed = listed
        self._known = known
        self._by_worker = by_worker
        self._seed = np.uint64(seed)
        self._of_neighbours: tuple[float, ...] = ()
        self.use(Parameters(), np.empty(0, np.int32), np.empty(0))

    def use(self, parameters: Parameters, rows: Int32s, own: Floats) -> None:
        """Go by these parameters.

        `own` is how far the fit to its own votes moved the machine's log-odds of each of `rows` (in order); that is
        taken out again, so that a pair does not confirm itself.
        """
        self.parameters, self.rows, self.own = parameters, rows, own
        machine = self.machine
        self._odds: Floats = np.empty(0 if machine is None else len(machine))

        def some(first: int, last: int) -> None:
            assert machine is not None
            self._odds[first:last] = parameters.machine_odds(machine, first, last)

        Parts().all("machine", self._odds.size, _SHARE, some)
        self._odds[rows[rows < self._odds.size]] -= own[rows < self._odds.size]

    def fit_at(self, votes: int) -> int:
        """The last length of the log, at most `votes`, at which a fit takes place; 0 if there is none."""
        pairs = 0 if self.machine is None else len(self.machine)
        length, following = 0, 1
        while following <= votes:
            length = following
            if pairs > CHEAP and EARLY * length < pairs:
                following = EARLY_GROWTH * length
            else:
                following = max(math.ceil(GROWTH * length), length + (pairs - CHEAP) // EARLY)
        return length

    def fit(self, log: VoteLog, left: Int32s, right: Int32s) -> None:
        """Learn from all votes in the log; `left` and `right` are the records of every row."""
        asked = log.voted()
        if not asked.size:  # all were taken back
            self.use(Parameters(), asked, np.empty(0))
            self._of_neighbours = ()
            return
        asked = sampled(self._seed, left, right, asked)
        estimation = Estimation(self.machine, log, left, right, asked, self._known.of(asked), self._values)
        fit, order = estimation.best(self._by_worker), np.argsort(asked)
        self.use(fit.parameters, asked[order], fit.own[order])
        if self._listed is not None:
            self._of_neighbours = _weights_of_neighbours(self._listed, asked, fit.likely)

    def unasked_odds(self) -> Floats | None:
        """What the neighbours of all listed candidates without scores says, as log-odds; None if nothing is known."""
        if self._listed is None or not self._of_neighbours:
            return None
        found: Floats = np.zeros(len(self._listed.traits))
        add_traits(found, self._listed.traits, self._of_neighbours)
        return limited(found)

    def said(self, log: VoteLog, rows: Int32s) -> Floats:
        """What the votes on some pairs say, whatever the machine thinks."""
        return self.parameters.vote_ratio(log, rows, *log.tally(rows))

    def _machine_odds(self, rows: Int32s) -> Floats:
        """What the machine says of some rows, whatever of it counts; 0 if there is none."""
        listed = rows < self._odds.size
        odds: Floats = np.full(rows.size, 0.0 if self.machine is None else self.parameters.unlisted)
        odds[listed] = self._odds[rows[listed]]
        if self.machine is not None and not listed.all():
            at, moved = found_in(self.rows, rows)
            odds[moved & ~listed] -= self.own[at[moved & ~listed]]
        return odds

    def machine_and_votes(self, log: VoteLog, rows: Int32s) -> tuple[Floats | None, Floats, Floats]:
        """What the machine says of some rows (None if there is none), and their YES and NO as they count."""
        counts = self.parameters.counts
        yes, no = log.tally(rows) if counts is None else counted_votes(log, rows, counts)
        return None if self.machine is None else self._machine_odds(rows), yes, no

    def p(self, log: VoteLog, rows: Int32s) -> Floats:
        """The evidence for some rows; NaN where neither votes nor a machine say anything."""
        yes, no = log.tally(rows)
        voted, listed = yes + no > 0, rows < self._odds.size
        weight = limited(self._machine_odds(rows))
        weight[voted] += self.parameters.vote_ratio(log, rows[voted], yes[voted], no[voted])
        p = logistic(np.clip(weight, -CONSTANTS.surest, CONSTANTS.surest))
        p[~voted & ~listed] = np.nan
        return self._known.over(rows, p)

    def parts(self, log: VoteLog, row: int) -> list[Part]:
        """What the log-odds of a pair are made of: the machine's view, as far as it counts, and the votes."""
        found: list[Part] = []
        votes = by_worker(log, row, self.parameters.counts, self.parameters.ratio)
        if self.machine is not None and (votes or row < self._odds.size):
            parameters = self.parameters
            if row < self._odds.size:
                machine = self.machine.parts(row, parameters.intercept, parameters.slope, parameters.traits)
            else:
                machine = [Part(START, "not a candidate", parameters.unlisted)]
            at, moved = found_in(self.rows, np.array([row], np.int32))
            if moved[0]:
                machine.append(Part(LIMIT, "what its own votes taught", -float(self.own[at[0]])))
            found = cut(machine, "as far as a machine counts", CONSTANTS.machine_limit)
        return cut(found + votes, "as sure as a pair can be", CONSTANTS.surest)

    def likely(self, log: VoteLog, left: Int32s, right: Int32s, weight: Floats, labels: Int32s, rows: Int32s) -> Floats:
        """How likely some pairs with votes are the same, given the clusters of all records and all evidence."""
        known = np.flatnonzero(~np.isnan(weight))
        votes, all_of_them = self.said(log, rows), np.ones(known.size, np.bool_)
        places, nothing = np.searchsorted(known, rows), np.zeros(rows.size, np.bool_)
        others = cavity(left[known], right[known], labels, weight[known], all_of_them, places, votes, nothing, 0.0)
        return self._known.over(rows, logistic(others + votes))


def sampled(seed: np.uint64, left: Int32s, right: Int32s, asked: Int32s) -> Int32s:
    """The pairs to learn from, in the order of their records: all, or those among as many records as give enough.

    Pairs among some records are as dense as all pairs are; of pairs drawn one by one, hardly three would be a triangle.
    """
    asked = asked[np.lexsort((right[asked], left[asked]))]  # rows may be in another order, and so would sums be
    if asked.size <= MOST_ASKED:
        return asked
    later = np.maximum(*(pair_hashes(seed, side[asked], side[asked]) for side in (left, right)))
    return asked[np.sort(np.argsort(later, kind="stable")[:MOST_ASKED])]


def _weights_of_neighbours(listed: Listed, asked: Int32s, likely: Floats) -> tuple[float, ...]:
    """What each trait of a pair's neighbours says, by the pairs with votes."""
    traits = listed.of(asked)
    columns = np.column_stack((np.ones(asked.size), traits)).astype(np.float64)
    centre = np.zeros(1 + traits.shape[1])
    precision = np.full(1 + traits.shape[1], CONSTANTS.trait_precision)
    return tuple(fit_logistic(columns, likely, centre, precision)[0][1:].tolist())
