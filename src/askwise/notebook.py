"""Labelling in a notebook: two records, and buttons. It needs the extra `notebook`."""

from __future__ import annotations

import getpass
from collections.abc import Hashable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from askwise.differences import Part, differences, shown
from askwise.errors import InputError
from askwise.evidence import Vote
from askwise.project import Project
from askwise.resolution import Resolution
from askwise.tables import as_table

if TYPE_CHECKING:
    from askwise.project import Task

ANSWERS = {"Same": True, "Different": False, "Unsure": None}
"""The buttons, and the label that each gives."""

Record = Mapping[str, object]


class Pair(NamedTuple):
    """A question to show. `key` is what its job knows it by."""

    key: Any
    left: Hashable
    right: Hashable


class Job(Protocol):
    """Where questions come from, and where answers go."""

    def next(self) -> Pair | None:
        """The next question, or None if there is none."""

    def answer(self, pair: Pair, label: bool | None) -> None:
        """Take an answer in."""

    def undo(self) -> Pair | None:
        """Take the last answer back; returns its question, or None if there is none."""

    def record(self, record: Hashable) -> Record:
        """The fields of a record."""


class InMemory:
    """A `Resolution`: answers are votes in it."""

    def __init__(self, resolution: Resolution, records: Any, worker: str) -> None:
        self._resolution = resolution
        self._worker = worker
        self._table = resolution.table if records is None else as_table(records)
        self._place = {} if self._table is None else {record: at for at, record in enumerate(self._table.ids)}
        self._answered: list[Pair] = []
        missing = next((record for record in resolution.graph.records.ids if record not in self._place), None)
        if self._table is not None and missing is not None:
            raise InputError(f"record {missing!r} of the resolution is not in the table")

    def next(self) -> Pair | None:
        """The most useful question."""
        questions = self._resolution.next_questions(1)
        return Pair(None, questions[0].left, questions[0].right) if questions else None

    def answer(self, pair: Pair, label: bool | None) -> None:
        """Add a vote; it replaces an earlier one by the same worker."""
        self._resolution.add_votes([Vote(pair.left, pair.right, self._worker, label)])
        self._answered.append(pair)

    def undo(self) -> Pair | None:
        """Count the last vote as unsure until the question is answered again."""
        if not self._answered:
            return None
        pair = self._answered.pop()
        self._resolution.add_votes([Vote(pair.left, pair.right, self._worker, None)])
        return pair

    def record(self, record: Hashable) -> Record:
        """The fields that people see; none if there is no table."""
        if self._table is None:
            return {}
        return {name: self._table.columns[name][self._place[record]] for name in self._table.shown}


class OnDisk:
    """A `Project`: answers are on disk as soon as they are given."""

    def __init__(self, project: Project, worker: str) -> None:
        self._project = project
        project.start()
        self._worker = worker

    def next(self) -> Pair | None:
        """The worker's next task."""
        return _pair(self._project.take(self._worker))

    def answer(self, pair: Pair, label: bool | None) -> None:
        """Answer the task."""
        word = {True: "yes", False: "no", None: "unsure"}[label]
        self._project.answer(pair.key, self._worker, word, source="notebook")  # type: ignore[arg-type]

    def undo(self) -> Pair | None:
        """The last answer's question as a new task."""
        return _pair(self._project.undo(self._worker, source="notebook"))

    def record(self, record: Hashable) -> Record:
        """The fields that workers see."""
        return self._project.shown_to("worker", str(record))


def _pair(task: Task | None) -> Pair | None:
    return None if task is None else Pair(task.id, task.left, task.right)


class Labelling:
    """Questions with buttons, as the last line of a notebook's cell; `label` makes one.

    Attributes
    ----------
    widget : ipywidgets.VBox
        What the notebook shows.
    buttons : dict of str to ipywidgets.Button
        The buttons, by what is written on them.
    answered : int
        How many answers were given here and not taken back.
    pair : Pair or None
        The question that is shown.
    """

    def __init__(self, job: Job) -> None:
        widgets = _widgets()
        self._job = job
        self.answered = 0
        self._view = widgets.HTML()
        self._note = widgets.Label()
        self.buttons = {name: widgets.Button(description=name) for name in [*ANSWERS, "Undo"]}
        for name, label in ANSWERS.items():
            self.buttons[name].on_click(lambda _, label=label: self._answer(label))
        self.buttons["Undo"].on_click(lambda _: self._undo())
        self.widget = widgets.VBox([self._view, widgets.HBox(list(self.buttons.values())), self._note])
        self._show(job.next())

    @property
    def html(self) -> str:
        """The question that is shown, as HTML."""
        return str(self._view.value)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return self.widget._repr_mimebundle_(**kwargs)

    def _answer(self, label: bool | None) -> None:
        if self.pair is not None:
            self._job.answer(self.pair, label)
            self.answered += 1
            self._show(self._job.next())

    def _undo(self) -> None:
        pair = self._job.undo()
        if pair is None:
            self._note.value = "There is nothing to undo."
            return
        self.answered -= 1
        self._show(pair)

    def _show(self, pair: Pair | None) -> None:
        self.pair = pair
        for name in ANSWERS:
            self.buttons[name].disabled = pair is None
        self._note.value = f"{self.answered} answered"
        self._view.value = (
            "<p>There are no more questions.</p>"
            if pair is None
            else question_html(pair.left, pair.right, self._job.record(pair.left), self._job.record(pair.right))
        )


def label(job: Resolution | Project, records: Any = None, *, worker: str = "") -> Labelling:
    """Answer questions in a notebook, with buttons.

    Each click adds the answer and shows the next question, the most useful first.

    Parameters
    ----------
    job : Resolution or Project
        What to ask about. The answers to a project are on disk at once, and its engine follows them until `close`.
    records
        Fields to show (anything that `Table.read` takes), if the resolution was made of ids alone.
    worker : str
        Who answers; by default your user name.

    Returns
    -------
    Labelling
        Make it the last line of a cell to see it.

    Raises
    ------
    InputError
        If `job` is neither, ipywidgets is not installed, or a record is not in the table.
    """
    if not isinstance(job, Resolution | Project):
        raise InputError(f"label needs a Resolution or a Project, not {job!r}")
    name = worker or getpass.getuser()
    return Labelling(OnDisk(job, name) if isinstance(job, Project) else InMemory(job, records, name))


def question_html(left: Hashable, right: Hashable, one: Record, two: Record) -> str:
    """Two records side by side; what differs is bold and underlined. No colours, for light and dark pages alike."""
    rows = [f"<tr><th></th><th>{escape(str(left))}</th><th>{escape(str(right))}</th></tr>"]
    for name in one:
        ours, theirs = differences(shown(one[name]), shown(two[name]))
        rows.append(f"<tr><th>{escape(name)}</th><td>{_marked(ours)}</td><td>{_marked(theirs)}</td></tr>")
    return f"<p>Are these the same?</p><table>{''.join(rows)}</table>"


def _marked(parts: list[Part]) -> str:
    return "".join(f"<b><u>{escape(text)}</u></b>" if mark == "differs" else escape(text) for text, mark in parts)


def _widgets() -> Any:
    try:
        import ipywidgets
    except ModuleNotFoundError:
        raise InputError("labelling in a notebook needs ipywidgets: pip install 'askwise[notebook]'") from None
    return ipywidgets
