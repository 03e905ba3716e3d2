"""The server of one project."""

from __future__ import annotations

import gc
import socket
import sys
from collections.abc import Callable

import uvicorn

from askwise.errors import AskwiseError
from askwise.project import Project
from askwise.web.app import make_app

_GRACE = 5  # seconds that requests have to finish when the server stops


def run(
    project: Project, listening: socket.socket, password: str | None, token: str | None, ready: Callable[[str], None]
) -> None:
    """Serve a project until a signal comes; `ready` is told the address."""
    # Python lets a thread compute for 5 ms while others wait; with the engine beside them, answers would wait too long.
    sys.setswitchinterval(0.001)
    app = make_app(project, password=password, token=token)
    # What is loaded stays: looking through all of it for garbage, again and again, would stop everybody for 0.1 s.
    gc.collect()
    gc.freeze()
    project.start()
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,  # addresses hold secrets: invite links
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=30,
        limit_concurrency=2000,
    )
    host, port = listening.getsockname()[:2]
    ready(f"http://{_shown(host)}:{port}/")
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        gc.unfreeze()  # or libraries complain, when Python ends, about all that was never freed


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or an error that says why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once only on sockets that say that they are TCP.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise AskwiseError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another with --port"
        ) from None
    return listening


def _shown(host: str) -> str:
    return "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
