"""`askwise serve`: serve the pages of a project."""

import logging
import os
import secrets
from contextlib import suppress
from pathlib import Path

import click

from askwise.commands.common import opened, project_folder
from askwise.errors import AskwiseError


@click.command("serve")
@project_folder
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 admits other machines."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 means any free port.")
@click.option(
    "--public",
    envvar="ASKWISE_PUBLIC",
    help="The address that people use, such as https://votes.example.org.  [default: where it listens]",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    envvar="ASKWISE_PROXIES",
    help="The address or network of a trusted proxy; may be repeated.",
)
@click.option("--log", is_flag=True, help="Write a line of JSON for every request and event to standard error.")
def command(folder: Path, host: str, port: int, public: str | None, proxies: tuple[str, ...], log: bool) -> None:
    """Serve the project in the browser: questions for workers, progress and review for you.

    The owner's password is read from ASKWISE_PASSWORD, the token for programs from ASKWISE_TOKEN. If neither is set,
    Askwise makes up a password and shows it. Over a network, put an HTTPS proxy in front, and name both with --public
    and --proxy (or ASKWISE_PUBLIC and ASKWISE_PROXIES).
    """
    password, token = os.environ.get("ASKWISE_PASSWORD"), os.environ.get("ASKWISE_TOKEN")
    made_up = None if password or token else secrets.token_urlsafe(12)
    try:
        from askwise.web.app import make_app
        from askwise.web.logs import JsonLines, PlainLines, Seldom
        from askwise.web.server import address_of, configuration, listen, run
    except ModuleNotFoundError as error:
        raise AskwiseError(f"the pages need {error.name}: pip install 'askwise[web]'") from None
    lines = logging.StreamHandler()
    lines.setFormatter(JsonLines() if log else PlainLines())
    lines.addFilter(Seldom())
    logging.basicConfig(level=logging.INFO if log else logging.WARNING, handlers=[lines])

    # Ctrl+C and SIGTERM are the ways to stop, and no failure: requests finish, and the store is closed.
    with suppress(KeyboardInterrupt), listen(host, port) as listening, opened(folder) as project:
        if project.store.read_only:
            raise AskwiseError(f"{folder} cannot be written to, so votes could not be saved; check who owns it")
        address = address_of(listening)

        def ready() -> None:
            click.echo(f"Askwise is at {address}/")
            if made_up:
                click.echo(f"The owner's password is {made_up} (set ASKWISE_PASSWORD to choose one)")
            click.echo("Stop with Ctrl+C; nothing is lost.")

        app = make_app(project, password=password or made_up, token=token, public=public or address)
        run(project, listening, configuration(app, proxies), ready)
