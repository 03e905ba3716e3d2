"""The way of docs/guide.md in a real browser. Its pictures: SCREENSHOTS=docs/images pytest tests/test_guide.py."""

import csv
import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import chromium, open_page, troubles
from playwright.sync_api import Browser, Page, expect
from sites import PASSWORD, Served, serving_project

from askwise.demo.people import customers
from askwise.project import Project

GUIDE = Path(__file__).parent.parent / "docs" / "guide.md"
COLLEAGUES = {"Maria": 0.05, "Jonas": 0.1, "Chen": 0.2}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def _photograph(page: Page, name: str) -> None:
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        page.screenshot(path=f"{folder}/{name}.png")


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
        patched.setattr("askwise.project.engine.NOTE_EVERY", 0.0)
        for number in range(count):
            patched.setattr("time.time", lambda now=begin + 40.0 * number: now)
            worker = list(COLLEAGUES)[number % 3]
            task = project.take(worker)
            assert task is not None
            right = gold[task.left] == gold[task.right]
            said = right != (chance.random() < COLLEAGUES[worker])
            project.answer(task.id, worker, "yes" if said else "no", seconds=chance.uniform(2.0, 7.0))
            if number % 10 == 9:
                project._engine.follow()


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
            _photograph(owner, path)
        owner.goto(f"{site.address}/clusters?sort=-size")
        owner.locator("tbody a").nth(3).click()
        expect(owner.get_by_role("heading", name=re.compile("^Cluster"))).to_be_visible()
        _photograph(owner, "cluster")
        owner.goto(f"{site.address}/export")
        with owner.expect_download() as download:
            owner.get_by_role("link", name="clusters.csv").click()
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


def _log_in(page: Page, site: Served) -> None:
    page.goto(f"{site.address}/login")
    page.get_by_label("Password or token").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()


def test_every_picture_of_the_guide_is_there() -> None:
    named = re.findall(r"\]\((images/[\w-]+\.png)\)", GUIDE.read_text(encoding="utf-8"))
    assert named
    assert {f"images/{path.name}" for path in (GUIDE.parent / "images").glob("*.png")} == set(named)
