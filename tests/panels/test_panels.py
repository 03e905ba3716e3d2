"""Panels: people who come to our pages, on a loopback Prolific and in a real browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from browsers import accessibility_faults, chromium, open_page, troubles
from databases import Databases
from playwright.sync_api import Page
from prolific import TOKEN, Prolific, serving_prolific, signed
from shared.made_things import made_project, records
from sites import Served, serving_project

from askwise.asking.runner import Rules
from askwise.errors import CrowdError, InputError
from askwise.evidence import Vote
from askwise.panels.prolific import is_signed
from askwise.panels.recruiting import run_panel
from askwise.project import Project
from askwise.project.doctor import examine
from askwise.project.queue import miscounted
from askwise.project.studies import Studies


@pytest.fixture
def prolific(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prolific]:
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    with serving_prolific() as server:
        yield server


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    with made_project(tmp_path / "p", 6, 3, votes=2) as project:
        project.start()
        with serving_project(project) as served:
            yield served


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "known.csv"
    lines = ["e0r0,e0r1,owner,1", "e0r0,e1r1,owner,0", "e2r0,e2r1,owner,1", "e3r0,e4r1,owner,0"]
    path.write_text("unique_id_l,unique_id_r,worker,label\n" + "\n".join(lines) + "\n")
    return path


def run(project: Project, name: str, *options: str, **rules: Any) -> list[str]:
    said: list[str] = []
    run_panel(project, name, options, Rules(once=True, **rules), said.append)
    return said


def options_of(site: Served, prolific: Prolific, answers: Path, *more: str) -> list[str]:
    where = [f"address={site.address}", f"url={prolific.url}/api/v1", f"site={prolific.url}"]
    return [
        *where,
        f"answers={answers}",
        "pack=5",
        "checks=2",
        "places=3",
        "reward=100",
        "publish=yes",
        "poll=0",
        *more,
    ]


def answer_pack(site: Served, page: Page, wrong: bool = False) -> int:
    """Answer by the fields that the page shows, until it says that this was all."""
    count = 0
    while page.locator("[data-task]").count():
        task = page.locator("[data-task]").get_attribute("data-task")
        names = page.locator("tr", has=page.locator("th", has_text="name")).locator("td").all_inner_texts()
        same = names[0].strip() == names[1].strip()
        page.locator("button.yes" if same != wrong else "button.no").click()
        page.wait_for_function("t => document.querySelector('[data-task]')?.dataset.task !== t", arg=task)
        page.wait_for_timeout(320)  # a key that comes too soon is not an answer
        count += 1
        assert count < 20
    return count


def test_a_whole_study_in_a_browser(site: Served, prolific: Prolific, answers: Path) -> None:
    project, options = site.project, options_of(site, prolific, answers)
    with pytest.raises(InputError, match="the limit is 2"):
        run(project, "prolific", *options, money=2.0)
    run(project, "prolific", *options, money=10.0)
    assert [study["status"] for study in prolific.studies.values()] == ["ACTIVE"], "one study, however often we try"
    study = prolific.studies["study1"]
    assert study["total_available_places"] == 3
    assert study["completion_codes"][0]["actions"] == [{"action": "MANUALLY_REVIEW"}]
    with chromium() as browser:
        for participant, wrong in (("anna", False), ("bert", True)):
            page = open_page(browser)
            page.goto(prolific.take_part("study1", participant))
            assert answer_pack(site, page, wrong) == 7
            assert not accessibility_faults(page)
            assert not troubles(page)
            page.get_by_role("link", name="Finish").click()
            page.wait_for_url(f"{prolific.url}/**")
            code = parse_qs(urlsplit(page.url).query)["cc"][0]
            prolific.come_back(participant, code)
            page.context.close()
    votes = project.store.votes()
    assert len([vote for vote in votes if vote.worker == "prolific:anna"]) == 7
    studies = Studies(project)
    given, wrong_ones = studies.checked("prolific:anna")
    assert (given >= 2, wrong_ones) == (True, 0), "what is known may be among the other questions too"
    given, wrong_ones = studies.checked("prolific:bert")
    assert 2 <= given == wrong_ones
    said = run(project, "prolific", *options)
    assert prolific.submissions["session-anna"]["status"] == "APPROVED"
    assert prolific.submissions["session-bert"]["status"] == "AWAITING REVIEW", "the owner decides"
    assert any("known answers wrong" in line for line in said)
    assert {worker.name for worker in project.workers() if worker.excluded} == {"prolific:bert"}
    run(project, "prolific", *options)
    assert prolific.transitions.count(("session-anna", "APPROVE")) == 1, "nobody is paid twice"
    # A rule that holds lets nobody else in; more places are asked for later.
    assert any("no more participants are admitted" in line for line in run(project, "prolific", *options, questions=5))
    assert prolific.studies["study1"]["status"] == "PAUSED"
    run(project, "prolific", *options, "places=4")
    assert (study["status"], study["total_available_places"]) == ("ACTIVE", 4)
    assert all(finding.good for finding in examine(project.folder)), "the counts of questions are right"


def test_who_comes_and_who_does_not(site: Served, prolific: Prolific, answers: Path) -> None:
    run(site.project, "prolific", *options_of(site, prolific, answers))
    address = prolific.take_part("study1", "clara")
    path = address.removeprefix(site.address)
    clara = site.visitor()
    assert clara.call("GET", path)[0] == 303
    # Nobody gets in without an id, nor under the name of somebody whom the panel sent.
    for wrong in (path.partition("?")[0], path.replace("clara", ""), path.replace("PROLIFIC_PID", "id")):
        assert site.visitor().call("GET", wrong)[0] == 400
    assert site.visitor().call("POST", path.partition("?")[0], {"name": "someone"})[0] == 400
    other = site.link(None)
    assert site.visitor().call("POST", other, {"name": "prolific:clara"})[0] == 400
    # Nor by her id without that of her session; with it, she goes on in another browser, and no longer in the first.
    assert site.visitor().call("GET", re.sub("SESSION_ID=[^&]*", "SESSION_ID=made-up", path))[0] == 422
    assert clara.call("GET", path)[0] == 303
    again = site.visitor()
    assert again.call("GET", path)[0] == 303
    assert clara.call("GET", "/work")[0] == 401
    clara = again
    assert clara.call("GET", "/work/finish")[1]["location"] == "/work", "first the questions"
    # Somebody who made up an id: Prolific does not know it, so the votes do not count.
    stranger = site.visitor()
    assert stranger.call("GET", path.replace("clara", "nobody"))[0] == 303
    said = run(site.project, "prolific", *options_of(site, prolific, answers))
    assert any("nobody is unknown to Prolific" in line for line in said)
    assert [worker.name for worker in site.project.workers() if worker.excluded] == ["prolific:nobody"]


def test_webhooks_are_signed(site: Served, prolific: Prolific, answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(site.project, "prolific", *options_of(site, prolific, answers))
    visitor = site.visitor()
    visitor.call("GET", prolific.take_part("study1", "dora").removeprefix(site.address))
    visitor.get("/work")
    assert site.project.store.counts().held == 1
    event = {"event_type": "submission.status.change", "resource_id": "session-dora", "participant_id": "dora"}
    body = json.dumps({**event, "status": "RETURNED"}).encode()

    def send(headers: dict[str, str], body: bytes = body) -> int:
        return site.visitor().call("POST", "/hooks/prolific", body=body, headers=headers)[0]

    assert send(signed("secret", body)) == 401, "no secret is set"
    monkeypatch.setenv("PROLIFIC_WEBHOOK_SECRET", "secret")
    good = signed("secret", body)
    assert send({}) == 401
    assert send(signed("other", body)) == 401
    assert send(good, body.replace(b"dora", b"anna")) == 401
    assert send(signed("secret", body, time.time() - 3600)) == 401, "too old"
    assert send({**good, "x-prolific-request-timestamp": "soon"}) == 401
    assert site.project.store.counts().held == 1
    assert send(good) == 204
    assert send(good) == 204, "events come again"
    assert site.project.store.counts().held == 0, "what she had is free again"
    visit = Studies(site.project).visit("prolific:dora")
    assert visit is not None
    assert visit.verdict == "returned"
    for odd in (b"[]", b"nonsense", b"{}", b'{"event_type": 3, "participant_id": {}}'):
        assert send(signed("secret", odd), odd) in (204, 422)
    assert all(finding.good for finding in examine(site.project.folder))
    assert is_signed("s", "nan", b"", "") is False


def test_an_answer_that_was_lost_makes_no_second_study(site: Served, prolific: Prolific, answers: Path) -> None:
    prolific.lose_next_study = True
    run(site.project, "prolific", *options_of(site, prolific, answers))
    assert list(prolific.studies) == ["study1"]
    study = Studies(site.project).of("prolific")
    assert study is not None
    assert study.outside == "study1"


def test_any_panel(site: Served, answers: Path) -> None:
    options = [f"address={site.address}", "finish=https://panel.example/done?code=77", "pack=3", "checks=1"]
    with pytest.raises(InputError, match="checks=1, but 0 answers are known"):
        run(site.project, "panel", *options)
    with pytest.raises(InputError, match="finish=javascript"):
        run(site.project, "panel", options[0], "finish=javascript:alert(1)")
    said = run(site.project, "panel", *options, f"answers={answers}")
    link = said[0].split()[-1]
    assert link.startswith(f"{site.address}/join/")
    visitor = site.visitor()
    assert visitor.call("GET", link.removeprefix(site.address) + "p77")[0] == 303
    for count in range(4):
        page = visitor.get("/work")
        assert "Finish" not in page, count
        fields = {name: re.findall(f'name="{name}" value="([^"]+)"', page)[0] for name in ("csrf", "task", "request")}
        assert visitor.call("POST", "/work/answer", {**fields, "answer": "yes"})[0] == 303
    assert "Finish" in visitor.get("/work")
    status, headers, _ = visitor.call("GET", "/work/finish")
    assert (status, headers["location"]) == (303, "https://panel.example/done?code=77")
    assert "1 people came, 1 finished" in run(site.project, "panel", *options)[-1]
    assert [vote.worker for vote in site.project.store.votes()] == ["panel:p77"] * 4


def test_errors_are_one_line(site: Served, prolific: Prolific, monkeypatch: pytest.MonkeyPatch) -> None:
    options = [f"address={site.address}", f"url={prolific.url}/api/v1", "checks=0"]
    monkeypatch.setenv("PROLIFIC_TOKEN", "wrong")
    with pytest.raises(CrowdError, match="401"):
        run(site.project, "prolific", *options)
    monkeypatch.delenv("PROLIFIC_TOKEN")
    assert Studies(site.project).of("prolific") is None, "what failed can be tried again"
    with pytest.raises(CrowdError, match="set PROLIFIC_TOKEN"):
        run(site.project, "prolific", *options)


def test_packs_on_both_databases(databases: Databases, tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", records(4, 3), store=databases.fresh()) as project:
        project.change_settings(votes=1)
        studies = Studies(project)
        assert studies.know([Vote("e0r0", "e0r1", "owner", True), Vote("e0r0", "e1r0", "owner", False)]) == 2
        study, _ = studies.make("panel", "id", "https://panel.example/", 4, 2)
        visit = studies.arrive(study, "panel:a", "s1")
        assert studies.arrive(study, "panel:a", "s2") == visit, "who comes again goes on"
        seen = []
        while (task := studies.take(visit, study)) is not None:
            ahead = studies.take(visit, study, [task.id])
            assert ahead is None or ahead.id != task.id
            seen.append(tuple(sorted((task.left, task.right))))
            project.answer(task.id, "panel:a", "unsure")
            assert len(seen) <= 6
        assert len(seen) == len(set(seen)) == 6
        assert {("e0r0", "e0r1"), ("e0r0", "e1r0")} <= set(seen)
        assert studies.checked("panel:a") == (2, 0), "unsure is not wrong"
        studies.end(visit)
        assert [row.ended is not None for row in studies.visits(study)] == [True]
        other = studies.arrive(study, "panel:b", "")
        assert studies.take(other, study) is not None
        studies.leave("panel:b", "returned")
        studies.leave("panel:nobody", "returned")
        assert project.store.counts().held == 0
        with project.store.reading() as connection:
            assert miscounted(connection) == 0
        studies.drop(studies.make("other", "id", "https://panel.example/", 1, 0)[0])
        assert [one.crowd for one in studies.all()] == ["panel"]
