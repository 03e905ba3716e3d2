"""Pages that are not files in docs/: the README as the start page, two references, and llms.txt. MkDocs calls this."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
FURTHER = [
    "askwise.notebook.label",
    "askwise.project.reviewing.Reviewing",
    "askwise.project.golden.GoldenRecords",
    "askwise.strategies.strategy.Strategy",
]
"""Names that are not imported from `askwise` itself, but are for users."""

WIDTH = 100
"""Characters of a signature on one line."""


def front_page() -> str:
    """The README, with links that work inside docs/. Links to other files become plain text."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("](docs/", "](")
    return re.sub(r"\[([^\]]+)\]\((?:[A-Z]+(?:\.md)?)\)", r"\1", text)


def cli() -> str:
    """Every command with its `--help`."""
    from askwise.cli import COMMANDS, commands

    parts = ["# Every command", "", "This page is made from `--help`.", ""]
    root = click.Context(commands, info_name="askwise")
    for name in COMMANDS:
        command = commands.get_command(root, name)
        assert command is not None
        shown = command.get_help(click.Context(command, info_name=name, parent=root))
        parts += [f"## askwise {name}", "", "```text", shown, "```", ""]
    return "\n".join(parts)


def api() -> str:
    """Every public name with its signature and docstring."""
    import askwise

    parts = ["# Python", "", "This page is made from docstrings. Record ids may be anything hashable.", ""]
    for name in sorted(set(askwise.__all__) - {"__version__"}):
        parts += [f"## {name}", "", *_described(name, getattr(askwise, name)), ""]
    parts += ["## Further names", "", "[Use Spark](spark.md) describes `askwise.spark.resolve_frames`.", ""]
    for path in FURTHER:
        module, _, name = path.rpartition(".")
        parts += [f"### {path}", "", *_described(name, getattr(import_module(module), name)), ""]
    return "\n".join(parts)


def _described(name: str, thing: Any) -> list[str]:
    """The signature and the docstring of a public name, and of its public methods."""
    parts = ["```python", _wrapped(f"{name}{_signature(thing)}"), "```", "", markdown(inspect.getdoc(thing) or "")]
    for method, value in vars(thing).items() if inspect.isclass(thing) else ():
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if method.startswith("_"):
            continue
        if inspect.isfunction(plain):
            parts += ["", f"**`{method}{_signature(plain)}`**", "", markdown(inspect.getdoc(plain) or "")]
        elif isinstance(plain, property):
            parts += ["", f"**`{method}`**", "", markdown(inspect.getdoc(plain) or "")]
    return parts


def _signature(thing: Any) -> str:
    """The signature, with annotations as they are written, and without `self`."""
    try:
        found = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing)))
    except (TypeError, ValueError):
        return "(...)"
    return found.replace("(self, ", "(").replace("(self)", "()").replace("(cls, ", "(")


def _wrapped(signature: str) -> str:
    """A long signature with a line for each parameter."""
    if len(signature) <= WIDTH:
        return signature
    opening, depth, lines = signature.index("("), 0, [""]
    for letter in signature[opening + 1 :]:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        lines[-1] += letter
        if letter == "," and not depth:
            lines.append("")
    end = opening + 1 + len("".join(lines))
    parameters = "\n".join(f"    {line.strip()}" for line in lines)
    return f"{signature[: opening + 1]}\n{parameters}\n{signature[end:]}"


def markdown(doc: str) -> str:
    """A docstring in numpy's style as Markdown: parameters become a list, examples a block of code."""
    text, *rest = re.split(r"^(\w[\w ]*)\n-+\n", doc, flags=re.MULTILINE)
    parts = [text.strip()]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        shown = f"```pycon\n{body.strip()}\n```" if title == "Examples" else "\n".join(_items(body))
        parts.append(f"*{title}*\n\n{shown}")
    return "\n\n".join(parts)


def _items(body: str) -> Iterator[str]:
    """The entries of a section, each on a line of a list."""
    for head, described in re.findall(r"^(\S.*)\n?((?:[ ]{4}.*\n?)*)", body, re.MULTILINE):
        name, _, kind = head.partition(" : ")
        about = " ".join(described.split())
        yield f"- `{name}`{f' ({kind})' if kind else ''}{f': {about}' if about else ''}"


def llms() -> str:
    """A map of the docs for language models."""
    pages = sorted((ROOT / "docs").glob("*.md"))
    titles = [(page.name, page.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")) for page in pages]
    titles += [("cli.md", "Every command"), ("api.md", "Every public name")]
    lines = [f"- [{title}]({name.removesuffix('.md')}.html)" for name, title in titles]
    about = "> Entity resolution with people and models who make mistakes: a Python library and a server."
    return "\n".join(["# Askwise", "", about, "", "## Docs", "", *lines, ""])


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made here."""
    for name, text in {"index.md": front_page(), "cli.md": cli(), "api.md": api(), "llms.txt": llms()}.items():
        files.append(File.generated(config, name, content=text))
    return files
