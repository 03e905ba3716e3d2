"""`askwise status`: where a project stands."""

from pathlib import Path

import click

from askwise.commands.common import opened, project_folder


@click.command("status")
@project_folder
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(folder: Path, as_json: bool) -> None:
    """Show questions, votes, workers, cost, clusters and expected scores of a project."""
    import json
    from dataclasses import asdict

    with opened(folder) as project:
        status = project.status()
    if as_json:
        click.echo(json.dumps(asdict(status)))
        return
    lines = [
        ("project", status.name + (" (paused)" if status.paused else "")),
        ("records", f"{status.records:,}"),
        ("pairs asked", f"{status.asked:,}, {status.to_ask:,} candidates left"),
        ("candidates", f"{status.candidates:,}, with about {status.candidate_recall:.0%} of the matches"),
        ("questions open", f"{status.open_questions:,}, {status.held:,} with workers now"),
        ("votes", f"{status.votes:,}" + ("" if status.budget is None else f" of {status.budget:,}")),
        ("workers", f"{status.workers:,}"),
        ("cost", f"{status.cost:,.2f} {status.currency}".strip()),
        ("clusters", f"{status.clusters:,}"),
        ("reliability", f"{status.reliability:,.1f}, {status.assumed:,} assumed"),
        ("expected F1", f"{status.f1:.2f} ({status.f1_low:.2f} to {status.f1_high:.2f}), without known answers"),
        ("precision", f"{status.precision_low:.2f} to {status.precision_high:.2f} expected"),
        ("recall", f"{status.recall_low:.2f} to {status.recall_high:.2f} expected"),
    ]
    for name, value in lines:
        click.echo(f"{name:<15} {value}")
