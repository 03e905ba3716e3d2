"""What each part of the evidence adds: tables of the experiment from the paper's system to ours."""

from __future__ import annotations

import numpy as np

from askwise.experiments.summary import Runs, f1_after, mean_f1, questions_to, spread

LEVELS = (0.8, 0.9, 0.95)
STOPS = (0, 20, 50, 100, 200, 400, 800, 1600, 3000, 5000)


def parts_table(parts: Runs) -> tuple[list[str], list[list[str]]]:
    """Questions to an F1, the best F1, and the mean F1 up to where the shortest of a dataset's runs ended."""
    rows = []
    for (dataset, system), runs in parts.items():
        until = min(run[-1].questions for (other, _), many in parts.items() if other == dataset for run in many)
        best = [max(point.f1 for point in run) for run in runs]
        rows.append(
            [
                dataset,
                system,
                *(str(spread([questions_to(run, level) for run in runs])) for level in LEVELS),
                f"{np.mean(best):.3f} ± {np.std(best):.3f}",
                f"{np.mean([mean_f1(run, until) for run in runs]):.3f}",
                f"{np.mean([run[-1].f1 for run in runs]):.3f}",
            ]
        )
    return ["dataset", "system", *(f"to F1 {level}" for level in LEVELS), "best F1", "mean F1", "F1 at the end"], rows


def stops_table(parts: Runs) -> tuple[list[str], list[list[str]]]:
    """F1 after some numbers of questions, and the lowest from 100 on."""
    rows = []
    for (dataset, system), runs in parts.items():
        last = max(run[-1].questions for run in runs)
        cells = [f"{np.mean([f1_after(run, stop) for run in runs]):.3f}" if stop <= last else "" for stop in STOPS]
        late = [point.f1 for run in runs for point in run if point.questions >= 100]
        rows.append([dataset, system, *cells, f"{min(late):.3f}" if late else ""])
    return ["dataset", "system", *(f"{stop:,}" for stop in STOPS), "lowest from 100 on"], rows
