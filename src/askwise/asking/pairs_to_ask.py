"""Chooses the pairs for a crowd: new ones, as the engine ranks them, or those on which votes leave doubt."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, zip_longest
from typing import Literal

import numpy as np

from askwise.project import Project
from askwise.project.values import ordered
from askwise.resolving import Until

Among = Literal["new", "doubtful", "any"]
Pair = tuple[str, str]

CLEAR = 0.95
"""A pair with clearer evidence than this that agrees with the clustering is not doubtful."""

_NO_END = Until()


def choose(
    project: Project, among: Among, k: int, skip: Collection[Pair], unanswered: int = 0, until: Until = _NO_END
) -> list[Pair]:
    """Up to `k` pairs, the most useful first, without those in `skip`; "any" alternates between doubtful and new ones.

    Doubtful ones alone would spend a vote on every pair that one vote leaves open, most of which are right, before
    asking a pair that could show what is wrong. `unanswered` says how many pairs in `skip` have no votes, so that the
    engine might choose them again. `until` says when new ones are worthless.
    """
    old = doubtful(project, k, skip) if among != "new" else []
    fresh = new(project, k, skip, unanswered, until) if among != "doubtful" else []
    turns = chain.from_iterable(zip_longest(old, fresh))
    return [pair for pair in turns if pair is not None][:k]


def new(project: Project, k: int, skip: Collection[Pair], unanswered: int = 0, until: Until = _NO_END) -> list[Pair]:
    """Pairs that were never asked; none if they are worthless."""
    found = {
        ordered(str(question.left), str(question.right)): question
        for question in project.next_questions(k + unanswered)
    }
    chosen = [pair for pair in found if pair not in skip][:k]
    return [] if not chosen or until.worthless([found[pair] for pair in chosen]) else chosen


def doubtful(project: Project, k: int, skip: Collection[Pair]) -> list[Pair]:
    """Pairs whose votes contradict the clustering, then those with the least clear evidence.

    So people are asked where models disagree with the graph: with transitivity, with scores, with each other. Pairs
    that have all wanted votes, or that a rule or decision settles, are left out.
    """
    with project.lock:
        resolution, wanted = project.resolution, project.settings.votes
        graph, votes = resolution.graph, resolution.votes
        rows = votes.voted()
        yes, no = votes.tally(rows)
        u, v = graph.pair_u[rows], graph.pair_v[rows]
        roots = resolution.clustering.roots
        together = roots[u] == roots[v]
        p = graph.pair_p[rows]
        clear = np.where(together, p, 1.0 - p)  # how far the evidence agrees with the clustering
        against = np.where(together, no >= yes, yes >= no)
        open_ = np.flatnonzero((yes + no < wanted) & (against | (clear < CLEAR)) & (graph.pair_fixed[rows] == 0))
        order = open_[np.lexsort((rows[open_], clear[open_], ~against[open_]))]
        ids = graph.records.ids
        chosen: list[Pair] = []
        for at in order.tolist():
            one, two = sorted((str(ids[u[at]]), str(ids[v[at]])))
            if (one, two) not in skip:
                chosen.append((one, two))
                if len(chosen) == k:
                    break
        return chosen
