"""The whole loop: ask a crowd until the budget is spent or a goal is reached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from askwise.candidate_pairs import Candidate
from askwise.checks import as_number, whole_number
from askwise.crowds import Crowd
from askwise.errors import InputError
from askwise.evidence import Vote
from askwise.evidence.votes import parts_of
from askwise.resolution import Resolution
from askwise.strategies import Question


@dataclass(frozen=True, slots=True)
class Until:
    """When to stop before the budget is spent: as soon as one of these holds.

    Parameters
    ----------
    votes : int, optional
        The number of votes is at least this.
    precision, recall, f1 : float, optional
        With a probability of three quarters, the score is at least this.
    gain : float, optional
        No question is worth more than this to the strategy.

    Examples
    --------
    >>> from askwise import SimulatedCrowd, Until, resolve
    >>> gold = {number: number % 3 for number in range(12)}
    >>> crowd = SimulatedCrowd(gold, error=0.0, votes=1)
    >>> resolve(gold, crowd, budget=66, until=Until(votes=5)).asked
    5
    """

    votes: int | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    gain: float | None = None

    def __post_init__(self) -> None:
        """Check what was given."""
        if self.votes is not None:
            whole_number("votes", self.votes, 0)
        for name in ("precision", "recall", "f1"):
            if not (getattr(self, name) is None or 0.0 <= as_number(getattr(self, name)) <= 1.0):
                raise InputError(f"{name} = {getattr(self, name)!r} is not a number from 0 to 1")
        if self.gain is not None and not as_number(self.gain) >= 0.0:
            raise InputError(f"gain = {self.gain!r} is not a number of at least 0")

    def reached(self, resolution: Resolution) -> str:
        """Which condition holds, in words; empty if none does."""
        if self.votes is not None and resolution.votes.count >= self.votes:
            return f"{resolution.votes.count:,} votes have arrived"
        goals = {name: getattr(self, name) for name in ("precision", "recall", "f1") if getattr(self, name) is not None}
        if goals:
            expected, half = resolution.expected_at([0.9, 0.5])  # a quarter lies below a 50% interval
            for name, goal in goals.items():
                if getattr(half, name).low >= goal:
                    return f"the expected {name} is {getattr(expected, name)}"
        return ""

    def worthless(self, questions: list[Question]) -> bool:
        """Whether no question is worth asking."""
        return self.gain is not None and max(question.gain for question in questions) <= self.gain


class Options(TypedDict, total=False):
    """The options that `resolve` passes on to `Resolution`, which describes them."""

    strategy: str
    clustering: str
    evidence: str
    seed: int
    rules: Iterable[Any]
    gold: Iterable[tuple[Hashable, Hashable, bool]]
    shortcut: bool
    most_votes: int


def resolve(
    records: Any,
    crowd: Crowd,
    budget: int,
    batch: int = 1,
    candidates: Iterable[Candidate] | None = None,
    *,
    initial: int = 0,
    audit: float = 0.0,
    until: Until | None = None,
    progress: Callable[[Resolution], object] | None = None,
    **options: Unpack[Options],
) -> Resolution:
    """Ask a crowd, batch after batch, until the budget is spent or nothing is left to ask.

    A question that the crowd leaves unanswered counts as asked and is not asked again.

    Parameters
    ----------
    records, candidates, **options
        As for `Resolution`. With `most_votes` above 1, pairs may be asked again; use a crowd that gives one vote at a
        time.
    crowd
        Anything with a method `ask(questions)` that returns votes.
    budget : int
        How many pairs to ask in all.
    batch : int
        How many pairs to ask at a time.
    initial : int
        How many of them to draw at random first, as the paper does.
    audit : float
        The share of the questions that is drawn by chance, as a fair sample of all pairs.
    until : Until, optional
        When to stop before the budget is spent.
    progress : callable, optional
        Called with the resolution after every batch.

    Returns
    -------
    Resolution
        With all votes added.

    Raises
    ------
    InputError
        If an argument is not valid.

    Examples
    --------
    >>> from askwise import SimulatedCrowd, resolve
    >>> gold = {"ann": 1, "anne": 1, "bob": 2}
    >>> resolution = resolve(gold, SimulatedCrowd(gold, error=0.0, votes=3), budget=3)
    >>> sorted(sorted(cluster) for cluster in resolution.clustering)
    [['ann', 'anne'], ['bob']]
    """
    for name, value, least in (("budget", budget, 0), ("batch", batch, 1), ("initial", initial, 0)):
        whole_number(name, value, least)
    if not 0.0 <= as_number(audit) < 1.0:
        raise InputError(f"audit = {audit!r} is not a share from 0 to below 1")
    if not callable(getattr(crowd, "ask", None)):
        raise InputError(f"the crowd {crowd!r} has no method ask(questions)")
    if not (progress is None or callable(progress)):
        raise InputError(f"progress = {progress!r} is not a function of a Resolution")
    until = until or Until()
    resolution = Resolution(records, candidates, **options)
    if initial:
        _ask(resolution, crowd, resolution.by_chance(min(initial, budget)), progress)
    due = 0.0
    while resolution.asked < budget and not until.reached(resolution):
        wanted = min(batch, budget - resolution.asked)
        due += audit * wanted
        drawn, chosen = drawn_and_chosen(resolution, int(due), wanted)
        due -= int(due)
        if not (drawn or chosen) or (chosen and until.worthless(chosen)):
            break
        _ask(resolution, crowd, drawn + chosen, progress)
    return resolution


def drawn_and_chosen(resolution: Resolution, draws: int, k: int) -> tuple[list[Question], list[Question]]:
    """A batch of `k` questions: the new ones that an audit draws, and others that the strategy chooses."""
    drawn = resolution.audit(draws) if draws else []
    chosen = resolution.next_questions(k - len(drawn)) if len(drawn) < k else []
    pairs = {frozenset((question.left, question.right)) for question in chosen}
    return [one for one in drawn if frozenset((one.left, one.right)) not in pairs], chosen


def unanswered(questions: Iterable[Question], votes: Iterable[Vote]) -> list[Question]:
    """The questions on which there is no vote."""
    answered = {frozenset(parts_of(vote)[:2]) for vote in votes}
    return [question for question in questions if frozenset((question.left, question.right)) not in answered]


def _ask(
    resolution: Resolution,
    crowd: Crowd,
    questions: list[Question],
    progress: Callable[[Resolution], object] | None,
) -> None:
    votes = list(crowd.ask(questions))
    resolution.add_votes(votes)
    resolution.set_aside(unanswered(questions, votes))
    if progress is not None:
        progress(resolution)
