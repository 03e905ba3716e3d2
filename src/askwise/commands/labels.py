"""`askwise labels`: labels for pairs, for Splink, dedupe and crowd-kit."""

from pathlib import Path

import click

from askwise.commands.common import format_option, formulas_option, opened, out_option, project_folder, write


@click.command("labels")
@project_folder
@out_option
@format_option
@formulas_option
@click.option(
    "--for", "tool", type=click.Choice(["splink", "crowd-kit", "dedupe"]), default="splink", show_default=True
)
def command(folder: Path, out: Path | None, form: str | None, formulas: bool, tool: str) -> None:
    """Write every pair with votes and the probability that it is the same, as Splink's clerical labels.

    With --for crowd-kit: every valid vote, as task, worker, label. With --for dedupe: a training.json with the pairs
    that are probably the same (match) and those that are probably different (distinct).
    """
    with opened(folder) as project:
        from askwise.project.exports import crowd_kit_columns, label_columns, training_pairs

        if tool != "dedupe":
            write((crowd_kit_columns if tool == "crowd-kit" else label_columns)(project), out, form, formulas)
            return
        import json

        text = json.dumps(training_pairs(project), ensure_ascii=False, default=str)
        if out is None:
            click.echo(text)
        else:
            out.write_text(text, encoding="utf-8")
            click.echo(f"wrote {out}", err=True)
