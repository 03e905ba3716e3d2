"""One job in memory: votes in, clusters up to date, next questions out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.auditing import Audits
from askwise.blocking import candidates as find_candidates
from askwise.candidate_pairs import Candidate
from askwise.checks import as_number, collection, small_seed, whole_number
from askwise.clustering.partition import Clustering, Partition
from askwise.errors import InputError
from askwise.evidence import Vote, VoteLog, checked, evidence_model, uses_machine
from askwise.evidence.common_neighbours import Listed
from askwise.evidence.machine import Machine
from askwise.evidence.scores import machine_of
from askwise.evidence.workers import WorkerQuality, worker_quality
from askwise.explaining import Explanation, explained
from askwise.frames import html_table
from askwise.graph import UncertainGraph
from askwise.matching import field_machine
from askwise.measures.candidate_recall import candidate_recall
from askwise.measures.confidence import Confidence, Confidences, Trust
from askwise.measures.estimate import Estimate
from askwise.measures.expected import ExpectedScores, expected_scores
from askwise.measures.posterior import Posterior
from askwise.parallel import Parts
from askwise.records import Records
from askwise.rules import Constraints, as_rules
from askwise.settled import Settled, rows_said
from askwise.strategies import Question, strategy_class
from askwise.tables import Table, as_table

_PER_PART = 1 << 17
"""Pairs whose evidence is computed at a time, on all cores, so that intermediate results stay in the caches."""


class Resolution:
    """One entity resolution job in memory: records and votes in, clusters and the next questions out.

    The state depends only on the inputs, the votes and the seed. It does not depend on how votes were divided into
    updates. With evidence that does not learn, it does not depend on their order either, except that a worker's later
    vote on a pair replaces the earlier one.

    Parameters
    ----------
    records
        Ids, or a table with fields: a `Table`, or anything that `Table.read` takes. A string is a path if it has a file
        ending such as `.csv`.
    candidates
        The pairs that may be asked: `ScoredPairs`, an array with two columns, or tuples (left, right) or (left, right,
        score). Either all pairs have a score or none has. By default, `candidates(records)` finds them; without fields,
        every pair is a candidate. A list without scores or fields helps to choose questions, but does not change the
        clusters.
    strategy, clustering, evidence : str
        How to choose questions, cluster, and weigh votes. docs/systems.md lists the names. "perc", "scc" and "ratio"
        are the paper's.
    seed : int
        The seed of everything random.
    rules
        What holds whatever the votes say: "differs:FIELD", "equal:FIELD", "no-duplicates:SOURCE", pairs (left, right,
        True or False), paths of files with pairs, or `Rule` objects.
    gold
        Questions with known answers, (left, right, True or False). They hold like rules, and workers who vote on them
        are measured by them.
    shortcut : bool
        Keep the clustering while the majority on a new pair agrees with it, as in the paper. Then the order of votes
        matters.
    votes
        Votes to start with. The state is that of adding them later, but it takes less time.
    machine
        What `field_machine` made of this table and these candidates, if it was kept.
    most_votes : int
        With more than 1 (strategy "wise"), a pair may be asked again until it has this many votes. Ask for one vote at
        a time then.

    Attributes
    ----------
    table : Table or None
        The records' fields, if they have any.

    Raises
    ------
    InputError
        If a name is unknown, a record, pair or vote is not valid, or rules contradict each other.

    Examples
    --------
    >>> from askwise import Resolution, Vote
    >>> resolution = Resolution(["ann", "anne", "bob"])
    >>> resolution.add_votes([Vote("ann", "anne", "worker 1", True), Vote("anne", "bob", "worker 1", False)])
    >>> [sorted(cluster) for cluster in resolution.clustering]
    [['ann', 'anne'], ['bob']]
    >>> resolution.to_ask
    1
    """

    def __init__(
        self,
        records: Any,
        candidates: Iterable[Candidate] | None = None,
        strategy: str = "wise",
        clustering: str = "scc+moves",
        evidence: str = "auto",
        seed: int = 0,
        *,
        rules: Iterable[Any] = (),
        gold: Iterable[tuple[Hashable, Hashable, bool]] = (),
        shortcut: bool = False,
        votes: Iterable[Vote] = (),
        machine: Machine | None = None,
        most_votes: int = 1,
    ) -> None:
        make_strategy = strategy_class(strategy)
        self._most_votes = whole_number("most_votes", most_votes, 1)
        if most_votes > 1 and not make_strategy.asks_again:
            raise InputError(f"most_votes = {most_votes}: {strategy!r} asks no pair again; 'wise' does")
        machine_wanted = uses_machine(evidence) and not make_strategy.votes_only
        self._seed = small_seed(seed)
        self.table = table = as_table(records)
        known = Records(records if table is None else table.ids)
        rules = as_rules(rules)
        if table is not None and candidates is None and table.compared:
            candidates = find_candidates(table, rules=rules)
        applied = Constraints.of(known, rules, table)
        applied.check()
        self.graph = UncertainGraph(known, candidates=candidates, values=applied.values)
        self.votes = VoteLog()
        machine = (machine or _machine_of(self.graph, table)) if machine_wanted else None
        listed = _listed(self.graph) if machine_wanted and machine is None else None
        if machine is not None:
            self.graph.add_candidates()
        self._settled = Settled(self.graph, applied, self.votes, rated=machine is not None)
        form = "a gold question (left, right, True or False)"
        right_answers = rows_said(self.graph, "gold", form, gold, (True, False))
        self._settled.fix_gold(right_answers)
        values = self.graph.values
        self.evidence = evidence_model(evidence, machine, right_answers, self._seed, listed, values)
        self._log(votes)
        self._assess(np.arange(self.graph.pair_count, dtype=np.int32))
        self.partition = Partition(self.graph, clustering, self._seed, shortcut)
        self._strategy = make_strategy(self.graph, self.partition, self._seed)
        self._clustering: Clustering | None = None
        self._trust = Trust(self.graph, self.partition, self._seed)
        self._audits = Audits(self.graph, self.partition, self._seed)
        self._posterior: Posterior | None = None

    def __repr__(self) -> str:
        return (
            f"Resolution({len(self.graph)} records in {self.partition.count} clusters, "
            f"{self.asked} asked, {self.to_ask} to ask)"
        )

    def _repr_html_(self) -> str:
        sizes = self.partition.size_of[self.partition.label == np.arange(self.partition.label.size)]
        several = int(np.count_nonzero(sizes > 1))
        names = "records", "clusters", "of several records", "largest", "asked", "to ask"
        values = len(self.graph), self.partition.count, several, int(sizes.max(initial=0)), self.asked, self.to_ask
        return html_table({name: [f"{value:,}"] for name, value in zip(names, values, strict=True)})

    def _assess(self, rows: Int32s) -> Int32s:
        """Compute p of some rows (in order) again. Returns those where it changed."""

        def some(first: int, last: int) -> Int32s:
            return self.graph.set_evidence(rows[first:last], self.evidence.p(self.votes, rows[first:last]))

        if rows.size <= _PER_PART:
            return some(0, rows.size)
        return np.concatenate(list(Parts().each("evidence", rows.size, _PER_PART, some)))

    def next_questions(self, k: int = 1) -> list[Question]:
        """The most useful questions, the best first.

        Asking for questions changes nothing: until votes come, the same `k` gives the same questions.

        Parameters
        ----------
        k : int
            How many questions at most. Some strategies give fewer.

        Returns
        -------
        list of Question
            Empty if there is nothing left to ask.
        """
        whole_number("k", k, 1)
        while True:
            wanted = min(k, self.to_ask) if self._most_votes == 1 else k
            questions = self._strategy.select(wanted) if wanted else []
            if not self._close_settled(questions):
                return questions

    def _close_settled(self, questions: list[Question]) -> bool:
        """Never ask questions whose answers follow from rules and decisions; returns whether there are any."""
        if not questions or not self._settled.rules:
            return False
        left, right = self.graph.records.pairs([(one.left, one.right) for one in questions])
        settled = self._settled.rules.settled(left, right) != 0
        if not settled.any():
            return False
        rows = self.graph.rows_of(left[settled], right[settled])
        self.graph.close(rows)
        self._propagate(rows, np.empty(0, np.int32))
        return True

    def settled(self, pairs: Iterable[tuple[Hashable, Hashable]]) -> list[bool | None]:
        """What rules and decisions say of pairs: True or False, and None where they say nothing."""
        left, right = self.graph.records.pairs(list(collection("pairs", pairs)))
        return [None if said == 0 else said > 0 for said in self._settled.rules.settled(left, right).tolist()]

    def by_chance(self, k: int) -> list[Question]:
        """`k` questions drawn at random from the candidates that were not asked, whatever the strategy."""
        return strategy_class("random")(self.graph, self.partition, self._seed).select(whole_number("k", k, 1))

    def add_votes(self, votes: Iterable[Vote]) -> None:
        """Add votes, all in one update.

        Parameters
        ----------
        votes : iterable of Vote
            Or plain tuples (left, right, worker, label).

        Raises
        ------
        InputError
            If a vote is not valid. Then none of them is added.
        """
        graph = self.graph
        rows, fitted = self._log(votes)
        if not rows.size:
            return
        touched = np.arange(graph.pair_count, dtype=np.int32) if fitted else np.unique(rows)
        self._propagate(touched, self.partition.update(self._assess(touched)))

    def _log(self, votes: Iterable[Vote]) -> tuple[Int32s, bool]:
        """Log votes, and fit the evidence if a fit is due after some of them (docs/model.md, "When").

        Returns the rows of the votes, and whether there was a fit.
        """
        ballots = checked(self.graph.records, votes)
        graph = self.graph
        rows = graph.mark_asked(ballots.left, ballots.right)
        to_fit = max(self.evidence.fit_at(self.votes.count + rows.size) - self.votes.count, 0)
        self.votes.add(rows[:to_fit], ballots.workers[:to_fit], ballots.labels[:to_fit])
        if to_fit:
            self.evidence.fit(self.votes, graph.pair_u, graph.pair_v)
            graph.unasked_odds = self.evidence.unasked_odds()
        self.votes.add(rows[to_fit:], ballots.workers[to_fit:], ballots.labels[to_fit:])
        if self._most_votes > 1:
            voted = np.unique(rows)
            count = np.add(*self.votes.tally(voted))
            decided = np.isin(voted, list(self._settled.decisions))
            open_still = (count > 0) & (count < self._most_votes) & ~decided
            graph.set_open(voted, np.where(open_still, 1.0 / (1.0 + count), 0.0))
        return rows, to_fit > 0

    def decide(self, answers: Iterable[tuple[Hashable, Hashable, bool | None]]) -> None:
        """Settle pairs, whatever the votes say.

        Only the clusters that the pairs touch change. Nothing is learned from decisions: they are made where something
        looks wrong, so they are no fair sample (use `gold` for that). A decided pair is not asked any more. Where
        decisions contradict each other, directly or through other records, the later one counts. Rules go before all
        decisions.

        Parameters
        ----------
        answers
            Tuples (left, right, True or False); None takes a decision back.

        See Also
        --------
        overruled : The decisions that do not count.
        """
        form = "an answer (left, right, True, False or None)"
        said = rows_said(self.graph, "answers", form, answers, (True, False, None))
        decisions = {row: same for row, same in self._settled.decisions.items() if row not in said}
        self._redecide(decisions | {row: same for row, same in said.items() if same is not None}, set(said))

    def set_decisions(self, answers: Iterable[tuple[Hashable, Hashable, bool]]) -> None:
        """Replace all decisions by these, in this order."""
        form = "an answer (left, right, True or False)"
        said, old = rows_said(self.graph, "answers", form, answers, (True, False)), self._settled.decisions
        self._redecide(said, {row for row in {*said, *old} if said.get(row) is not old.get(row)})

    def _redecide(self, decisions: dict[int, bool], said: set[int]) -> None:
        rows = self._settled.redecide(decisions, said)
        if rows.size:
            self._propagate(rows, self.partition.update(self._assess(rows)))

    @property
    def overruled(self) -> list[tuple[Hashable, Hashable, bool]]:
        """The decisions that do not count because a rule or a later decision contradicts them."""
        ids, graph, decisions = self.graph.records.ids, self.graph, self._settled.decisions
        lost = self._settled.overruled()
        return [(ids[graph.pair_u[row]], ids[graph.pair_v[row]], decisions[row]) for row in lost]

    def explain(self, left: Hashable, right: Hashable) -> Explanation:
        """Why two records are together or apart.

        Parameters
        ----------
        left, right
            The ids of two records.

        Returns
        -------
        Explanation
            The log-odds of the pair as a sum of fields and votes, the rules that settle it, and the strongest path
            between the two records. `print` it.
        """
        parts_of = partial(self.evidence.parts, self.votes)
        return explained(self.graph, self.partition, self._settled.rules.chains, (left, right), parts_of)

    def set_aside(self, questions: Iterable[Question | tuple[Hashable, Hashable]]) -> None:
        """Never ask these questions again, whether they were answered or not. They count as asked."""
        pairs = [
            (item.left, item.right) if isinstance(item, Question) else item
            for item in collection("questions", questions)
        ]
        left, right = self.graph.records.pairs(pairs)
        rows = np.unique(self.graph.find_rows(left, right))
        known = rows.size and rows[0] >= 0
        if known and not self.graph.pair_open[rows].any():
            return
        rows = np.unique(self.graph.mark_asked(left, right))
        self.graph.set_open(rows, 0.0)
        self._propagate(rows, np.empty(0, np.int32))

    def _propagate(self, rows: Int32s, moved: Int32s) -> None:
        """Tell the strategy which rows and records changed, and forget what is out of date."""
        self._posterior = None
        self._strategy.update(rows, moved)
        self._trust.forget(rows, moved)
        if moved.size:
            self._clustering = None

    @property
    def clustering(self) -> Clustering:
        """The most likely clustering that the clusterer finds."""
        if self._clustering is None:
            self._clustering = self.partition.clustering()
        return self._clustering

    @property
    def reliability(self) -> Estimate:
        """The paper's reliability of the clustering, a base-10 logarithm."""
        return self._trust.reliability()

    @property
    def candidate_recall(self) -> float:
        """The estimated share of the matches that is among the candidates (measures/candidate_recall.py)."""
        return candidate_recall(self.graph.candidates, self.partition.label)

    def confidence(self, record: Hashable) -> Confidence:
        """How far to trust the cluster that a record is in.

        Parameters
        ----------
        record
            The id of a record.

        Returns
        -------
        Confidence
        """
        return self._trust.of_record(self.graph.records.position(record), self.posterior())

    def confidences(self) -> list[Confidence]:
        """A `Confidence` for each cluster, in the order of `clustering`; quicker than one by one."""
        return self._trust.of_each(self.posterior())

    def confidence_of(self, roots: Int64s) -> Confidences:
        """How far to trust some clusters, given by their first records, in order."""
        return self._trust.of(roots, self.posterior())

    def expected_scores(self, level: float = 0.9) -> ExpectedScores:
        """Estimated precision, recall and F1 of the clustering, without known answers.

        Pairs that may not be asked count as different, so recall refers to the candidates.

        Parameters
        ----------
        level : float
            The probability with which each interval should hold the true value. docs/experiments.md says how often the
            intervals do.

        Returns
        -------
        ExpectedScores

        Examples
        --------
        >>> from askwise import Resolution, Vote
        >>> resolution = Resolution(["ann", "anne", "bob"])
        >>> resolution.add_votes([Vote("ann", "anne", "worker 1", True)])
        >>> 0 <= resolution.expected_scores().f1.low <= 1
        True
        """
        return self.expected_at([level])[0]

    def expected_at(self, levels: Iterable[float]) -> list[ExpectedScores]:
        """`expected_scores` for several levels, for little more than the time of one."""
        return self.expecting(levels)()

    def expecting(self, levels: Iterable[float] = (0.9,)) -> Callable[[], list[ExpectedScores]]:
        """A function that computes `expected_at` for the present state, while the state may go on changing."""
        levels = list(collection("levels", levels))
        for level in levels:
            if not 0.0 < as_number(level) < 1.0:
                raise InputError(f"level = {level!r} is not a probability between 0 and 1")
        posterior, audited = self.posterior(), self._audits.answered(self.votes)
        posterior.prepare()
        return partial(expected_scores, posterior, audited, levels, self._seed)

    def audit(self, k: int) -> list[Question]:
        """Draw pairs by chance for an audit.

        Their probabilities are kept. Their votes count like any others: a crowd that is wrong on other questions is
        wrong on these too.

        Parameters
        ----------
        k : int
            How many pairs to draw.

        Returns
        -------
        list of Question
            Those of the drawn pairs that were not asked yet.
        """
        return self._audits.draw(whole_number("k", k, 1))

    def posterior(self) -> Posterior:
        """The posterior of the present state."""
        if self._posterior is None:
            self._posterior = Posterior(self.graph, self.partition, self.evidence, self.votes, self._seed)
        return self._posterior

    @property
    def audited(self) -> list[tuple[Hashable, Hashable, float]]:
        """The pairs that audits drew, each with its probability; keep them for `resume_audit`."""
        return self._audits.drawn

    def resume_audit(self, audited: Iterable[tuple[Hashable, Hashable, float]]) -> None:
        """Replace the drawn pairs by those that `audited` gave earlier."""
        self._audits.resume(audited)

    def worker_quality(self) -> list[WorkerQuality]:
        """How often each worker is wrong, estimated from all votes.

        Returns
        -------
        list of WorkerQuality
            In the order of the workers' first votes.
        """
        rows, graph = self.votes.voted(), self.graph
        weight = graph.pair_weight[: graph.pair_count]
        likely = self.evidence.likely(self.votes, graph.pair_u, graph.pair_v, weight, self.partition.label, rows)
        return worker_quality(self.votes, rows, likely)

    @property
    def asked(self) -> int:
        """How many pairs have been asked."""
        return self.graph.asked_count

    @property
    def to_ask(self) -> int:
        """How many candidates have not been asked."""
        candidates = self.graph.candidates
        if candidates.listed:
            return candidates.total - candidates.asked_count
        return candidates.total - self.asked - self.graph.closed_count


def _machine_of(graph: UncertainGraph, table: Table | None) -> Machine | None:
    """The machine's view of the candidates, if there are scores or fields."""
    candidates = graph.candidates
    if not candidates.listed:
        return None
    if table is not None and table.compared:
        return field_machine(table, candidates.left, candidates.right, candidates.score)
    if candidates.score is None:
        return None
    return machine_of(candidates.score, candidates.left, candidates.right, len(graph))


def _listed(graph: UncertainGraph) -> Listed | None:
    """Features of the list of candidates, if they are listed."""
    candidates = graph.candidates
    if not candidates.left.size:
        return None
    return Listed(candidates.left, candidates.right, len(graph), graph.candidate_numbers)
