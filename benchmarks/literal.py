"""The paper's Algorithm 1, word for word: a Monte-Carlo run with breadth-first search for every single pair."""

import math
import random
from collections import deque
from itertools import combinations

Probabilities = dict[tuple[int, int], float]


def sampled_connectivity(nodes: list[int], p: Probabilities, t: int, chance: random.Random) -> float:
    """The share of t sampled worlds that are connected; an edge is drawn when the search first comes across it."""
    around: dict[int, list[tuple[int, float]]] = {node: [] for node in nodes}
    for (u, v), probability in p.items():
        around[u].append((v, probability))
        around[v].append((u, probability))
    connected = 0
    for _ in range(t):
        seen = {nodes[0]}
        queue = deque(seen)
        decided: set[tuple[int, int]] = set()
        while queue:
            node = queue.popleft()
            for other, probability in around[node]:
                edge = (node, other) if node < other else (other, node)
                if other in seen or edge in decided:
                    continue
                decided.add(edge)
                if chance.random() < probability:
                    seen.add(other)
                    queue.append(other)
        connected += len(seen) == len(nodes)
    return connected / t


def best_within(
    nodes: list[int], p: Probabilities, t: int = 1000, seed: int = 0, most_pairs: int | None = None
) -> tuple[tuple[int, int] | None, int]:
    """Lines 4-10: the pair of a cluster with the largest gain, and how many pairs were tried.

    `most_pairs` stops early, for timing a share of the work.
    """
    chance = random.Random(seed)
    floor = 1e-10
    before = math.log10(sampled_connectivity(nodes, p, t, chance) or floor)
    best, best_pair, tried = -math.inf, None, 0
    for pair in combinations(nodes, 2):
        if pair in p:
            continue
        if tried == most_pairs:
            break
        tried += 1
        gain = math.log10(sampled_connectivity(nodes, {**p, pair: 1.0}, t, chance) or floor) - before
        if gain > best:
            best, best_pair = gain, pair
    return best_pair, tried
