"""Many workers and polling pages: no worker is turned away while questions are left, and polling is cheap."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sites import PAIRS, Served, served
from sqlalchemy import event

from askwise.web import snapshot


def test_no_worker_is_told_that_nothing_is_left_while_something_is(tmp_path: Path) -> None:
    """The engine chooses one question at a time, so it is always behind."""
    with served(tmp_path / "project", votes=1, batch=1) as site:
        site.project.store.fill([])  # what was chosen before there was a batch of one

        def take(worker: int) -> int:
            client = site.program()
            return int(client.call("POST", "/api/tasks", {"worker": f"worker {worker}"})[0])

        with ThreadPoolExecutor(1) as pool:
            assert list(pool.map(take, range(len(PAIRS)))) == [200] * len(PAIRS)
        assert take(99) == 204, "now there is none"


def test_workers_wait_as_long_as_questions_come(tmp_path: Path) -> None:
    with served(tmp_path / "project", votes=1, batch=1) as site:
        site.project.store.fill([])
        futures = [site.project.take_soon(f"worker {n}") for n in range(20)]
        taken = [future.result(30) for future in futures]
    assert sum(task is not None for task in taken) == len(PAIRS), (
        "the others had to wait for the engine, and got nothing"
    )


def statements(site: Served) -> list[str]:
    """All that the store is asked from now on."""
    found: list[str] = []

    def note(_: object, __: object, statement: str, *rest: object) -> None:
        found.append(statement)

    event.listen(site.project.store.engine, "before_cursor_execute", note)
    return found


@pytest.mark.parametrize("page", ["/progress", "/clusters", "/conflicts", "/workers", "/live"])
def test_pages_that_look_for_news_do_not_go_through_all_votes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setattr(snapshot, "SHOWN_FOR", 1e9)  # whatever was computed is shown for a minute
    with served(tmp_path / "project") as site:
        owner = site.owner()
        asked = statements(site)
        task = site.project.take("ann")
        assert task is not None
        site.project.answer(task.id, "ann", "yes")
        site.project.refresh()
        owner.get(page)
        assert asked
        asked.clear()
        for _ in range(3):
            owner.get(page)
        assert [one for one in asked if one.startswith("SELECT") and "FROM votes" in one and "LIMIT" not in one] == []


def test_no_page_waits_for_an_engine_that_is_busy(tmp_path: Path) -> None:
    """A page shows what it has; evidence comes when the engine is free again."""
    with served(tmp_path / "project") as site:
        owner, project = site.owner(), site.project
        paths = ["/clusters", "/search?words=a", "/pair?left=a1&right=a2", "/record?id=a1"]
        clusters = project.clusters()
        assert {len(row.members) > 1 for row in clusters} == {True, False}
        paths += [f"/clusters/{row.id}?queue=yes" for row in clusters]
        pages = {path: owner.get(path) for path in paths}
        assert not any("data-soon" in page for page in pages.values())
        task = project.take("ann")
        assert task is not None
        held, done = threading.Event(), threading.Event()

        def fit() -> None:
            with project.lock:
                project.answer(task.id, "ann", "yes")
                project.refresh()
                held.set()
                done.wait(60)

        engine = threading.Thread(target=fit)
        engine.start()
        try:
            assert held.wait(30)
            for path, before in pages.items():
                begin = time.monotonic()
                page = owner.get(path)
                assert time.monotonic() - begin < 10, "the engine is busy for as long as the test goes on"
                assert ("data-soon" in page) == (path in paths[2:]), path
                assert before.count("data-live") <= page.count("data-live")
        finally:
            done.set()
            engine.join()
        assert not any("data-soon" in owner.get(path) for path in paths[:4]), "the vote may have changed clusters"
