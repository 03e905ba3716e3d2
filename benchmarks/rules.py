"""What rules cost: clustering a million records with and without them; and 10,000 random rules that contradict.

python benchmarks/rules.py
"""

from __future__ import annotations

from time import process_time

import numpy as np
from signed_graphs import signed_graph

from askwise.arrays import Int32s
from askwise.clustering.partition import Partition
from askwise.evidence.regression import logistic
from askwise.graph import UncertainGraph
from askwise.records import Records
from askwise.rules import Constraints

RECORDS, SEED, REPEATS = 1_000_000, 1, 3
PAIRS = 100_000
RULES, AMONG = 10_000, 4_000


def graph_with(values: Int32s | None, fixed: int) -> UncertainGraph:
    """The graph of the benchmark of merging, with values of which a cluster has one, and a number of fixed pairs.

    The rules are what clustering finds in the graph without them, so that there is as much to merge.
    """
    made = signed_graph(RECORDS, SEED)
    graph = UncertainGraph(range(RECORDS), values=values)
    rows = graph.mark_asked(made.left, made.right)
    if fixed:
        label = PLAIN.label
        some = np.random.default_rng(SEED).choice(rows.size, fixed, replace=False)
        same = label[made.left[some]] == label[made.right[some]]
        graph.fix(rows[some], np.where(same, 1, -1).astype(np.int8))
    graph.set_evidence(rows, logistic(made.weight))
    return graph


def seconds(graph: UncertainGraph) -> float:
    """CPU time of clustering all of it, the least of some runs."""
    spent = []
    for _ in range(REPEATS):
        begin = process_time()
        Partition(graph, "scc+moves")
        spent.append(process_time() - begin)
    return min(spent)


def contradictions() -> None:
    """Random pairs that must be the same or different; each contradiction is checked step by step."""
    chance = np.random.default_rng(SEED)
    ends = chance.integers(0, AMONG, (RULES, 2))
    said = chance.random(RULES) < 0.3
    pairs = [(int(u), int(v), bool(same)) for (u, v), same in zip(ends, said, strict=True) if u != v]
    begin = process_time()
    found = Constraints.of(Records(range(AMONG)), pairs).contradictions()
    spent = process_time() - begin
    rules = {(u, v, same) for u, v, same in pairs} | {(v, u, same) for u, v, same in pairs}
    for one in found:
        steps = [*one.chain, one.but]
        assert all((step.left, step.right, step.same) in rules for step in steps)
        assert all(before.right == after.left for before, after in zip(one.chain, one.chain[1:], strict=False))
        assert (one.chain[0].left, one.chain[-1].right) == (one.but.left, one.but.right)
    longest = max(len(one.chain) for one in found)
    print(f"{len(pairs):,} random rules: {len(found):,} contradictions in {spent:.2f} s, chains of up to {longest}")


if __name__ == "__main__":
    contradictions()
    plain_graph = graph_with(None, 0)
    PLAIN = Partition(plain_graph, "scc+moves")
    size = np.bincount(PLAIN.label, minlength=RECORDS)
    first = (PLAIN.label == np.arange(RECORDS)).astype(np.int32) - 1  # 0 for the first record of a cluster, else -1
    sources: Int32s = np.where(first == 0, np.arange(RECORDS), -1).astype(np.int32)
    country: Int32s = (PLAIN.label % 200).astype(np.int32)
    country[np.random.default_rng(SEED).random(RECORDS) < 0.3] = -1
    print(
        f"{RECORDS:,} records, {plain_graph.pair_count:,} pairs, {PLAIN.count:,} clusters, the largest {size.max():,}"
    )
    plain = seconds(plain_graph)
    print(f"no rules: {plain:.2f} s of CPU time")
    for name, values, fixed in (
        ("a source without duplicates", sources[:, None], 0),
        ("two fields that may not differ", np.column_stack((country, country)), 0),
        (f"{PAIRS:,} pairs", None, PAIRS),
        ("all of these", np.column_stack((sources, country, country)), PAIRS),
    ):
        graph = graph_with(values, fixed)
        spent = seconds(graph)
        print(f"{name}: {spent:.2f} s, {spent / plain - 1.0:+.0%}")
