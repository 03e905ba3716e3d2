"""A real server in a process of its own, and workers who are real HTTP clients; for benchmarks and tests."""

from __future__ import annotations

import http.client
import json
import os
import queue
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

TOKEN = "token-of-the-owner"


class Client:
    """One connection that is kept, with a token. Answers are (status, decoded JSON)."""

    def __init__(self, port: int, token: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), 60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")
        self._headers = f"host: 127.0.0.1\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n"

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        # http.client takes as long for an answer as the server, and both share the cores.
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\n{self._headers}content-length: {len(content)}\r\n\r\n"
        self._socket.sendall(head.encode() + content)
        status = self._answers.readline()
        if not status:
            raise ConnectionError("the server has closed the connection")
        length = 0
        while (line := self._answers.readline()) not in (b"\r\n", b""):
            if line[:15].lower() == b"content-length:":
                length = int(line[15:])
        text = self._answers.read(length)
        if len(text) < length:
            raise ConnectionError("the server has closed the connection")
        return int(status.split()[1]), json.loads(text) if text else None

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@dataclass
class Server:
    """A running `askwise serve`."""

    process: subprocess.Popen[str]
    port: int

    def client(self, token: str = TOKEN) -> Client:
        return Client(self.port, token)

    def cpu_seconds(self) -> float:
        """Of the server's process, so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """As a crash would."""
        self.process.kill()
        self._end(20)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self._end(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def _end(self, seconds: float) -> None:
        self.process.wait(seconds)
        if self.process.stdout is not None:
            self.process.stdout.close()


def start(folder: Path, port: int = 0) -> Server:
    """Start a server, and wait until it listens."""
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "serve", str(folder), "--port", str(port)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "ASKWISE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith("Askwise is at "):
        process.kill()
        raise RuntimeError(f"the server did not start: {line!r}")
    server = Server(process, int(line.rstrip().rstrip("/").rpartition(":")[2]))
    for _ in range(600):
        with suppress(OSError):
            client = server.client()
            client.call("GET", "/api/openapi.json")
            client.close()
            return server
        time.sleep(0.05)
    raise RuntimeError("the server does not answer")


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    server = start(folder)
    try:
        yield server
    finally:
        server.stop()


def invite(server: Server, workers: int) -> list[str]:
    """A token for each worker."""
    owner = server.client()
    tokens = [owner.call("POST", "/api/invites", {"worker": f"worker {n}"})[1]["secret"] for n in range(workers)]
    owner.close()
    return tokens


@dataclass
class Load:
    """What workers saw: a time for every vote that was acknowledged, its row, and what else happened."""

    seconds: list[float] = field(default_factory=list)
    acknowledged: list[tuple[int, str, str, str]] = field(default_factory=list)
    other: Counter[str] = field(default_factory=Counter)
    elapsed: float = 0.0


def work(server: Server, tokens: list[str], duration: float, undo: float = 0.0) -> Load:
    """All workers at once: fetch a question, post the vote, repeat, for a number of seconds or until it breaks.

    A share `undo` of the answers is taken back, and the question answered again.
    """
    load = Load()
    done: queue.SimpleQueue[tuple[list[float], list[tuple[int, str, str, str]], Counter[str]]] = queue.SimpleQueue()
    begin = time.perf_counter()
    threads = [
        threading.Thread(target=_worker, args=(server.port, token, begin + duration, undo, done)) for token in tokens
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.elapsed = time.perf_counter() - begin
    for _ in threads:
        seconds, acknowledged, other = done.get()
        load.seconds += seconds
        load.acknowledged += acknowledged
        load.other += other
    return load


def _worker(port: int, token: str, until: float, undo: float, done: queue.SimpleQueue[Any]) -> None:
    seconds: list[float] = []
    acknowledged: list[tuple[int, str, str, str]] = []
    other: Counter[str] = Counter()
    client = Client(port, token)
    try:
        while (begin := time.perf_counter()) < until:
            status, task = client.call("POST", "/api/tasks", {})
            if status != 200:
                other[f"take {status}"] += 1
                time.sleep(0.05)
                continue
            said = "yes" if hash((task["left"], task["right"])) % 4 == 0 else "no"
            answer = {"answer": said, "request": f"t{task['id']}"}
            status, vote = client.call("POST", f"/api/tasks/{task['id']}/answer", answer)
            if status != 200:
                other[f"answer {status}"] += 1
                continue
            seconds.append(time.perf_counter() - begin)
            acknowledged.append((vote["id"], vote["left"], vote["right"], vote["worker"]))
            if random.random() < undo:
                status, _ = client.call("POST", "/api/undo", {})
                other[f"undo {status}"] += status != 200
    except OSError as error:
        other[type(error).__name__] += 1
    finally:
        client.close()
        done.put((seconds, acknowledged, other))


@contextmanager
def watching(server: Server, pages: Sequence[str]) -> Iterator[None]:
    """The owner has these pages open, each of which looks for news as the script of the pages does."""
    stop = threading.Event()
    threads = [threading.Thread(target=_watch, args=(server.port, page, stop)) for page in pages]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _watch(port: int, page: str, stop: threading.Event) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def fetch(
        method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer, answer.read()

    form = {"content-type": "application/x-www-form-urlencoded"}
    answer, _ = fetch("POST", "/login", urlencode({"password": TOKEN}), **form)
    cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
    version = None
    while not stop.wait(1.5):
        now = json.loads(fetch("GET", "/live", cookie=cookie)[1])["version"]
        if now != version:
            fetch("GET", page, cookie=cookie)
            version = now
    connection.close()


def kept(server: Server) -> list[dict[str, Any]]:
    """All rows of votes that the server has."""
    owner = server.client()
    rows: list[dict[str, Any]] = []
    while True:
        status, more = owner.call("GET", f"/api/votes?after={rows[-1]['id'] if rows else 0}&limit=1000")
        assert status == 200, status
        if not more:
            owner.close()
            return rows
        rows += more


@dataclass(frozen=True)
class Audit:
    """Acknowledged votes that are not there or not as they were; questions with more votes than wanted; votes twice."""

    lost: int
    over_asked: int
    twice: int


def audit(rows: list[dict[str, Any]], acknowledged: list[tuple[int, str, str, str]], wanted: int) -> Audit:
    there = {(row["id"], row["left"], row["right"], row["worker"]) for row in rows if row["action"] == "vote"}
    standing: dict[tuple[str, str], set[str]] = {}
    over_asked: set[tuple[str, str]] = set()
    twice = 0
    for row in rows:
        pair = row["left"], row["right"]
        here = standing.setdefault(pair, set())
        if row["action"] == "undo":
            here.discard(row["worker"])
            continue
        twice += row["worker"] in here
        here.add(row["worker"])
        if len(here) > wanted:
            over_asked.add(pair)
    return Audit(lost=len(set(acknowledged) - there), over_asked=len(over_asked), twice=twice)
