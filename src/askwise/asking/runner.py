"""Asks a crowd, batch after batch, until a stopping rule holds. It can be interrupted at any moment and started again.

The database knows of every question before the crowd gets it. Questions that were open at a crowd without memory when
the process was killed are not asked again automatically: it is unknown whether they were paid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from askwise.asking.pairs_to_ask import Among, choose
from askwise.crowds.protocol import Context, DurableCrowd, Order, Reply
from askwise.errors import CrowdError, InputError
from askwise.project import Project
from askwise.project.ledger import Ledger
from askwise.project.values import Sent
from askwise.resolution import Resolution
from askwise.resolving import Until

WAIT = 0.5
"""The most seconds that one check for replies takes."""

MOST_FAILURES = 20
"""After this many failures in a row, the run stops: something is wrong with the crowd, not with the questions."""

INTERRUPTED = "it was in the crowd's hands when Askwise was stopped, and may have been paid"


@dataclass(frozen=True, slots=True)
class Rules:
    """What to ask, and when to stop, over all runs: questions, votes, money, reliability, or `until` for the project.

    `once` looks for votes once and does not wait for more. `retry` asks again what failed or was interrupted.
    """

    questions: int | None = None
    money: float | None = None
    reliability: float | None = None
    votes: int | None = None
    until: Until = field(default_factory=Until)
    batch: int = 200
    among: Among = "new"
    once: bool = False
    retry: bool = False

    def __post_init__(self) -> None:
        """Check what was given."""
        if self.until.gain is not None and self.among == "doubtful":
            raise InputError("only new questions have a gain: leave gain out, or ask among new or any")

    def reached(self, resolution: Resolution) -> str:
        """Which goal is reached, in words; empty if none is."""
        if self.reliability is not None and resolution.reliability >= self.reliability:
            return f"the reliability is {self.reliability:g} or more"
        return self.until.reached(resolution)


@dataclass(slots=True)
class Tally:
    """The progress of a run. `expected` is the estimated final cost, if known."""

    asked: int = 0
    total: int = 0
    out: int = 0
    votes: int = 0
    aside: int = 0
    cost: float = 0.0
    expected: float | None = None
    why: str = ""


def context_of(project: Project) -> Context:
    """What a crowd may know of the project."""
    settings = project.settings
    fields = tuple(name for name in project.table.shown if name not in project.hidden("worker"))
    return Context(
        project.name,
        project.about.key,
        settings.instructions,
        settings.votes,
        fields,
        partial(project.shown_to, "worker"),
    )


@dataclass(slots=True)
class Run:
    """One run of a crowd over a project. `stop` may be called from a signal handler: open questions are finished."""

    project: Project
    crowd: DurableCrowd
    rules: Rules
    show: Callable[[Tally], object] = lambda tally: None
    tally: Tally = field(default_factory=Tally)
    _ledger: Ledger = field(init=False)
    _pending: list[Sent | tuple[str, str]] = field(default_factory=list)
    _out: dict[int, float] = field(default_factory=dict)  # order: what it may cost
    _known: set[tuple[str, str]] = field(default_factory=set)
    _failures: int = 0
    _votes_before: int = 0
    _dry: bool = False

    def __post_init__(self) -> None:
        self._ledger = Ledger(self.project, self.crowd.name)

    def stop(self, why: str = "interrupted") -> None:
        """Send no more questions."""
        self.tally.why = self.tally.why or why

    def run(self) -> Tally:
        """Ask until a rule holds, nothing is left, or it is stopped."""
        self._begin()
        while True:
            self._put()
            if not self._out or (self.tally.why and self.crowd.lasts):
                break
            before = self.tally.votes
            self._take(self.crowd.collect(WAIT))
            if (self.rules.once or not self.crowd.waits) and self.tally.votes == before:
                self.stop("no more votes for now")
        self.project.refresh()
        self._count()
        if self._failures >= MOST_FAILURES:
            raise CrowdError(f"{self.crowd.name}: {self.tally.why}")
        return self.tally

    def _begin(self) -> None:
        """Find out what earlier runs left."""
        self.project.refresh()
        ledger = self._ledger
        self._votes_before = ledger.votes()
        if self.rules.retry:
            again = ledger.aside()
            if self.crowd.lasts:
                ledger.again([row.id for row in again])
            else:
                self._pending += again
        left = ledger.out()
        if self.crowd.lasts:
            self._hand_over(left)
        else:
            orders = [self._order(row.id, row.left, row.right) for row in left]
            ledger.receive([Reply(o.id, failed=INTERRUPTED, cost=self.crowd.estimate(o)) for o in orders])
            if self.rules.retry:
                self._pending += left
        self.tally.cost = ledger.spent()
        self._known = ledger.sent()
        self.tally.aside = len(ledger.aside()) - len(self._pending)
        self.tally.asked = len(self._known) - len(self._pending)
        if self.crowd.lasts:
            self._take(self.crowd.collect(0.0))
        self._count()

    def _put(self) -> None:
        """Send the crowd as many questions as it has room for."""
        while not self.tally.why and self.crowd.room > 0:
            if not self._pending and not self._choose():
                return
            room = min(self.crowd.room, len(self._pending))
            if self.rules.questions is not None:
                room = min(room, self.rules.questions - self.tally.asked)
                if room <= 0:
                    self.stop(f"{self.rules.questions:,} questions were asked")
                    return
            if self.rules.votes is not None:
                room = min(room, self._votes_to_come)
                if room <= 0:
                    if not self._out:
                        self.stop(f"the crowd gave {self._votes_before + self.tally.votes:,} votes")
                    return
            affordable = self._affordable(self._pending[:room])
            if not affordable:
                if not self._out:
                    self.stop("the money limit is reached")
                return
            self._send(affordable)

    @property
    def _votes_to_come(self) -> int:
        """How many votes are wanted in addition to one for each open question."""
        return (self.rules.votes or 0) - self._votes_before - self.tally.votes - len(self._out)

    def _affordable(self, chosen: list[Sent | tuple[str, str]]) -> int:
        """How many of these the money limit allows, if all open questions cost the most they can."""
        if self.rules.money is None:
            return len(chosen)
        left = self.rules.money - self.tally.cost - sum(self._out.values())
        for at, item in enumerate(chosen):
            pair = (item.left, item.right) if isinstance(item, Sent) else item
            left -= self.crowd.estimate(self._order(0, *pair))
            if left < 0.0:
                return at
        return len(chosen)

    def _send(self, count: int) -> None:
        chosen, self._pending = self._pending[:count], self._pending[count:]
        again = [item for item in chosen if isinstance(item, Sent)]
        self._ledger.again([row.id for row in again])
        new = self._ledger.send([item for item in chosen if not isinstance(item, Sent)])
        self._known |= {(row.left, row.right) for row in new}
        self.tally.asked += len(again) + len(new)
        self._hand_over(again + new)

    def _hand_over(self, rows: list[Sent]) -> None:
        orders = [self._order(row.id, row.left, row.right, row.outside, rank) for rank, row in enumerate(rows)]
        if not orders:
            return
        self._out |= {order.id: self.crowd.estimate(order) for order in orders}
        try:
            self._ledger.call(self.crowd.put(orders))
        except CrowdError:
            if not self.crowd.lasts:  # one that lasts may have some of them, and gets all of them again
                self._ledger.withdraw([order.id for order in orders])
            raise

    def _order(self, number: int, left: str, right: str, outside: str | None = None, rank: int = 0) -> Order:
        record = partial(self.project.shown_to, "worker")
        return Order(number, left, right, outside, record(left), record(right), rank)

    def _choose(self) -> bool:
        """Choose the next batch; returns whether there is one."""
        if self._dry:
            return False
        self.project.refresh()
        if self.project.settings.paused:
            self.stop("the project is paused")
            return False
        rules = self.rules
        with self.project.lock:
            if why := rules.reached(self.project.resolution):
                self.stop(why)
                return False
        unanswered = len(self._out) + self.tally.aside
        self._pending = [*choose(self.project, rules.among, rules.batch, self._known, unanswered, rules.until)]
        self._dry = not self._pending
        if self._dry and not self._out:
            gain = rules.until.gain
            self.stop("nothing is left to ask" + ("" if gain is None else f" that is worth more than {gain:g}"))
        return not self._dry

    def _take(self, replies: list[Reply]) -> None:
        """Take in replies."""
        self.tally.votes += self._ledger.receive(replies)
        for reply in replies:
            self.tally.cost += reply.cost
            if reply.failed:
                self.tally.aside += 1
                self._failures += 1
            else:
                self._failures = 0
            if reply.done:
                self._out.pop(reply.order, None)
            if self._failures == MOST_FAILURES:
                self.stop(f"{MOST_FAILURES} questions in a row failed, the last because {reply.failed}")
        if replies:
            self._dry = False
            self._count()

    def _count(self) -> None:
        """Update the tally, and show it."""
        tally, rules = self.tally, self.rules
        tally.out = len(self._out)
        tally.total = rules.questions or tally.asked + max(self.project.resolution.to_ask, len(self._pending))
        if rules.votes is not None:
            tally.total = min(tally.total, tally.asked + max(self._votes_to_come, 0))
        done = tally.asked - tally.out
        tally.expected = tally.cost / done * tally.total if done > 0 else None
        if tally.expected is not None and rules.money is not None:
            tally.expected = min(tally.expected, rules.money)
        self.show(tally)
