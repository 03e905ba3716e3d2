"""Label Studio as a crowd, against the real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from shared.label_studio import LabelStudio, label_studio
from shared.made_things import made_project
from sites import TOKEN, serving_project, until

from askwise.asking.runner import Rules, Run, Tally, context_of
from askwise.crowds.label_studio import LabelStudioCrowd
from askwise.crowds.registry import open_crowd
from askwise.errors import CrowdError
from askwise.project import Project
from askwise.project.ledger import Ledger


@pytest.fixture(scope="module")
def server() -> Iterator[LabelStudio]:
    with label_studio() as running:
        yield running


def crowd_of(project: Project, url: str, *options: str) -> LabelStudioCrowd:
    crowd = open_crowd("label-studio", [f"url={url}", "poll=0", *options], context_of(project))
    assert isinstance(crowd, LabelStudioCrowd)
    return crowd


def ask(project: Project, url: str, *options: str, rules: Rules) -> Tally:
    crowd = crowd_of(project, url, *options)
    try:
        return Run(project, crowd, rules).run()
    finally:
        crowd.close()


def truth(project: Project, left: str, right: str) -> bool:
    return project.record(left)["name"] == project.record(right)["name"]


def test_two_rounds(server: LabelStudio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.token)
    anna, bert = server.annotator("anna"), server.annotator("bert")
    project = made_project(tmp_path / "p", 3, 3, instructions="Say yes if the name is the same.")
    names = {f"label-studio:{anna.number}": "anna", f"label-studio:{bert.number}": "bert"}
    expected: dict[tuple[str, str, str], bool | None] = {}

    def work(number: int) -> None:
        """Both annotate whatever they are handed out; Anna skips one, Bert is wrong once."""
        rows = {row.outside: row for row in Ledger(project, f"label-studio:{number}").out()}
        for who, annotator in (("anna", anna), ("bert", bert)):
            for turn in range(len(rows)):
                task = annotator.next(number)
                assert task is not None
                row = rows[str(task["id"])]
                same = truth(project, row.left, row.right)
                label = None if (who, turn) == ("anna", 1) else same != ((who, turn) == ("bert", 2))
                choice = {True: "Yes", False: "No", None: None}[label]
                annotator.annotate(task["id"], choice)
                expected[row.left, row.right, who] = label
                if turn == 0 and who == "anna":
                    assert task["id"] == min(map(int, filter(None, rows))), "the most useful comes first"

    # Round one, with the legacy token.
    tally = ask(project, server.url, "votes=2", "ahead=5", rules=Rules(questions=5, once=True))
    assert (tally.asked, tally.votes, tally.out) == (5, 0, 5)
    crowd = crowd_of(project, server.url)
    number = int(crowd.name.partition(":")[2])
    crowd.close()
    work(number)
    # Round two, with a personal token; the project there is found again, and nothing is imported twice.
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", bert.personal_token())
    tally = ask(project, server.url, "votes=2", "ahead=5", rules=Rules(questions=9, once=True))
    assert (tally.asked, tally.votes, tally.out) == (9, 10, 4)
    work(number)
    tally = ask(project, server.url, "votes=2", rules=Rules(questions=9))
    assert (tally.votes, tally.out, tally.why) == (8, 0, "9 questions were asked")
    votes = project.store.votes()
    assert {(v.left, v.right, names[v.worker]): v.label for v in votes} == expected
    assert len(votes) == len(expected) == 18
    assert {vote.seconds for vote in votes} == {2.5}
    total = anna.client.get(f"/api/projects/{number}/").json()["task_number"]
    assert total == 9
    for annotator in (anna, bert):
        annotator.client.close()
    project.close()


def test_interrupted_between_both_stores(server: LabelStudio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after the import, before our store knew the tasks' numbers: they are found, not imported again."""
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.token)
    project = made_project(tmp_path / "p", 3, 3)
    crowd = crowd_of(project, server.url)
    monkeypatch.setattr(Ledger, "call", lambda self, names: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        Run(project, crowd, Rules(questions=6, once=True)).run()
    monkeypatch.undo()
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.token)
    ledger = Ledger(project, crowd.name)
    assert [row.outside for row in ledger.out()] == [None] * 6
    assert ask(project, server.url, rules=Rules(questions=6, once=True)).out == 6
    assert len({row.outside for row in ledger.out()} - {None}) == 6
    number = crowd.name.partition(":")[2]
    answer = httpx2.get(f"{server.url}/api/projects/{number}/", headers={"Authorization": f"Token {server.token}"})
    assert answer.json()["task_number"] == 6
    crowd.close()
    project.close()


def test_a_webhook_brings_votes_at_once(server: LabelStudio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.token)
    monkeypatch.setenv("ASKWISE_TOKEN", TOKEN)
    clara = server.annotator("clara")
    with made_project(tmp_path / "p", 3, 3) as project, serving_project(project) as site:
        hook = f"webhook={site.address}"
        ask(project, server.url, hook, "votes=1", rules=Rules(questions=3, once=True))
        crowd = crowd_of(project, server.url, hook)
        rows = Ledger(project, crowd.name).out()
        annotation = clara.annotate(int(rows[0].outside or 0), "Yes")
        until(lambda: len(project.store.votes()) == 1)
        clara.change(annotation, "No")
        until(lambda: len(project.store.votes()) == 2)
        assert [vote.label for vote in project.store.votes()] == [True, False]
        assert {vote.worker for vote in project.store.votes()} == {f"label-studio:{clara.number}"}
        # The poll finds them too, and counts none of them again.
        ask(project, server.url, "votes=1", rules=Rules(questions=3, once=True))
        assert len(project.store.votes()) == 2
        assert len(Ledger(project, crowd.name).out()) == 2
        for headers in ({}, {"authorization": "Bearer wrong"}):
            status, _, _ = site.visitor().call("POST", "/hooks/label-studio", body="{}", headers=headers)
            assert status == 401
        good = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
        for body in ("{}", "[1]", '{"action": "ANNOTATION_CREATED", "task": 3}', "nonsense"):
            status, _, _ = site.visitor().call("POST", "/hooks/label-studio", body=body, headers=good)
            assert status in (204, 400, 422)
        crowd.close()
    clara.client.close()


def test_errors_are_one_line(server: LabelStudio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = made_project(tmp_path / "p", 2, 2)
    monkeypatch.delenv("LABEL_STUDIO_API_KEY", raising=False)
    with pytest.raises(CrowdError, match="set LABEL_STUDIO_API_KEY"):
        crowd_of(project, server.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "wrong")
    with pytest.raises(CrowdError, match="401"):
        crowd_of(project, server.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", server.token)
    with pytest.raises(CrowdError, match="404"):
        ask(project, server.url, "project=99999", rules=Rules(questions=1, once=True))
    project.close()
