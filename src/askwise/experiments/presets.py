"""What `askwise experiment` runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askwise.errors import InputError
from askwise.experiments.runs import Plan
from askwise.experiments.systems import SYSTEMS

MAIN, BATCHES = "main", "batches"


@dataclass(frozen=True)
class Preset:
    """Datasets, runs, and the batch sizes that are varied on one of them up to an F1."""

    datasets: tuple[str, ...]
    runs: int
    real: tuple[str, ...] = ()
    batch_sizes: tuple[int, ...] = ()
    batch_dataset: str = "standin:gymnastics"
    batch_target: float = 0.95


PRESETS = {
    "quick": Preset(("standin:gymnastics", "standin:allsports,records=120,entities=40"), 2, (), (20, 40, 80)),
    "paper": Preset(
        ("standin:allsports", "standin:gymnastics", "standin:landmarks", "standin:cora"),
        10,
        ("allsports", "cora"),
        (10, 20, 40, 80, 160),
    ),
}


def plans(
    preset: Preset, systems: Sequence[str], datasets: Sequence[str], runs: int, folder: Path | None
) -> list[Plan]:
    """Every run of the preset, or of the systems, datasets and runs given instead; on real data too if there is any."""
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
    chosen = list(systems) or list(SYSTEMS)
    count = runs or preset.runs
    main = [Plan(MAIN, name, system, run) for name in names for run in range(count) for system in chosen]
    varied = [
        Plan(BATCHES, preset.batch_dataset, system, run, size, preset.batch_target)
        for size in (preset.batch_sizes if not datasets else ())
        for run in range(count)
        for system in ("PERC", "bDENSE")
        if system in chosen
    ]
    return main + varied
