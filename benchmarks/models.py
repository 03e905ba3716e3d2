"""Questions to a model that answers at once, on loopback: what our side of the work takes."""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from shared.made_things import made_project, truth
from shared.model_server import Model, serving

from askwise.asking.runner import Rules, Run, context_of
from askwise.crowds.registry import open_crowd


def _server(pipe: Connection) -> None:
    with serving(Model(truth)) as address:
        pipe.send(address)
        pipe.recv()


def main(questions: int = 10_000, concurrency: int = 64) -> None:
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_server, args=(there,), daemon=True)
    server.start()
    address = here.recv()
    with tempfile.TemporaryDirectory() as folder, made_project(Path(folder) / "p", 500, 4, near=12) as project:
        options = ["model=instant", f"url={address}", f"concurrency={concurrency}"]
        crowd = open_crowd("llm", options, context_of(project))
        Run(project, crowd, Rules(questions=10)).run()  # compiles the engine
        begin = time.perf_counter()
        tally = Run(project, crowd, Rules(questions=10 + questions)).run()
        seconds = time.perf_counter() - begin
        crowd.close()
    rate = tally.votes / seconds
    print(f"{tally.votes:,} questions at concurrency {concurrency}: {seconds:.1f} s, {rate:,.0f} a second")
    here.send("stop")
    server.join(10)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
