"""Datasets by name: a folder, `table:FOLDER` or `standin:NAME`.

The last two may have options, as in `table:data/shops,error=0.1` or `standin:cora,error=0.2,correlation=0.5`.
"""

from dataclasses import fields, replace
from pathlib import Path

from askwise.errors import InputError
from askwise.experiments import bare_tables
from askwise.experiments.dataset import Dataset
from askwise.experiments.dataset_folder import read_folder
from askwise.experiments.standins import Options, standin

PREFIX = "standin:"


def open_dataset(name: str, seed: int) -> Dataset:
    """Open a dataset by name. Stand-ins and simulated answers differ with every seed."""
    if name.startswith(bare_tables.PREFIX):
        return bare_tables.open_table(name, seed)
    if not name.startswith(PREFIX):
        return read_folder(Path(name))
    kind, *settings = name.removeprefix(PREFIX).split(",")
    return replace(standin(kind, seed, _options(settings)), name=name)


def _options(settings: list[str]) -> Options:
    kinds = {field.name: float if "float" in str(field.type) else int for field in fields(Options)}
    values: dict[str, float] = {}
    for setting in settings:
        key, _, text = setting.partition("=")
        if key not in kinds:
            raise InputError(f"stand-ins have no option {key!r}; choose one of: {', '.join(sorted(kinds))}")
        try:
            values[key] = kinds[key](text)
        except ValueError:
            raise InputError(f"stand-in option {setting!r}: {text!r} is not a number") from None
    return Options(**values)  # type: ignore[arg-type]
