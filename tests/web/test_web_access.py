"""Who may do what, over real HTTP: the owner, workers by their links, strangers, and other sites."""

import logging
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from sites import PASSWORD, TOKEN, Served, served

from askwise import Vote
from askwise.errors import InputError
from askwise.project.names import likeness, name_of
from askwise.project.studies import digest_of
from askwise.project.values import OWNER
from askwise.web.access import Access
from askwise.web.limits import Rate, Rates, TooManyError


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("web") / "project") as site:
        yield site


OWNERS = ["/progress", "/clusters", "/conflicts", "/workers", "/candidates", "/export", "/settings", "/live", "/edits"]


@pytest.mark.parametrize(
    "path",
    [
        *OWNERS,
        "/clusters/1",
        "/columns",
        "/search",
        "/record?id=a1",
        "/edits/1/undo",
        "/pair?left=a1&right=a2",
        "/export/clusters.csv",
        "/",
    ],
)
def test_strangers_and_workers_do_not_see_the_owners_pages(site: Served, path: str) -> None:
    status, headers, _ = site.visitor().call("GET", path)
    assert (status, headers["location"]) == (303, "/login")
    status, headers, _ = site.worker("curious").call("GET", path)
    assert (status, headers["location"]) == (303, "/work" if path == "/" else "/login")


@pytest.mark.parametrize(
    "path",
    [
        "/pause",
        "/settings",
        "/workers/exclude",
        "/invites",
        "/invites/1/revoke",
        "/clusters/1",
        "/clusters/1/review",
        "/clusters/1/comment",
        "/clusters/1/assign",
        "/edits",
        "/undo",
        "/queue/approve",
        "/queue/views",
        "/edits/1/undo",
        "/columns",
        "/keys",
        "/pair/comment",
        "/pair/assign",
        "/pair/ask",
        "/pair/vote",
        "/logout",
        "/work/answer",
        "/work/undo",
    ],
)
def test_forms_of_other_sites_are_refused(site: Served, path: str) -> None:
    form = {"paused": "yes", "worker": "x", "excluded": "yes", "left": "a1", "right": "a2", "answer": "yes", "task": 1}
    form |= {
        "request": "r",
        "do": "lock",
        "kind": "lock",
        "groups": "[]",
        "text": "x",
        "scope": "me",
        "above": "95",
        "count": "1",
        "name": "x",
    }
    form |= {"number": "undo:1"}
    owner, worker = site.owner(), site.worker("victim")
    visitor = worker if path.startswith("/work/") else owner
    for csrf in ("0" * 64, "é", worker.csrf("/work") if visitor is owner else owner.csrf("/settings")):
        assert visitor.call("POST", path, {**form, "csrf": csrf})[0] == 403, csrf
    assert visitor.call("POST", path, form)[0] in (403, 422)
    assert visitor.call("POST", path, {**form, "csrf": ""})[0] in (403, 422)
    good = visitor.csrf("/work" if visitor is worker else "/settings")
    cross = {"sec-fetch-site": "cross-site"}
    assert visitor.call("POST", path, {**form, "csrf": good}, cross)[0] == 403
    assert not site.project.settings.paused


def test_login_and_logout(site: Served) -> None:
    visitor = site.visitor()
    assert visitor.call("POST", "/login", {"password": "wrong"})[0] == 403
    assert visitor.call("POST", "/login", {"password": ""})[0] == 403
    by_token = site.visitor()
    assert by_token.call("POST", "/login", {"password": TOKEN})[0] == 303
    owner = site.owner()
    session = dict(owner.cookies)
    assert owner.post("/logout", "/settings")[0] == 303
    assert owner.call("GET", "/progress")[0] == 303
    (name,) = session
    for forged in ("", "x", "99999999999.abc.def", session[name][:-1], session[name].replace(".", "1.", 1)):
        stranger = site.visitor()
        stranger.cookies[name] = forged
        assert stranger.call("GET", "/progress")[1]["location"] == "/login"


def test_cookies_and_headers(site: Served) -> None:
    status, headers, _ = site.visitor().call("POST", "/login", {"password": PASSWORD})
    cookie = headers["set-cookie"].lower()
    assert status == 303
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    _, headers, page = site.visitor().call("GET", "/login")
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in page
    assert not re.search(r"\son\w+=|\sstyle=", page)


def test_invite_links(site: Served) -> None:
    owner = site.owner()
    _, _, page = owner.post("/invites", "/workers", worker="Zoë")
    path = re.search(r"(/join/[\w-]+)", page)
    assert path is not None
    assert path[1] not in owner.get("/workers"), "the link is shown only once"
    assert site.project.invites.all()[-1].digest not in page
    worker = site.visitor()
    assert worker.call("GET", path[1])[0] == 303
    assert "Zoë" in worker.get("/work")
    number = site.project.invites.all()[-1].id
    assert owner.post(f"/invites/{number}/revoke", "/workers")[0] == 303
    assert worker.call("GET", "/work")[0] == 401
    assert worker.call("GET", path[1])[0] == 404
    assert owner.post("/invites", "/workers", worker="owner")[0] == 422
    assert owner.post("/invites", "/workers", worker=" \t")[0] == 422


def test_a_link_for_many(site: Served) -> None:
    path = site.link(None)
    panel = site.visitor()
    assert panel.call("GET", f"{path}?PROLIFIC_PID=60d9aadeb86739de712faee0&STUDY_ID=1")[0] == 303
    assert "60d9aadeb86739de712faee0" in panel.get("/work")
    assert site.visitor().call("GET", f"{path}?participantId=%00%0a")[0] == 400
    assert site.visitor().call("GET", f"{path}?participantId=owner")[0] == 400
    person = site.visitor()
    assert "Your name" in person.get(path)
    assert person.call("POST", path, {"name": "  Mary   Ann "})[0] == 303
    assert "Mary Ann" in person.get("/work")
    assert person.call("POST", path, {"name": "x" * 101})[0] == 400
    assert person.call("POST", site.link("somebody"), {"name": "else"})[0] == 303
    assert "somebody" in person.get("/work")


def test_joining_cannot_be_impersonated(site: Served) -> None:
    path = site.link(None)
    mary = site.visitor()
    assert mary.call("POST", path, {"name": "Mary"})[0] == 303
    answered = re.search(r'name="task" value="(\d+)"', mary.get("/work"))
    assert answered is not None
    site.link("Known Person")
    site.project.add_votes([Vote("a1", "a2", "robot", True)], "file")
    taken = [
        "Mary",
        " mary",
        "MARY",
        "M\u0430ry",
        "Mar\u0443",
        "\uff2dary",
        "M\u00e1ry",
        "known person",
        "R0bot",
        "0wner",
        "Owner",
    ]
    for name in (*taken, "a:b"):
        thief = site.visitor()
        assert thief.call("POST", path, {"name": name})[0] == 400, name
        assert not thief.cookies
        assert thief.call("GET", f"{path}?participantId={quote(name)}")[0] in (400, 422), name
    # The link is the key to nothing but a name of one's own.
    secret, cookie = path.rpartition("/")[2], Access(site.project, PASSWORD, TOKEN).worker_cookie
    thief = site.visitor()
    for forged in (secret, f"{secret}.{urlsafe_b64encode(b'Mary').decode()}"):
        thief.cookies = {cookie: forged}
        assert thief.call("GET", "/work")[0] == 401
        assert site.program(forged).call("POST", "/api/undo", {})[0] == 401
    # People who have joined can continue, also by opening the link again.
    assert "Mary" in mary.get("/work")
    panel = site.visitor()
    assert panel.call("GET", f"{path}?PROLIFIC_PID=abc")[0] == 303
    assert panel.call("GET", f"{path}?PROLIFIC_PID=abc")[0] == 303
    # Revoking the link ends all links of people who joined by it.
    number = next(invite.id for invite in site.project.invites.all() if invite.digest == digest_of(secret))
    assert site.owner().post(f"/invites/{number}/revoke", "/workers")[0] == 303
    assert mary.call("GET", "/work")[0] == panel.call("GET", "/work")[0] == 401


def test_a_link_lets_so_many_in(site: Served) -> None:
    path = site.program().call("POST", "/api/invites", {"most": 2})[1]["path"]
    statuses = [site.visitor().call("POST", path, {"name": f"limited {n}"})[0] for n in "abc"]
    assert statuses == [303, 303, 400]
    assert "2 of 2 joined" in site.owner().get("/workers")
    assert site.program().call("POST", "/api/invites", {"most": 0})[0] == 422
    assert "looks like" in site.owner().post("/invites", "/workers", worker="Limited A")[2]


def test_names_that_look_alike() -> None:
    same = [
        ("Anna", "ANNA"),
        ("Anna", "\u0410nn\u0430"),
        ("Ian", "lan"),
        ("Bob 1", "Bob l"),
        ("Zo\u00eb", "Zoe"),
        ("a-b", "a b"),
    ]
    assert all(likeness(one) == likeness(other) for one, other in same)
    other = [("Anna", "Ana"), ("worker 1", "worker 11"), ("\u674e", "\u738b"), ("\u0418\u0432\u0430\u043d", "Ivan")]
    assert all(likeness(one) != likeness(two) for one, two in other)


def test_nothing_opens_another_project(site: Served, tmp_path: Path) -> None:
    with served(tmp_path / "project") as other:
        worker, owner = site.worker("guest"), site.owner()
        for visitor in (worker, owner):
            stranger = other.visitor()
            stranger.cookies = dict(visitor.cookies)
            assert stranger.call("GET", "/work")[0] == 401
            assert stranger.call("GET", "/progress")[1]["location"] == "/login"
        # Even under the other project's names, though the password is the same.
        ours, theirs = Access(site.project, PASSWORD, TOKEN), Access(other.project, PASSWORD, TOKEN)
        assert ours.owner(ours.new_session(OWNER)) is not None
        assert theirs.owner(ours.new_session(OWNER)) is None
        secret = site.link("somebody").rpartition("/")[2]
        assert other.program(secret).call("POST", "/api/tasks", {})[0] == 401
        assert site.program(secret).call("POST", "/api/tasks", {})[0] in (200, 204)


def test_a_workers_token_is_for_that_worker(site: Served) -> None:
    program = site.program(site.link("robot").rpartition("/")[2])
    assert program.call("GET", "/api/status")[0] == 403
    assert program.call("POST", "/api/votes", {"votes": []})[0] == 403
    assert program.call("POST", "/api/tasks", {"worker": "somebody else"})[0] == 403
    status, task = program.call("POST", "/api/tasks", {"worker": "robot"})
    assert status == 200
    other = site.program(site.link("thief").rpartition("/")[2])
    assert other.call("POST", f"/api/tasks/{task['id']}/answer", {"answer": "yes"})[0] == 409
    assert site.program().call("POST", "/api/tasks", {})[0] == 422


def test_too_many_tries(tmp_path: Path) -> None:
    with served(tmp_path / "project") as site:
        statuses = [site.visitor().call("POST", "/login", {"password": f"guess {n}"})[0] for n in range(14)]
        assert statuses[:10] == [403] * 10
        assert statuses[-1] == 429
        status, headers, _ = site.visitor().call("POST", "/login", {"password": PASSWORD})
        assert status == 429
        assert int(headers["retry-after"]) > 0


def test_rates_fill_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("askwise.web.limits.time.monotonic", lambda: now)
    rates, rate = Rates(), Rate(2.0, 3)
    for _ in range(3):
        rates.spend(rate, "one")
    with pytest.raises(TooManyError, match="try again in 1 s"):
        rates.spend(rate, "one")
    rates.spend(rate, "other")
    now += 1.0
    rates.spend(rate, "one")
    rates.spend(rate, "one")
    with pytest.raises(TooManyError):
        rates.spend(rate, "one")


def test_no_secret_in_logs(site: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    link = site.link("quiet")
    site.visitor().call("GET", link)
    site.owner()
    site.visitor().call("GET", "/join/wrong-secret-here")
    site.program("wrong-token-here").call("GET", "/api/status")
    for secret in (link.rpartition("/")[2], PASSWORD, TOKEN, "wrong-secret-here", "wrong-token-here"):
        assert secret not in caplog.text


def test_short_secrets_are_refused(site: Served) -> None:
    with pytest.raises(InputError, match="fewer than 8"):
        Access(site.project, "short", None)
    assert Access(site.project, None, None).owner(Access(site.project, None, None).new_session(OWNER)) is None


@pytest.mark.parametrize(
    "text", ["", "   ", "owner", "OWNER", "a\0b", "a\u202eb", "x" * 101, "\ud800", "\u3164", "...", "0wner"]
)
def test_names_that_cannot_be(text: str) -> None:
    assert name_of(text) is None
