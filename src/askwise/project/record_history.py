"""The history of one record: its pairs, what people did about it, and the clusters that it was in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import or_, select

from askwise.project import schema
from askwise.project.moves import CAUSES
from askwise.project.pair_rows import PairRow, pair_rows
from askwise.project.project import Project

MOST_PAIRS = 200
_RULES = 20


@dataclass(frozen=True, slots=True)
class RecordPair:
    """A pair of the record: the other one, what is known, whether the two are together, and what settles it.

    `decided` is a person's decision, `rules` the chain of rules and decisions, also if it keeps their clusters apart.
    """

    other: str
    row: PairRow
    together: bool
    decided: bool | None
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something done about the record: a vote, an edit, a review, a comment.

    `about` are the other records that it concerns. `counts` is False if it was undone or taken back.
    """

    time: float
    person: str
    kind: str
    about: tuple[str, ...]
    text: str
    counts: bool
    event: int | None


@dataclass(frozen=True, slots=True)
class Move:
    """The record went from the cluster `origin` to another. `why` says what may have moved it; empty if unknown."""

    time: float
    origin: int
    cluster: int
    why: tuple[str, ...]


def record_pairs(project: Project, record: str, most: int = MOST_PAIRS) -> tuple[int, list[RecordPair]]:
    """How many pairs of a record have evidence, and the most likely of them."""
    with project.lock:
        resolution = project.resolution
        graph, roots = resolution.graph, resolution.clustering.roots
        here = graph.records.position(record)
        rows = graph.pairs_at(np.array([here], np.int32))
        rows = rows[~np.isnan(graph.pair_p[rows])]
        chosen = rows[np.argsort(-graph.pair_weight[rows], kind="stable")][:most]
        found = []
        explained = 0
        for row, known in zip(chosen.tolist(), pair_rows(resolution, chosen), strict=True):
            other = known.right if known.left == record else known.left
            decided = project.desk.decision_on(record, other) if graph.pair_fixed[row] else None
            rules: tuple[str, ...] = ()
            together = bool(roots[graph.pair_u[row]] == roots[graph.pair_v[row]])
            likely = graph.pair_weight[row] > 0.0
            if explained < _RULES and (graph.pair_fixed[row] or (likely and not together)):
                explained += 1
                why = resolution.explain(record, other)
                rules = tuple(map(str, why.rules or why.blocked))
            found.append(RecordPair(other, known, together, decided, rules))
        return rows.size, found


def record_history(project: Project, record: str) -> list[Happening]:
    """What was done about a record, the latest first."""
    project.record(record)  # an error if there is none
    found = [*_votes(project, record), *_events(project, record)]
    return sorted(found, key=lambda one: -one.time)


def record_moves(project: Project, record: str) -> list[Move]:
    """The clusters that a record went to, the latest first."""
    project.record(record)  # an error if there is none
    moves, made = schema.moves, schema.clusterings
    query = (
        select(made.c.time, moves.c.origin, moves.c.cluster, moves.c.causes)
        .join_from(moves, made, made.c.version == moves.c.version)
        .where(moves.c.record == project.engine.records.position(record))
        .order_by(moves.c.version.desc())
    )
    with project.store.reading() as connection:
        rows = connection.execute(query).all()
    return [
        Move(row.time, row.origin, row.cluster, tuple(text for cause, text in CAUSES.items() if row.causes & cause))
        for row in rows
    ]


def _votes(project: Project, record: str) -> list[Happening]:
    table = schema.votes
    rows = project.store.votes(or_(table.c.left == record, table.c.right == record))
    standing = {(row.left, row.right, row.worker): row.id for row in rows}
    said = {True: "yes", False: "no", None: "unsure"}
    return [
        Happening(
            row.time,
            row.worker,
            "vote" if row.action == "vote" else "vote taken back",
            (str(row.right if row.left == record else row.left),),
            said[row.label] if row.action == "vote" else "",
            row.action == "vote" and standing[row.left, row.right, row.worker] == row.id,
            None,
        )
        for row in rows
    ]


def _events(project: Project, record: str) -> list[Happening]:
    desk = project.desk
    found = []
    for edit in desk.edits:
        mine = next((group for group in edit.groups if record in group), None)
        if mine is not None:
            together = tuple(other for other in mine if other != record)
            found.append(Happening(edit.time, edit.person, edit.kind, together, edit.note, edit.counts, edit.id))
    for event, counts in desk.all_reviews():
        mine = next((group for group in event.data["groups"] if record in group), None)
        if mine is not None and event.kind != "lock":
            together = tuple(other for other in mine if other != record)
            note = event.data.get("note", "")
            found.append(Happening(event.time, event.person, event.kind, together, note, counts, event.id))
    for on, comments in desk.all_comments().items():
        kind, _, what = on.partition(" ")
        if kind == "pair" and record in what.split("\t"):
            other = tuple(one for one in what.split("\t") if one != record)
            found += [Happening(one.time, one.person, "comment", other, one.text, True, one.id) for one in comments]
    return found
