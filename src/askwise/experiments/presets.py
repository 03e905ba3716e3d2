"""What `askwise experiment` runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from askwise.errors import InputError
from askwise.experiments.bare_tables import names_of
from askwise.experiments.dataset_names import PREFIX
from askwise.experiments.runs import Plan
from askwise.experiments.systems import DEFAULT, PARTS, RULES, SYSTEMS, named_system

MAIN, BATCHES, COLD, TABLE = "main", "batches", "cold", "table"


@dataclass(frozen=True)
class Preset:
    """Datasets, runs, and batch sizes to try on one of them up to an F1.

    With `cold`, these systems are compared instead of the paper's: from no question on, in batches of `batch`, up to
    the budget for the dataset's name. With `tables`, the default system runs on these folders of real data, each a bare
    table with answers from gold.
    """

    datasets: tuple[str, ...]
    runs: int
    real: tuple[str, ...] = ()
    batch_sizes: tuple[int, ...] = ()
    batch_dataset: str = "standin:gymnastics"
    batch_target: float = 0.95
    cold: tuple[str, ...] = ()
    batch: int = 25
    budgets: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[str, ...] = ()


MOST_QUESTIONS = 15_000
"""Questions that a cold run asks at the most."""

PRESETS = {
    "quick": Preset(("standin:gymnastics", "standin:allsports,records=120,entities=40"), 2, (), (20, 40, 80)),
    "paper": Preset(
        ("standin:allsports", "standin:gymnastics", "standin:landmarks", "standin:cora"),
        10,
        ("allsports", "cora"),
        (10, 20, 40, 80, 160),
    ),
    "evidence": Preset(
        ("standin:gymnastics", "standin:landmarks", "standin:allsports", "standin:cora"),
        10,
        ("restaurant", "product", "cora", "allsports"),
        cold=tuple(PARTS),
    ),
    "asking": Preset(
        ("standin:gymnastics", "standin:landmarks", "standin:allsports"),
        10,
        ("restaurant", "product", "cora", "allsports"),
        cold=RULES,
        budgets={"restaurant": 600, "product": 3_000, "cora": 5_000, "allsports": 1_600},
    ),
    "table": Preset(
        (),
        5,
        tables=("restaurant", "product", "abt_buy_models", "amazon_google", "affiliation", "song", "cora"),
    ),
}


def _table_plans(
    preset: Preset, systems: Sequence[str], datasets: Sequence[str], runs: int, folder: Path | None
) -> list[Plan]:
    """The default system, or the systems given, on bare tables."""
    if folder is None and not datasets:
        raise InputError("this preset reads tables: name a folder of them (--data), or one (--dataset table:FOLDER)")
    names = list(datasets)
    if folder is not None:
        found = [folder / name for name in preset.tables if (folder / name / "records.csv").is_file()]
        if not found:
            raise InputError(f"{folder} has none of the tables that this preset reads: {', '.join(preset.tables)}")
        names = [name for path in found for name in names_of(path)]
    chosen = list(systems) or [DEFAULT]
    return [
        Plan(TABLE, name, system, run, cold=True, watched=False)
        for name in names
        for system in chosen
        for run in range(runs)
    ]


def _cold_plans(preset: Preset, dataset: str, systems: Sequence[str], runs: int) -> list[Plan]:
    """Scores and fields are left out where there are none; stand-ins keep their own batch size."""
    made_up = dataset.startswith(PREFIX)
    seen = [name for name in systems if not made_up or _blind(name)]
    batch = 0 if made_up else preset.batch
    budget = preset.budgets.get(Path(dataset).name, MOST_QUESTIONS)
    return [Plan(COLD, dataset, system, run, batch, budget=budget, cold=True) for run in range(runs) for system in seen]


def _blind(system: str) -> bool:
    """Whether a system is worth a run with votes only: of systems that are then equal, the last."""
    sees = named_system(system).sees
    return sees == "votes" or (sees == "scores" and system not in PARTS) or system == list(PARTS)[-1]


def plans(
    preset: Preset, systems: Sequence[str], datasets: Sequence[str], runs: int, folder: Path | None
) -> list[Plan]:
    """Every run of the preset, or of the given systems, datasets and runs; on real data too if there is any."""
    if preset.tables:
        return _table_plans(preset, systems, datasets, runs or preset.runs, folder)
    names = list(datasets) or list(preset.datasets)
    if folder is not None:
        if datasets:
            raise InputError("--data adds to a preset's datasets; with --dataset, name the folders themselves")
        real = [str(folder / name) for name in preset.real if (folder / name).is_dir()]
        if not real:
            raise InputError(
                f"{folder} has none of the folders that this preset reads: {', '.join(preset.real) or 'none'}"
            )
        names += real
    count = runs or preset.runs
    if preset.cold:
        cold = [plan for name in names for plan in _cold_plans(preset, name, list(systems) or preset.cold, count)]
        if not cold:
            raise InputError(f"{', '.join(systems)} sees more than votes, and {', '.join(names)} has only these")
        return cold
    chosen = list(systems) or list(SYSTEMS)
    main = [Plan(MAIN, name, system, run) for name in names for run in range(count) for system in chosen]
    varied = [
        Plan(BATCHES, preset.batch_dataset, system, run, size, preset.batch_target)
        for size in (preset.batch_sizes if not datasets else ())
        for run in range(count)
        for system in ("PERC", "bDENSE")
        if system in chosen
    ]
    return main + varied
