"""People with roles: names, passwords, links, hidden fields, and what the log says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from databases import Databases
from sites import PAIRS, PASSWORD, PEOPLE, TOKEN, serving_project

from askwise import Project
from askwise.asking.runner import context_of
from askwise.cli import commands
from askwise.errors import InputError
from askwise.project.people import People, is_password, packed_password
from askwise.project.values import OWNER
from askwise.web.access import Access
from askwise.web.log_words import in_words


@pytest.fixture
def project(databases: Databases, tmp_path: Path) -> Iterator[Project]:
    address = databases.fresh() if databases.kind == "postgresql" else None
    with Project.new(tmp_path / "p", PEOPLE, PAIRS, store=address) as project:
        yield project


def kinds(project: Project) -> list[tuple[str, str]]:
    return [(event.person, event.kind) for event in reversed(project.store.events())]


def test_people_come_and_go(project: Project) -> None:
    people: People = project.people
    ann = people.add(" Ann  Lee ", "steward", "correct horse", by="owner")
    assert (ann.name, ann.role, ann.password) == ("Ann Lee", "steward", True)
    assert people.check("Ann Lee", "correct horse") == ann
    assert people.check("Ann Lee", "correct horse ") is None
    assert people.check("Bob", "correct horse") is None
    people.add("Cid", "reader", by="owner")
    assert people.check("Cid", "") is None
    for name, role, password, said in (
        ("Ann Lee", "reader", None, "here already"),
        ("ANN lee", "reader", None, "looks like"),
        ("owner", "reader", None, "cannot be a name"),
        ("Dan", "owner", None, "no role 'owner'"),
        ("Dan", "reader", "short", "fewer than 8"),
    ):
        with pytest.raises(InputError, match=said):
            people.add(name, role, password, by="owner")
    people.set_role("Ann Lee", "reader", by="owner")
    people.set_password("Ann Lee", "battery staple", by="Ann Lee")
    assert people.check("Ann Lee", "correct horse") is None
    found = people.check("Ann Lee", "battery staple")
    assert found is not None
    assert found.role == "reader"
    people.end("Ann Lee", by="owner")
    assert people.check("Ann Lee", "battery staple") is None
    with pytest.raises(InputError, match="there is no"):
        people.set_role("Ann Lee", "steward", by="owner")
    people.add("Ann Lee", "steward", "correct horse", by="owner")
    assert people.find("Ann Lee") is not None
    assert [one.name for one in people.all()] == ["Ann Lee", "Cid"]
    assert kinds(project) == [
        ("owner", "person"),
        ("owner", "person"),
        ("owner", "person"),
        ("Ann Lee", "person"),
        ("owner", "person"),
        ("owner", "person"),
    ]
    with project.store.reading() as connection:
        kept = str(connection.exec_driver_sql("SELECT * FROM people").all())
        logged = str(connection.exec_driver_sql("SELECT * FROM events").all())
    assert "horse" not in kept + logged
    assert "staple" not in kept + logged


def test_a_password_is_salted() -> None:
    one, two = packed_password("correct horse"), packed_password("correct horse")
    assert one != two
    assert is_password("correct horse", one)
    assert not is_password("correct horses", one)


def test_sessions_and_links_have_roles(project: Project) -> None:
    access = Access(project, PASSWORD, TOKEN)
    project.people.add("Ann", "steward", "correct horse", by="owner")
    assert access.sign_in("Ann", "wrong horse!") is None
    assert access.sign_in("A\0nn", "correct horse") is None, "no store has such a name, and PostgreSQL refuses it"
    visitor = access.sign_in("Ann", "correct horse")
    assert visitor is not None
    cookie = access.new_session(visitor.name)
    here = access.session(cookie)
    assert here is not None
    assert (here.role, here.name, here.edits, here.looks) == ("steward", "Ann", True, True)
    assert access.owner(cookie) is None
    owner = access.new_session(OWNER)
    assert access.owner(owner) is not None
    assert (project.sessions.count(), project.sessions.count("Ann")) == (1, 1)
    access.end_sessions(owner, others=True)
    assert access.session(cookie) is not None, "those of others go on"
    project.people.set_role("Ann", "reader", by="owner")
    access.forget()
    here = access.session(cookie)
    assert here is not None
    assert (here.role, here.edits) == ("reader", False)
    project.people.end("Ann", by="owner")
    access.forget()
    assert access.session(cookie) is None
    _, secret = access.new_invite("Sue", "", role="steward")
    guest = access.guest(secret)
    assert guest is not None
    assert (guest.role, guest.name) == ("steward", "Sue")
    assert access.worker(secret) is None
    assert access.bearer(secret) == guest
    with pytest.raises(InputError, match="here as a steward"):
        access.new_invite("Sue", "", role="worker")
    with pytest.raises(InputError, match="needs a name"):
        access.new_invite(None, "", role="reader")


def test_what_is_changed_is_in_the_log(project: Project) -> None:
    project.change_settings(paused=True, by="Ann")
    project.add_rules(["differs:city"], by="Ann")
    project.withdraw_rules([1])
    project.take("w1")
    project.store.change_settings({"paused": False})
    assert project.take("w1") is not None
    project.answer(project.tasks_of("w1")[0].id, "w1", "yes")
    project.exclude("w1", by="Bob")
    assert not project.exclude("w1", by="Bob")
    project.include("w1")
    access = Access(project, PASSWORD, TOKEN)
    invite, _ = access.new_invite("Sue", "hello", by="Bob")
    assert access.revoke(invite.id, by="Bob")
    assert not access.revoke(invite.id, by="Bob")
    assert kinds(project) == [
        ("Ann", "settings"),
        ("Ann", "rules"),
        ("owner", "rules"),
        ("Bob", "exclude"),
        ("owner", "include"),
        ("Bob", "invite"),
        ("Bob", "revoke"),
    ]
    events = list(reversed(project.store.events()))
    assert events[0].data == {"paused": True}
    assert events[1].data["added"][0].startswith("1: ")
    assert events[2].data["withdrawn"] == events[1].data["added"]
    project.people.add("Pia", "steward", "correct horse", by="owner")
    project.people.set_password("Pia", "battery staple", by="Pia")
    project.people.end("Pia", by="owner")
    project.change_settings(by="owner", hidden={"reader": ["city"]}, audit=0.1, image_fields=[])
    project.editing.prefer("golden", {}, "Ann", everyone=True)
    assert [in_words(event, ()) for event in reversed(project.store.events())] == [
        "Settings: paused is on",
        "Rules: added 1: differs:city",
        "Rules: withdrawn 1: differs:city",
        "Excluded the votes of w1",
        "Included the votes of w1",
        "Made link 1 for Sue, as a worker",
        "Revoked link 1",
        "Made Pia a steward",
        "Set the password of Pia",
        "Removed the access of Pia",
        "Settings: hidden is city for readers; audit is 0.1; image fields is nothing",
        "Changed the rules of golden records of the project",
    ]


def test_fields_are_hidden_by_role(project: Project) -> None:
    project.change_settings(hidden={"worker": ["phone"], "reader": ["phone", "street"]})
    assert set(project.shown_to("worker", "a1")) == {"name", "street", "city"}
    assert set(project.shown_to("reader", "a1")) == {"name", "city"}
    assert set(project.shown_to("owner", "a1")) == {"name", "street", "city", "phone"}
    context = context_of(project)
    assert "phone" not in context.fields
    assert "phone" not in context.record("a1")
    with Project.open(project.folder, store=str(project.store.url.render_as_string(False))) as other:
        assert other.hidden("worker") == ("phone",)
    for bad, said in (
        ({"boss": ["phone"]}, "from 'boss'"),
        ({"worker": ["salary"]}, "no field 'salary'"),
        (["phone"], "for each role"),
    ):
        with pytest.raises(InputError, match=said):
            project.change_settings(hidden=bad)
    project.change_settings(hidden={"worker": []})
    assert project.hidden("worker") == ()


def test_passwords_are_set_in_the_terminal(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASKWISE_STORE", project.store.url.render_as_string(hide_password=False))

    def run(*arguments: str, typed: str = "") -> tuple[int, str]:
        done = CliRunner().invoke(commands, ["people", *arguments[:1], str(project.folder), *arguments[1:]], typed)
        return done.exit_code, done.output + ("" if done.exception is None else str(done.exception))

    assert run("add", "Ann", "steward", typed="correct horse\n") == (0, "Ann is a steward now\n")
    assert "fewer than 8" in run("add", "Bob", "reader", typed="short\n")[1]
    assert run("add", "Bob", "owner", typed="correct horse\n")[0] == 2
    assert "there is no 'Eve'" in run("password", "Eve", typed="battery staple\n")[1]
    assert run("password", "Ann", typed="battery staple\n") == (0, "Ann has a new password\n")
    assert project.people.check("Ann", "correct horse") is None
    assert project.people.check("Ann", "battery staple") is not None
    assert run("list") == (0, "Ann  steward, with a password\n")
    assert run("remove", "Ann")[0] == 0
    assert project.people.check("Ann", "battery staple") is None
    assert run("list") == (0, "Ann  steward, role taken away\n")
    assert kinds(project) == [("owner", "person")] * 3


def test_people_change_their_own_password(project: Project) -> None:
    project.people.add("Ann", "steward", "correct horse", by="owner")
    with serving_project(project) as site:
        ann = site.visitor()
        assert ann.call("POST", "/login", {"name": "Ann", "password": "correct horse"})[0] == 303
        elsewhere = site.visitor()
        assert elsewhere.call("POST", "/login", {"name": "Ann", "password": "correct horse"})[0] == 303
        for old, new, said in [("wrong", "battery staple", "old password"), ("correct horse", "short", "fewer than 8")]:
            status, _, page = ann.post("/account/password", "/account", old=old, new=new)
            assert (status, said in page) == (422, True)
        assert ann.post("/account/password", "/account", old="correct horse", new="battery staple")[0] == 303
        assert ann.call("GET", "/progress")[0] == elsewhere.call("GET", "/progress")[0] == 303, "logged out everywhere"
        assert ann.call("POST", "/login", {"name": "Ann", "password": "correct horse"})[0] == 403
        assert ann.call("POST", "/login", {"name": "Ann", "password": "battery staple"})[0] == 303
        assert "/account/password" not in site.owner().get("/account"), "the owner's password is in the environment"


def test_no_way_leads_to_what_hidden_fields_hold(tmp_path: Path) -> None:
    """Filters, orders and reasons would tell: a reader could try one salary after the other."""
    rows = [{**row, "salary": 1000 + at, "dept": "ab"[at % 2]} for at, row in enumerate(PEOPLE)]
    with Project.new(tmp_path / "pay", rows, PAIRS, source="dept") as project:
        project.change_settings(hidden={"reader": ["salary", "dept", "city"]})
        with serving_project(project) as site:
            link = site.program().call("POST", "/api/invites", {"worker": "Rita", "role": "reader"})[1]
            program, page, owner = site.program(link["secret"]), site.visitor(), site.owner()
            assert page.call("GET", link["path"])[0] == 303
            cluster = project.clusters()[0].id
            for query in ("words=1003", "value=salary", "source=a"):
                for path in ("/api/queue", "/api/queue/totals", f"/api/queue/{cluster}"):
                    assert program.call("GET", f"{path}?{query}")[0] == 422, (path, query)
                for path in ("/clusters?", f"/clusters/{cluster}?queue=yes&"):
                    assert page.call("GET", path + query)[0] == 422, (path, query)
                    assert owner.call("GET", path + query)[0] == 200, (path, query)
            view = {"words": "1003"}
            assert program.call("POST", "/api/views", {"name": "mine", "view": view})[0] == 422
            assert program.call("GET", "/api/search?words=1003")[1]["total"] == 0
            shown = page.get("/clusters")
            assert 'name="source"' not in shown
            assert "salary" not in shown
            why = page.get("/pair?left=a1&right=a2")
            assert "fields that are hidden from you" in why
            assert '<th scope="row">city</th>' not in why
            assert '<th scope="row">city</th>' in owner.get("/pair?left=a1&right=a2")
            given = {"record": "a1", "field": "city", "value": "Ravenna"}
            assert site.program().call("POST", "/api/golden", given)[0] == 204
            kept = {"name": "mine", "view": {"words": "Ravenna"}}
            assert site.program().call("POST", "/api/views", kept)[0] == 204
            assert "Ravenna" not in page.get("/edits")
            assert "Ravenna" not in str(program.call("GET", "/api/events"))
            assert "Set city to “Ravenna” in the golden record of a1" in owner.get("/edits")
            assert str(site.program().call("GET", "/api/events")).count("Ravenna") == 2
