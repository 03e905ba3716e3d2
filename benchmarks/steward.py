"""A scripted steward at a large project: what it takes to settle doubtful clusters, and how long calls take.

    python benchmarks/steward.py [--records 100000] [--cases 600] [--seed 0] [--chromium]

Clear records beside `cases` doubtful ones: two groups of records each, with pairs between them whose scores say
nothing. The truth of each case agrees with the clustering in three of four. The steward looks the clusters up in the
review queue, locks those that are right, fifty at a time, and splits or joins the others, one by one. All steps are
undone and redone. With --chromium, the steward opens pages in a browser, ticks and presses keys, and approves what is
left in one go. For comparison, three workers answer each doubtful pair truthfully. Meanwhile an owner looks at the
project, also while votes make the engine fit its evidence anew.
"""

from __future__ import annotations

import argparse
import http.client
import re
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
from playwright.sync_api import Page, sync_playwright
from shared.served import TOKEN, Server, serving

from askwise import Vote
from askwise.candidate_pairs import ScoredPairs
from askwise.gold_scores import pairwise_scores
from askwise.project import Project

AT_ONCE = 50
RIGHT = 0.75


@dataclass(frozen=True)
class Made:
    """Ids, the entity of each record as far as it is clear, scored pairs, and the two sides of each doubtful case."""

    ids: list[str]
    entity: np.ndarray[Any, np.dtype[np.int64]]
    pairs: ScoredPairs
    cases: list[tuple[list[int], list[int]]]


def made(records: int, cases: int, seed: int) -> Made:
    """About ten pairs a record, and a bit more than three doubtful ones in each case."""
    chance = np.random.default_rng(seed)
    sizes = np.concatenate((np.tile([2, 2, 1, 3], cases)[: 2 * cases], chance.integers(1, 7, records)))
    entity = np.repeat(np.arange(sizes.size), sizes)[:records]
    start, end = np.searchsorted(entity, entity), np.searchsorted(entity, entity, side="right")
    left = np.repeat(np.arange(records), 11)
    slot = np.tile(np.arange(11), records)
    inside = start[left] + (left - start[left] + 1 + slot) % (end[left] - start[left])
    right = np.where(slot < (end - start)[left] - 1, inside, chance.integers(0, records, left.size))
    bounds = np.searchsorted(entity, np.arange(2 * cases + 1))
    sides = [list(range(bounds[at], bounds[at + 1])) for at in range(2 * cases)]
    found = [(sides[2 * at], sides[2 * at + 1]) for at in range(cases)]
    doubtful = np.array([(u, v) for one, two in found for u in one for v in two])
    keys = np.unique(np.minimum(left, right) * records + np.maximum(left, right))
    keys = keys[keys // records != keys % records]
    mixed = doubtful[:, 0] * records + doubtful[:, 1]
    keys = np.union1d(keys, mixed)
    u, v = (keys // records).astype(np.int32), (keys % records).astype(np.int32)
    score = np.where(entity[u] == entity[v], chance.beta(20, 2, keys.size), chance.beta(2, 20, keys.size))
    score[np.isin(keys, mixed)] = chance.uniform(0.45, 0.55, mixed.size)
    ids = [f"r{at:07}" for at in range(records)]
    return Made(ids, entity, ScoredPairs(ids, u, v, score.round(6), "score"), found)


class Desk:
    """The steward's calls, counted and timed."""

    def __init__(self, server: Server) -> None:
        self.client = server.client()
        self.seconds: dict[str, list[float]] = {}
        self.actions: list[int] = []

    def call(self, name: str, method: str, path: str, body: Any = None) -> Any:
        begin = time.perf_counter()
        status, answer = self.client.call(method, path, body)
        self.seconds.setdefault(name, []).append(time.perf_counter() - begin)
        assert status in (200, 204) or (status == 404 and method == "GET"), (name, status, answer)
        return answer

    def edit(self, kind: str, groups: list[list[str]]) -> None:
        self.actions.append(self.call(kind, "POST", "/api/edits", {"kind": kind, "groups": groups})["id"])

    def keep(self, groups: list[list[str]]) -> None:
        """What is right stays as it is."""
        for first in range(0, len(groups), AT_ONCE):
            self.edit("lock", groups[first : first + AT_ONCE])

    def turn(self, kind: str, number: int) -> None:
        """Undo or redo."""
        self.call(kind, "POST", f"/api/edits/{number}/{kind}")

    def clusters(self) -> dict[str, int]:
        """The cluster of every record."""
        found: dict[str, int] = {}
        offset = 0
        while rows := self.call("clusters", "GET", f"/api/clusters?limit=1000&offset={offset}")["clusters"]:
            found |= {member: row["id"] for row in rows for member in row["members"]}
            offset += len(rows)
        return found


class Hands(Desk):
    """A steward in a browser."""

    def __init__(self, server: Server, page: Page) -> None:
        super().__init__(server)
        self._server, self._page, self._at = server, page, f"http://127.0.0.1:{server.port}"
        self._open("log in", "/login")
        page.get_by_label("Password or token").fill(TOKEN)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/progress")

    def edit(self, kind: str, groups: list[list[str]]) -> None:
        page = self._page
        self._open("open a record", f"/record?id={groups[0][0]}")
        with self._timed("go to its cluster"):
            page.locator("main .lead a").first.click()
            page.wait_for_url("**/clusters/*")
        if kind == "split":
            for record in groups[1]:
                page.get_by_label(f"Tick record {record}", exact=True).check()
            self._press("preview a split", "s", "Nothing has been changed yet")
        else:
            page.locator("#to").fill(groups[0][1])
            page.locator("main h1").click()  # keys are for the page again
            self._press("preview a join", "o", "Nothing has been changed yet")
        self.actions.append(self._number(self._press(kind, "e", "can be undone at any time")))

    def keep(self, groups: list[list[str]]) -> None:
        page = self._page
        self._open("count what is left", "/clusters?above=0.001")
        with self._timed("approve all that is left"):
            page.get_by_role("button", name=re.compile("^Approve")).click()
            said = page.get_by_text("It is number").inner_text()
        self.actions.append(self._number(said))

    def turn(self, kind: str, number: int) -> None:
        self._press(kind, "z" if kind == "undo" else "y", f"Step {number} is {kind}ne")

    def clusters(self) -> dict[str, int]:
        """As above; the server has closed the connection meanwhile."""
        self.client.close()
        self.client = self._server.client()
        return super().clusters()

    def _open(self, name: str, path: str) -> None:
        with self._timed(name):
            self._page.goto(self._at + path)

    def _press(self, name: str, key: str, until: str) -> str:
        with self._timed(name):
            self._page.keyboard.press(key)
            return self._page.get_by_text(until).inner_text()

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds.setdefault(name, []).append(time.perf_counter() - begin)

    @staticmethod
    def _number(said: str) -> int:
        found = re.search(r"It is (?:edit|number) (\d+)", said)
        assert found is not None, said
        return int(found[1])


@contextmanager
def browsing() -> Iterator[Page]:
    """A page of Chromium."""
    path = shutil.which("chromium")
    assert path, "there is no Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(120_000)
        yield page
        browser.close()


def settle(desk: Desk, data: Made, truth: list[bool]) -> None:
    """Lock what is right, and correct what is not."""
    here = desk.clusters()
    keep: list[list[str]] = []
    for (one, two), same in zip(data.cases, truth, strict=True):
        ids = [[data.ids[at] for at in side] for side in (one, two)]
        together = here[ids[0][0]] == here[ids[1][0]]
        if together == same:
            keep += [[ids[0][0]]] if same else [[ids[0][0]], [ids[1][0]]]
        elif same:
            desk.edit("join", [[ids[0][0], ids[1][0]]])
        else:
            desk.edit("split", ids)
    desk.keep(keep)


def f1(here: dict[str, int], gold: dict[str, int]) -> float:
    return pairwise_scores(here, gold).f1


def queue_holds(desk: Desk, data: Made) -> float:
    """The share of the doubtful cases among as many clusters as they have, at the head of the queue."""
    wanted = {data.ids[side[0]] for case in data.cases for side in case}
    limit, seen = len(wanted), set[str]()
    for offset in range(0, limit, 1000):
        rows = desk.call("queue", "GET", f"/api/queue?limit={min(1000, limit - offset)}&offset={offset}")["clusters"]
        seen |= {member for row in rows for member in row["members"]}
    return len(wanted & seen) / len(wanted)


class Owner:
    """An owner who has logged in, and opens pages as a browser does."""

    def __init__(self, server: Server) -> None:
        self._line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        form = {"content-type": "application/x-www-form-urlencoded"}
        self._line.request("POST", "/login", urlencode({"password": TOKEN}), form)
        answer = self._line.getresponse()
        answer.read()
        self._cookie = {"cookie": (answer.getheader("set-cookie") or "").partition(";")[0]}
        self.seconds: dict[str, list[float]] = {}
        self.soon = 0

    def open(self, name: str, path: str) -> int:
        """The status of a page; 503 if it says that it will come soon."""
        begin = time.perf_counter()
        self._line.request("GET", path, headers=self._cookie)
        answer = self._line.getresponse()
        answer.read()
        self.seconds.setdefault(name, []).append(time.perf_counter() - begin)
        assert answer.status in (200, 503), (name, path, answer.status)
        self.soon += answer.status == 503
        return answer.status

    def close(self) -> None:
        self._line.close()


def first_pages(server: Server) -> None:
    """How long it takes after a start until Progress is there, and how long each request for it waits."""
    owner = Owner(server)
    begin = time.perf_counter()
    while owner.open("progress", "/progress") == 503:
        time.sleep(0.5)
    took, most = time.perf_counter() - begin, max(owner.seconds["progress"])
    print(f"after the start, Progress is there in {took:.1f} s; no request took longer than {most:.1f} s", flush=True)
    owner.close()


def look(server: Server, data: Made, stop: threading.Event, found: dict[str, list[float]]) -> None:
    """An owner who looks at one page after the other."""
    owner, desk = Owner(server), Desk(server)
    chance = np.random.default_rng(1)
    owner.seconds = found
    while not stop.is_set():
        at = int(chance.integers(len(data.pairs.left)))
        left, right = (data.ids[int(side[at])] for side in (data.pairs.left, data.pairs.right))
        cluster = desk.call("record", "GET", f"/api/record?id={left}")["cluster"]
        for name, path in (
            ("progress", "/progress"),
            ("queue", f"/clusters?page={int(chance.integers(1, 50))}"),
            ("cluster", f"/clusters/{cluster}"),
            ("pair", f"/pair?left={left}&right={right}"),
            ("record", f"/record?id={left}"),
            ("golden record", f"/clusters/{cluster}/golden"),
            ("search", f"/search?words={quote(f'shop {chance.integers(900)}')}"),
            ("conflicts", "/conflicts"),
            ("never asked", "/candidates"),
            ("workers", "/workers"),
            ("log", "/edits"),
        ):
            owner.open(name, path)
        time.sleep(0.02)
    if owner.soon:
        print(f"{owner.soon} pages said that they would come soon", flush=True)
    owner.close()
    desk.client.close()


def watched(server: Server, data: Made, seconds: float, votes: list[Vote]) -> dict[str, list[float]]:
    """How long an owner waits, while these votes come in."""
    found: dict[str, list[float]] = {}
    stop = threading.Event()
    owner = threading.Thread(target=look, args=(server, data, stop, found))
    owner.start()
    end, client, at = time.monotonic() + seconds, server.client(), 0
    while time.monotonic() < end:
        some = votes[at : at + 100]
        at += len(some)
        if some:
            rows = [{"left": v.left, "right": v.right, "worker": v.worker, "label": v.label} for v in some]
            assert client.call("POST", "/api/votes", {"votes": rows})[0] == 200
        time.sleep(0.5)
    stop.set()
    owner.join()
    client.close()
    return found


def told(name: str, found: dict[str, list[float]]) -> None:
    every = [one for times in found.values() for one in times]
    for what, times in [*sorted(found.items()), ("all", every)]:
        p50, p99 = (1e3 * float(np.percentile(times, q)) for q in (50, 99))
        print(f"  {name:<14} {what:<20} {len(times):>5} calls  median {p50:6.0f} ms  p99 {p99:6.0f} ms", flush=True)


def run(records: int, cases: int, seed: int, seconds: float, chromium: bool) -> None:
    data = made(records, cases, seed)
    chance = np.random.default_rng((seed, 1))
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "project"
        fields = {
            "unique_id": data.ids,
            "source_dataset": [("crm", "shop", "web")[number] for number in chance.integers(0, 3, records).tolist()],
        }
        project = Project.new(folder, fields, data.pairs)
        here = {str(record): int(cluster) for record, cluster in _labels(project).items()}
        project.close()
        shutil.copytree(folder, Path(parent) / "answered")
        truth, gold = _truth(data, here, chance)
        doubtful = [(u, v) for one, two in data.cases for u in one for v in two]
        print(
            f"{records:,} records, {len(data.pairs.left):,} pairs, {len(doubtful):,} doubtful in {cases} cases; "
            f"{len(set(here.values())):,} clusters, F1 {f1(here, gold):.4f}",
            flush=True,
        )
        browser: AbstractContextManager[Page | None] = browsing() if chromium else nullcontext()
        with serving(folder) as server, browser as page:
            first_pages(server)
            desk = Desk(server) if page is None else Hands(server, page)
            before = desk.clusters()
            print(f"the head of the queue holds {queue_holds(desk, data):.0%} of the doubtful clusters", flush=True)
            settle(desk, data, truth)
            after = desk.clusters()
            print(f"{len(desk.actions)} actions; F1 {f1(after, gold):.4f}", flush=True)
            begin = time.perf_counter()
            for number in reversed(desk.actions):
                desk.turn("undo", number)
            same = _parts(desk.clusters()) == _parts(before)
            for number in desk.actions:
                desk.turn("redo", number)
            again = _parts(desk.clusters()) == _parts(after)
            print(
                f"undone: as before {same}; redone: as after {again}; {time.perf_counter() - begin:.0f} s", flush=True
            )
            told(
                "the steward",
                {name: times for name, times in desk.seconds.items() if name not in ("clusters", "log in")},
            )
            told("quiet", watched(server, data, seconds, []))
            told("while fitting", watched(server, data, seconds, _votes(data, truth, chance)))
            desk.client.close()
        with Project.open(Path(parent) / "answered") as other:
            answers = [
                Vote(data.ids[u], data.ids[v], f"w{worker}", same)
                for (one, two), same in zip(data.cases, truth, strict=True)
                for u in one
                for v in two
                for worker in range(3)
            ]
            other.add_votes(answers, "benchmark")
            other.refresh()
            answered = {str(record): int(cluster) for record, cluster in _labels(other).items()}
        print(f"{len(doubtful):,} pairs answered by three workers each: F1 {f1(answered, gold):.4f}")


def _labels(project: Project) -> dict[Any, int]:
    board = project.board()
    return dict(zip(board.records.ids, board.place.tolist(), strict=True))


def _parts(here: dict[str, int]) -> Counter[frozenset[str]]:
    groups: dict[int, list[str]] = {}
    for record, cluster in here.items():
        groups.setdefault(cluster, []).append(record)
    return Counter(frozenset(group) for group in groups.values())


def _truth(data: Made, here: dict[str, int], chance: np.random.Generator) -> tuple[list[bool], dict[str, int]]:
    """Whether the two sides of each case are the same, and the entity of every record."""
    entity = data.entity.copy()
    truth = []
    for one, two in data.cases:
        together = here[data.ids[one[0]]] == here[data.ids[two[0]]]
        truth.append(bool(together == (chance.random() < RIGHT)))
        if truth[-1]:
            entity[two] = entity[one[0]]
    return truth, dict(zip(data.ids, entity.tolist(), strict=True))


def _votes(data: Made, truth: list[bool], chance: np.random.Generator) -> list[Vote]:
    """Votes of five workers on clear pairs, wrong one time in ten."""
    rows = chance.permutation(data.pairs.left.size)[:20_000]
    found = []
    for at, row in enumerate(rows.tolist()):
        u, v = int(data.pairs.left[row]), int(data.pairs.right[row])
        same = bool(data.entity[u] == data.entity[v]) ^ (chance.random() < 0.1)
        found.append(Vote(data.ids[u], data.ids[v], f"w{at % 5}", bool(same)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="for which an owner looks at the project")
    parser.add_argument("--chromium", action="store_true", help="the steward uses a browser")
    given = parser.parse_args()
    run(given.records, given.cases, given.seed, given.seconds, given.chromium)


if __name__ == "__main__":
    main()
