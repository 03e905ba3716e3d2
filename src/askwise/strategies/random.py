"""Random: uniform over the unasked candidates. A baseline for honest comparisons."""

import numpy as np

from askwise.arrays import Int32s
from askwise.kernels.mixing import pair_hash
from askwise.kernels.picking import draw_unasked
from askwise.strategies.question import Question, named
from askwise.strategies.strategy import Strategy

_SPARSE = 4  # while fewer than 1 candidate in 4 was asked, drawing and rejecting is quicker than listing
_TRIES = 8  # to draw, for each that is wanted


class Random(Strategy):
    """Draws questions evenly. Costs about k; once many pairs were asked, about the number of candidates."""

    def select(self, k: int) -> list[Question]:
        """`k` unasked candidates, each as likely as any other."""
        left, right = self.pairs(k)
        return named(self._graph, self._partition.membership, left, right, np.zeros(left.size))

    def pairs(self, k: int) -> tuple[Int32s, Int32s]:
        """The drawn pairs, as positions."""
        graph = self._graph
        chance = np.random.default_rng((self._seed, graph.asked_count))
        if _SPARSE * (graph.asked_count + k) > graph.candidates.total:
            left, right = graph.unasked()
            chosen = chance.permutation(left.size)[:k]
            return left[chosen], right[chosen]
        pairs: dict[tuple[int, int], None] = {}
        while len(pairs) < k:
            left, right = self._drawn(2 * (k - len(pairs)) + 8, chance)
            new = ~graph.asked(left, right)
            pairs.update(dict.fromkeys(zip(left[new].tolist(), right[new].tolist(), strict=True)))
        left, right = np.array(list(pairs)[:k], np.int32).reshape(-1, 2).T
        return left, right

    def others(self, k: int, left: Int32s, right: Int32s) -> tuple[Int32s, Int32s]:
        """Draw pairs to fill a batch up, none of which are in it: in a kernel, because it happens in each batch.

        Other draws than those of `pairs`, which start the runs that docs/experiments.md reports.
        """
        graph, candidates = self._graph, self._graph.candidates
        records = np.int64(len(graph))
        taken = left * records + right
        seed = np.uint64(pair_hash(np.uint64(self._seed), graph.asked_count, k))
        listed = candidates.left, candidates.right, candidates.asked
        found = draw_unasked(
            k, _TRIES * k, seed, len(graph), graph.pair_map, graph.pair_asked, listed, candidates.listed, taken
        )
        if found[0].size == k:
            return found
        left, right = graph.unasked()  # nearly everything was asked: that is few
        others = np.flatnonzero(~np.isin(left * records + right, taken))
        chosen = np.random.default_rng(int(seed)).permutation(others)[:k]
        return left[chosen], right[chosen]

    def _drawn(self, count: int, chance: np.random.Generator) -> tuple[Int32s, Int32s]:
        candidates = self._graph.candidates
        if candidates.listed:
            rows = chance.integers(0, candidates.left.size, count)
            return candidates.left[rows], candidates.right[rows]
        ends = chance.integers(0, len(self._graph), (2, count), dtype=np.int32)
        ends = ends[:, ends[0] != ends[1]]
        return ends.min(axis=0), ends.max(axis=0)
