"""`askwise people`: who looks after a project, with which role, and their passwords."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from askwise.commands.common import Commands, project_folder

if TYPE_CHECKING:
    from askwise.project.people import People

_OWNER = "owner"


@click.group("people", cls=Commands)
def command() -> None:
    """People with a role: list them, add one, set a password, take a role away.

    A password is asked for, or read from the first line of the standard input. The owner's own password is what
    ASKWISE_PASSWORD says when the project is served.
    """


@command.command("list")
@project_folder
def show(folder: Path) -> None:
    """List everyone with a role in the project in FOLDER."""
    with _people(folder) as people:
        everyone = people.all()
        for one in everyone:
            how = "role taken away" if one.ended is not None else "with a password" if one.password else "by a link"
            click.echo(f"{one.name}  {one.role}, {how}")
        if not everyone:
            click.echo("there is no one but the owner", err=True)


@command.command("add")
@project_folder
@click.argument("name")
@click.argument("role", type=click.Choice(["steward", "reader"]))
def add(folder: Path, name: str, role: str) -> None:
    """Add NAME with a ROLE and a password to the project in FOLDER."""
    with _people(folder) as people:
        one = people.add(name, role, _asked(name), by=_OWNER)
        click.echo(f"{one.name} is a {one.role} now")


@command.command("password")
@project_folder
@click.argument("name")
def password(folder: Path, name: str) -> None:
    """Set the password of NAME; wherever they are logged in, that ends."""
    with _people(folder) as people:
        people.set_password(name, _asked(name), by=_OWNER)
        click.echo(f"{name} has a new password")


@command.command("remove")
@project_folder
@click.argument("name")
def remove(folder: Path, name: str) -> None:
    """Take NAME's role away; what they did stays."""
    with _people(folder) as people:
        people.end(name, by=_OWNER)
        click.echo(f"{name} can no longer log in")


def _asked(name: str) -> str:
    """A password, typed twice or piped in."""
    if sys.stdin.isatty():
        typed: str = click.prompt(f"New password of {name}", hide_input=True, confirmation_prompt=True)
        return typed
    return sys.stdin.readline().rstrip("\r\n")


@contextmanager
def _people(folder: Path) -> Iterator[People]:
    """Those of a project; its records are not loaded for that."""
    from askwise.project.checks import store_of
    from askwise.project.folder import read_about
    from askwise.project.people import People
    from askwise.project.store import Store

    about = read_about(folder)
    store = Store(store_of(folder, about))
    try:
        store.open(about.key)
        yield People(store)
    finally:
        store.close()
