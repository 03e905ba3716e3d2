"""Studies on panels: people whom a panel sends to our pages get a pack of questions each, some with known answers.

Who comes, what they answered and how it was judged is in the database, so any server of the project can serve them.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import delete, exists, func, insert, select, update

from askwise.evidence import Vote
from askwise.evidence.votes import side_of
from askwise.project import checks, queue
from askwise.project.project import Project
from askwise.project.rows import register
from askwise.project.schema import ANSWERED, LAPSED, OPEN, known, questions, studies, tasks, visits, votes
from askwise.project.tasks import add_tasks, grow, new_task
from askwise.project.values import Task
from askwise.project.writer import Transaction

MOST_PARTICIPANTS = 10_000
"""People who may join by the link of a study; the panel limits its places."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study: everyone who comes by the link `invite` gets `pack` questions and `checks` with known answers.

    `outside` is the panel's id of the study, `parameter` the parameter of its address with the participant's id,
    `finish` where participants go at the end.
    """

    id: int
    crowd: str
    invite: int
    outside: str | None
    parameter: str
    finish: str
    pack: int
    checks: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A participant. `verdict` is how their work was judged; empty until then."""

    study: int
    worker: str
    session: str
    began: float
    ended: float | None
    verdict: str


def digest_of(secret: str) -> str:
    """The stored form of a link's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Studies:
    """The studies of a project. Every method is one transaction, or reads."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._store, self._invites = project.store, project.invites

    def make(self, crowd: str, parameter: str, finish: str, pack: int, checks: int) -> tuple[Study, str]:
        """Make a study; returns it with the secret of its link, which is shown only now."""
        secret = secrets.token_urlsafe(18)
        invite = self._invites.add(digest_of(secret), None, f"study {crowd}", most=MOST_PARTICIPANTS)
        values = {"crowd": crowd, "invite": invite.id, "outside": None, "parameter": parameter, "finish": finish}
        row = insert(studies).returning(studies)
        made = self._store.change(
            lambda work: work.connection.execute(row, values | {"pack": pack, "checks": checks}).one()
        )
        return Study(*made), secret

    def called(self, study: Study, outside: str) -> None:
        """Keep the panel's id of a study."""
        change = update(studies).where(studies.c.id == study.id).values(outside=outside)
        self._store.change(lambda work: work.connection.execute(change))

    def drop(self, study: Study) -> None:
        """Delete a study to which no one came; its link ends."""
        self._invites.revoke(study.invite)
        self._store.change(lambda work: work.connection.execute(delete(studies).where(studies.c.id == study.id)))

    def of(self, crowd: str) -> Study | None:
        """The study of a crowd."""
        return self._one(studies.c.crowd == crowd)

    def of_invite(self, invite: int) -> Study | None:
        """The study of a link."""
        return self._one(studies.c.invite == invite)

    def all(self) -> list[Study]:
        """All studies."""
        with self._store.reading() as connection:
            return [Study(*row) for row in connection.execute(select(studies).order_by(studies.c.id))]

    def _one(self, where: object) -> Study | None:
        with self._store.reading() as connection:
            found = connection.execute(select(studies).where(where)).first()  # type: ignore[arg-type]
            return None if found is None else Study(*found)

    def know(self, answers: Iterable[Vote]) -> int:
        """Keep pairs with known answers; returns how many there are."""
        records = self._project.resolution.graph.records
        sure = [vote for vote in answers if vote.label is not None]
        rows = {checks.pair(records, vote.left, vote.right): side_of(vote.label) for vote in sure}

        def write(work: Transaction) -> int:
            for (left, right), label in rows.items():
                here = (known.c.left == left) & (known.c.right == right)
                if not work.connection.execute(update(known).where(here).values(label=label)).rowcount:
                    work.connection.execute(insert(known), {"left": left, "right": right, "label": label})
            return int(work.connection.execute(select(func.count()).select_from(known)).scalar_one())

        return self._store.change(write)

    # People.

    def arrive(self, study: Study, worker: str, session: str) -> Visit:
        """Record that a participant comes, perhaps not for the first time."""
        values = {"study": study.id, "worker": worker, "session": session, "began": time.time(), "verdict": ""}

        def write(work: Transaction) -> None:
            mine = select(visits).where(visits.c.study == study.id, visits.c.worker == worker)
            if work.connection.execute(mine).first() is None:
                register(work, [worker], values["began"])  # type: ignore[arg-type]
                work.connection.execute(insert(visits), values)

        self._store.change(write)
        found = self.visit(worker)
        assert found is not None
        return found

    def visit(self, worker: str) -> Visit | None:
        """The visit of a worker, if a panel has sent them."""
        with self._store.reading() as connection:
            found = connection.execute(select(visits).where(visits.c.worker == worker)).first()
            return None if found is None else Visit(*found)

    def visits(self, study: Study) -> list[Visit]:
        """Everyone who came to a study."""
        query = select(visits).where(visits.c.study == study.id).order_by(visits.c.began)
        with self._store.reading() as connection:
            return [Visit(*row) for row in connection.execute(query)]

    def end(self, visit: Visit) -> None:
        """Record that a participant has finished their pack."""
        mine = (visits.c.study == visit.study) & (visits.c.worker == visit.worker) & visits.c.ended.is_(None)
        change = update(visits).where(mine).values(ended=time.time())
        self._store.change(lambda work: work.connection.execute(change))

    def judge(self, visit: Visit, verdict: str) -> None:
        """Record how a participant's work was judged."""
        mine = (visits.c.study == visit.study) & (visits.c.worker == visit.worker)
        change = update(visits).where(mine).values(verdict=verdict)
        self._store.change(lambda work: work.connection.execute(change))

    def leave(self, worker: str, why: str) -> None:
        """Free the questions of a participant who will not go on."""
        visit = self.visit(worker)
        if visit is None:
            return
        self.judge(visit, why)
        open_ = (tasks.c.worker == worker) & (tasks.c.state == OPEN)
        theirs = exists().where(tasks.c.worker == worker, tasks.c.question == questions.c.id)

        def write(work: Transaction) -> None:
            work.connection.execute(update(tasks).where(open_).values(state=LAPSED))
            queue.recount(work, theirs)

        self._store.change(write)

    def answered(self, visit: Visit) -> int:
        """How many questions of the pack a participant has answered."""
        query = select(func.count()).select_from(tasks.join(votes, votes.c.id == tasks.c.vote))
        mine = (tasks.c.worker == visit.worker) & (tasks.c.state == ANSWERED) & (votes.c.time >= visit.began)
        with self._store.reading() as connection:
            return int(connection.execute(query.where(mine)).scalar_one())

    def checked(self, worker: str) -> tuple[int, int]:
        """How many known answers a worker gave, and how many were wrong; unsure is not wrong."""
        with self._store.reading() as connection:
            return queue.checked(connection, worker).get(worker, (0, 0))

    def take(self, visit: Visit, study: Study, beside: Collection[int] = ()) -> Task | None:
        """The next question of a participant's pack; None if the pack is done or nothing is left."""
        held = self._project.tasks_of(visit.worker)
        if any(task.id not in beside for task in held):
            return self._project.take(visit.worker, beside=beside)
        given = self.answered(visit) + len(held)
        total = study.pack + study.checks
        if visit.ended is not None or given >= total:
            return None
        due = round((given + 1) * study.checks / total) > round(given * study.checks / total)
        found = (self._check(visit.worker) if due else None) or self._project.take(visit.worker, beside=beside)
        if found is None:  # the engine may be behind, and no one should be sent away for that
            self._project.refresh()
            self._project.fill()
            found = self._project.take(visit.worker, beside=beside)
        return found

    def _check(self, worker: str) -> Task | None:
        """A question with a known answer that the participant has not seen."""
        now = time.time()

        def write(work: Transaction) -> Task | None:
            found = queue.unseen_known(work, worker)
            if found is None:
                return None
            number = queue.asked_beside(work, *found)
            task = new_task(work, number, *found, worker, now)
            add_tasks(work, [task])
            grow(work, {number: (-1, 0)})
            return task.task()

        return self._store.change(write)
