"""What `askwise experiment` runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askwise.errors import InputError
from askwise.experiments.opening import PREFIX
from askwise.experiments.runs import Plan
from askwise.experiments.systems import PARTS, SYSTEMS

MAIN, BATCHES, EVIDENCE = "main", "batches", "evidence"


@dataclass(frozen=True)
class Preset:
    """Datasets, runs, and the batch sizes that are varied on one of them up to an F1.

    With `parts`, it is not the systems of the paper that are compared, but the parts of ours: from no question on, in
    batches of `batch`, up to `budget`.
    """

    datasets: tuple[str, ...]
    runs: int
    real: tuple[str, ...] = ()
    batch_sizes: tuple[int, ...] = ()
    batch_dataset: str = "standin:gymnastics"
    batch_target: float = 0.95
    parts: bool = False
    batch: int = 0
    budget: int = 0


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
        parts=True,
        batch=25,
        budget=15_000,
    ),
}


def _part_plans(preset: Preset, dataset: str, systems: Sequence[str], runs: int) -> list[Plan]:
    """What is seen beside votes is left out where there is nothing to see; stand-ins keep their own batch size."""
    made_up = dataset.startswith(PREFIX)
    seen = [name for name in systems if not made_up or name not in ("+ scores", "+ matcher")]
    batch = 0 if made_up else preset.batch
    return [
        Plan(EVIDENCE, dataset, system, run, batch, budget=preset.budget, cold=True)
        for run in range(runs)
        for system in seen
    ]


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
    count = runs or preset.runs
    if preset.parts:
        return [plan for name in names for plan in _part_plans(preset, name, list(systems) or list(PARTS), count)]
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
