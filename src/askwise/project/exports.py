"""Exports of clusters, labels and questions, as CSV, Parquet or JSON."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from askwise.cells import cell
from askwise.differences import shown
from askwise.errors import InputError
from askwise.labels import PROBABILITY
from askwise.pair_tables import LEFT, RIGHT
from askwise.project.desk import STATES
from askwise.project.engine import plain
from askwise.project.folder import write_parquet
from askwise.project.golden import GoldenRecords
from askwise.project.imports import task_name
from askwise.project.project import Project
from askwise.project.reviewing import Reviewing
from askwise.tables import ID_COLUMN

Columns = dict[str, list[Any]]
FORMATS = ("csv", "json", "parquet")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which clusters to export, and what about them.

    Clusters count if they are `approved` or have at least this `confidence`; without either, all do. `fields` adds the
    records' fields, `golden` those of the golden record as golden_NAME, and `review` adds state, reviewer and time.
    With `one`, there is one row for each cluster, with its golden record.
    """

    approved: bool = False
    confidence: float | None = None
    fields: bool = False
    golden: bool = False
    review: bool = False
    one: bool = False


def cluster_columns(project: Project, wanted: Wanted | None = None, hidden: Collection[str] = ()) -> Columns:
    """Each record with its cluster's lasting id and confidence, without the `hidden` fields."""
    wanted = wanted or Wanted()
    board = project.board(exact=True)
    queue = Reviewing(project)
    now = queue.standing()
    if now.board is not board:  # votes came in between
        board = now.board
    right, approved = board.trust.right, now.state == STATES.index("approved")
    chosen = np.ones(len(board), np.bool_)
    if wanted.confidence is not None:
        chosen = right >= wanted.confidence
    if wanted.approved:
        chosen = approved | chosen if wanted.confidence is not None else approved
    places = np.flatnonzero(chosen)
    places = places[np.lexsort((board.ids[places], -board.size[places]))].tolist()
    names = [board.names(at) for at in places]
    size = [1 if wanted.one else len(members) for members in names]

    def each(values: Iterable[Any]) -> list[Any]:
        """Repeat a value of each cluster for all of its rows."""
        return list(chain.from_iterable([value] * count for value, count in zip(values, size, strict=True)))

    columns: Columns = {"cluster_id": each(board.ids[places].tolist())}
    if wanted.one:
        columns["records"] = [list(members) for members in names]
        columns["size"] = board.size[places].tolist()
    else:
        columns[ID_COLUMN] = list(chain.from_iterable(names))
    columns["confidence"] = each(right[places].tolist())
    columns["connectivity"] = each(board.trust.connectivity[places].tolist())
    columns["separation"] = each(board.trust.separation[places].tolist())
    if wanted.review:
        events = [now.events[at] if at >= 0 else None for at in now.event[places].tolist()]
        columns["state"] = each([STATES[at] for at in now.state[places].tolist()])
        columns["reviewer"] = each([None if event is None else event.person for event in events])
        columns["reviewed"] = each([None if event is None else _moment(event.time) for event in events])
    if wanted.fields and not wanted.one:
        table, order = project.table, list(chain.from_iterable(board.members(at).tolist() for at in places))
        for name in table.shown:
            if name not in hidden:
                columns[_free(name, columns)] = [_as_read(plain(value)) for value in table.columns[name][order]]
    if wanted.golden or wanted.one:
        for name, values in GoldenRecords(project).of_all(board, places).items():
            if name not in hidden:
                columns[_free(name if wanted.one else f"golden_{name}", columns)] = each(values)
    return columns


def _as_read(value: object) -> object:
    """A value as it was in the file: whole numbers without a point, dates without a time."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return shown(value) if isinstance(value, date) else value


def _free(name: str, columns: Columns) -> str:
    """A column name that is not in use yet, in any case."""
    taken = {known.lower() for known in columns}
    return name if name.lower() not in taken else _free(f"field_{name}", columns)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def label_columns(project: Project) -> Columns:
    """Every pair with votes and its probability, in the format of Splink's clerical labels."""
    with project.lock:
        graph, log = project.resolution.graph, project.resolution.votes
        rows = log.voted()
        ids = graph.records.ids
        left = [str(ids[at]) for at in graph.pair_u[rows].tolist()]
        right = [str(ids[at]) for at in graph.pair_v[rows].tolist()]
        columns: Columns = {LEFT: left, RIGHT: right}
        sources = project.table.sources
        if sources is not None:
            for name, side in (("source_dataset_l", graph.pair_u), ("source_dataset_r", graph.pair_v)):
                columns[name] = [sources[at] for at in side[rows].tolist()]
        columns["clerical_match_score"] = np.round(graph.pair_p[rows], 6).tolist()
    return columns


def question_columns(project: Project, k: int) -> Columns:
    """The most useful questions, with the fields of both records side by side."""
    names = project.table.shown
    columns: Columns = {"task": [], LEFT: [], RIGHT: []}
    columns |= {f"{name}{side}": [] for name in names for side in ("_l", "_r")}
    for question in project.next_questions(k):
        left, right = str(question.left), str(question.right)
        columns["task"].append(task_name(left, right))
        columns[LEFT].append(left)
        columns[RIGHT].append(right)
        for record, side in ((left, "_l"), (right, "_r")):
            for name, value in project.record(record).items():
                columns[f"{name}{side}"].append(_as_read(value))
    return columns


def vote_columns(project: Project) -> Columns:
    """Every row of votes in the database: votes, and what takes votes back."""
    names = ("id", "time", "action", "worker", "left", "right", "label", PROBABILITY, "source", "seconds")
    rows = project.store.votes()
    columns: Columns = {name: [getattr(row, name) for row in rows] for name in names}
    columns["label"] = [None if row.label is None else int(row.label) for row in rows]
    return {{"left": LEFT, "right": RIGHT}.get(name, name): values for name, values in columns.items()}


def crowd_kit_columns(project: Project) -> Columns:
    """Every valid vote in crowd-kit's format: task, worker, label (1 or 0); unsure ones are left out."""
    excluded = {worker.name for worker in project.workers() if worker.excluded}
    standing: dict[tuple[str, str, str], bool | None] = {}
    for row in project.store.votes():
        if row.left is not None and row.right is not None and row.worker not in excluded:
            standing[row.left, row.right, row.worker] = row.label if row.action == "vote" else None
    known = {key: label for key, label in standing.items() if label is not None}
    return {
        "task": [task_name(left, right) for left, right, _ in known],
        "worker": [worker for _, _, worker in known],
        "label": [int(label) for label in known.values()],
    }


def training_pairs(project: Project) -> dict[str, list[Any]]:
    """The pairs with votes in the format of dedupe's training file: whole records in pairs."""
    found: dict[str, list[Any]] = {"distinct": [], "match": []}
    columns = label_columns(project)
    for left, right, p in zip(columns[LEFT], columns[RIGHT], columns["clerical_match_score"], strict=True):
        if p != 0.5:
            pair = [project.record(left), project.record(right)]
            found["match" if p > 0.5 else "distinct"].append({"__class__": "tuple", "__value__": pair})
    return found


def format_of(out: Path | None, form: str | None) -> str:
    """The given format, or the one of the file's name; CSV on the screen."""
    if form is not None:
        return form
    ending = "" if out is None else out.suffix.lower().lstrip(".")
    if ending in FORMATS:
        return ending
    if out is None:
        return "csv"
    raise InputError(f"cannot tell the format of {out} from its name; end it in .csv, .json or .parquet")


def write_columns(columns: Columns, out: Path | None, form: str, *, formulas: bool = False) -> None:
    """Write columns to a file, completely or not at all, or to standard output.

    In CSV, text that a spreadsheet would run as a formula begins with an apostrophe, unless `formulas` is set.
    """
    if form == "parquet":
        if out is None:
            raise InputError("Parquet is not for the screen; name a file: --out FILE.parquet")
        write_parquet(out, {name: _array(values) for name, values in columns.items()})
    elif out is None:
        _write_text(columns, sys.stdout, form, formulas)
    else:
        new = out.with_name(f"{out.name}.new")
        with new.open("w", newline="", encoding="utf-8") as file:
            _write_text(columns, file, form, formulas)
        new.replace(out)


def _write_text(columns: Columns, file: IO[str], form: str, formulas: bool) -> None:
    rows = zip(*columns.values(), strict=True)
    if form == "json":
        json.dump(
            [dict(zip(columns, row, strict=True)) for row in rows], file, ensure_ascii=False, indent=1, default=str
        )
        file.write("\n")
        return
    writer = csv.writer(file, lineterminator="\n")
    for row in chain([columns], rows):
        texts = (json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value for value in row)
        writer.writerow(texts if formulas else map(cell, texts))


def _array(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A column for Parquet: numbers as numbers, everything else as text."""
    if values and all(type(value) is int for value in values):
        return np.array(values, np.int64)
    if any(value is not None for value in values) and all(_is_number(value) for value in values):
        return np.array([np.nan if value is None else value for value in values], np.float64)
    texts = np.empty(len(values), object)
    texts[:] = [None if value is None else _text(value) for value in values]
    return texts


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)
