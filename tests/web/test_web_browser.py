"""People at work, in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browsers import accessibility_faults, chromium, open_page, troubles
from playwright.sync_api import Browser, Page, expect
from sites import PAIRS, PASSWORD, TOKEN, Served, served, until

from askwise import Vote
from askwise.project import Point
from askwise.web.access import Access
from askwise.web.pictures import Pictures

PAIRS_OF = [(str(pair["unique_id_l"]), str(pair["unique_id_r"])) for pair in PAIRS]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "project", votes=2, price=0.05, currency="EUR") as site:
        yield site


def log_in(page: Page, site: Served) -> None:
    page.goto(f"{site.address}/login")
    page.get_by_label("Password or token").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()


def join(page: Page, site: Served, name: str) -> None:
    page.goto(site.address + site.link(name))
    expect(page.locator(".question")).to_be_visible()


def press(page: Page, key: str) -> None:
    """Answer by a key, but not sooner than anybody could have read the question."""
    page.wait_for_timeout(250)
    page.keyboard.press(key)


def votes_of(site: Served, worker: str) -> list[bool | None]:
    return [row.label for row in site.project.votes_of(worker) if row.action == "vote"]


def test_a_worker_answers_by_keyboard_undoes_and_runs_out(browser: Browser, site: Served) -> None:
    page = open_page(browser)
    join(page, site, "Maria")
    first = page.locator(".question").get_attribute("data-task")
    for number, key in enumerate("yNu", 1):
        before = page.locator(".question").get_attribute("data-task")
        press(page, key)
        expect(page.locator(f'.question[data-task="{before}"]')).to_have_count(0)
        until(lambda number=number: len(votes_of(site, "Maria")) == number)
    assert votes_of(site, "Maria") == [True, False, None]
    expect(page.locator(".tally").first).to_have_text("3")
    page.keyboard.press("z")
    until(lambda: site.project.votes_of("Maria")[-1].action == "undo")
    undone = site.project.votes_of("Maria")[-1]
    page.wait_for_load_state()
    pair = [site.project.record(str(record))["name"] for record in (undone.left, undone.right)]
    for name in pair:
        expect(page.locator("tr", has_text="name").first).to_contain_text(str(name))
    for _ in range(30):
        if page.locator("[data-done]").count():
            break
        before = page.locator(".question").get_attribute("data-task")
        press(page, "n")
        page.wait_for_function("task => document.querySelector('[data-task]')?.dataset.task !== task", arg=before)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    pairs = [(row.left, row.right) for row in site.project.votes_of("Maria") if row.action == "vote"]
    assert len(set(pairs)) == 7, "every candidate once"
    assert len(pairs) == 8, "and one again, because it was undone"
    assert first
    assert all(row.seconds is not None and row.seconds < 60 for row in site.project.votes_of("Maria") if row.seconds)
    assert troubles(page) == []


def test_the_next_question_is_there_before_the_answer_is_saved(browser: Browser, site: Served) -> None:
    page = open_page(browser)
    join(page, site, "Maria")
    page.wait_for_timeout(500)  # the next one is being fetched
    page.route("**/work/answer", lambda route: route.abort())
    shown = page.locator(".question").get_attribute("data-task")
    press(page, "y")
    expect(page.locator(f'.question[data-task="{shown}"]')).to_have_count(0)
    expect(page.get_by_role("alert")).to_contain_text("Not saved yet")
    assert votes_of(site, "Maria") == []
    page.unroute("**/work/answer")
    until(lambda: votes_of(site, "Maria") == [True])
    expect(page.locator("#trouble")).to_be_hidden()


@pytest.mark.parametrize("script", [True, False])
def test_a_late_answer_is_told(browser: Browser, site: Served, script: bool) -> None:
    page = open_page(browser, script=script)
    join(page, site, "Maria")
    task = int(page.locator(".question").get_attribute("data-task") or "")
    page.wait_for_timeout(500)  # the next one is being fetched
    given_to_others(site, "Maria")
    page.get_by_role("button", name="Yes, the same").click()
    told = page.locator("#refused") if script else page.get_by_role("status")
    expect(told).to_contain_text("One of your answers was not saved: task")
    expect(told).to_contain_text("others have its question now")
    assert votes_of(site, "Maria") == []
    if script:
        page.get_by_role("button", name="Dismiss").click()
        expect(told).to_be_hidden()
    expect(page.locator(f'[data-task="{task}"]')).to_have_count(0)


def given_to_others(site: Served, worker: str) -> None:
    """The worker's time runs out, and others answer all that is asked."""
    with site.project.store.writing() as connection:
        connection.exec_driver_sql("UPDATE tasks SET until = 0")
    for other in ("Jonas", "Tim"):
        while (task := site.project.take(other)) is not None:
            site.project.answer(task.id, other, "no")


def test_without_script(browser: Browser, site: Served) -> None:
    page = open_page(browser, script=False)
    join(page, site, "Maria")
    page.get_by_role("button", name="Yes, the same").click()
    page.get_by_role("button", name="Unsure").click()
    assert votes_of(site, "Maria") == [True, None]
    page.get_by_role("button", name="Undo my last answer").click()
    assert site.project.votes_of("Maria")[-1].action == "undo"
    expect(page.locator(".question")).to_be_visible()


def test_two_workers_at_once_and_the_owner_watches(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "project", votes=1) as site:
        owner, maria, jonas = (open_page(browser) for _ in range(3))
        log_in(owner, site)
        votes = owner.locator("#figures > div").first.locator("dd").first
        expect(votes).to_have_text("0")
        join(maria, site, "Maria")
        join(jonas, site, "Jonas")
        for number in range(1, 3):
            for page in (maria, jonas):
                press(page, "y")
            expect(votes).to_have_text(str(2 * number))
        until(lambda: len(site.project.store.votes()) == 4)
        pairs = [(row.left, row.right) for row in site.project.store.votes()]
        assert len(set(pairs)) == 4, "one vote was wanted, and nobody was asked what another was asked"
        owner.get_by_role("button", name="Pause").click()
        expect(owner.get_by_text("Paused: workers get no questions")).to_be_visible()
        maria.reload()
        expect(maria.get_by_role("heading", name="Paused")).to_be_visible()
        owner.get_by_role("button", name="Resume").click()
        maria.reload()
        expect(maria.locator(".question, [data-done]")).to_be_visible()
        for page in (owner, maria, jonas):
            assert troubles(page) == []


def test_the_owner_sees_what_to_expect_and_what_is_asked_next(browser: Browser, site: Served) -> None:
    project = site.project
    project.store.add_point(Point(0, 0.0, 0, 0, 8, -9.0, 7))  # as older versions kept them
    for vote in (1, 2):
        project.add_votes([Vote(*PAIRS_OF[vote], f"w{vote}", True)], "test")
        project.store.add_point(replace(project.summaries.measure()[0], vote=100 + vote, f1_low=0.1 * vote))
    until(lambda: project.resolution.votes.count == 2)
    owner = open_page(browser)
    log_in(owner, site)
    expected = owner.locator("#expected")
    expect(expected).to_contain_text("an estimate without known answers")
    before = expected.locator("h2").inner_text()
    assert re.fullmatch(r"Expected F1: (over )?\d\.\d\d \(\d\.\d\d to \d\.\d\d\)", before)
    expect(owner.locator('svg[aria-label^="Expected F1"] .area')).to_have_count(1)
    rows = owner.locator("#next tbody tr")
    questions = project.next_questions(5)
    expect(rows).to_have_count(len(questions))
    assert questions[0].why
    expect(rows.first).to_contain_text(questions[0].why)
    maria = open_page(browser)
    join(maria, site, "Maria")
    assert not any(question.why in maria.content() for question in questions)
    project.add_votes([Vote(*pair, "Jonas", False) for pair in PAIRS_OF], "test")
    expect(expected.locator("h2")).not_to_have_text(before)
    expect(owner.locator("#next")).to_contain_text("Everything has been asked.")
    assert troubles(owner) == []


@pytest.mark.parametrize(("phone", "dark"), [(False, False), (True, True)], ids=["desk, light", "phone, dark"])
def test_every_page_can_be_used_by_everybody(browser: Browser, site: Served, phone: bool, dark: bool) -> None:
    site.project.change_settings(instructions="The same person, even after a move.")
    for worker in ("Maria", "Jonas"):
        for _ in range(4):
            task = site.project.take(worker)
            assert task is not None
            site.project.answer(task.id, worker, "yes" if worker == "Maria" else "no", seconds=3.2)
    site.project.refresh()
    page = open_page(browser, phone=phone, dark=dark)
    page.goto(f"{site.address}/login")
    assert accessibility_faults(page) == []
    page.goto(site.address + site.link(None))
    assert accessibility_faults(page) == []
    page.goto(site.address + site.link("Ada"))
    assert accessibility_faults(page) == []
    log_in(page, site)
    cluster = site.project.clusters()[0].id
    pages = [
        "progress",
        "clusters",
        f"clusters/{cluster}",
        "conflicts",
        "pair?left=a1&right=a2",
        "workers",
        "candidates",
        "record?id=a1",
        "search?words=miller",
        "edits",
        "columns",
        "keys",
    ]
    for path in [*pages, "export", "settings", "nothing-here"]:
        page.goto(f"{site.address}/{path}")
        assert accessibility_faults(page) == [], path
    assert [trouble for trouble in troubles(page) if "404" not in trouble] == []


def test_the_owner_looks_into_things(browser: Browser, site: Served) -> None:
    project = site.project
    project.add_votes([Vote(*pair, *vote) for pair in PAIRS_OF for vote in (("Maria", True), ("Jonas", False))], "test")
    project.refresh()
    page = open_page(browser)
    log_in(page, site)
    page.get_by_role("link", name="Conflicts").click()
    expect(page.locator("tbody tr")).to_have_count(7)
    page.get_by_role("link", name="Compare").first.click()
    expect(page.locator("#votes")).to_contain_text("Maria")
    page.get_by_role("button", name="They are different").click()
    expect(page.get_by_text("Your decision is saved.")).to_be_visible()
    expect(page.locator("#decisions")).to_contain_text("Decided: they are different")
    page.get_by_role("link", name="Workers").click()
    page.get_by_role("button", name="Exclude Jonas").click()
    expect(page.get_by_role("status")).to_contain_text("Jonas is excluded")
    expect(page.locator("tr", has_text="Jonas")).to_contain_text("excluded")
    page.get_by_role("link", name="Search").click()
    page.get_by_placeholder("Words of any field").fill("WEI chen")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("mark.found").first).to_have_text("Chen")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Clusters").click()
    page.get_by_text("Filter and order").click()
    page.get_by_placeholder("Search").fill("chen wei")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name=re.compile("Cluster"))).to_be_visible()
    page.get_by_role("button", name="Not sure, ask the crowd").click()
    expect(page.get_by_role("status")).to_contain_text("will be asked first")
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Votes per question").fill("0")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("votes")
    page.get_by_label("Votes per question").fill("5")
    page.get_by_label("Random audit share").fill("0.25")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    assert (project.settings.votes, project.settings.audit) == (5, 0.25)
    assert [trouble for trouble in troubles(page) if "422" not in trouble] == []


def test_pictures_and_hostile_records(browser: Browser, tmp_path: Path) -> None:
    nasty = "</td><script>document.title='stolen'</script><img src=x onerror=\"document.title='stolen'\">"
    records = [
        {"unique_id": "<b>1", "name": nasty, "photo": "photos/one.png", "note": "{{ 7 * 7 }} ${7*7}"},
        {"unique_id": "2\"'><i>", "name": nasty + "!", "photo": "photos/two.png", "note": "javascript:alert(1)"},
        {"unique_id": "3", "name": "plain", "photo": "../../../etc/passwd", "note": "\u202egnp.exe"},
        {"unique_id": "4", "name": "plain", "photo": "votes.sqlite", "note": "x" * 50_000},
    ]
    pairs = {"unique_id_l": ["<b>1", "3"], "unique_id_r": ["2\"'><i>", "4"], "score": [0.9, 0.8]}
    with served(tmp_path / "project", records, pairs, image_fields=["photo"], votes=1) as site:
        (site.project.folder / "photos").mkdir()
        for name in ("one", "two"):
            (site.project.folder / "photos" / f"{name}.png").write_bytes(_PIXEL)
        page = open_page(browser)
        join(page, site, "Maria")
        widths = set()
        for _ in range(2):
            page.wait_for_function("() => [...document.images].every(image => image.complete)")
            widths.add(page.evaluate("() => Math.max(...[...document.images].map(image => image.naturalWidth))"))
            assert "stolen" not in page.title()
            assert accessibility_faults(page) == []
            before = page.locator(".question").get_attribute("data-task")
            press(page, "n")
            expect(page.locator(f'.question[data-task="{before}"]')).to_have_count(0)
        assert widths == {0, 1}, "the pictures of the folder are seen, the other files are not"
        log_in(page, site)
        for row in site.project.clusters():
            page.goto(f"{site.address}/clusters/{row.id}")
            assert "stolen" not in page.title()
        page.goto(f"{site.address}/clusters?words=%3Cscript%3E")
        expect(page.locator("tbody tr")).to_have_count(len({row.id for row in site.project.clusters()} & _nasty(site)))
        page.goto(f"{site.address}/candidates")
        assert "stolen" not in page.title()
        owner = site.owner()
        for record, field in (("3", "photo"), ("4", "photo"), ("3", "name")):
            assert owner.call("GET", site_picture(site, record, field))[0] == 404, "not a picture of the folder"
        good = site_picture(site, "<b>1", "photo")
        status, headers, _ = owner.call("GET", good)
        assert (status, headers["content-type"]) == (200, "image/png")
        assert owner.call("GET", good[:-1] + ("0" if good[-1] != "0" else "1"))[0] == 404
        assert site.visitor().call("GET", good)[0] == 303
        assert [trouble for trouble in troubles(page) if "404" not in trouble] == []


def _nasty(site: Served) -> set[int]:
    return {row.id for row in site.project.clusters() if {"<b>1", "2\"'><i>"} & set(row.members)}


def site_picture(site: Served, record: str, field: str) -> str:
    """The address of a picture as a page of this server has it."""
    return Pictures(site.project, Access(site.project, PASSWORD, TOKEN)).address(record, field)


_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fccfc0f01f00050301ff"
    "a5f7645f0000000049454e44ae426082"
)
