"""A project to edit, and edits drawn by chance."""

from __future__ import annotations

import random
from pathlib import Path

from askwise import Project, Vote

Partition = set[frozenset[str]]
SIZE = 24


def made(folder: Path, seed: int, store: str | None = None) -> Project:
    """A project with dense doubtful pairs, where edits are most likely to change something elsewhere."""
    chance = random.Random(seed)
    records = [{"unique_id": f"r{at:02}", "name": f"name {at % 7}"} for at in range(SIZE)]
    ids = [str(record["unique_id"]) for record in records]
    pairs = [
        {"unique_id_l": one, "unique_id_r": two, "score": round(chance.random(), 3)}
        for at, one in enumerate(ids)
        for two in ids[at + 1 :]
        if chance.random() < 0.35
    ]
    project = Project.new(folder, records, pairs, store=store)
    asked = [chance.sample(ids, 2) for _ in range(30)]
    votes = [Vote(one, two, f"w{n % 3}", chance.random() < 0.5) for n, (one, two) in enumerate(asked)]
    project.add_votes(votes, "test")
    project.refresh()
    return project


def clusters(project: Project) -> Partition:
    return {frozenset(row.members) for row in project.clusters()}


def drawn(chance: random.Random, before: Partition) -> tuple[str, list[list[str]]]:
    """An edit that makes sense now."""
    clusters = sorted(map(sorted, before))
    several = [cluster for cluster in clusters if len(cluster) > 1]
    kind = chance.choice(["split", "join", "move", "lock"])
    if kind == "split" and several:
        cluster = chance.choice(several)
        groups: list[list[str]] = [[] for _ in range(chance.randint(2, 4))]
        for record in cluster:
            chance.choice(groups).append(record)
        groups = [group for group in groups if group]
        return kind, groups if len(groups) > 1 else [[cluster[0]]]
    if kind == "move" and len(clusters) > 1:
        one, two = chance.sample(clusters, 2)
        return kind, [chance.sample(one, chance.randint(1, len(one))), [two[0]]]
    if kind == "join" and len(clusters) > 1:
        return kind, [[cluster[0] for cluster in chance.sample(clusters, min(len(clusters), 3))]]
    return "lock", [[cluster[0]] for cluster in chance.sample(clusters, min(len(clusters), chance.randint(1, 3)))]
