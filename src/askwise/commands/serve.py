"""`askwise serve`: the pages of a project."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import click

from askwise.commands.common import opened, project_folder
from askwise.errors import AskwiseError


@click.command("serve")
@project_folder
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 lets other machines in.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free one.")
def command(folder: Path, host: str, port: int) -> None:
    """Open the project in the browser: questions for workers, progress for the owner.

    The owner's password is taken from ASKWISE_PASSWORD, the token for programs from ASKWISE_TOKEN. If neither is set, a
    password is made up and shown. Over a network, put a proxy with HTTPS before it, on the same machine.
    """
    password, token = os.environ.get("ASKWISE_PASSWORD"), os.environ.get("ASKWISE_TOKEN")
    made_up = None if password or token else secrets.token_urlsafe(12)
    try:
        from askwise.web.server import listen, run
    except ModuleNotFoundError as error:
        raise AskwiseError(f"the pages need {error.name}: pip install 'askwise[web]'") from None

    def ready(address: str) -> None:
        click.echo(f"Askwise is at {address}")
        if made_up:
            click.echo(f"The owner's password is {made_up} (set ASKWISE_PASSWORD to choose one)")
        click.echo("Stop with Ctrl+C; nothing is lost.")

    # Ctrl+C and SIGTERM are the ways to stop, and no failure: requests finish, and the store is closed.
    with suppress(KeyboardInterrupt), listen(host, port) as listening, opened(folder) as project:
        run(project, listening, password or made_up, token, ready)
