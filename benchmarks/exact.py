"""A complete block of 12 records: connectivity and all 66 gains, against graphillion's connectivity alone."""

from itertools import combinations

import numpy as np
from timing import seconds

from askwise.kernels.exact_connectivity import exact_block


def main() -> None:
    print("exact all-terminal reliability of a complete block of 12 records")
    edges = list(combinations(range(12), 2))
    p = np.random.default_rng(0).uniform(0.1, 0.9, len(edges))
    left, right = (np.array(side, np.int32) for side in zip(*edges, strict=True))
    value, _ = exact_block(12, left, right, p)
    own = seconds(lambda: exact_block(12, left, right, p), 50)
    print(f"  ours, with all gains: {1e3 * own:.2f} ms (connectivity {value:.12f})")
    try:
        from graphillion import GraphSet
    except ImportError:
        print("  graphillion is not installed: pip install 'askwise[bench]' to compare")
        return
    universe = [(u + 1, v + 1) for u, v in edges]
    weights = {edge: float(q) for edge, q in zip(universe, p, strict=True)}

    def theirs() -> float:
        GraphSet.set_universe(universe)
        return float(GraphSet.reliability(weights, list(range(1, 13))))

    other = seconds(theirs, 3)
    print(f"  graphillion, connectivity only: {other:.3f} s (connectivity {theirs():.12f}), ratio {other / own:,.0f}")


if __name__ == "__main__":
    main()
