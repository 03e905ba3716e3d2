"""`askwise rules`: rules that hold whatever the votes say."""

from pathlib import Path

import click

from askwise.commands.common import Commands, opened, project_folder
from askwise.plurals import plural


@click.group("rules", cls=Commands)
def command() -> None:
    """Add, list and withdraw rules, which hold whatever the votes say.

    A rule is differs:FIELD (records that both have a value are different if the values differ), equal:FIELD (they are
    the same if the values are equal), no-duplicates:SOURCE (no two records of that source are the same), or a file of
    pairs with the columns unique_id_l, unique_id_r and label (1: the same, 0: different).
    """


@command.command("add")
@project_folder
@click.argument("rules", nargs=-1, required=True)
def add(folder: Path, rules: tuple[str, ...]) -> None:
    """Add RULES to the project in FOLDER; if they contradict others, none is added."""
    with opened(folder) as project:
        before = {frozenset(one[:2]) for one in project.resolution.overruled}
        for number, rule in project.add_rules(rules):
            click.echo(f"rule {number}: {_shown(rule.name, len(rule.pairs))}")
        overruled = [one for one in project.resolution.overruled if frozenset(one[:2]) not in before]
        for left, right, same in overruled:
            said = "the same" if same else "different"
            click.echo(f"overruled: you decided that {left} and {right} are {said}", err=True)
        click.echo(f"{folder}: {plural(len(project.rules()), 'rule')}, {len(project.resolution.clustering):,} clusters")


@command.command("list")
@project_folder
def show(folder: Path) -> None:
    """List the rules of the project in FOLDER."""
    with opened(folder) as project:
        rules = project.rules()
        for number, rule in rules:
            click.echo(f"{number:>4}  {_shown(rule.name, len(rule.pairs))}")
        if not rules:
            click.echo("there are no rules", err=True)


@command.command("withdraw")
@project_folder
@click.argument("numbers", nargs=-1, required=True, type=int)
def withdraw(folder: Path, numbers: tuple[int, ...]) -> None:
    """Withdraw the rules with these NUMBERS from the project in FOLDER."""
    with opened(folder) as project:
        project.withdraw_rules(numbers)
        click.echo(f"{folder}: {plural(len(project.rules()), 'rule')}, {len(project.resolution.clustering):,} clusters")


def _shown(name: str, pairs: int) -> str:
    return f"{name} ({plural(pairs, 'pair')})" if pairs else name
