"""Biconnected components (blocks), by depth-first search (Hopcroft, Tarjan 1973, doi:10.1145/362248.362272)."""

import numpy as np

from askwise.arrays import Int32s, Int64s
from askwise.kernels.compiled import compiled


@compiled
def neighbours(size: int, left: Int32s, right: Int32s) -> tuple[Int64s, Int32s]:
    """The edges at each node: `starts` (size + 1) into `edges`."""
    starts = np.zeros(size + 1, np.int64)
    for i in range(left.size):
        starts[left[i] + 1] += 1
        starts[right[i] + 1] += 1
    for node in range(size):
        starts[node + 1] += starts[node]
    edges = np.empty(2 * left.size, np.int32)
    fill = starts[:-1].copy()
    for i in range(left.size):
        edges[fill[left[i]]] = i
        fill[left[i]] += 1
        edges[fill[right[i]]] = i
        fill[right[i]] += 1
    return starts, edges


@compiled
def blocks(size: int, left: Int32s, right: Int32s) -> tuple[Int32s, int, Int32s, int]:
    """The block of each edge, the number of blocks, the part (connected component) of each node, their number."""
    starts, edges = neighbours(size, left, right)
    block = np.full(left.size, -1, np.int32)
    part = np.full(size, -1, np.int32)
    seen = np.zeros(size, np.int32)  # order of discovery, from 1
    lowest = np.zeros(size, np.int32)
    pointer = starts[:-1].copy()
    came_by = np.full(size, -1, np.int32)
    path = np.empty(size, np.int32)
    pending = np.empty(left.size, np.int32)
    waiting = 0
    time = 0
    block_count = 0
    part_count = 0
    for root in range(size):
        if seen[root]:
            continue
        depth = 0
        path[0] = root
        time += 1
        seen[root] = lowest[root] = time
        part[root] = part_count
        while depth >= 0:
            node = path[depth]
            if pointer[node] < starts[node + 1]:
                edge = edges[pointer[node]]
                pointer[node] += 1
                if edge == came_by[node]:
                    continue
                other = right[edge] if left[edge] == node else left[edge]
                if not seen[other]:
                    pending[waiting] = edge
                    waiting += 1
                    came_by[other] = edge
                    time += 1
                    seen[other] = lowest[other] = time
                    part[other] = part_count
                    depth += 1
                    path[depth] = other
                elif seen[other] < seen[node]:
                    pending[waiting] = edge
                    waiting += 1
                    lowest[node] = min(lowest[node], seen[other])
            else:
                depth -= 1
                if depth >= 0:
                    above = path[depth]
                    lowest[above] = min(lowest[above], lowest[node])
                    if lowest[node] >= seen[above]:
                        while True:
                            waiting -= 1
                            block[pending[waiting]] = block_count
                            if pending[waiting] == came_by[node]:
                                break
                        block_count += 1
        part_count += 1
    return block, block_count, part, part_count
