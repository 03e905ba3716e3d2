"""No answer is dropped silently: what is late or contradicts another is told, to pages with script and without."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sites import Served, Visitor, served

PART = {"accept": "text/x-part"}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "project", votes=1) as site:
        yield site


def form_of(worker: Visitor) -> dict[str, str]:
    """The form of the question that a worker sees."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', worker.get("/work")))


def told(worker: Visitor, form: dict[str, str], script: bool) -> str:
    """What the worker reads after an answer that is not taken."""
    if script:
        status, _, text = worker.call("POST", "/work/answer", form, PART)
        assert status == 409
        return str(json.loads(text)["detail"])
    status, headers, _ = worker.call("POST", "/work/answer", form)
    assert (status, headers["location"]) == (303, "/work")
    page = worker.get("/work")
    found = re.search(r'role="status"><p>One of your answers was not saved: (.*)\.</p>', page)
    assert found is not None, page
    assert "not taken" not in worker.get("/work"), "it is told once"
    return found[1]


@pytest.mark.parametrize("script", [True, False])
def test_a_late_answer(site: Served, script: bool) -> None:
    worker = site.worker("Maria")
    form = form_of(worker) | {"answer": "yes"}
    with site.project.store.writing() as connection:
        connection.exec_driver_sql("UPDATE tasks SET until = 0")
    while (task := site.project.take("Jonas")) is not None:
        site.project.answer(task.id, "Jonas", "no")
    assert "others have its question" in told(worker, form, script)
    assert site.project.votes_of("Maria") == []


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("same_page", [True, False])
def test_a_contradicting_answer(site: Served, script: bool, same_page: bool) -> None:
    """The worker goes back in the browser and answers differently: same form, same request id."""
    worker = site.worker("Maria")
    form = form_of(worker)
    assert worker.call("POST", "/work/answer", form | {"answer": "yes"})[0] == 303
    assert worker.call("POST", "/work/answer", form | {"answer": "yes"})[0] == 303
    other = form | {"answer": "no"} | ({} if same_page else {"request": "another"})
    assert "has another answer already" in told(worker, other, script)
    assert [row.label for row in site.project.votes_of("Maria")] == [True]
    assert "not taken" not in worker.get("/work")


def test_what_was_taken_back_is_not_counted(site: Served) -> None:
    worker = site.worker("Maria")
    for answer in ("yes", "no"):
        worker.call("POST", "/work/answer", form_of(worker) | {"answer": answer})
    assert re.findall(r'class="tally">(\d+)<', worker.get("/work")) == ["2", "2"]
    worker.post("/work/undo", "/work")
    assert re.findall(r'class="tally">(\d+)<', worker.get("/work")) == ["1", "1"]


def test_an_answer_after_the_link_was_revoked(site: Served) -> None:
    worker = site.worker("Maria")
    form = form_of(worker) | {"answer": "yes"}
    assert site.owner().post(f"/invites/{site.project.invites.all()[0].id}/revoke", "/workers")[0] == 303
    status, _, page = worker.call("POST", "/work/answer", form)
    assert (status, "This answer was not saved" in page) == (401, True)
    status, _, text = worker.call("POST", "/work/answer", form, PART)
    assert (status, json.loads(text)["detail"].startswith("this answer was not saved")) == (401, True)
