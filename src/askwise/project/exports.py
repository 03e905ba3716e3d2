"""Clusters, labels and questions out of a project, as CSV, Parquet or JSON."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from askwise.cells import cell
from askwise.errors import InputError
from askwise.labels import PROBABILITY
from askwise.pair_tables import LEFT, RIGHT
from askwise.project.folder import write_parquet
from askwise.project.imports import task_name
from askwise.project.project import Project
from askwise.tables import ID_COLUMN

Columns = dict[str, list[Any]]
FORMATS = ("csv", "json", "parquet")


def cluster_columns(project: Project) -> Columns:
    """Each record with its cluster's lasting id and how far to trust the cluster, cluster by cluster."""
    names = ("cluster_id", ID_COLUMN, "confidence", "connectivity", "separation")
    columns: Columns = {name: [] for name in names}
    for row in project.clusters():
        for member in row.members:
            values = (row.id, member, row.confidence, row.connectivity, row.separation)
            for name, value in zip(names, values, strict=True):
                columns[name].append(value)
    return columns


def label_columns(project: Project) -> Columns:
    """Every pair with votes and the probability that it is the same: Splink's clerical labels."""
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
    """What is most useful to ask now, with the fields of both records side by side."""
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
                columns[f"{name}{side}"].append(value)
    return columns


def vote_columns(project: Project) -> Columns:
    """Every row of votes as the store has it: votes, and what takes votes back."""
    names = ("id", "time", "action", "worker", "left", "right", "label", PROBABILITY, "source", "seconds")
    rows = project.store.votes()
    columns: Columns = {name: [getattr(row, name) for row in rows] for name in names}
    columns["label"] = [None if row.label is None else int(row.label) for row in rows]
    return {{"left": LEFT, "right": RIGHT}.get(name, name): values for name, values in columns.items()}


def crowd_kit_columns(project: Project) -> Columns:
    """Every vote that counts as crowd-kit has them: task, worker, label (1 or 0); unsure ones are left out."""
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
    """The pairs with votes as dedupe's training file has them: whole records, two by two, in what stands for tuples."""
    found: dict[str, list[Any]] = {"distinct": [], "match": []}
    columns = label_columns(project)
    for left, right, p in zip(columns[LEFT], columns[RIGHT], columns["clerical_match_score"], strict=True):
        if p != 0.5:
            pair = [project.record(left), project.record(right)]
            found["match" if p > 0.5 else "distinct"].append({"__class__": "tuple", "__value__": pair})
    return found


def format_of(out: Path | None, form: str | None) -> str:
    """The format that is named, or that the file's name says; CSV on the screen."""
    if form is not None:
        return form
    ending = "" if out is None else out.suffix.lower().lstrip(".")
    if ending in FORMATS:
        return ending
    if out is None:
        return "csv"
    raise InputError(f"cannot tell from its name what {out} should be; end it in .csv, .json or .parquet")


def write_columns(columns: Columns, out: Path | None, form: str, *, formulas: bool = False) -> None:
    """Write columns to a file, all of it or nothing, or to the standard output.

    In CSV, a text that a spreadsheet would compute begins with an apostrophe, unless `formulas` are left as they are.
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
        writer.writerow(row if formulas else map(cell, row))


def _array(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A column for Parquet: numbers as numbers, all else as text."""
    if values and all(type(value) is int for value in values):
        return np.array(values, np.int64)
    if values and all(isinstance(value, float | None) for value in values):
        return np.array([np.nan if value is None else value for value in values], np.float64)
    texts = np.empty(len(values), object)
    texts[:] = [None if value is None else str(value) for value in values]
    return texts
