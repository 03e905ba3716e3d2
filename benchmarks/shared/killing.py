"""A server that is killed in the middle of load, again and again, and what must hold afterwards."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from askwise.project import Project
from askwise.project.doctor import examine
from shared.load_project import WANTED
from shared.served import Server, audit, invite, kept, start, work


def killed_under_load(folder: Path, times: int, workers: int, seed: int = 0) -> int:
    """Kill the server repeatedly; returns how many votes were acknowledged. Fails if anything is wrong."""
    chance = random.Random(seed)
    server = start(folder)
    try:
        tokens = invite(server, workers)
        acknowledged: list[tuple[int, str, str, str]] = []
        edits: list[dict[str, Any]] = []
        for number in range(1, times + 1):
            acknowledged += work(server, tokens[:1], 0.1).acknowledged  # it is at work
            edits += edit(server, random.Random(-number), most=1)
            timer = threading.Timer(chance.uniform(0.3, 1.5), server.kill)
            timer.start()
            with ThreadPoolExecutor(1) as pool:
                editing = pool.submit(edit, server, random.Random(number))
                load = work(server, tokens, 30.0, undo=0.2)
                edits += editing.result()
            timer.join()
            assert load.acknowledged, f"kill {number} came before any vote"
            acknowledged += load.acknowledged
            server = start(folder)
            rows = kept(server)
            found = audit(rows, acknowledged, WANTED)
            assert (found.lost, found.over_asked, found.twice) == (0, 0, 0), found
            check_edits(server, edits)
            everyone_gets_a_question(server, tokens)
            told = f"{len(acknowledged):,} votes and {len(edits):,} edits acknowledged"
            print(f"kill {number:>3}: {told}, {len(rows):,} rows in the store", flush=True)
        equals_a_rebuild(server, folder)
        assert all(finding.good for finding in examine(folder))
        return len(acknowledged)
    finally:
        server.stop()


def edit(server: Server, chance: random.Random, most: float = inf) -> list[dict[str, Any]]:
    """Decide about pairs, and undo some of that, until the server is gone; the events that were acknowledged."""
    told: list[dict[str, Any]] = []
    client = server.client()
    with suppress(OSError):
        while len(told) < most:
            one = chance.randrange(290)
            pair = {
                "left": f"r{one:06}",
                "right": f"r{one + chance.randrange(1, 10):06}",
                "same": chance.random() < 0.5,
            }
            status, event = client.call("POST", "/api/decisions", pair)
            assert status == 200, event
            told.append(event)
            if chance.random() < 0.4:
                status, event = client.call("POST", f"/api/edits/{event['id']}/undo")
                assert status == 200, event
                told.append(event)
    client.close()
    return told


def check_edits(server: Server, told: list[dict[str, Any]]) -> None:
    """Acknowledged edits are there as they were told, and none is undone twice."""
    client = server.client()
    there: list[dict[str, Any]] = []
    while not there or there[-1]["id"] > 1:
        status, more = client.call("GET", f"/api/events?limit=1000&before={there[-1]['id'] if there else 2**62}")
        assert status == 200, more
        if not more:
            break
        there += more
    client.close()
    known = {event["id"]: event for event in there}
    assert all(known.get(event["id"]) == event for event in told), "an edit is lost"
    undone = [event["data"]["edit"] for event in there if event["kind"] == "undo"]
    assert len(undone) == len(set(undone)), "an edit is undone twice"


def everyone_gets_a_question(server: Server, tokens: list[str]) -> None:
    """No one waits for a lease that the crash left behind."""
    for token in tokens:
        client = server.client(token)
        status, _ = client.call("POST", "/api/tasks", {})
        client.close()
        assert status == 200, status


def equals_a_rebuild(server: Server, folder: Path) -> None:
    """The server's clusters are those of the inputs and votes alone."""
    client = server.client()
    rows = client.call("GET", "/api/votes?limit=1&after=0")[1]
    assert rows
    for _ in range(200):  # the engine follows in the background
        first = client.call("GET", "/api/clusters?limit=1000")[1]
        with Project.open(folder) as rebuilt:
            fresh = [(row.id, list(row.members)) for row in rebuilt.clusters()[:1000]]
        if fresh == [(row["id"], row["members"]) for row in first["clusters"]]:
            client.close()
            return
        time.sleep(0.2)
    raise AssertionError("the server's clusters are not those of a rebuild")
