"""The server of a project."""

from __future__ import annotations

import gc
import resource
import socket
import sys
from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

import uvicorn
from starlette.types import ASGIApp

from askwise.errors import AskwiseError, InputError
from askwise.project import Project
from askwise.web.connections import limited

_GRACE = 5  # seconds that requests have to finish when the server stops


def run(project: Project, listening: socket.socket, config: uvicorn.Config, ready: Callable[[], None]) -> None:
    """Serve a project until a signal comes; `ready` is called when it starts."""
    # Python lets a thread compute for 5 ms while others wait; with the engine beside them, answers would wait too long.
    sys.setswitchinterval(0.001)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a connection is a file
    # What is loaded stays: looking through all of it for garbage, again and again, would stop all requests for 0.1 s.
    gc.collect()
    gc.freeze()
    project.start()
    ready()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        gc.unfreeze()  # or libraries complain, when Python ends, about all that was never freed


def configuration(app: ASGIApp, proxies: Sequence[str] = ()) -> uvicorn.Config:
    """The server's configuration. Forwarded addresses are trusted only from `proxies`."""
    networks = [_network(proxy) for proxy in proxies]

    def is_proxy(address: str) -> bool:
        try:
            return any(ip_address(address) in network for network in networks)
        except ValueError:
            return False

    return uvicorn.Config(
        app,
        http=limited(is_proxy),
        log_config=None,
        server_header=False,
        proxy_headers=bool(networks),
        forwarded_allow_ips=[str(network) for network in networks],
        timeout_graceful_shutdown=_GRACE,
        timeout_keep_alive=30,
        limit_concurrency=10_000,
    )


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise InputError(f"the proxy {text!r} is not an address like 127.0.0.1 or a network like 10.0.0.0/8") from None


def address_of(listening: socket.socket) -> str:
    """The server's address for a browser on this machine."""
    host, port = listening.getsockname()[:2]
    return f"http://{_shown(host)}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket, or raise an error that says why not."""
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
