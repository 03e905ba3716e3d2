"""Choosing from one cluster: ours against Algorithm 1 taken literally."""

from itertools import combinations

import numpy as np
from literal import Probabilities, best_within
from timing import seconds

from askwise.graph import UncertainGraph
from askwise.measures.cluster_tree import RANKING, best_pairs

TRIED = 12


def made_cluster(size: int, seed: int = 0) -> Probabilities:
    """A cluster as PERC sees it half-way: a random tree and as many further pairs again, mostly YES."""
    chance = np.random.default_rng(seed)
    tree = {(int(chance.integers(0, v)), v) for v in range(1, size)}
    others = [pair for pair in combinations(range(size), 2) if pair not in tree]
    more = {others[i] for i in chance.choice(len(others), size, replace=False)}
    return {pair: float(chance.choice([0.6, 0.8, 0.99])) for pair in sorted(tree | more)}


def main() -> None:
    print("selecting the best question inside one cluster (t = 1000 worlds per pair in the literal algorithm)")
    for size in (30, 60):
        p = made_cluster(size)
        unasked = size * (size - 1) // 2 - len(p)
        nodes = list(range(size))
        literal = seconds(lambda: best_within(nodes, p, most_pairs=TRIED)) * unasked / (TRIED + 1)  # noqa: B023
        graph = UncertainGraph(nodes, [(u, v, q) for (u, v), q in p.items()])
        members, starts = np.arange(size, dtype=np.int32), np.array([0, size])

        def ours() -> None:
            best_pairs(graph, members, starts, 0, RANKING, 1)  # noqa: B023

        ours()
        own = seconds(ours, 50)
        print(
            f"  {size} records, {len(p)} asked: literal {literal:.1f} s ({TRIED} of {unasked} pairs timed, scaled), "
            f"ours {1e3 * own:.3f} ms, ratio {literal / own:,.0f}"
        )


if __name__ == "__main__":
    main()
