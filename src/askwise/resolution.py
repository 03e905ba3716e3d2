"""One job in memory: votes in, clusters up to date, next questions out."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from askwise.arrays import Bools, Floats, Int32s, Int64s
from askwise.blocking import candidates as find_candidates
from askwise.blocking.parallel import Parts
from askwise.candidate_pairs import Candidate
from askwise.checks import as_number, collection, small_seed, whole_number
from askwise.clustering.partition import Clustering, Partition
from askwise.errors import InputError
from askwise.evidence import Vote, VoteLog, checked, evidence_model, uses_machine
from askwise.evidence.company import Listed
from askwise.evidence.machine import Machine
from askwise.evidence.parts import RULE, Part
from askwise.evidence.scores import machine_of
from askwise.evidence.workers import WorkerQuality, worker_quality
from askwise.explaining import Explanation, Link, strongest_path
from askwise.frames import html_table
from askwise.graph import UncertainGraph, probability
from askwise.matching import field_machine
from askwise.measures.audit import NONE_DRAWN, Drawn, draw
from askwise.measures.candidate_recall import candidate_recall
from askwise.measures.cluster_tree import REPORT, ClusterTree, log_connectivities
from askwise.measures.estimate import Estimate
from askwise.measures.expected import ExpectedScores, expected_scores
from askwise.measures.posterior import Posterior
from askwise.measures.reliability import between_clusters, total, weakest_separation, weakest_separations
from askwise.records import Records
from askwise.rules import Constraints, as_rules
from askwise.rules.decisions import standing
from askwise.strategies import ASK_AGAIN, SEE_MACHINES, Question, strategy_class
from askwise.strategies.question import named
from askwise.tables import Table, as_table

_PER_PART = 1 << 17
"""Pairs whose evidence is computed at a time, on all cores, so that intermediate results stay in the caches."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How far to trust a record's cluster.

    Attributes
    ----------
    right : float
        The probability that the cluster is right: that its most likely change is wrong (docs/model.md).
    connectivity : Estimate
        The paper's measure: the probability that the cluster holds together.
    separation : Estimate
        The smallest probability that the cluster is apart from another one; 0 if nothing was asked between the two.
    nearest
        A record of that other cluster; None if there is none.
    """

    right: float
    connectivity: Estimate
    separation: Estimate
    nearest: Hashable | None


class Confidences(NamedTuple):
    """`Confidence` for many clusters, as arrays. `nearest` is the position of a record, or -1."""

    right: Floats
    connectivity: Floats
    separation: Floats
    nearest: Int32s


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
        if most_votes > 1 and strategy not in ASK_AGAIN:
            raise InputError(f"most_votes = {most_votes}: {strategy!r} asks no pair again; {', '.join(ASK_AGAIN)} does")
        machine_wanted = uses_machine(evidence) and strategy in SEE_MACHINES
        self._seed = small_seed(seed)
        table = as_table(records)
        known = Records(records if table is None else table.ids)
        rules = as_rules(rules)
        if table is not None and candidates is None and table.compared:
            candidates = find_candidates(table, rules=rules)
        self._rules = Constraints.of(known, rules, table)
        self._rules.check()
        self.graph = UncertainGraph(known, candidates=candidates, values=self._rules.values)
        self.votes = VoteLog()
        self._machine = (machine or self._machine_of(table)) if machine_wanted else None
        listed = self._listed() if machine_wanted and self._machine is None else None
        if self._machine is not None:
            self.graph.add_candidates()
        self._settle()
        right_answers = self._rows_said("gold", "a gold question (left, right, True or False)", gold, (True, False))
        self._fix_gold(right_answers)
        values = self.graph.values
        self.evidence = evidence_model(evidence, self._machine, right_answers, self._seed, listed, values)
        self._decisions: dict[int, bool] = {}
        self._decided: dict[int, bool] = {}  # those that count
        self._closed: set[int] = set()  # rows that are not asked only because they are decided
        self._all_rules = self._rules  # and the decisions that count
        self._log(votes)
        self._assess(np.arange(self.graph.pair_count, dtype=np.int32))
        self._partition = Partition(self.graph, clustering, self._seed, shortcut)
        self._strategy = make_strategy(self.graph, self._partition, self._seed)
        self._clustering: Clustering | None = None
        self._log_connectivity: dict[int, Estimate] = {}
        self._audit = NONE_DRAWN
        self._posterior: Posterior | None = None

    def __repr__(self) -> str:
        return (
            f"Resolution({len(self.graph)} records in {self._partition.count} clusters, "
            f"{self.asked} asked, {self.to_ask} to ask)"
        )

    def _repr_html_(self) -> str:
        sizes = self._partition.size_of[self._partition.label == np.arange(self._partition.label.size)]
        several = int(np.count_nonzero(sizes > 1))
        names = "records", "clusters", "of several records", "largest", "asked", "to ask"
        values = len(self.graph), self._partition.count, several, int(sizes.max(initial=0)), self.asked, self.to_ask
        return html_table({name: [f"{value:,}"] for name, value in zip(names, values, strict=True)})

    def _machine_of(self, table: Table | None) -> Machine | None:
        """The machine's view of the candidates, if there are scores or fields."""
        candidates = self.graph.candidates
        if not candidates.listed:
            return None
        if table is not None and table.compared:
            return field_machine(table, candidates.left, candidates.right, candidates.score)
        if candidates.score is None:
            return None
        return machine_of(candidates.score, candidates.left, candidates.right, len(self.graph))

    def _listed(self) -> Listed | None:
        """Features of the list of candidates, if they are listed."""
        candidates = self.graph.candidates
        if not candidates.left.size:
            return None
        return Listed(candidates.left, candidates.right, len(self.graph), self.graph.candidate_numbers)

    def _rows_said(
        self, what: str, form: str, pairs: Iterable[tuple[Hashable, Hashable, Any]], possible: tuple[bool | None, ...]
    ) -> dict[int, Any]:
        """The rows of pairs with their answers, each of which must be one of the `possible`."""
        items = list(collection(what, pairs))
        for item in items:
            if not (isinstance(item, tuple | list) and len(item) == 3 and any(item[2] is one for one in possible)):
                raise InputError(f"{item!r} is not {form}")
        said: dict[int, Any] = {}
        if items:
            left, right = self.graph.records.pairs([(one, two) for one, two, _ in items])
            rows = self.graph.rows_of(left, right, asked=False)
            for row, item in zip(rows.tolist(), items, strict=True):
                said.pop(row, None)  # the last counts, and comes last
                said[row] = item[2]
        return said

    def _settle(self) -> None:
        """Fix the pairs that rules name, and never ask what they settle."""
        graph, rules = self.graph, self._rules
        if not rules:
            return
        chained = graph.rows_of(*rules.chained, asked=False)
        named = graph.rows_of(rules.left, rules.right, asked=False)
        graph.fix(chained, 1)
        graph.fix(named, np.where(rules.same, 1, -1).astype(np.int8))
        graph.close(np.concatenate((chained, named)))
        candidates = graph.candidates
        said = rules.settled(candidates.left, candidates.right)
        settled = np.flatnonzero(said).astype(np.int32)
        if self._machine is None:
            graph.close_candidates(settled)
        else:
            graph.fix(settled, said[settled])
            graph.close(settled)

    def _fix_gold(self, answers: dict[int, bool]) -> None:
        """Let the answers to gold questions hold like rules."""
        if answers:
            graph, rows = self.graph, np.array(list(answers), np.int32)
            same = np.array(list(answers.values()), np.bool_)
            self._rules = self._rules.with_pairs(graph.pair_u[rows], graph.pair_v[rows], same, "gold question")
            self._rules.check()
            graph.fix(rows, np.array([1 if same else -1 for same in answers.values()], np.int8))

    def _assess(self, rows: Int32s) -> Int32s:
        """Give some rows (in order) the evidence that they have now. Returns those where that changed anything."""

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
        if not questions or not self._all_rules:
            return False
        left, right = self.graph.records.pairs([(one.left, one.right) for one in questions])
        settled = self._all_rules.settled(left, right) != 0
        if not settled.any():
            return False
        rows = self.graph.rows_of(left[settled], right[settled], asked=False)
        self.graph.close(rows)
        self._follow(rows, np.empty(0, np.int32))
        return True

    def settled(self, pairs: Iterable[tuple[Hashable, Hashable]]) -> list[bool | None]:
        """What rules and decisions say of pairs: True or False, and None where they say nothing."""
        left, right = self.graph.records.pairs(list(collection("pairs", pairs)))
        return [None if said == 0 else said > 0 for said in self._all_rules.settled(left, right).tolist()]

    def by_chance(self, k: int) -> list[Question]:
        """`k` questions drawn at random from the candidates that were not asked, whatever the strategy."""
        return strategy_class("random")(self.graph, self._partition, self._seed).select(whole_number("k", k, 1))

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
        self._follow(touched, self._partition.update(self._assess(touched)))

    def _log(self, votes: Iterable[Vote]) -> tuple[Int32s, bool]:
        """Log votes and learn from them; returns their pairs, and whether there was a new fit."""
        ballots = checked(self.graph.records, votes)
        graph = self.graph
        rows = graph.rows_of(ballots.left, ballots.right)
        first = max(self.evidence.fit_at(self.votes.count + rows.size) - self.votes.count, 0)
        self.votes.add(rows[:first], ballots.workers[:first], ballots.labels[:first])
        if first:
            self.evidence.fit(self.votes, graph.pair_u, graph.pair_v)
            graph.unasked_odds = self.evidence.unasked_odds()
        self.votes.add(rows[first:], ballots.workers[first:], ballots.labels[first:])
        if self._most_votes > 1:
            voted = np.unique(rows)
            count = np.add(*self.votes.tally(voted))
            decided = np.isin(voted, list(self._decisions))
            open_still = (count > 0) & (count < self._most_votes) & ~decided
            graph.reopen(voted, np.where(open_still, 1.0 / (1.0 + count), 0.0))
        return rows, first > 0

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
        said = self._rows_said("answers", form, answers, (True, False, None))
        decisions = {row: same for row, same in self._decisions.items() if row not in said}
        self._redecide(decisions | {row: same for row, same in said.items() if same is not None}, set(said))

    def set_decisions(self, answers: Iterable[tuple[Hashable, Hashable, bool]]) -> None:
        """Replace all decisions by these, in this order."""
        said = self._rows_said("answers", "an answer (left, right, True or False)", answers, (True, False))
        if list(said.items()) != list(self._decisions.items()):
            same = {row for row in {*said, *self._decisions} if said.get(row) is self._decisions.get(row)}
            self._redecide(said, {*said, *self._decisions} - same)

    def _redecide(self, decisions: dict[int, bool], said: set[int]) -> None:
        """Replace the decisions; `said` are the rows whose answer changed."""
        if not said and list(decisions) == list(self._decisions):
            return
        graph = self.graph
        before = self._decided
        self._decisions = decisions
        self._decided = now = self._standing()
        rows, counted = np.array(list(now), np.int32), np.array(list(now.values()), np.bool_)
        self._all_rules = self._rules.with_pairs(graph.pair_u[rows], graph.pair_v[rows], counted, "decision")
        self._close_decided(np.array(sorted(said), np.int32))
        rows = np.unique([*said, *(row for row in {*before, *now} if before.get(row) != now.get(row))]).astype(np.int32)
        if not rows.size:
            return
        fixed = self._rules.settled(graph.pair_u[rows], graph.pair_v[rows])
        said_now = [0 if (same := now.get(row)) is None else 1 if same else -1 for row in rows.tolist()]
        graph.fix(rows, np.where(fixed == 0, said_now, fixed).astype(np.int8))
        self._follow(rows, self._partition.update(self._assess(rows)))

    def _close_decided(self, rows: Int32s) -> None:
        """Never ask decided pairs; let pairs that no longer are be asked, unless they were asked before."""
        graph = self.graph
        decided = np.array([row in self._decisions for row in rows.tolist()], np.bool_)
        new = rows[decided & ~graph.pair_asked[rows]]
        graph.close(new)
        self._closed.update(new.tolist())
        graph.reopen(rows[decided], np.zeros(int(decided.sum())))
        back = np.array([row for row in rows[~decided].tolist() if row in self._closed], np.int32)
        self._closed.difference_update(back.tolist())
        voted = np.isin(back, self.votes.voted())
        graph.unclose(back, voted)

    def _standing(self) -> dict[int, bool]:
        """The decisions that count."""
        rows, counts = self._counting()
        return {row: self._decisions[row] for row in rows[counts].tolist()}

    def _counting(self) -> tuple[Int32s, Bools]:
        """The rows of all decisions, in order, and which of these count."""
        rows = np.array(list(self._decisions), np.int32)
        same = np.array(list(self._decisions.values()), np.bool_)
        return rows, standing(self._rules.groups, self.graph.pair_u[rows], self.graph.pair_v[rows], same)

    @property
    def overruled(self) -> list[tuple[Hashable, Hashable, bool]]:
        """The decisions that do not count because a rule or a later decision contradicts them."""
        ids, graph = self.graph.records.ids, self.graph
        rows, counts = self._counting()
        lost = rows[~counts].tolist()
        return [(ids[graph.pair_u[row]], ids[graph.pair_v[row]], self._decisions[row]) for row in lost]

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
        graph = self.graph
        u, v = (graph.records.position(end) for end in (left, right))
        pair = graph.records.pair(left, right)
        row = int(graph.find_rows(*(np.array([end], np.int32) for end in pair))[0])
        known = row >= 0 and not math.isnan(graph.pair_weight[row])
        rules = tuple(self._all_rules.chains.why(u, v))
        parts: list[Part] = []
        odds = None
        if known:
            parts = self.evidence.parts(self.votes, row)
            odds = float(graph.pair_weight[row])
        if rules:
            names = dict.fromkeys(step.rule for step in rules)
            odds = math.inf if all(step.same for step in rules) else -math.inf
            parts.append(Part(RULE, ", ".join(names), odds))
        one, two = (self._partition.members(int(self._partition.label[end])) for end in (u, v))
        together = one[0] == two[0]
        path = strongest_path(graph, one, u, v) if together else []
        ids = graph.records.ids
        links = tuple(Link(ids[start], ids[end], strength) for start, end, strength in path)
        blocked = () if together or rules else tuple(self._all_rules.chains.between(one, two))
        return Explanation(left, right, bool(together), odds, tuple(parts), rules, blocked, links)

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
        rows = np.unique(self.graph.rows_of(left, right))
        self.graph.reopen(rows, np.zeros(rows.size))
        self._follow(rows, np.empty(0, np.int32))

    def _follow(self, rows: Int32s, moved: Int32s) -> None:
        """Update the strategy, and forget what is out of date."""
        self._posterior = None
        self._strategy.update(rows, moved)
        label = self._partition.label
        if moved.size:
            self._clustering = None
        if rows.size > label.size:
            self._log_connectivity.clear()
        elif self._log_connectivity:
            touched = np.concatenate((moved, label[moved], label[self.graph.pair_u[rows]]))
            for root in np.unique(touched).tolist():
                self._log_connectivity.pop(root, None)

    @property
    def clustering(self) -> Clustering:
        """The most likely clustering that the clusterer finds."""
        if self._clustering is None:
            self._clustering = self._partition.clustering()
        return self._clustering

    @property
    def reliability(self) -> Estimate:
        """The paper's reliability of the clustering, a base-10 logarithm."""
        label = self._partition.label
        roots = np.flatnonzero((label == np.arange(label.size)) & (self._partition.size_of > 1))
        return total([*self._connects(roots), between_clusters(self.graph, label, self._partition.held)])

    @property
    def candidate_recall(self) -> float:
        """The estimated share of the matches that is among the candidates (measures/candidate_recall.py)."""
        return candidate_recall(self.graph.candidates, self._partition.label)

    def _connects(self, roots: Int64s) -> list[Estimate]:
        """The connectivity of some clusters of two or more (base-10 logarithm)."""
        known = self._log_connectivity
        new = [root for root in roots.tolist() if root not in known]
        if new:
            clusters = self._partition.members_of_each(np.array(new, np.int32))
            known.update(zip(new, log_connectivities(self.graph, *clusters, self._seed, REPORT), strict=True))
        return [known[root] for root in roots.tolist()]

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
        label = self._partition.label
        members = self._partition.members(int(label[self.graph.records.position(record)]))
        tree = ClusterTree(self.graph, members, self._seed, REPORT)
        held = self._partition.held
        separation, nearest = weakest_separation(self.graph, label, members, self._partition.count, held)
        posterior, ids = self._likely(), self.graph.records.ids
        right = float(posterior.cluster_chances(members, np.array([0, members.size], np.int64))[0])
        if nearest is not None and not separation:
            right = min(right, posterior.apart_unasked)
        return Confidence(right, tree.connectivity, separation, None if nearest is None else ids[nearest])

    def confidences(self) -> list[Confidence]:
        """A `Confidence` for each cluster, in the order of `clustering`; quicker than one by one."""
        label, ids = self._partition.label, self.graph.records.ids
        roots = np.flatnonzero(label == np.arange(label.size))
        right, connectivity, separation, nearest = (column.tolist() for column in self.confidence_of(roots))
        found = []
        for at, root in enumerate(roots.tolist()):
            log = self._log_connectivity.get(root, Estimate(0.0))
            joined = Estimate(connectivity[at], connectivity[at] * math.log(10.0) * log.standard_error)
            near = None if nearest[at] < 0 else ids[nearest[at]]
            found.append(Confidence(right[at], joined, Estimate(separation[at]), near))
        return found

    def confidence_of(self, roots: Int64s) -> Confidences:
        """How far to trust some clusters, given by their first records, in order."""
        partition = self._partition
        several = np.flatnonzero(partition.size_of[roots] > 1)
        logs = self._connects(roots[several])
        connectivity = np.ones(roots.size)
        connectivity[several] = [0.0 if log.assumed else 10.0**log for log in logs]
        chosen = roots.astype(np.int32)
        clusters = partition.members_of_each(chosen)
        separation, nearest = weakest_separations(self.graph, partition.label, partition.held, chosen)
        posterior = self._likely()
        right = posterior.cluster_chances(*clusters)
        right = np.where((nearest >= 0) & (separation == 0.0), np.minimum(right, posterior.apart_unasked), right)
        return Confidences(right, connectivity, separation, nearest)

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
        rows = self.graph.find_rows(self._audit.left, self._audit.right)
        rows = rows[rows >= 0]
        answered = (np.add(*self.votes.tally(rows)) > 0) | (self.graph.pair_fixed[rows] != 0)
        posterior, audited = self._likely(), int(answered.sum())
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
        seed = self._seed, self._audit.left.size
        drawn = draw(self.graph, self._partition, whole_number("k", k, 1), seed)
        self._audit = self._audit.with_more(drawn)
        new = ~self.graph.asked(drawn.left, drawn.right)
        left, right = np.unique(np.column_stack((drawn.left[new], drawn.right[new])), axis=0).T
        label, p = self._partition.label, self.graph.p_of(left, right)
        mistaken = np.where(label[left] == label[right], 1.0 - p, p)
        return named(self.graph, self._partition.membership, left, right, np.where(np.isnan(p), 0.5, mistaken))

    def _likely(self) -> Posterior:
        """The posterior of the present state."""
        if self._posterior is None:
            self._posterior = Posterior(self.graph, self._partition, self.evidence, self.votes, self._seed)
        return self._posterior

    @property
    def audited(self) -> list[tuple[Hashable, Hashable, float]]:
        """The pairs that audits drew, each with its probability; keep them for `resume_audit`."""
        ids = self.graph.records.ids
        columns = (column.tolist() for column in self._audit)
        return [(ids[left], ids[right], chance) for left, right, chance in zip(*columns, strict=True)]

    def resume_audit(self, audited: Iterable[tuple[Hashable, Hashable, float]]) -> None:
        """Replace the drawn pairs by those that `audited` gave earlier."""
        drawn = list(collection("audited", audited))
        left, right = self.graph.records.pairs([(one[0], one[1]) for one in drawn])
        chance = np.array([probability(one[2], one[0], one[1]) for one in drawn])
        self._audit = Drawn(left, right, chance)

    def worker_quality(self) -> list[WorkerQuality]:
        """How often each worker is wrong, estimated from all votes.

        Returns
        -------
        list of WorkerQuality
            In the order of the workers' first votes.
        """
        rows, graph = self.votes.voted(), self.graph
        weight = graph.pair_weight[: graph.pair_count]
        likely = self.evidence.likely(self.votes, graph.pair_u, graph.pair_v, weight, self._partition.label, rows)
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
