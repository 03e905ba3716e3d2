"""Crowds that work elsewhere, by name. A new one is a file with `OPTIONS` and `open_crowd`, and a line here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from askwise.checks import known_name
from askwise.crowds.options import read_options
from askwise.crowds.protocol import Context, DurableCrowd
from askwise.errors import CrowdError

CROWDS = {
    "llm": "askwise.crowds.llm",
    "label-studio": "askwise.crowds.label_studio",
    "terminal": "askwise.crowds.terminal",
    "csv": "askwise.crowds.csv_file",
}
"""Their modules are imported when needed."""


def module_of(name: str, modules: Mapping[str, str] = CROWDS) -> Any:
    """The module of a crowd, or an error that lists the crowds or says what to install."""
    known_name("crowd", name, modules)
    try:
        return import_module(modules[name])
    except ModuleNotFoundError as error:
        raise CrowdError(f"the crowd {name} needs {error.name}: pip install 'askwise[crowds]'") from None


def open_crowd(name: str, options: Iterable[str], context: Context) -> DurableCrowd:
    """Make a crowd, with its options as KEY=VALUE."""
    module = module_of(name)
    crowd: DurableCrowd = module.open_crowd(read_options(module.OPTIONS, options), context)
    return crowd
