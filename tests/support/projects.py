"""What tests of projects share: people, what an engine knows, votes by chance."""

import random

from askwise import Project
from askwise.demo.customers import customers

PEOPLE = [
    {"unique_id": 1, "name": "Anna Miller", "city": "Rome", "born": "1980-01-02", "size": 1.5},
    {"unique_id": 2, "name": "Ana Miller", "city": "roma", "born": "1980-01-02", "size": None},
    {"unique_id": 3, "name": "Bert Jones", "city": "Oslo", "born": None, "size": 2},
    {"unique_id": 4, "name": "Bert Jonas", "city": "Oslo", "born": "1979-03-04", "size": 3},
    {"unique_id": 5, "name": "Anna Millers", "city": "Rome", "born": None, "size": None},
]


def many() -> list[dict[str, object]]:
    data = customers()
    return [{"unique_id": record, **fields} for record, fields in data.fields.items()]


def state(project: Project) -> tuple[object, ...]:
    """All that the engine knows."""
    resolution = project.resolution
    graph = resolution.graph
    evidence = {(graph.pair_u[row], graph.pair_v[row]): graph.pair_p[row] for row in range(graph.pair_count)}
    return evidence, resolution.clustering.roots.tolist(), resolution.asked, resolution.next_questions(20)


def vote_for(project: Project, worker: str, count: int, seed: int = 0) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        task = project.take(worker)
        assert task is not None
        project.answer(task.id, worker, chance.choice(["yes", "no", "unsure"]))


def reopened(project: Project, address: str | None) -> Project:
    return Project.open(project.folder, store=address)
