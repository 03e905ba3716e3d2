"""The questions that wait for workers, and votes from elsewhere. Runs inside a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, select, tuple_, update

from askwise.project.rows import append_votes, batched, note_requests, register, repeated, settings_of
from askwise.project.schema import ANSWERED, LAPSED, OPEN, known, questions, tasks, votes, workers
from askwise.project.values import Action, VoteRow
from askwise.project.writer import Transaction

_PAIRS = select(questions.c.id, questions.c.left, questions.c.right)

_later = votes.alias()
_STANDING = (
    select(func.count())
    .select_from(votes.join(workers, workers.c.name == votes.c.worker))
    .where(
        votes.c.left == questions.c.left,
        votes.c.right == questions.c.right,
        votes.c.action == "vote",
        ~workers.c.excluded,
        ~exists().where(
            _later.c.left == votes.c.left,
            _later.c.right == votes.c.right,
            _later.c.worker == votes.c.worker,
            _later.c.id > votes.c.id,
        ),
    )
    .scalar_subquery()
)
"""How many workers' votes count on the pair of a question."""

_HELD = (
    select(func.count())
    .select_from(tasks)
    .where(tasks.c.question == questions.c.id, tasks.c.state == OPEN)
    .scalar_subquery()
)


def fill(work: Transaction, pairs: Iterable[tuple[str, str]]) -> int:
    """Replace the unseen questions of the queue by these pairs, the first to be asked first.

    Pairs that were in the queue before and have been seen stay as they are. Returns how many are new.
    """
    work.connection.execute(delete(questions).where(~questions.c.touched))
    top = work.connection.execute(select(func.coalesce(func.max(questions.c.rank), 0))).scalar_one()
    chosen = list(dict.fromkeys(pairs))
    known = numbers_of(work, chosen)
    fresh = [pair for pair in chosen if pair not in known]
    add(work, fresh, settings_of(work).votes, top + 1, touched=False)
    return len(fresh)


def settle(work: Transaction, pairs: Sequence[tuple[str, str]]) -> None:
    """Ask no more about these pairs, because rules or decisions settle them; but what a person asked for stays."""
    numbers = list(numbers_of(work, pairs).values())
    for some in batched(numbers):
        here = questions.c.id.in_(some) & (questions.c.rank >= 0)
        work.connection.execute(delete(questions).where(here, ~questions.c.touched))
        fewer = {"wanted": questions.c.wanted - questions.c.room, "room": 0}
        work.connection.execute(update(questions).where(here, questions.c.room > 0).values(**fewer))


def ask_more(work: Transaction, pairs: Iterable[tuple[str, str]], more: int) -> int:
    """Ask for `more` further votes on these pairs, before all else; returns for how many pairs."""
    chosen = list(dict.fromkeys(pairs))
    lowest = work.connection.execute(select(func.coalesce(func.min(questions.c.rank), 0))).scalar_one()
    first = min(0, lowest) - len(chosen)  # below 0: a person asked for it
    numbers = numbers_of(work, chosen)
    for rank, pair in enumerate(chosen, first):
        known = numbers.get(pair)
        if known is None:
            add(work, [pair], more, rank, touched=True)
        else:
            wider = {"wanted": questions.c.wanted + more, "room": questions.c.room + more}
            work.connection.execute(
                update(questions).where(questions.c.id == known).values(**wider, rank=rank, touched=True)
            )
    return len(chosen)


def add(work: Transaction, pairs: list[tuple[str, str]], more: int, rank: int, touched: bool) -> None:
    """Add questions, ranked from `rank`, that want `more` votes in addition to those that the pairs have."""
    if not pairs:
        return
    same = {"wanted": more, "votes": 0, "room": more, "touched": touched}
    rows = [{"left": left, "right": right, "rank": at, **same} for at, (left, right) in enumerate(pairs, rank)]
    work.connection.execute(insert(questions), rows)
    new = questions.c.rank.between(rank, rank + len(pairs) - 1)
    work.connection.execute(update(questions).where(new).values(votes=_STANDING, wanted=more + _STANDING))


def want(work: Transaction, more: int) -> None:
    """Ask for this many votes more (or less) for each question that does not have all its votes."""
    unfinished = questions.c.votes < questions.c.wanted
    values = {"wanted": questions.c.wanted + more, "room": questions.c.room + more}
    work.connection.execute(update(questions).where(unfinished).values(values))


def numbers_of(work: Transaction, pairs: Sequence[Any]) -> dict[Any, int]:
    """The numbers of the questions of these pairs, a few hundred pairs to a statement."""
    numbers: dict[Any, int] = {}
    for some in batched(pairs):
        among = tuple_(questions.c.left, questions.c.right).in_(some)
        numbers |= {(left, right): number for number, left, right in work.connection.execute(_PAIRS.where(among))}
    return numbers


def asked_beside(work: Transaction, left: str, right: str) -> int:
    """The question of a pair; if it was not in the queue, it wants no votes, but is given to someone anyway."""
    pair = (left, right)
    if pair not in numbers_of(work, [pair]):
        rank = work.connection.execute(select(func.coalesce(func.max(questions.c.rank), 0))).scalar_one() + 1
        add(work, [pair], 0, rank, touched=True)
    return numbers_of(work, [pair])[pair]


def unseen_known(work: Transaction, worker: str) -> tuple[str, str] | None:
    """A pair with a known answer, drawn by chance, that a worker has not seen."""
    seen = exists().where(votes.c.left == known.c.left, votes.c.right == known.c.right, votes.c.worker == worker)
    had = exists().where(
        questions.c.left == known.c.left,
        questions.c.right == known.c.right,
        tasks.c.question == questions.c.id,
        tasks.c.worker == worker,
    )
    unseen = select(known.c.left, known.c.right).where(~seen, ~had).order_by(func.random()).limit(1)
    found = work.connection.execute(unseen).first()
    return None if found is None else (found.left, found.right)


def checked(connection: Connection, worker: str | None = None) -> dict[str, tuple[int, int]]:
    """How many known answers each worker (or one) gave, and how many of these were wrong; unsure is not wrong."""
    same = (votes.c.left == known.c.left) & (votes.c.right == known.c.right)
    said = votes.c.worker, votes.c.left, votes.c.right, votes.c.action, votes.c.label
    query = select(*said, known.c.label.label("right_one")).join_from(votes, known, same).order_by(votes.c.id)
    last: dict[str, dict[tuple[str, str], bool | None]] = {}
    for row in connection.execute(query if worker is None else query.where(votes.c.worker == worker)):
        wrong = row.label is not None and row.label != row.right_one
        last.setdefault(row.worker, {})[row.left, row.right] = wrong if row.action == "vote" else None
    given = {name: [wrong for wrong in found.values() if wrong is not None] for name, found in last.items()}
    return {name: (len(wrong), sum(wrong)) for name, wrong in given.items()}


def add_votes(work: Transaction, rows: Sequence[VoteRow], scope: str, request: str | None) -> int:
    """Add votes that no task asked for. On a pair in the queue, they count towards the votes it wants."""
    before = repeated(work, [(scope, request)]).get((scope, request or ""))
    if before is not None:
        return before[1]
    register(work, {row.worker for row in rows}, rows[0].time)
    known = numbers_of(work, [(row.left, row.right) for row in rows])
    numbered = append_votes(work, rows)
    note_requests(work, [(scope, request, numbered[0].id, len(numbered))])
    queued = [(known[pair], row) for row in numbered if (pair := (row.left, row.right)) in known]
    for number, row in queued:
        _answer_held(work, number, row)
    for number in sorted({number for number, _ in queued}):
        recount(work, questions.c.id == number)
    return len(rows)


def _answer_held(work: Transaction, question: int, row: VoteRow) -> None:
    """Mark a question as answered if the worker who holds it, or whom it is assigned to, votes in another way."""
    held = (tasks.c.question == question) & (tasks.c.worker == row.worker) & tasks.c.state.in_((OPEN, LAPSED))
    done = work.connection.execute(update(tasks).where(held).values(state=ANSWERED, vote=row.id))
    work.project["answered"] += done.rowcount
    theirs = (questions.c.id == question) & (questions.c.assignee == row.worker)
    work.connection.execute(update(questions).where(theirs).values(assignee=None))


def recount(work: Transaction, where: ColumnElement[bool]) -> None:
    """Count the valid votes on some questions again, and the room that is left."""
    work.connection.execute(update(questions).where(where).values(votes=_STANDING, touched=True))
    work.connection.execute(update(questions).where(where).values(room=questions.c.wanted - questions.c.votes - _HELD))


def miscounted(connection: Connection) -> int:
    """How many questions have wrong counts."""
    wrong = (questions.c.votes != _STANDING) | (questions.c.room != questions.c.wanted - questions.c.votes - _HELD)
    return int(connection.execute(select(func.count()).select_from(questions).where(wrong)).scalar_one())


def set_excluded(work: Transaction, worker: str, excluded: bool, source: str, now: float) -> bool:
    """Exclude (or include) a worker's votes, and adjust what their questions want; returns whether that is new."""
    if (worker in register(work, [worker], now)) == excluded:
        return False
    work.connection.execute(update(workers).where(workers.c.name == worker).values(excluded=excluded))
    action: Action = "exclude" if excluded else "include"
    append_votes(work, [VoteRow(0, now, action, worker, None, None, None, source)])
    work.connection.execute(update(tasks).where(tasks.c.worker == worker, tasks.c.state == OPEN).values(state=LAPSED))
    if excluded:
        work.connection.execute(update(questions).where(questions.c.assignee == worker).values(assignee=None))
    theirs = exists().where(
        votes.c.worker == worker, votes.c.left == questions.c.left, votes.c.right == questions.c.right
    )
    seen = exists().where(tasks.c.worker == worker, tasks.c.question == questions.c.id)
    recount(work, theirs | seen)
    return True
