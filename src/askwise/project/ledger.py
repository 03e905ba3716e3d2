"""What was sent to crowds that work elsewhere, and what came back, so that nothing is paid or counted twice."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import bindparam, delete, func, insert, select, tuple_, update

from askwise.crowds.protocol import Reply
from askwise.errors import InputError
from askwise.evidence.votes import side_of, told
from askwise.project import checks, queue
from askwise.project.project import Project
from askwise.project.rows import batched, note_requests, repeated
from askwise.project.schema import ASIDE, DONE, OUT, sent, votes
from askwise.project.values import Sent, VoteRow
from askwise.project.writer import Transaction

_LONGEST_NOTE = 500
_SET = update(sent).where(sent.c.id == bindparam("number"))
_CLOSE = _SET.values(state=bindparam("new"), note=bindparam("why"), cost=sent.c.cost + bindparam("more"))
_NAME = _SET.values(outside=bindparam("known_as"))


class Ledger:
    """The account of one crowd in a project. Every method is one transaction."""

    def __init__(self, project: Project, crowd: str) -> None:
        self._store = project.store
        self.crowd = checks.plain("crowd", crowd)

    def send(self, pairs: Iterable[tuple[str, str]]) -> list[Sent]:
        """Record that these pairs (the smaller id first) go to the crowd; pairs that it already got are left out."""
        chosen = list(dict.fromkeys(pairs))
        now = time.time()

        def write(work: Transaction) -> list[Sent]:
            known = {(row.left, row.right) for row in _found(work, self.crowd, chosen)}
            new = [pair for pair in chosen if pair not in known]
            same = {"crowd": self.crowd, "time": now, "state": OUT, "cost": 0.0, "note": ""}
            if new:
                work.connection.execute(insert(sent), [{"left": one, "right": two, **same} for one, two in new])
            by_pair = {(row.left, row.right): row for row in _found(work, self.crowd, new)}
            return [by_pair[pair] for pair in new]

        return self._store.change(write) if chosen else []

    def call(self, names: Mapping[int, str]) -> None:
        """Keep the crowd's ids of the questions."""
        rows = [{"number": number, "known_as": name} for number, name in names.items()]
        if rows:
            self._store.change(lambda work: work.connection.execute(_NAME, rows))

    def receive(self, replies: Sequence[Reply]) -> int:
        """Record replies, votes and costs, all or none; returns how many votes were new."""
        for reply in replies:
            if not reply.failed:
                checks.plain("worker", reply.worker)
        return self._store.change(lambda work: self._receive(work, replies)) if replies else 0

    def _receive(self, work: Transaction, replies: Sequence[Reply]) -> int:
        rows = {row.id: row for row in _numbered(work, self.crowd, [reply.order for reply in replies])}
        before = set(repeated(work, [(self.crowd, reply.request) for reply in replies]))
        now = time.time()
        state: dict[int, int] = {number: row.state for number, row in rows.items()}
        why = {number: row.note for number, row in rows.items()}
        more = dict.fromkeys(rows, 0.0)
        counted: list[Reply] = []
        for reply in replies:
            number = reply.order
            if number not in rows:
                raise InputError(f"the crowd {self.crowd!r} answers the question {number}, which it was not sent")
            more[number] += reply.cost
            if reply.failed:
                if state[number] == OUT:
                    state[number], why[number] = ASIDE, reply.failed[:_LONGEST_NOTE]
                continue
            key = (self.crowd, reply.request or "")
            if (state[number] != DONE) if reply.request is None else (key not in before):
                before.add(key)
                counted.append(reply)
            if reply.done:
                state[number], why[number] = DONE, ""
        self._vote(work, counted, rows, now)
        changes = [{"number": n, "new": state[n], "why": why[n], "more": more[n]} for n in rows]
        work.connection.execute(_CLOSE, changes)
        return len(counted)

    def _vote(self, work: Transaction, replies: list[Reply], rows: Mapping[int, Sent], now: float) -> None:
        if not replies:
            return
        first = work.project["last_vote"] + 1
        given = []
        for reply in replies:
            row = rows[reply.order]
            said = side_of(reply.label), told(reply.label)
            vote = VoteRow(0, now, "vote", reply.worker, row.left, row.right, said[0], self.crowd, probability=said[1])
            given.append(replace(vote, seconds=checks.seconds(reply.seconds), shown=checks.shown(reply.shown)))
        queue.add_votes(work, given, self.crowd, None)
        note_requests(work, [(self.crowd, reply.request, first + at, 1) for at, reply in enumerate(replies)])

    def out(self) -> list[Sent]:
        """The questions that the crowd has not answered yet."""
        return self._rows(OUT)

    def aside(self) -> list[Sent]:
        """The questions that failed and were set aside."""
        return self._rows(ASIDE)

    def known_as(self, outside: str) -> Sent | None:
        """The question with this id at the crowd."""
        query = select(sent).where(sent.c.crowd == self.crowd, sent.c.outside == outside)
        with self._store.reading() as connection:
            found = connection.execute(query).first()
            return None if found is None else Sent(*found)

    def sent(self) -> set[tuple[str, str]]:
        """All pairs that the crowd ever got."""
        query = select(sent.c.left, sent.c.right).where(sent.c.crowd == self.crowd)
        with self._store.reading() as connection:
            return {(left, right) for left, right in connection.execute(query)}

    def _rows(self, state: int) -> list[Sent]:
        query = select(sent).where(sent.c.crowd == self.crowd, sent.c.state == state).order_by(sent.c.id)
        with self._store.reading() as connection:
            return [Sent(*row) for row in connection.execute(query)]

    def again(self, numbers: Sequence[int]) -> None:
        """Send questions that were set aside to the crowd again."""
        change = _SET.where(sent.c.state == ASIDE).values(state=OUT, note="")
        if numbers:
            rows = [{"number": number} for number in numbers]
            self._store.change(lambda work: work.connection.execute(change, rows))

    def withdraw(self, numbers: Sequence[int]) -> None:
        """Remove questions that never reached the crowd."""
        if numbers:
            gone = delete(sent).where(sent.c.id.in_(numbers), sent.c.state == OUT, sent.c.cost == 0.0)
            self._store.change(lambda work: work.connection.execute(gone))

    def votes(self) -> int:
        """How many votes the crowd has given so far."""
        mine = select(func.count()).where(votes.c.source == self.crowd, votes.c.action == "vote")
        with self._store.reading() as connection:
            return int(connection.execute(mine).scalar_one())

    def spent(self) -> float:
        """What the crowd has cost so far."""
        query = select(func.coalesce(func.sum(sent.c.cost), 0.0)).where(sent.c.crowd == self.crowd)
        with self._store.reading() as connection:
            return float(connection.execute(query).scalar_one())


def _found(work: Transaction, crowd: str, pairs: Sequence[tuple[str, str]]) -> list[Sent]:
    rows: list[Sent] = []
    for some in batched(pairs):
        among = tuple_(sent.c.left, sent.c.right).in_(some)
        rows += [Sent(*row) for row in work.connection.execute(select(sent).where(sent.c.crowd == crowd, among))]
    return rows


def _numbered(work: Transaction, crowd: str, numbers: Sequence[int]) -> list[Sent]:
    rows: list[Sent] = []
    for some in batched(numbers):
        among = sent.c.id.in_(some)
        rows += [Sent(*row) for row in work.connection.execute(select(sent).where(sent.c.crowd == crowd, among))]
    return rows
