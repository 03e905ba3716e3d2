"""A project for many workers at once, and an empty database for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from askwise.project import Project

WANTED = 3
_RECORDS, _NEIGHBOURS = 20_000, 10
TASKS = 2000


def make_project(folder: Path, store: str | None = None, records: int = _RECORDS) -> None:
    """Records with two fields, and ten candidates for each."""
    rows = [{"unique_id": f"r{n:06}", "name": f"name {n // 3}", "city": f"city {n % 50}"} for n in range(records)]
    left = np.repeat(np.arange(records - _NEIGHBOURS), _NEIGHBOURS)
    right = left + np.tile(np.arange(1, _NEIGHBOURS + 1), records - _NEIGHBOURS)
    score = np.random.default_rng(0).random(left.size)
    pairs = {
        "unique_id_l": [rows[at]["unique_id"] for at in left],
        "unique_id_r": [rows[at]["unique_id"] for at in right],
    }
    with Project.new(folder, rows, {**pairs, "score": score}, store=store) as project:
        project.change_settings(votes=WANTED, batch=TASKS)


def empty_database(store: str) -> None:
    from sqlalchemy import create_engine, text

    engine = create_engine(store.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
