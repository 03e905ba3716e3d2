"""A whole cluster: its connectivity, and the questions inside it that would raise the connectivity most.

Connectivity is the product over the cluster's blocks. If a pair u, v were certain, connectivity would be multiplied by
1 + the sum, over the blocks on the way from u to v, of P(block in two parts, entry and exit apart) / P(connected).
"""

from typing import NamedTuple

import numpy as np

from askwise.arrays import Floats, Int32s, Int64s, Words
from askwise.kernels.adjacency import Adjacency, far_end, first_half, next_half
from askwise.kernels.blocks import blocks, neighbours
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.exact_connectivity import exact_block
from askwise.kernels.mixing import pair_hash
from askwise.kernels.picking import Askable
from askwise.kernels.sampled_connectivity import sample_block
from askwise.kernels.words import ones

_BRIDGE, _SMALL, _LARGE = 0, 1, 2
_ROWS = 2048  # larger clusters: gains are computed for a share of their records only


class Effort(NamedTuple):
    """How hard to work on blocks: exact up to `exact_nodes`; in larger ones worlds are drawn, 64 to a word, until the
    relative standard error of the connectivity is at most `roughness`, `most_words` at the most.
    """

    roughness: float
    most_words: int
    exact_nodes: int = 12


class Tree(NamedTuple):
    """A cluster as blocks.

    `log_connectivity` is a natural logarithm, `variance` its relative variance (0 if exact), `parts` the number of
    parts, and `part` that of each node. `node_starts` into `node_block` and `node_slot` has the blocks at each node and
    its place in them, and `block_starts` into `block_nodes` the nodes of each block. Of each block: its `kind`, where
    its numbers start (`offset`), how wide they are and their `scale`. The numbers are `ratios` of small blocks, `sides`
    of large ones, and `weights` (from `weight_offset`), what a world in each word of these counts.
    """

    log_connectivity: float
    variance: float
    parts: int
    part: Int32s
    node_starts: Int64s
    node_block: Int32s
    node_slot: Int32s
    block_starts: Int64s
    block_nodes: Int32s
    kind: Int32s
    offset: Int64s
    width: Int32s
    scale: Floats
    ratios: Floats
    sides: Words
    weight_offset: Int64s
    weights: Floats


class PairEvidence(NamedTuple):
    """All pairs of a graph, their evidence, and `place`, scratch over the records, all -1."""

    around: Adjacency
    p: Floats
    weight: Floats
    place: Int32s


class Best(NamedTuple):
    """Pairs in a heap with the worst on top: their ends, what they gain, and what decides among equals."""

    u: Int32s
    v: Int32s
    gain: Floats
    tie: Words


@compiled
def _grouped(count: int, group: Int32s) -> tuple[Int64s, Int32s]:
    """Indices by group: `starts` (count + 1) into `order`; inside a group they keep their order."""
    starts = np.zeros(count + 1, np.int64)
    for i in range(group.size):
        starts[group[i] + 1] += 1
    for g in range(count):
        starts[g + 1] += starts[g]
    fill = starts[:-1].copy()
    order = np.empty(group.size, np.int32)
    for i in range(group.size):
        order[fill[group[i]]] = i
        fill[group[i]] += 1
    return starts, order


@compiled
def _blocks_at(size: int, count: int, block: Int32s, left: Int32s, right: Int32s) -> tuple[Int64s, Int32s, Int64s]:
    """The blocks at each node, `node_starts` into `node_block`, and where each block's nodes would start."""
    starts, edges = neighbours(size, left, right)
    node_starts = np.zeros(size + 1, np.int64)
    block_starts = np.zeros(count + 1, np.int64)
    node_block = np.empty(edges.size, np.int32)
    stamp = np.full(count, -1, np.int32)
    total = 0
    for node in range(size):
        for i in range(starts[node], starts[node + 1]):
            b = block[edges[i]]
            if stamp[b] != node:
                stamp[b] = node
                node_block[total] = b
                block_starts[b + 1] += 1
                total += 1
        node_starts[node + 1] = total
    for b in range(count):
        block_starts[b + 1] += block_starts[b]
    return node_starts, node_block[:total], block_starts


@compiled
def block_tree(members: Int32s, left: Int32s, right: Int32s, p: Floats, seed: np.uint64, effort: Effort) -> Tree:
    """Split a cluster into its blocks and find what each is worth."""
    size = members.size
    block, count, part, parts = blocks(size, left, right)
    edge_starts, edge_order = _grouped(count, block)
    node_starts, node_block, block_starts = _blocks_at(size, count, block, left, right)
    block_nodes = np.empty(node_block.size, np.int32)
    node_slot = np.empty(node_block.size, np.int32)
    fill = block_starts[:-1].copy()
    for node in range(size):
        for i in range(node_starts[node], node_starts[node + 1]):
            b = node_block[i]
            node_slot[i] = fill[b] - block_starts[b]
            block_nodes[fill[b]] = node
            fill[b] += 1

    kind = np.empty(count, np.int32)
    offset = np.zeros(count, np.int64)
    width = np.zeros(count, np.int32)
    scale = np.ones(count, np.float64)
    float_total = 0
    for b in range(count):
        nodes = block_starts[b + 1] - block_starts[b]
        if nodes == 2:
            kind[b] = _BRIDGE
        elif nodes <= effort.exact_nodes:
            kind[b] = _SMALL
            offset[b] = float_total
            float_total += nodes * nodes
        else:
            kind[b] = _LARGE
    ratios = np.empty(float_total, np.float64)
    sides = np.zeros(0, np.uint64)
    weights = np.zeros(0, np.float64)
    weight_offset = np.zeros(count, np.int64)
    log_connectivity = 0.0
    variance = 0.0
    slot_of = np.empty(size, np.int32)
    for b in range(count):
        edges = edge_order[edge_starts[b] : edge_starts[b + 1]]
        if kind[b] == _BRIDGE:
            q = p[edges[0]]
            log_connectivity += np.log(q)
            scale[b] = (1.0 - q) / q
            continue
        nodes = block_nodes[block_starts[b] : block_starts[b + 1]]
        for slot in range(nodes.size):
            slot_of[nodes[slot]] = slot
        inner_left = np.empty(edges.size, np.int32)
        inner_right = np.empty(edges.size, np.int32)
        inner_p = np.empty(edges.size, np.float64)
        for i in range(edges.size):
            inner_left[i] = slot_of[left[edges[i]]]
            inner_right[i] = slot_of[right[edges[i]]]
            inner_p[i] = p[edges[i]]
        if kind[b] == _SMALL:
            value, apart = exact_block(nodes.size, inner_left, inner_right, inner_p)
            log_connectivity += np.log(min(value, 1.0))
            for i in range(nodes.size):
                for j in range(nodes.size):
                    ratios[offset[b] + i * nodes.size + j] = apart[i, j] / value
            continue
        hashes = np.empty(edges.size, np.uint64)
        for i in range(edges.size):
            hashes[i] = pair_hash(seed, members[left[edges[i]]], members[right[edges[i]]])
        log_value, relative, found, counts = sample_block(
            nodes.size, inner_left, inner_right, inner_p, hashes, effort.roughness, effort.most_words
        )
        log_connectivity += log_value
        variance += relative
        words = counts.size
        width[b] = words
        offset[b] = sides.size
        weight_offset[b] = weights.size
        larger = np.empty(sides.size + nodes.size * words, np.uint64)
        for i in range(sides.size):
            larger[i] = sides[i]
        for i in range(nodes.size):
            for word in range(words):
                larger[offset[b] + i * words + word] = found[i, word]
        more = np.empty(weights.size + words, np.float64)
        for i in range(weights.size):
            more[i] = weights[i]
        for word in range(words):
            more[weights.size + word] = counts[word]
        weights = more
        sides = larger
    return Tree(
        log_connectivity,
        variance,
        parts,
        part,
        node_starts,
        node_block,
        node_slot,
        block_starts,
        block_nodes,
        kind,
        offset,
        width,
        scale,
        ratios,
        sides,
        weight_offset,
        weights,
    )


@inlined
def ratios_from(source: int, tree: Tree, ratio: Floats, queue: Int32s, visited: Int32s, stamp: int) -> None:
    """Fill `ratio[v]` for every v in the part of `source`: what a certain pair (source, v) would add, relatively."""
    offset, width, sides = tree.offset, tree.width, tree.sides
    ratio[source] = 0.0
    queue[0] = source
    waiting = 1
    at = 0
    while at < waiting:
        entry = queue[at]
        at += 1
        for i in range(tree.node_starts[entry], tree.node_starts[entry + 1]):
            b = tree.node_block[i]
            if visited[b] == stamp:
                continue
            visited[b] = stamp
            slot = tree.node_slot[i]
            begin = tree.block_starts[b]
            nodes = tree.block_starts[b + 1] - begin
            for other in range(nodes):
                if other == slot:
                    continue
                if tree.kind[b] == _BRIDGE:
                    step = tree.scale[b]
                elif tree.kind[b] == _SMALL:
                    step = tree.ratios[offset[b] + slot * nodes + other]
                else:
                    step = 0.0
                    one = offset[b] + slot * width[b]
                    two = offset[b] + other * width[b]
                    for word in range(width[b]):
                        step += ones(sides[one + word] ^ sides[two + word]) * tree.weights[tree.weight_offset[b] + word]
                node = tree.block_nodes[begin + other]
                ratio[node] = ratio[entry] + step
                queue[waiting] = node
                waiting += 1


@inlined
def _better(gain: float, tie: np.uint64, other_gain: float, other_tie: np.uint64) -> bool:
    return bool(gain > other_gain or (gain == other_gain and tie < other_tie))


@inlined
def _sink(u: int, v: int, gain: float, tie: np.uint64, count: int, best: Best) -> None:
    """Put a pair into a heap of `count`, the worst on top, in place of the one on top."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and _better(best.gain[child], best.tie[child], best.gain[child + 1], best.tie[child + 1]):
            child += 1
        if not _better(gain, tie, best.gain[child], best.tie[child]):
            break
        _put(at, best.u[child], best.v[child], best.gain[child], best.tie[child], best)
        at = child
    _put(at, u, v, gain, tie, best)


@inlined
def _put(at: int, u: int, v: int, gain: float, tie: np.uint64, best: Best) -> None:
    best.u[at], best.v[at], best.gain[at], best.tie[at] = u, v, gain, tie


@inlined
def _offer(u: int, v: int, gain: float, tie: np.uint64, count: int, best: Best) -> int:
    """Keep as many of the best pairs as there is room for; returns how many there are now."""
    if count == best.gain.size:
        if _better(gain, tie, best.gain[0], best.tie[0]):
            _sink(u, v, gain, tie, count, best)
        return count
    at = count
    while at > 0 and _better(best.gain[(at - 1) >> 1], best.tie[(at - 1) >> 1], gain, tie):
        above = (at - 1) >> 1
        _put(at, best.u[above], best.v[above], best.gain[above], best.tie[above], best)
        at = above
    _put(at, u, v, gain, tie, best)
    return count + 1


@compiled
def best_pairs(
    members: Int32s, tree: Tree, seed: np.uint64, floor: float, top: int, evidence: PairEvidence, askable: Askable
) -> tuple[Int32s, Int32s, Floats]:
    """The `top` unasked pairs inside a cluster with the largest gain (base-10 logarithm), best first."""
    around, place = evidence.around, evidence.place
    size = members.size
    log_connectivity, parts, part = tree.log_connectivity, tree.parts, tree.part
    best = Best(np.empty(top, np.int32), np.empty(top, np.int32), np.empty(top), np.empty(top, np.uint64))
    count = 0
    ratio = np.empty(size, np.float64)
    queue = np.empty(size, np.int32)
    visited = np.full(tree.kind.size, -1, np.int32)
    asked = np.full(size, -1, np.int32)
    least = 0.0
    enough = 0.0  # with a smaller ratio, a pair is not among the best
    # A cluster that its asked pairs do not join has connectivity 0: only a pair that makes it whole gains anything.
    joining = (log_connectivity - np.log(floor)) / np.log(10.0) if parts == 2 else 0.0
    for i in range(size):
        place[members[i]] = i
    stride = 1 + size * size // (_ROWS * _ROWS * 2) if size > _ROWS else 1
    start = np.int64(pair_hash(seed, size, members[0]) % np.uint64(stride))
    for i in range(start, size, stride):
        ready = False
        if askable.listed:
            begin, end = askable.starts[members[i]], askable.starts[members[i] + 1]
        else:
            begin, end = np.int64(0), np.int64(size)
            half = first_half(members[i], around)
            while half >= 0:
                other = place[far_end(half, around)]
                if other >= 0:
                    asked[other] = i
                half = next_half(half, members[i], around)
        for step in range(begin, end):
            if askable.listed:
                j = place[askable.other[step]]
                if j < 0 or askable.asked[askable.row[step]]:
                    continue
            else:
                j = step
                if asked[j] == i:
                    continue
            # Each pair once; where only some rows are looked at, every pair of such a row.
            if j <= i and (stride == 1 or j == i or (j - start) % stride == 0):
                continue
            if parts > 1:
                gain = joining if part[i] != part[j] else 0.0
            else:
                if not ready:
                    ratios_from(i, tree, ratio, queue, visited, i)
                    ready = True
                if ratio[j] < enough:
                    continue
                gain = np.log1p(ratio[j]) / np.log(10.0)
            u, v = members[min(i, j)], members[max(i, j)]
            count = _offer(u, v, gain, pair_hash(seed, u, v), count, best)
            if count == top and best.gain[0] > least:
                least = best.gain[0]
                enough = np.expm1(least * np.log(10.0)) * (1.0 - 1e-9)
    for member in members:
        place[member] = -1
    # Best first: take the worst from the top of the heap, again and again, and fill from the back.
    out_u = np.empty(count, np.int32)
    out_v = np.empty(count, np.int32)
    out_gain = np.empty(count, np.float64)
    for last in range(count - 1, -1, -1):
        out_u[last], out_v[last], out_gain[last] = best.u[0], best.v[0], best.gain[0]
        _sink(best.u[last], best.v[last], best.gain[last], best.tie[last], last, best)
    return out_u, out_v, out_gain
