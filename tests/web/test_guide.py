"""What docs/guide.md and docs/review.md describe, in a real browser.

It takes their pictures: SCREENSHOTS=docs/images pytest tests/web/test_guide.py.
"""

import csv
import os
import random
import re
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import chromium, open_page, troubles
from playwright.sync_api import Browser, Page, expect
from sites import PASSWORD, Served, serving_project

from askwise import Vote
from askwise.demo.customers import customers
from askwise.project import Project

DOCS = Path(__file__).parents[2] / "docs"
COLLEAGUES = {"Maria": 0.05, "Jonas": 0.1, "Chen": 0.2}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def _photograph(page: Page, name: str) -> None:
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png", animations="disabled")


def _write_csv(path: Path) -> dict[str, int]:
    example = customers(seed=0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["unique_id", *next(iter(example.fields.values()))])
        writer.writerows([record, *fields.values()] for record, fields in example.fields.items())
    return dict(example.gold)


def _colleagues_answer(project: Project, gold: dict[str, int], count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three colleagues with some errors, who answer every 40 seconds and have just finished."""
    chance = random.Random(0)
    begin = time.time() - 40.0 * count
    with monkeypatch.context() as patched:
        patched.setattr("askwise.project.summaries.NOTE_EVERY", 0.0)
        for number in range(count):
            patched.setattr("time.time", lambda now=begin + 40.0 * number: now)
            worker = list(COLLEAGUES)[number % 3]
            task = project.take(worker)
            assert task is not None
            right = gold[task.left] == gold[task.right]
            said = right != (chance.random() < COLLEAGUES[worker])
            project.answer(task.id, worker, "yes" if said else "no", seconds=chance.uniform(2.0, 7.0))
            if number % 10 == 9:
                project.refresh()
                project.fill()


def test_the_guide(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold = _write_csv(tmp_path / "customers.csv")
    with Project.new(tmp_path / "customers", tmp_path / "customers.csv") as project, serving_project(project) as site:
        project.change_settings(price=0.05, currency="EUR", instructions="The same person, even after a move.")
        owner = open_page(browser)
        _log_in(owner, site)
        owner.get_by_role("link", name="Workers").click()
        owner.get_by_label("For one person").fill("Maria")
        owner.get_by_role("button", name="Make a link").first.click()
        link = owner.locator("#link").inner_text()
        _photograph(owner, "invite")
        maria = open_page(browser)
        maria.goto(link)
        expect(maria.locator(".question")).to_be_visible()
        _photograph(maria, "question")
        phone = open_page(browser, phone=True)
        phone.goto(link)
        expect(phone.locator(".question")).to_be_visible()
        _photograph(phone, "phone")
        owner.goto("about:blank")  # a page that looks for news would tell that the clock is set back
        _colleagues_answer(project, gold, 300, monkeypatch)
        for path in ("progress", "workers", "conflicts"):
            owner.goto(f"{site.address}/{path}")
            if path == "progress":
                expect(owner.locator("#figures dd").first).to_have_text("300")
                expect(owner.locator("#expected svg")).to_be_visible()
                expect(owner.locator("#lead")).to_contain_text(f"in {len(project.board())} clusters")
            else:
                expect(owner.locator("tbody tr").nth(2)).to_be_visible()
            _photograph(owner, path)
        _a_stewards_day(browser, owner, site)
        owner.goto(f"{site.address}/export")
        with owner.expect_download() as download:
            owner.get_by_role("button", name="clusters.csv").click()
        lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("cluster_id,unique_id,confidence")
        assert len(lines) == 151
        with owner.expect_download() as download:
            owner.get_by_role("link", name="report.html").click()
        report = open_page(browser)
        report.goto(Path(download.value.path()).rename(tmp_path / "report.html").as_uri())
        expect(report.locator("#chart0 svg.marks")).to_be_visible()
        assert troubles(report) == []
        assert "http" not in {
            resource.partition(":")[0] for resource in report.evaluate("performance.getEntries().map(e => e.name)")
        }


def _a_stewards_day(browser: Browser, page: Page, site: Served) -> None:
    """The queue, a cluster that is split by keys, why two records are together, all of it undone."""
    site.project.clusters()  # pages may show confidences that are some seconds old
    page.goto(f"{site.address}/clusters?least_size=2")
    _photograph(page, "queue")
    page.goto(f"{site.address}/clusters?least_size=3&order=confidence")
    page.keyboard.press("j")
    expect(page.get_by_label("Queue")).to_be_visible()
    _photograph(page, "cluster")
    before = {row.members for row in site.project.clusters()}
    page.locator("input[name=tick]").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.keyboard.press("2")
    expect(page.locator('tbody[data-group="2"] tr[data-record]')).to_have_count(1)
    page.locator("input[name=tick]").first.focus()
    page.keyboard.press("Space")
    _photograph(page, "keyboard")
    page.keyboard.press("s")
    expect(page.get_by_role("heading", name="Split a cluster")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    _photograph(page, "preview")
    page.emulate_media(color_scheme="light")
    page.keyboard.press("e")
    expect(page.get_by_role("status")).to_contain_text("can be undone")
    assert {row.members for row in site.project.clusters()} != before
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_contain_text("is undone")
    assert {row.members for row in site.project.clusters()} == before
    page.locator("#links tbody a").first.click()
    expect(page.locator("#why")).to_be_visible()
    page.evaluate("() => document.getElementById('why').scrollIntoView()")
    _photograph(page, "why")
    page.goto(f"{site.address}/search?words=street+an")
    _photograph(page, "search")


def _png(shade: int) -> bytes:
    """A small picture: stripes on a ground of that shade."""
    rows = b"".join(b"\0" + bytes((shade, 90 + 40 * (at // 8 % 2), 160) * 60) for at in range(48))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = (60).to_bytes(4, "big") + (48).to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_wide_records_with_pictures_and_text_from_right_to_left(browser: Browser, tmp_path: Path) -> None:
    names = ["سلمى حداد", "سلمى الحداد", "سلمي حداد", "שרה כהן", "שרה כהאן"]
    records = [
        {"unique_id": f"p{at + 1}", "name": name, "photo": f"photos/{at}.png"}
        | {
            f"measure {number:02}": f"{number * 100 + (at if number % 3 == 0 else 0) + (37 if at > 2 else 0)} mm"
            for number in range(1, 25)
        }
        for at, name in enumerate(names)
    ]
    pairs = [("p1", "p2"), ("p1", "p3"), ("p2", "p3"), ("p4", "p5"), ("p3", "p4")]
    scored = [{"unique_id_l": one, "unique_id_r": two, "score": 0.9 if two != "p4" else 0.2} for one, two in pairs]
    with Project.new(tmp_path / "wide", records, scored, name="Statues") as project, serving_project(project) as site:
        (project.folder / "photos").mkdir()
        for at in range(len(names)):
            (project.folder / "photos" / f"{at}.png").write_bytes(_png(60 + 40 * at))
        project.change_settings(image_fields=["photo"])
        votes = [Vote(one, two, "Maria", two != "p4") for one, two in pairs]
        project.add_votes([*votes, Vote("p1", "p3", "Jonas", False)], "test")
        project.refresh()
        page = open_page(browser)
        _log_in(page, site)
        number = project.board().row(project.board().of("p1")).id
        page.goto(f"{site.address}/columns?back=/clusters/{number}")
        page.get_by_label("Place of photo").fill("99")
        page.get_by_role("button", name="Save for me").click()
        table = page.locator(".scroll.wide").first
        columns = table.locator("thead th").count()
        assert columns == 3 + 2 + 8, "what is the same in all records is folded"
        table.evaluate("table => { table.scrollLeft = 420; }")
        box = table.locator("input[name=tick]").first.bounding_box()
        assert box is not None
        assert box["x"] < 120, "check boxes stay in sight"
        _photograph(page, "wide")
        page.goto(f"{site.address}/pair?left=p1&right=p3")
        page.wait_for_function("() => [...document.images].every(image => image.complete && image.naturalWidth)")
        _photograph(page, "pictures")
        phone = open_page(browser, phone=True)
        _log_in(phone, site)
        phone.goto(f"{site.address}/clusters/{number}")
        assert phone.locator("td[dir=auto]").first.evaluate("cell => getComputedStyle(cell).direction") == "rtl"
        phone.evaluate("() => document.querySelector('#edit').scrollIntoView()")
        _photograph(phone, "steward-phone")
        plain = open_page(browser, script=False)
        _log_in(plain, site)
        plain.goto(f"{site.address}/clusters/{number}")
        plain.get_by_label("Tick record p3").check()
        plain.get_by_role("button", name="Ticked to a new group").click()
        expect(plain.locator('tbody[data-group="2"] tr[data-record]')).to_have_count(1)
        _photograph(plain, "no-script")
        assert troubles(page) == troubles(phone) == []


def _log_in(page: Page, site: Served) -> None:
    page.goto(f"{site.address}/login")
    page.get_by_label("Password or token").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()


def test_every_picture_of_the_guide_is_there() -> None:
    text = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("guide.md", "review.md"))
    named = re.findall(r"\]\((images/[\w-]+\.png)\)", text)
    assert named
    assert {f"images/{path.name}" for path in (DOCS / "images").glob("*.png")} == set(named)
