"""What the site has beside docs/*.md: the README as its first page, the reference, and llms.txt. MkDocs calls this."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent


def front_page() -> str:
    """The README, with links that hold inside docs/; what is outside stays text."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    return re.sub(r"\[([^\]]+)\]\((?:[A-Z]+(?:\.md)?)\)", r"\1", text)


def reference() -> str:
    """Every command with its `--help`, and every public name with its signature and docstring."""
    import askwise
    from askwise.cli import COMMANDS, commands

    parts = ["# Reference", "", "Made from `--help` and from docstrings.", "", "## Commands", ""]
    root = click.Context(commands, info_name="askwise")
    for name in COMMANDS:
        command = commands.get_command(root, name)
        assert command is not None
        shown = command.get_help(click.Context(command, info_name=name, parent=root))
        parts += [f"### askwise {name}", "", "```text", shown, "```", ""]
    parts += ["## Public names", ""]
    for name in sorted(set(askwise.__all__) - {"__version__"}):
        parts += [f"### {name}", "", *_described(name, getattr(askwise, name)), ""]
    return "\n".join(parts)


def _described(name: str, thing: Any) -> list[str]:
    """The signature and the docstring of a public name, and of its public methods."""
    if not callable(thing):
        return ["```text", repr(thing), "```"]
    parts = ["```python", f"{name}{_signature(thing)}", "```", "", inspect.getdoc(thing) or ""]
    for method, value in vars(thing).items() if inspect.isclass(thing) else ():
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not method.startswith("_") and inspect.isfunction(plain):
            parts += ["", f"**`{method}{_signature(plain)}`**", "", inspect.getdoc(plain) or ""]
    return parts


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)"


def llms() -> str:
    """A map of the docs for language models."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    titles = [(page.name, page.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")) for page in pages]
    lines = [f"- [{title}]({name.removesuffix('.md')}.html)" for name, title in titles]
    about = "> Entity resolution with people and models who make mistakes: a Python library and a server."
    return "\n".join(["# Askwise", "", about, "", "## Docs", "", *lines, "- [Reference](reference.html)", ""])


def on_files(files: Files, config: Any) -> Files:
    """Add what is made here."""
    for name, text in {"index.md": front_page(), "reference.md": reference(), "llms.txt": llms()}.items():
        files.append(File.generated(config, name, content=text))
    return files
