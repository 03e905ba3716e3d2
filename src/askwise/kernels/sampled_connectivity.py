"""Connectivity and all gains of a large block, from sampled possible worlds, 64 to a machine word.

An edge is a mask of the worlds in which it exists; reachability is AND and OR on words until nothing changes. A second
sweep, from the lowest node that the first did not reach, finds the worlds with exactly two components.

Where hardly any world is connected, worlds with more edges are drawn: every edge's odds are multiplied by e**tilt, and
a world with K edges counts exp(-tilt * K) * Z, with Z = product of (1 - p + p * e**tilt), which keeps every mean what
it was. In a sparse block, the only kind that is so weak, the connected worlds hardly differ in K.
"""

import numpy as np

from askwise.arrays import Floats, Int32s, Words
from askwise.kernels.compiled import compiled, inlined
from askwise.kernels.mixing import GOLDEN, bernoulli_words, mix
from askwise.kernels.words import ALL, ONE, ZERO, ones

CHUNK = 8  # words drawn at a time: 512 worlds
_HARDLY = -690.0  # log of 1e-300: no world was connected, whatever the tilt
_MOST_TILT = 40.0  # by then every edge is nearly certain, and every world connected


@inlined
def _spread(reached: Words, left: Int32s, right: Int32s, masks: Words) -> None:
    """Let every world's reached nodes grow along its edges until nothing changes."""
    total = left.size
    forward = True
    changed = True
    while changed:
        changed = False
        for step in range(total):
            i = step if forward else total - 1 - step
            one = reached[left[i]]
            two = reached[right[i]]
            mask = masks[i]
            difference = ZERO
            for word in range(CHUNK):
                grown = (one[word] | two[word]) & mask[word]
                difference |= (grown & ~one[word]) | (grown & ~two[word])
                one[word] |= grown
                two[word] |= grown
            if difference != ZERO:
                changed = True
        forward = not forward


@inlined
def _draw(
    left: Int32s,
    right: Int32s,
    p: Floats,
    hashes: Words,
    drawn: int,
    masks: Words,
    first: Words,
    second: Words,
    scratch: Words,
) -> None:
    """Draw words from `drawn` on: each edge's worlds; what node 0 reaches in them, and the first node it misses."""
    size = first.shape[0]
    for i in range(left.size):
        for word in range(CHUNK):
            scratch[0, word] = mix(hashes[i] + GOLDEN * np.uint64(drawn + word))
        bernoulli_words(scratch[0], p[i], scratch[1], masks[i])
    for node in range(size):
        for word in range(CHUNK):
            first[node, word] = ZERO if node else ALL
    _spread(first, left, right, masks)
    for word in range(CHUNK):
        seeded = ZERO
        for node in range(size):
            second[node, word] = ~first[node, word] & ~seeded
            seeded |= ~first[node, word]
    _spread(second, left, right, masks)


@compiled
def _edge_counts(masks: Words, word: int, counts: Int32s) -> None:
    """How many edges each of the 64 worlds of a word has; added up bit by bit, all worlds at once."""
    planes = np.zeros(32, np.uint64)
    for i in range(masks.shape[0]):
        carry = masks[i, word]
        plane = 0
        while carry != ZERO:
            planes[plane], carry = planes[plane] ^ carry, planes[plane] & carry
            plane += 1
    for world in range(64):
        total = 0
        for plane in range(32):
            total += int(np.int64((planes[plane] >> np.uint64(world)) & ONE)) << plane
        counts[world] = total


@compiled
def _tilted(p: Floats, tilt: float) -> tuple[Floats, float]:
    """The probabilities with their odds multiplied by e**tilt, and log Z."""
    tilted = np.empty(p.size, np.float64)
    log_z = 0.0
    for i in range(p.size):
        z = 1.0 - p[i] + p[i] * np.exp(tilt)
        tilted[i] = p[i] * np.exp(tilt) / z
        log_z += np.log(z)
    return tilted, log_z


@compiled
def _find_tilt(
    left: Int32s, right: Int32s, p: Floats, hashes: Words, masks: Words, first: Words, second: Words, scratch: Words
) -> float:
    """The least tilt, in steps of 1/2, at which one world in 32 is connected; 0 for most blocks.

    The first words, drawn with that tilt, are left behind (not so with `_MOST_TILT`).
    """
    tilt = 0.0
    while tilt < _MOST_TILT:
        _draw(left, right, _tilted(p, tilt)[0], hashes, 0, masks, first, second, scratch)
        connected = 0
        for word in range(CHUNK):
            whole = ALL
            for node in range(first.shape[0]):
                whole &= first[node, word]
            connected += ones(whole)
        if 32 * connected >= 64 * CHUNK:
            break
        tilt += 0.5
    return tilt


@inlined
def _relative(tilt: float, edges: int, usual: int) -> float:
    """exp(-tilt * (edges - usual)), kept in the range of numbers and of their squares."""
    return float(np.exp(min(max(-tilt * (edges - usual), -300.0), 300.0)))


@compiled
def sample_block(
    size: int, left: Int32s, right: Int32s, p: Floats, hashes: Words, roughness: float, most_words: int
) -> tuple[float, float, Words, Floats]:
    """Draw worlds until the relative standard error of P(connected) is at most `roughness`, or `most_words` are drawn.

    Returns the logarithm of P(connected) and the relative variance of the estimate; for the worlds with exactly two
    components, which side each node is on (a row of words per node), and for each word what a world in it counts,
    relative to P(connected). `hashes` are the edges' own random numbers.
    """
    masks = np.empty((left.size, CHUNK), np.uint64)
    first = np.empty((size, CHUNK), np.uint64)
    second = np.empty((size, CHUNK), np.uint64)
    scratch = np.empty((2, CHUNK), np.uint64)
    tilt = _find_tilt(left, right, p, hashes, masks, first, second, scratch)
    tilted, log_z = _tilted(p, tilt)
    counts = np.zeros(64, np.int32)
    sides = np.zeros((size, 1), np.uint64)
    edges_of = np.empty(64, np.int32)  # of each world with two components: its number of edges
    split = 0
    worlds = 0
    drawn = 0
    # Sums of exp(-tilt * (K - usual)) over connected worlds, and of the squares; usual is the K of the first of them.
    total = 0.0
    squares = 0.0
    usual = -1
    while drawn < most_words:
        if drawn > 0 or tilt >= _MOST_TILT:
            _draw(left, right, tilted, hashes, drawn, masks, first, second, scratch)
        for word in range(CHUNK):
            whole = ALL
            both = ALL
            for node in range(size):
                whole &= first[node, word]
                both &= first[node, word] | second[node, word]
            both &= ~whole
            if tilt > 0.0 and (whole | both) != ZERO:
                _edge_counts(masks, word, counts)
            if tilt == 0.0:
                total += ones(whole)
                squares += ones(whole)
            else:
                for world in range(64):
                    if (whole >> np.uint64(world)) & ONE:
                        usual = counts[world] if usual < 0 else usual
                        weight = _relative(tilt, counts[world], usual)
                        total += weight
                        squares += weight * weight
            found = ones(both)
            if split + found > edges_of.size:
                sides, edges_of = _more_room(sides, edges_of)
            while both != ZERO:
                bit = both & (~both + ONE)
                both ^= bit
                mark = ONE << np.uint64(split & 63)
                for node in range(size):
                    if second[node, word] & bit:
                        sides[node, split >> 6] |= mark
                edges_of[split] = counts[ones(bit - ONE)]
                split += 1
        drawn += CHUNK
        worlds += 64 * CHUNK
        # Squared relative standard error of a mean: (mean of squares / mean squared - 1) / worlds.
        if total > 0.0 and squares * worlds - total * total <= roughness * roughness * total * total * worlds:
            break
    if total == 0.0:
        return _HARDLY, 1.0, sides[:, :0], np.empty(0)
    smooth = 1.0 / worlds if tilt == 0.0 else 0.0  # so that worlds that are all connected do not look like certainty
    variance = max(squares / (total * total) - 1.0 / worlds, 0.0) + smooth / worlds
    log_connectivity = min(np.log(total / worlds) + log_z - tilt * max(usual, 0), 0.0)
    if tilt == 0.0:
        words = (split + 63) >> 6
        return log_connectivity, variance, sides[:, :words], np.full(words, 1.0 / total)
    grouped, word_edges = _by_edges(sides, edges_of[:split])
    weights = np.empty(word_edges.size, np.float64)
    for word in range(word_edges.size):
        weights[word] = _relative(tilt, word_edges[word], usual) / total
    return log_connectivity, variance, grouped, weights


@compiled
def _more_room(sides: Words, edges_of: Int32s) -> tuple[Words, Int32s]:
    larger = np.zeros((sides.shape[0], 2 * sides.shape[1]), np.uint64)
    for node in range(sides.shape[0]):
        for word in range(sides.shape[1]):
            larger[node, word] = sides[node, word]
    more = np.empty(2 * edges_of.size, np.int32)
    for i in range(edges_of.size):
        more[i] = edges_of[i]
    return larger, more


@compiled
def _by_edges(sides: Words, edges_of: Int32s) -> tuple[Words, Int32s]:
    """Worlds in words, each word with worlds of one number of edges only, which is given for each word."""
    most = 0
    for i in range(edges_of.size):
        most = max(most, edges_of[i])
    worlds_with = np.zeros(most + 1, np.int32)
    for i in range(edges_of.size):
        worlds_with[edges_of[i]] += 1
    start = np.zeros(most + 2, np.int32)  # in words
    for count in range(most + 1):
        start[count + 1] = start[count] + ((worlds_with[count] + 63) >> 6)
    word_edges = np.empty(start[most + 1], np.int32)
    for count in range(most + 1):
        for word in range(start[count], start[count + 1]):
            word_edges[word] = count
        worlds_with[count] = 0
    grouped = np.zeros((sides.shape[0], word_edges.size), np.uint64)
    for i in range(edges_of.size):
        count = edges_of[i]
        at = worlds_with[count]
        worlds_with[count] += 1
        mark = ONE << np.uint64(at & 63)
        for node in range(sides.shape[0]):
            if (sides[node, i >> 6] >> np.uint64(i & 63)) & ONE:
                grouped[node, start[count] + (at >> 6)] |= mark
    return grouped, word_edges
