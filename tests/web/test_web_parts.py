"""Small parts of the pages: numbers in words, drawings; and the commands serve and report."""

import math
import random
import re
import signal
import socket
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from shared.served import TOKEN, start
from sites import PAIRS, PEOPLE, until

from askwise import Vote
from askwise.cli import commands
from askwise.errors import StoreError
from askwise.plurals import plural
from askwise.project import Point, Project
from askwise.project.cluster_evidence import UNASKED, YES, Pairs
from askwise.web.cluster_picture import graph
from askwise.web.drawings import letter, log_odds, longest, signed_bar, split, trend
from askwise.web.snapshot import BusyError, Kept
from askwise.web.wording import ago, chance, logarithm, score, seconds

_NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=50)


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "0%"), (1.0, "100%"), (0.999999, "over 99%"), (1e-9, "under 1%"), (0.874, "87%")]
)
def test_chances_never_look_certain(p: float, text: str) -> None:
    assert chance(p) == text


def test_words() -> None:
    assert (plural(1, "vote"), plural(1200, "vote")) == ("1 vote", "1,200 votes")
    assert (logarithm(-0.01), logarithm(-1234.56)) == ("0.0", "-1,234.6")
    assert [score(value) for value in (0.934, 0.997, 1.0)] == ["0.93", "over 0.99", "1.00"]
    assert (seconds(None), seconds(4.21), seconds(300)) == ("", "4.2 s", "5 min")
    assert [ago(100.0, 100.0 + passed) for passed in (-5, 59, 61, 7200, 200_000)] == [
        *("just now", "just now", "1 minute ago", "2 hours ago", "2 days ago"),
    ]


@given(_NUMBERS, st.booleans())
def test_a_trend_stays_inside_its_picture(ys: list[float], back: bool) -> None:
    picture = str(trend("votes", ys if back else list(range(len(ys))), ys))
    points = picture.partition('class="line" points="')[2].partition('"')[0].split()
    assert len(points) == len(ys)
    for point in points:
        x, y = map(float, point.split(","))
        assert 0 <= x <= 560
        assert 0 <= y <= 220


def test_a_band_lies_around_its_line() -> None:
    picture = str(trend("F1", [0, 10, 20], [0.6, 0.8, 0.9], band=([0.2, 0.5, 0.88], [0.9, 0.95, 0.95])))
    drawn = [picture.partition(f'"{name}" points="')[2].partition('"')[0] for name in ("line", "area")]
    line, area = ([tuple(map(float, point.split(","))) for point in points.split()] for points in drawn)
    assert [x for x, _ in area] == [x for x, _ in [*line, *line[::-1]]]
    for (_, y), (_, high), (_, low) in zip(line, area[:3], area[:2:-1], strict=True):
        assert 0 <= high < y < low <= 220
    assert "F1: from 0.6 to 0.9" in picture


def _ticks(picture: str) -> list[str]:
    return re.findall(r'text-anchor="end">([^<]*)<', picture)[:-1]  # the last is of the other axis


def test_no_two_numbers_of_an_axis_are_the_same() -> None:
    assert _ticks(trend("clusters", [0, 1, 2], [53, 55, 54])) == ["53", "54", "55"]
    assert _ticks(trend("reliability", [0, 1], [-12.5, -12.0])) == [
        "-12.5",
        "-12.4",
        "-12.3",
        "-12.2",
        "-12.1",
        "-12.0",
    ]
    assert _ticks(trend("still", [0, 1], [2.0, 2.0])) == ["1", "2", "3"]


def test_drawings_escape_what_they_are_given() -> None:
    picture = str(graph(["<script>", "b"], pairs_of([(0, 1, YES, 2, 1)])))
    assert "<script>" not in picture
    assert "2 yes, 1 no" in picture
    assert [log_odds(value) for value in (math.inf, -math.inf, -0.01, 2.25)] == ["certain", "never", "+0.0", "+2.2"]
    assert 'x="0.0" y="1" width="100.0"' in str(signed_bar(-math.inf, longest([1.0, -math.inf])))
    assert trend("one point", [1.0], [1.0]) == ""
    assert "NaN" not in str(split(0, 0))


def pairs_of(rows: list[tuple[int, int, int, float, float]]) -> Pairs:
    left, right, known, yes, no = (np.array(column) for column in zip(*rows, strict=True))
    return Pairs(left, right, known, yes, no)


@pytest.mark.parametrize("size", [2, 3, 24, 25, 200, 300])
def test_a_cluster_of_any_size_stays_inside_its_picture(size: int) -> None:
    chance = random.Random(size)
    rows = [
        (one, two, chance.randrange(6), 1.0, 1.0) for one in range(size) for two in range(one) if (one * two) % 7 < 3
    ]
    names = [str(at) for at in range(size)]
    picture = str(graph(names, pairs_of([*rows, (0, 1, UNASKED, 0, 0)])))
    places = [float(one or two) for one, two in re.findall(r'(?:x\d?|y\d?|cx|cy)="([\d.]+)"|M([\d.]+) ', picture)]
    assert places
    assert all(0 <= place <= 480 for place in places)
    assert "never asked" in picture
    assert len(picture) < 500_000


def test_what_is_shown_a_little_too_long_says_when_it_is_due() -> None:
    state = [1]

    def slow() -> int:
        time.sleep(0.01)
        return state[0]

    kept = Kept(lambda: state[0], slow)
    assert (kept.get(), kept.due) == (1, False)
    state[0] = 2
    assert (kept.get(), kept.due) == (1, False)
    until(lambda: kept.due)
    assert (kept.get(), kept.due) == (2, False)
    state[0] = 3
    kept.forget()
    assert kept.get() == 3


def test_what_takes_long_is_computed_beside() -> None:
    state = [1]
    free = threading.Event()
    free.set()

    def slow() -> int:
        found = state[0]
        time.sleep(0.15)
        assert free.wait(10)
        return found

    kept = Kept(lambda: state[0], slow)
    assert kept.get() == 1
    free.clear()
    state[0] = 2
    kept.forget()
    assert kept.get() == kept.get() == 1, "nobody waits"
    free.set()
    until(lambda: kept.get() == 2)


def test_no_page_waits_for_what_was_quick_before_or_was_never_computed() -> None:
    """While the engine fits, what usually takes milliseconds takes seconds."""
    state, free = [1], threading.Event()

    def held_up() -> int:
        assert free.wait(30)
        return state[0]

    kept = Kept(lambda: state[0], held_up)
    begin = time.monotonic()
    with pytest.raises(BusyError):
        kept.get()
    assert time.monotonic() - begin < 5
    with ThreadPoolExecutor(1) as pool:
        program = pool.submit(kept.get, None)
        time.sleep(0.5)
        assert not program.done(), "a program waits for the first value"
        free.set()
        assert program.result(10) == kept.get() == 1
    free.clear()
    state[0] = 2
    kept.forget()
    begin = time.monotonic()
    assert kept.get() == 1
    assert time.monotonic() - begin < 5
    assert kept.busy
    free.set()
    until(lambda: kept.get() == 2)


def test_what_cannot_be_computed_is_told() -> None:
    def fails() -> int:
        raise StoreError("no store")

    kept = Kept(lambda: 1, fails)
    for _ in range(2):
        with pytest.raises(StoreError, match="no store"):
            kept.get()


def test_letters() -> None:
    assert [letter(at) for at in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_the_report_of_a_project(tmp_path: Path) -> None:
    with Project.new(tmp_path / "people", PEOPLE, PAIRS) as project:
        project.add_votes([Vote("a1", "a2", "<b>Maria", True), Vote("a1", "a2", "Jonas", False)], "test")
        project.store.add_point(Point(0, 0.0, 0, 0, 8, -9.0, 7, 0.5, 0.1, 0.8))
        project.refresh()
        status = project.status()
    out = tmp_path / "report.html"
    done = CliRunner().invoke(commands, ["report", str(tmp_path / "people"), "--out", str(out)])
    assert done.exit_code == 0, done.output
    page = out.read_text(encoding="utf-8")
    assert "&lt;b&gt;Maria" in page
    assert "<b>Maria" not in page
    assert f"{status.f1:.2f} ({status.f1_low:.2f} to {status.f1_high:.2f})" in page
    assert "Expected F1 against votes" in page
    said = CliRunner().invoke(commands, ["status", str(tmp_path / "people")]).output
    assert f"{status.f1:.2f} ({status.f1_low:.2f} to {status.f1_high:.2f})" in said


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(commands, ["serve", str(tmp_path), "--port", port])
    assert "choose another with --port" in str(done.exception)
    assert "\n" not in str(done.exception)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_server_stops_cleanly(tmp_path: Path, stop: signal.Signals, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "people"
    with Project.new(folder, PEOPLE, PAIRS):
        pass
    server = start(folder)
    client = server.client()
    task = client.call("POST", "/api/tasks", {"worker": "ann"})[1]
    answer = {"worker": "ann", "answer": "yes"}
    assert client.call("POST", f"/api/tasks/{task['id']}/answer", answer)[0] == 200
    # A request that is under way when the signal comes is answered.
    slow = socket.create_connection(("127.0.0.1", server.port), 20)
    body = b'{"worker": "ann"}'
    head = (
        f"POST /api/tasks HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    slow.sendall(head.encode() + body[:3])
    time.sleep(0.2)
    server.process.send_signal(stop)
    time.sleep(0.2)
    slow.sendall(body[3:])
    assert slow.recv(12) == b"HTTP/1.1 200"
    slow.close()
    client.close()
    assert server.process.wait(30) == 0
    server.stop()
    assert capfd.readouterr().err == ""
    assert not (folder / "votes.sqlite-wal").exists()
    with sqlite3.connect(folder / "votes.sqlite") as alone:
        assert alone.execute("SELECT count(*) FROM votes").fetchone() == (1,)
    alone.close()
