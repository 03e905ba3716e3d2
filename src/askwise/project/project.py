"""A project: inputs in a folder, votes in a database, and the engine that follows the votes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any

from askwise.blocking.possible import Links
from askwise.columns import use_of
from askwise.evidence import Vote
from askwise.project import checks
from askwise.project import folder as files
from askwise.project.answering import TaskAnswer
from askwise.project.choosing import Choosing
from askwise.project.cluster_table import Board
from askwise.project.desk import Desk
from askwise.project.editing import Editing
from askwise.project.engine import Engine
from askwise.project.events import Event
from askwise.project.handing_out import HandingOut
from askwise.project.input_changes import Inputs
from askwise.project.invites import Invites
from askwise.project.making import Progress, make, open_store, scored_pairs
from askwise.project.people import People
from askwise.project.reserving import Reserving
from askwise.project.rule_file import RuleBook, read_book
from askwise.project.sessions import Sessions
from askwise.project.several_sources import links_text, sourced
from askwise.project.store import Store
from askwise.project.summaries import Summaries
from askwise.project.values import (
    LABELS,
    OWNER,
    Answer,
    ClusterRow,
    Point,
    Settings,
    Status,
    Task,
    VoteRow,
    Worker,
)
from askwise.records import Records
from askwise.resolution import Resolution
from askwise.rules import Constraints, Rule, as_rules
from askwise.strategies import Question
from askwise.tables import ID_COLUMN, Table, rows_of

_REMEMBERED = 1.0
"""Seconds before the hidden fields are looked up again."""


class Project:
    """An entity resolution job on disk. `Project.new` makes its folder, `Project.open` opens it again.

    Several threads may share a project, and several processes a folder. After `start`, the engine runs in the
    background: then `answer` never waits for it, and `take` waits only if no question is left. Hold `lock` while you
    use `resolution` and others are working.

    Its parts: `editing` has the actions of stewards, `reserving` questions for one worker, `summaries` what owners look
    at, `people`, `invites` and `sessions` who may come in, `store` what is written, `engine` and `choosing` what is
    asked next.

    Examples
    --------
    >>> import tempfile
    >>> from askwise import Project
    >>> people = [{"unique_id": 1, "name": "Anna Miller"}, {"unique_id": 2, "name": "Ana Miller"}]
    >>> with Project.new(tempfile.mkdtemp(), people) as project:
    ...     task = project.take("ann")
    ...     _ = project.answer(task.id, "ann", "yes")
    ...     _ = project.refresh()
    ...     project.status().votes
    1
    """

    def __init__(self, folder: Path, about: files.About, store: Store, progress: Progress | None = None) -> None:
        self.folder = folder
        self.about = about
        self.store = store
        self.engine = Engine(folder, about, store, progress)
        self.choosing = Choosing(self.engine)
        self.summaries = Summaries(self.engine)
        self.editing = Editing(self.engine, self.summaries)
        self.people = People(store)
        self.reserving = Reserving(self.engine)
        self.invites, self.sessions = Invites(store), Sessions(store)
        self._inputs = Inputs(self.engine)
        self._handing_out = HandingOut(store, self.choosing, self.summaries)
        self._hidden: tuple[float, Mapping[str, tuple[str, ...]]] = -_REMEMBERED, {}

    @classmethod
    def new(
        cls,
        folder: str | Path,
        records: Any,
        pairs: Any = None,
        *,
        id: str | None = None,
        source: str | None = None,
        links: Links = None,
        rules: Iterable[Any] = (),
        match: Any = None,
        show: Any = None,
        ignore: Any = (),
        store: str | None = None,
        name: str | None = None,
        progress: Progress | None = None,
    ) -> Project:
        """Make a project, and open it.

        Parameters
        ----------
        folder : str or Path
            A folder that is new or empty.
        records
            Anything that `Table.read` takes. Ids become texts.
        pairs : optional
            Pairs with scores, as for `read_pairs`, or `ScoredPairs`. By default the `candidates` of the table; every
            pair if there are no fields.
        id : str, optional
            The column of the ids, by default `unique_id`.
        source : str, optional
            The column that says which source a record is from.
        links : optional
            Which sources are compared, as for `candidates`.
        rules
            What holds whatever the votes say, as for `Resolution`.
        match, show, ignore
            What columns are for, as for `Table.read`. `use_columns` changes it later.
        store : str, optional
            The address of a PostgreSQL database. By default, votes are in the folder, in SQLite.
        name : str, optional
            The name of the project, by default that of the folder.
        progress : callable, optional
            Called with (what, done, total).

        Returns
        -------
        Project

        Raises
        ------
        InputError
            If the folder is not empty or an input is not valid. Then nothing is left behind.
        """
        folder = Path(folder)
        id = ID_COLUMN if id is None else id
        records, row = rows_of(records, "the records")
        table = files.text_ids(Table.read(records, id, source, match=match, show=show, ignore=ignore), row)
        book = RuleBook().with_more(rules)
        Constraints.of(Records(table.ids), book.rules, table).check()
        links = None if links is None else links if isinstance(links, str) else [tuple(link) for link in links]
        scored = scored_pairs(pairs, table, links, book.rules, progress)
        about = files.About(
            uuid.uuid4().hex,
            checks.plain("name", folder.resolve().name if name is None else name),
            id,
            "" if scored is None else scored.score_name,
            checks.without_password(store),
            "" if table.sources is None else table.source_column,
            links_text(links),
        )
        make(folder, about, table, scored, book, store)
        return cls.open(folder, store=store, progress=progress)

    @classmethod
    def open(cls, folder: str | Path, *, store: str | None = None, progress: Progress | None = None) -> Project:
        """Open a project: upgrade its database if needed, load the inputs, replay the votes.

        If the folder cannot be written to, the project is open for reading only.

        Parameters
        ----------
        folder : str or Path
            The folder.
        store : str, optional
            The address of the database, if it has moved. The environment variable `ASKWISE_STORE` does the same.
        progress : callable, optional
            Called with (what, done, total).

        Returns
        -------
        Project

        Raises
        ------
        AskwiseError
            If the folder holds no project, or its database cannot be used.
        """
        folder = Path(folder)
        about = files.read_about(folder)
        opened = open_store(folder, about, store)
        try:
            project = cls(folder, about, opened, progress)
            if not opened.read_only:
                project.fill()
        except BaseException:
            opened.close()
            raise
        return project

    def __enter__(self) -> Project:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Project({self.name!r}, {len(self.table)} records)"

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.about.name

    @property
    def table(self) -> Table:
        """The records."""
        return self.engine.table

    @property
    def resolution(self) -> Resolution:
        """The engine's `Resolution`, as of the last refresh."""
        return self.engine.resolution

    @property
    def lock(self) -> RLock:
        """Hold this while you use `resolution`."""
        return self.engine.lock

    def glance(self) -> AbstractContextManager[bool]:
        """Hold the lock unless the engine is busy for long, for viewers who would rather see less than wait."""
        return self.engine.glance()

    @property
    def settings(self) -> Settings:
        """The present settings."""
        return self.store.settings

    def change_settings(self, *, by: str = OWNER, **changes: Any) -> Settings:
        """Change settings for everyone who works on the project. `by` is who does it, here and below."""
        settings = self.store.change_settings(checks.settings(changes, self.table.fields), by=by)
        self._hidden = time.monotonic(), settings.hidden
        return settings

    def hidden(self, role: str) -> tuple[str, ...]:
        """The fields that a role does not see. A change by another server takes effect within a second."""
        since, hidden = self._hidden
        if time.monotonic() - since > _REMEMBERED:
            hidden = self.settings.hidden
            self._hidden = time.monotonic(), hidden
        return hidden.get(role, ())

    def shown_to(self, role: str, record: str) -> dict[str, object]:
        """The fields of a record that a role sees."""
        hidden = self.hidden(role)
        return {name: value for name, value in self.record(record).items() if name not in hidden}

    @property
    def failure(self) -> Exception | None:
        """Why the engine in the background cannot follow, if it cannot. It keeps trying."""
        return self._handing_out.failure

    def behind(self, rows: int) -> int:
        """How many of the first `rows` rows of votes the engine has not taken in yet."""
        return max(0, rows - self.engine.taken)

    def start(self) -> None:
        """Run the engine in the background until `close`."""
        self._handing_out.start()

    def close(self) -> None:
        """Stop the engine and close the database."""
        self._handing_out.stop()
        self.store.close()

    @property
    def desk(self) -> Desk:
        """Edits, reviews, comments and assignments, as of the last refresh."""
        return self.engine.desk

    def decide(self, left: str, right: str, same: bool, *, person: str = OWNER) -> Event:
        """Settle a pair, whatever the votes say. `editing` has the other edits.

        Parameters
        ----------
        left, right : str
            The ids of two records.
        same : bool
            Whether they are the same.
        person : str
            Who decides.
        """
        return self.editing.edit("decide", [[left, right]] if same else [[left], [right]], person)

    @property
    def state(self) -> tuple[int, int, int]:
        """What the engine has taken in: inputs, the last row of votes, the last event."""
        return self.engine.state

    def record(self, id: str) -> dict[str, object]:
        """The fields of a record that people see, in the order of the columns; None for missing values."""
        return self.engine.record(id)

    def fields(self, id: str, names: Iterable[str]) -> dict[str, object]:
        """The fields `names` of a record, whether people see them or not."""
        return self.engine.record(id, names)

    # Work.

    def refresh(self) -> int:
        """Take in the votes since the last time, from any process; returns how many rows."""
        taken = self.engine.refresh()
        self.summaries.note()
        return taken

    def fill(self) -> int:
        """Choose questions if few unseen ones are left; returns how many are new."""
        return self.choosing.fill()

    def next_questions(self, k: int = 1) -> list[Question]:
        """The most useful questions now. No worker gets them by this."""
        with self.lock:
            return self.resolution.next_questions(k)

    def take(self, worker: str, *, beside: Collection[int] = (), now: float | None = None) -> Task | None:
        """Give a worker a question.

        A worker who asks again before answering gets the same question again, so a closed page loses nothing.

        Parameters
        ----------
        worker : str
            Who asks.
        beside : collection of int
            Tasks that the worker has already: `beside=[task.id]` gives the next one.
        now : float, optional
            The time, in seconds since 1970.

        Returns
        -------
        Task or None
            None if there is nothing for this worker now.
        """
        checks.plain("worker", worker)
        return self._handing_out.take(worker, beside, now)

    def answer(
        self,
        task: int,
        worker: str,
        answer: Answer,
        *,
        source: str = "page",
        request: str | None = None,
        seconds: float | None = None,
        shown: str | None = None,
        probability: float | None = None,
        now: float | None = None,
    ) -> VoteRow:
        """Record a worker's answer. When this returns, the answer is on disk.

        Parameters
        ----------
        task : int
            The id of the task.
        worker : str
            Who answers.
        answer : str
            "yes", "no" or "unsure".
        source : str
            Where the answer was given.
        request : str, optional
            A name for this request. A repeated request, or the same answer to the same task, counts once.
        seconds : float, optional
            How long the worker took.
        shown : str, optional
            What the worker saw.
        probability : float, optional
            How likely the worker thinks the two are the same, on the same side of 1/2 as the answer.
        now : float, optional
            The time, in seconds since 1970.

        Returns
        -------
        VoteRow

        Raises
        ------
        TaskError
            If the task is not this worker's, or has another answer already.
        """
        return self.answer_soon(
            task,
            worker,
            answer,
            source=source,
            request=request,
            seconds=seconds,
            shown=shown,
            probability=probability,
            now=now,
        ).result()

    def take_soon(self, worker: str, *, beside: Collection[int] = ()) -> Future[Task | None]:
        """`take` without waiting, for servers. It tries again as long as the engine brings new questions."""
        checks.plain("worker", worker)
        return self._handing_out.take_soon(worker, beside)

    def answer_soon(
        self,
        task: int,
        worker: str,
        answer: Answer,
        *,
        source: str = "page",
        request: str | None = None,
        seconds: float | None = None,
        shown: str | None = None,
        probability: float | None = None,
        now: float | None = None,
    ) -> Future[VoteRow]:
        """`answer` without waiting: the future is done when the answer is on disk."""
        label = LABELS[checks.answer(answer)]
        return self.store.answer_soon(
            TaskAnswer(
                checks.task_number(task),
                checks.plain("worker", worker),
                label,
                checks.plain("source", source),
                checks.request(request),
                checks.seconds(seconds),
                checks.shown(shown),
                time.time() if now is None else now,
                checks.probability(probability, label),
            )
        )

    def undo(
        self, worker: str, *, source: str = "page", request: str | None = None, now: float | None = None
    ) -> Task | None:
        """Take back the worker's last answer, and give them its question again; None if there is no answer."""
        return self.store.undo(
            checks.plain("worker", worker), checks.plain("source", source), request=checks.request(request), now=now
        )

    def tasks_of(self, worker: str) -> list[Task]:
        """The tasks that a worker has, in the order in which `take` gives them."""
        return self.store.tasks_of(worker)

    def add_votes(self, votes: Iterable[Vote], source: str, *, request: str | None = None) -> int:
        """Add votes from a file or a program, all or none.

        Parameters
        ----------
        votes : iterable of Vote
            The votes.
        source : str
            Where they are from.
        request : str, optional
            A name for this request. A repeated request counts once.

        Returns
        -------
        int
            How many votes were added.
        """
        rows = checks.vote_rows(self.engine.records, votes, checks.plain("source", source))
        return self.store.add_votes(rows, "", checks.request(request))

    def ask_more(self, pairs: Iterable[tuple[str, str]], votes: int = 1) -> int:
        """Ask for `votes` further votes on each of these pairs, before all else; returns how many pairs."""
        chosen = [checks.pair(self.engine.records, *pair) for pair in pairs]
        return self.store.ask_more(chosen, checks.whole_number("votes", votes, 1))

    def exclude(self, worker: str, *, source: str = "owner", by: str = OWNER) -> bool:
        """Stop counting a worker's votes, and give them no questions; returns whether that is new."""
        return self.store.set_excluded(checks.known_worker(self.store, worker), True, source, by=by)

    def include(self, worker: str, *, source: str = "owner", by: str = OWNER) -> bool:
        """Count a worker's votes again; returns whether that is new."""
        return self.store.set_excluded(checks.known_worker(self.store, worker), False, source, by=by)

    def add_records(self, records: Any, pairs: Any = None, *, progress: Progress | None = None) -> int:
        """Add records. Votes, clusters and cluster ids stay.

        Parameters
        ----------
        records, pairs, progress
            As for `Project.new`.

        Returns
        -------
        int
            How many records were added.
        """
        records, row = rows_of(records, "the new records")
        new = files.text_ids(sourced(records, self.about, self.table), row)
        with self.lock:
            self.refresh()
            return self._inputs.add(new, row, pairs, progress)

    def rules(self) -> list[tuple[int, Rule]]:
        """The rules, with their numbers."""
        return list(read_book(self.folder).numbered)

    def add_rules(self, rules: Iterable[Any], *, by: str = OWNER) -> list[tuple[int, Rule]]:
        """Add rules, as for `Resolution`. If they contradict each other, the error names the records."""
        added = as_rules(rules)
        before = {number for number, _ in self.rules()}
        book = self._inputs.change_rules(lambda book: book.with_more(added), by)
        self.fill()
        return [one for one in book.numbered if one[0] not in before]

    def use_columns(self, match: Any = None, show: Any = None, ignore: Any = ()) -> None:
        """Change what columns are for (see `Table.read`). Votes, decisions and cluster ids stay."""
        self._inputs.change_use(use_of(match, show, ignore))

    def withdraw_rules(self, numbers: Collection[int], *, by: str = OWNER) -> None:
        """Withdraw some rules, by their numbers."""
        self._inputs.change_rules(lambda book: book.without(numbers), by)
        self.fill()

    # What is known.

    def votes_on(self, left: str, right: str) -> list[VoteRow]:
        """All rows about a pair."""
        return self.store.votes_on(*checks.pair(self.engine.records, left, right))

    def votes_of(self, worker: str) -> list[VoteRow]:
        """All rows of a worker."""
        return self.store.votes_of(worker)

    def workers(self) -> list[Worker]:
        """Everyone who has voted."""
        return self.store.workers()

    def status(self) -> Status:
        """Where the project stands.

        Returns
        -------
        Status
            Records, candidates, votes, workers, cost, clusters, reliability, and the expected precision, recall and F1.
        """
        return self.summaries.status()

    def clusters(self) -> list[ClusterRow]:
        """The clusters with their lasting ids, the largest first.

        Returns
        -------
        list of ClusterRow
            A cluster keeps its id as long as most of its records stay together. An id is never used again.
        """
        return self.summaries.clusters()

    def board(self, *, exact: bool = False) -> Board:
        """All clusters in arrays; see `Summaries.board`."""
        return self.summaries.board(exact=exact)

    def history(self) -> list[Point]:
        """Votes, clusters, reliability and expected F1 over time."""
        return self.store.history()
