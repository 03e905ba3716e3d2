"""Votes from other tools: Mechanical Turk's batch results, dedupe's training files, nomenklatura's judgements.

They must be about the records of the project; an unknown record is an error that names the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from askwise.differences import shown
from askwise.errors import InputError, LabelError, PairError, RecordError, TableError
from askwise.evidence import Vote
from askwise.json_text import from_json
from askwise.kinds import present, text_of
from askwise.labels import NO, UNSURE, YES
from askwise.pair_tables import LEFT, RIGHT
from askwise.project.imports import TASK, ends_of, read_votes
from askwise.project.project import Project
from askwise.records import Records
from askwise.sources import Source, open_source
from askwise.tables import ID_COLUMN

_MADE_UP = re.compile(r"NK-.+|Q\d+")
HIT, WORKER, STATUS, INPUT, ANSWER = "HITId", "WorkerId", "AssignmentStatus", "Input.", "Answer."


def read_archive(path: Path, project: Project, form: str | None = None) -> list[Vote]:
    """Read votes in any known format; the content decides which one, unless `form` says."""
    form = form or form_of(path)
    if form not in FORMS:
        raise InputError(f"there is no form {form!r}; choose from: {', '.join(FORMS)}")
    with project.lock:
        votes = FORMS[form](path, project)
    if not votes:
        raise TableError(f"{path} has no votes")
    return votes


def form_of(path: Path) -> str:
    """Which format a file is in."""
    with suppress(OSError, UnicodeDecodeError), path.open(encoding="utf-8-sig") as file:
        head = file.read(4096)
        first = head.lstrip().partition("\n")[0]
        if HIT in first and WORKER in first:
            return "mturk"
        if first.startswith("{") and ('"distinct"' in head or '"match"' in head):
            return "dedupe"
        with suppress(ValueError):
            if isinstance(from_json(first), list) and _is_edge(from_json(first)):
                return "nomenklatura"
    return "votes"


def _votes(path: Path, project: Project) -> list[Vote]:
    return read_votes(path, project.resolution.graph.records)


def _mturk(path: Path, project: Project) -> list[Vote]:
    """Batch results, one row for each assignment. Rejected ones are left out."""
    source = open_source(path)
    records = project.resolution.graph.records
    pair = [INPUT + LEFT, INPUT + RIGHT]
    if INPUT + LEFT not in source.names and INPUT + TASK in source.names:
        pair = [INPUT + TASK]
    answers = [name for name in source.names if name.startswith(ANSWER)]
    for name in (*pair, WORKER):
        source.need(name, f"Batch results need {WORKER}, {INPUT}{LEFT} and {INPUT}{RIGHT} (or {INPUT}{TASK}).")
    if not answers:
        raise TableError(f"{path} has no column {ANSWER}<name>")
    status = [STATUS] if STATUS in source.names else []
    rows = zip(*source.load([*pair, WORKER, *status, *answers]), strict=True)
    votes = []
    for at, row in enumerate(rows):
        ends, worker, rest = row[: len(pair)], row[len(pair)], row[len(pair) + 1 :]
        if status and str(rest[0]).lower() == "rejected":
            continue
        try:
            left, right = ends_of(records, list(ends))
            records.pair(left, right)
        except (RecordError, PairError) as error:
            raise type(error)(f"{source.row(at)}: {error}") from None
        if present(worker) is None:
            raise InputError(f"{source.row(at)}: the worker is missing")
        said = dict(zip(answers, rest[len(status) :], strict=True))
        votes.append(Vote(left, right, text_of(worker), _answer(source, at, said)))
    return votes


def _answer(source: Source, at: int, said: dict[str, Any]) -> bool | None:
    """The single answer in the columns of a form, by their values or by the names of ticked boxes."""
    try:
        found = {label for name, value in said.items() for label in _labels(name, value)}
    except RecursionError:
        raise LabelError(f"{source.row(at)}: the answer is nested too deeply") from None
    if len(found) != 1:
        shown_values = "; ".join(f"{name}={str(value)[:40]}" for name, value in said.items() if present(value))
        what = "no answer" if not found else "several answers"
        raise LabelError(f"{source.row(at)}: {what} that is yes, no or unsure in {shown_values or 'empty columns'}")
    return found.pop()


def _labels(name: str, value: Any) -> Iterator[bool | None]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _labels(f"{name}.{key}", inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _labels(name, inner)
    elif present(value) is not None:
        text = text_of(value).strip().lower()
        if text.startswith(("[", "{")):
            with suppress(ValueError):
                yield from _labels(name, from_json(text))
        elif text == "true":
            ticked = (label for part in reversed(name.lower().split(".")[1:]) for label in _words(part))
            yield from islice(ticked, 1)
        elif text != "false":
            yield from _words(text)


def _words(text: str) -> Iterator[bool | None]:
    for words, label in ((YES, True), (NO, False), (UNSURE, None)):
        if text in words:
            yield label


def _dedupe(path: Path, project: Project) -> list[Vote]:
    """A training file: pairs of whole records, identified by their ids or by their fields."""
    try:
        content = from_json(path.read_text("utf-8"), object_hook=_plain)
        pairs = [(pair, name == "match") for name in ("match", "distinct") for pair in content.get(name, [])]
    except (ValueError, AttributeError, TypeError) as error:
        raise TableError(f"{path} is not a training file of dedupe: {error}") from None
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from None
    find = _Finder(project)
    votes = []
    for number, (pair, label) in enumerate(pairs, 1):
        where = f"{path} pair {number} ({'match' if label else 'distinct'})"
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(record, dict) for record in pair):
            raise TableError(f"{where}: it is not two records")
        left = find(pair[0], where, None)
        votes.append(Vote(left, find(pair[1], where, left), "dedupe", label))
    return votes


def _plain(value: dict[str, Any]) -> Any:
    """The value that dedupe's notation for tuples and sets stands for."""
    return value["__value__"] if "__class__" in value and "__value__" in value else value


class _Finder:
    """Finds records by id, or else by the fields that they share with the table, ignoring case."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._records = project.resolution.graph.records
        self._by_fields: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}

    def __call__(self, record: dict[str, Any], where: str, other: str | None) -> str:
        """The id of a record other than `other`."""
        for name in (self._project.about.id, ID_COLUMN):
            if name in record and text_of(record[name]) in self._records:
                return text_of(record[name])
        names = tuple(name for name in self._project.table.fields if name in record)
        if not names:
            raise RecordError(f"{where}: the record {str(record)[:80]} has none of the project's fields")
        found = [id for id in self._index(names).get(_key(record, names), []) if id != other]
        if not found:
            raise RecordError(f"{where}: no record of the project is {str(record)[:80]}")
        return found[0]

    def _index(self, names: tuple[str, ...]) -> dict[tuple[str, ...], list[str]]:
        if names not in self._by_fields:
            index = self._by_fields[names] = {}
            for id in self._project.table.ids:
                index.setdefault(_key(self._project.fields(str(id), names), names), []).append(str(id))
        return self._by_fields[names]


def _key(record: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(" ".join(shown(record[name]).split()).casefold() for name in names)


def _nomenklatura(path: Path, project: Project) -> list[Vote]:
    """Lines [one, other, judgement, score, user, time]. Ids that nomenklatura made up stand for their members."""
    edges = list(_edges(path))
    records = project.resolution.graph.records
    member = _members(edges, records)
    votes = []
    labels = {"positive": True, "negative": False, "unsure": None}
    for line, (one, other, judgement, user) in edges:
        if judgement not in labels:
            continue
        for id in (one, other):
            if id not in records and not _MADE_UP.fullmatch(id):
                raise RecordError(f"{path} line {line}: the record {id!r} is not in the project")
        left, right = (id if id in records else member.get(id) for id in (one, other))
        if left is not None and right is not None and left != right:
            votes.append(Vote(left, right, user or "nomenklatura", labels[judgement]))
    return votes


Edge = tuple[str, str, str, str | None]


def _edges(path: Path) -> Iterator[tuple[int, Edge]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    row = from_json(line)
                    if not _is_edge(row):
                        raise TableError(f"{path} line {number} is not [id, id, judgement, score, user, time]")
                    yield number, (row[0], row[1], row[2], row[4])
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, UnicodeDecodeError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"{path}: {error}") from None


def _is_edge(row: Any) -> bool:
    if not isinstance(row, list) or len(row) < 6 or not all(isinstance(part, str) for part in row[:3]):
        return False
    return row[2] in ("positive", "negative", "unsure", "no_judgement") and isinstance(row[4], str | None)


def _members(edges: list[tuple[int, Edge]], records: Records) -> dict[str, str]:
    """For each id that is not a record, one record that it stands for, through any number of such ids."""
    near: dict[str, list[str]] = {}
    for _, (one, other, judgement, _) in edges:
        if judgement == "positive":
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
    found: dict[str, str] = {}
    for start in near:
        if start in records or start in found:
            continue
        group, waiting, known = {start}, [start], []
        while waiting:
            for id in near[waiting.pop()]:
                if id in records:
                    known.append(id)
                elif id not in group:
                    group.add(id)
                    waiting.append(id)
        if known:
            found |= dict.fromkeys(group, min(known))
    return found


FORMS: dict[str, Callable[[Path, Project], list[Vote]]] = {
    "votes": _votes,
    "mturk": _mturk,
    "dedupe": _dedupe,
    "nomenklatura": _nomenklatura,
}
"""The formats by name. "votes" has Askwise's columns, or crowd-kit's."""
