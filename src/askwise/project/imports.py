"""Votes from files and frames, with Askwise's columns or crowd-kit's."""

from __future__ import annotations

from typing import Any

from askwise.cells import without_mark
from askwise.errors import InputError, PairError, RecordError, TableError
from askwise.evidence import Vote
from askwise.kinds import present, text_of
from askwise.labels import PROBABILITY, said_in
from askwise.pair_tables import LEFT, RIGHT
from askwise.records import Records
from askwise.sources import Source, open_source

TASK, WORKER, LABEL, BAR = "task", "worker", "label", "|"


def read_votes(source: Any, records: Records) -> list[Vote]:
    """Read votes on known records from anything that `Table.read` takes; any bad row is an error.

    The columns are unique_id_l, unique_id_r, worker, label; or crowd-kit's task, worker, label, where a task has the
    name that `askwise next` gives it: both ids with a bar between them. A label is 1, 0 or empty (unsure). An optional
    column `probability` says how likely the voter thinks the two are the same; it may be empty.
    """
    opened = open_source(source)
    by_task = TASK in opened.names and LEFT not in opened.names
    pair = [TASK] if by_task else [LEFT, RIGHT]
    for name in (*pair, WORKER, LABEL):
        opened.need(
            name, f"Votes need {LEFT}, {RIGHT}, {WORKER}, {LABEL}, or {TASK}, {WORKER}, {LABEL}; add or rename it."
        )
    more = [PROBABILITY] if PROBABILITY in opened.names else []
    columns = opened.load([*pair, WORKER, LABEL, *more])
    ends, workers, labels = columns[: len(pair)], columns[len(pair)], columns[len(pair) + 1]
    chances = columns[-1] if more else [None] * len(labels)
    votes = []
    for at, (worker, label, chance) in enumerate(zip(workers, labels, chances, strict=True)):
        try:
            left, right = ends_of(records, [column[at] for column in ends])
            records.pair(left, right)
        except (RecordError, PairError) as error:
            raise type(error)(f"{opened.row(at)}: {error}") from None
        votes.append(Vote(left, right, _worker(opened, at, worker), said_in(opened, at, label, chance)))
    if not votes:
        raise TableError(f"{opened.what} has no votes")
    return votes


def task_name(left: str, right: str) -> str:
    """A pair as one text."""
    return f"{left}{BAR}{right}"


def ends_of(records: Records, values: list[Any]) -> tuple[str, str]:
    """The two ids in the values: both ids, or a task with a bar between them."""
    texts = [present(value) for value in values]
    if None in texts:
        raise PairError("a record's id is missing")
    if len(texts) == 2:
        return _id(records, text_of(texts[0])), _id(records, text_of(texts[1]))
    task = text_of(texts[0])
    task = without_mark(task) if BAR in task and task.partition(BAR)[0] not in records else task
    cuts = [at for at, letter in enumerate(task) if letter == BAR]
    found = [(task[:at], task[at + 1 :]) for at in cuts if task[:at] in records and task[at + 1 :] in records]
    if len(found) != 1:
        raise PairError(
            f"the task {task!r} is not two known ids with a bar (|) between them"
            if not found
            else f"the task {task!r} may be several pairs; name its records in {LEFT} and {RIGHT}"
        )
    return found[0]


def _id(records: Records, text: str) -> str:
    """An id as the records have it. Askwise's own files may have put an apostrophe in front."""
    return text if text in records else without_mark(text)


def _worker(source: Source, at: int, value: Any) -> str:
    known = present(value)
    if known is None:
        raise InputError(f"{source.row(at)}: the worker is missing; every vote needs one")
    return text_of(known)
