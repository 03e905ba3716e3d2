"""Made-up jobs on which models and people vote."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean

from askwise import SimulatedCrowd, pairwise_scores
from askwise.asking.pairs_to_ask import Among
from askwise.asking.runner import Rules, Run
from askwise.crowds.protocol import Order, Reply
from askwise.project import Project
from shared.soft_model import SoftModel

RECORDS = 80
MODEL_ERROR, PEOPLE_ERROR, VOTES = 0.15, 0.10, 3
MOST_ALONE, MOST_MIXED, STEP = 450, 150, 15
"""Human votes at the most, and questions between two measurements."""

WAYS = (
    "people alone",
    "after a model",
    "after a model that knows how sure it is, but says yes and no",
    "after the same model's probabilities",
)
LEVELS = (0.8, 0.9, 0.95, 0.98)


class Simulated:
    """A simulated crowd that is asked like any other."""

    lasts, waits = False, True

    def __init__(self, name: str, crowd: SimulatedCrowd | SoftModel, room: int) -> None:
        self.name = name
        self.given = 0
        self._crowd = crowd
        self._room = room
        self._replies: list[Reply] = []

    @property
    def room(self) -> int:
        return self._room if not self._replies else 0

    def estimate(self, order: Order) -> float:
        return 0.0

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        for order in orders:
            votes = self._crowd.answers(order.left, order.right)
            self.given += len(votes)
            for at, vote in enumerate(votes):
                done, worker = at == len(votes) - 1, f"{self.name}:{vote.worker}"
                self._replies.append(Reply(order.id, worker, vote.label, request=f"{order.id} {at}", done=done))
        return {}

    def collect(self, seconds: float) -> list[Reply]:
        found, self._replies = self._replies, []
        return found

    def remarks(self) -> str:
        return ""

    def close(self) -> None:
        pass


def people(gold: dict[str, int], seed: int, votes: int) -> SimulatedCrowd:
    return SimulatedCrowd(gold, PEOPLE_ERROR, votes, seed)


def plain_model(gold: dict[str, int], seed: int) -> SimulatedCrowd:
    return SimulatedCrowd(gold, MODEL_ERROR, 1, seed, workers=1, correlation=1.0)


def f1_of(project: Project, gold: dict[str, int]) -> float:
    project.refresh()
    return pairwise_scores([row.members for row in project.clusters()], gold).f1


def made_up(seed: int, scores: tuple[int, int]) -> tuple[dict[str, int], list[dict[str, object]]]:
    """Entities of four records, each easily taken for four others; and candidates, with scores that say something."""
    chance = random.Random(seed)
    entities = RECORDS // 4
    gold = {f"r{at}": at % entities for at in range(RECORDS)}
    pairs: list[dict[str, object]] = []
    for one, two in combinations(gold, 2):
        apart = (gold[one] - gold[two]) % entities
        if apart in (0, 1, 2, entities - 1, entities - 2):
            high, low = scores if apart == 0 else scores[::-1]
            pairs.append({"unique_id_l": one, "unique_id_r": two, "score": chance.betavariate(high, low)})
    return gold, pairs


def curve(project: Project, crowd: Simulated, gold: dict[str, int], most: int, votes: int, among: Among) -> list[float]:
    """F1 after every `STEP` questions, up to `most` human votes; a question gets that number of `votes`."""
    found = []
    for questions in range(STEP, most // votes + 1, STEP):
        Run(project, crowd, Rules(questions=questions, batch=STEP, among=among)).run()
        found.append(f1_of(project, gold))
    assert crowd.given <= most
    return found


def compare(seed: int, scores: tuple[int, int]) -> list[list[float]]:
    """F1 of people alone, every 45 votes; and after each of three models, and every 15 human votes that follow."""
    gold, pairs = made_up(seed, scores)
    records = [{"unique_id": record} for record in gold]
    with tempfile.TemporaryDirectory() as folder:
        with Project.new(Path(folder) / "people", records, pairs) as project:
            crowd = Simulated("people", people(gold, seed, VOTES), STEP)
            found = [curve(project, crowd, gold, MOST_ALONE, VOTES, "new")]
        models: list[SimulatedCrowd | SoftModel] = [plain_model(gold, seed)]
        models += [SoftModel(gold, seed, told) for told in (False, True)]
        for number, model in enumerate(models):
            with Project.new(Path(folder) / str(number), records, pairs) as project:
                Run(project, Simulated("model", model, 40), Rules(questions=2 * RECORDS, batch=40)).run()
                before = f1_of(project, gold)
                crowd = Simulated("people", people(gold, seed, 1), STEP)
                found.append([before, *curve(project, crowd, gold, MOST_MIXED, 1, "any")])
    return found


def mean_scores(seeds: int) -> list[dict[int, float]]:
    """The mean F1 by the number of human votes, for each of `WAYS`."""
    cases = [(seed, scores) for scores in ((4, 2), (5, 3)) for seed in range(seeds)]
    alone, *after = (
        [mean(column) for column in zip(*curves, strict=True)]
        for curves in zip(*(compare(*case) for case in cases), strict=True)
    )
    found = [{VOTES * STEP * at: value for at, value in enumerate(alone, 1)}]
    return found + [{STEP * at: value for at, value in enumerate(means)} for means in after]
