"""Each small kernel beside its plain twin."""

from collections import Counter
from itertools import combinations

import networkx
import numpy as np
import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.arrays import as_run, found_in, map_capacity
from askwise.candidate_pairs import Candidates
from askwise.clustering import Partition
from askwise.graph import UncertainGraph
from askwise.kernels import bit_sets, intmap, votes
from askwise.kernels.adjacency import incident_pairs, inner_pairs, pairs_among, positive_components
from askwise.kernels.agglomerate import agglomerated
from askwise.kernels.batches import choose
from askwise.kernels.blocks import blocks
from askwise.kernels.exact_connectivity import exact_block
from askwise.kernels.mixing import below, bernoulli_words, mix, pair_hash
from askwise.kernels.partition import touched_clusters
from askwise.kernels.picking import draw_unasked, pick
from askwise.kernels.radix import nth, order
from askwise.kernels.separations import Slots
from askwise.kernels.unlinked_by_size import largest_unlinked
from askwise.kernels.words import ones
from askwise.records import Records

KEYS = st.integers(0, 40)


@given(st.lists(st.one_of(st.tuples(st.just("put"), KEYS, st.integers(0, 99)), st.tuples(st.just("remove"), KEYS))))
def test_intmap_is_a_dict(steps: list[tuple[object, ...]]) -> None:
    keys, values = np.full(128, -1, np.int64), np.zeros(128, np.int32)
    twin: dict[int, int] = {}
    for step in steps:
        if step[0] == "put":
            intmap.put(keys, values, step[1], step[2])  # type: ignore[arg-type]
            twin[step[1]] = step[2]  # type: ignore[index, assignment]
        else:
            intmap.remove(keys, values, step[1])  # type: ignore[arg-type]
            twin.pop(step[1], None)  # type: ignore[call-overload]
    assert {key: intmap.find(keys, values, key) for key in range(41)} == {key: twin.get(key, -1) for key in range(41)}
    larger = np.full(512, -1, np.int64), np.zeros(512, np.int32)
    intmap.copy_into(keys, values, *larger)
    assert {key: intmap.find(*larger, key) for key in range(41)} == {key: twin.get(key, -1) for key in range(41)}


@given(st.lists(st.tuples(st.integers(0, 299), st.booleans())))
def test_a_bit_set_is_a_sorted_set(steps: list[tuple[int, bool]]) -> None:
    bits, tree = np.zeros(5, np.uint64), np.zeros(6, np.int64)
    twin: set[int] = set()
    for row, on in steps:
        bit_sets.assign(row, on, bits, tree)
        (twin.add if on else twin.discard)(row)
    assert bit_sets.count_set(tree) == len(twin)
    assert [bit_sets.select(rank, bits, tree) for rank in range(len(twin))] == sorted(twin)
    again = np.zeros(6, np.int64)
    bit_sets.plant(bits, again)
    assert (again == tree).all()


@given(st.integers(0, 2**64 - 1))
def test_ones_counts_bits(word: int) -> None:
    assert ones(np.uint64(word)) == word.bit_count()


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.01, 0.3, 0.5, 0.8, 1 - 1e-9])
def test_bernoulli_words_have_the_right_share(p: float) -> None:
    words = np.empty(2000, np.uint64)
    states = np.array([mix(np.uint64(i)) for i in range(words.size)], np.uint64)
    bernoulli_words(states, p, np.empty_like(words), words)
    share = sum(word.bit_count() for word in words.tolist()) / (64 * words.size)
    assert abs(share - p) <= 5 * np.sqrt(p * (1 - p) / (64 * words.size)) + 1e-12


def test_draws_are_even() -> None:
    counts = Counter(int(below(np.uint64(pair_hash(np.uint64(7), i, 3)), 10)) for i in range(20000))
    assert sorted(counts) == list(range(10))
    assert all(abs(count - 2000) < 5 * np.sqrt(2000) for count in counts.values())


@given(plain.drawn_graphs(9, 20, plain.TENTHS))
def test_blocks_are_networkx_biconnected_components(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    edges = sorted(edges)
    left = np.array([u for u, _, _ in edges], np.int32)
    right = np.array([v for _, v, _ in edges], np.int32)
    block, count, part, part_count = blocks(nodes, left, right)
    found: dict[int, set[tuple[int, int]]] = {}
    for i, (u, v, _) in enumerate(edges):
        found.setdefault(int(block[i]), set()).add((u, v))
    twin = networkx.Graph([(u, v) for u, v, _ in edges])
    expected = {
        frozenset(tuple(sorted(edge)) for edge in component) for component in networkx.biconnected_component_edges(twin)
    }
    assert {frozenset(edges) for edges in found.values()} == expected
    assert count == len(expected)
    twin.add_nodes_from(range(nodes))
    assert part_count == networkx.number_connected_components(twin)
    for u, v in combinations(range(nodes), 2):
        assert (part[u] == part[v]) == networkx.has_path(twin, u, v)


@given(plain.drawn_graphs(6, 11, plain.PROBABILITIES))
def test_exact_block_is_enumeration(drawn: tuple[int, list[plain.Edge]]) -> None:
    nodes, edges = drawn
    left = np.array([u for u, _, _ in edges], np.int32)
    right = np.array([v for _, v, _ in edges], np.int32)
    connected, apart = exact_block(nodes, left, right, np.array([p for _, _, p in edges], np.float64))
    assert connected == pytest.approx(plain.connectivity(range(nodes), edges), abs=1e-12)
    expected = np.zeros((nodes, nodes))
    for chance, present in plain.worlds(edges):
        sides = plain.parts(range(nodes), present)
        if len(sides) == 2:
            for u in sides[0]:
                for v in sides[1]:
                    expected[u, v] += chance
                    expected[v, u] += chance
    assert apart == pytest.approx(expected, abs=1e-12)


@given(plain.drawn_graphs(9, 20, plain.TENTHS), st.data())
def test_what_lies_around_some_records(drawn: tuple[int, list[plain.Edge]], data: st.DataObject) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    some = sorted(data.draw(st.sets(st.integers(0, nodes - 1), min_size=1)))
    chosen = np.array(some, np.int32)
    at = incident_pairs(chosen, graph.adjacency, graph.chosen)
    around = {(graph.pair_u[row], graph.pair_v[row]) for row in at}
    assert len(around) == at.size
    assert around == {(u, v) for u, v, _ in edges if u in some or v in some}
    left, right, rows = inner_pairs(chosen, graph.adjacency, graph.pair_weight, graph.place)
    inside = [(some[u], some[v], graph.pair_p[row]) for u, v, row in zip(left, right, rows, strict=True)]
    assert inside == sorted((u, v, p) for u, v, p in edges if u in some and v in some)
    component = np.full(nodes, -1, np.int32)
    reached = positive_components(chosen, graph.adjacency, graph.pair_weight, graph.chosen, component)
    twin = networkx.Graph([(u, v) for u, v, p in edges if p > 0.5])
    twin.add_nodes_from(range(nodes))
    assert set(reached.tolist()) == set().union(*(networkx.node_connected_component(twin, node) for node in some))
    for node in reached.tolist():
        assert component[node] == min(networkx.node_connected_component(twin, node))
    assert not graph.chosen.any()
    assert (graph.place == -1).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from([64, 48, 0, -1]))))
def test_a_later_vote_supersedes(cast: list[tuple[int, int, int]]) -> None:
    room = len(cast)
    live, previous = np.zeros(room, np.bool_), np.zeros(room, np.int32)
    log = votes.Votes(np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room, np.int8), live, previous)
    yes, no = np.zeros(4, np.int32), np.zeros(4, np.int32)
    tallies = votes.Tallies(np.full(4, -1, np.int32), yes, no)
    columns = list(zip(*cast, strict=True)) or [(), (), ()]
    rows, workers, labels = (np.array(column, kind) for column, kind in zip(columns, "iib", strict=True))
    judges = np.arange(workers.max(initial=0) + 1, dtype=np.int32)
    assert votes.append_votes(rows, workers, labels, judges, 0, log, tallies) == room
    standing = {(pair, worker): label for pair, worker, label in cast}
    for pair in range(4):
        of_pair = [label for (p, _), label in standing.items() if p == pair]
        sure = [label for label in of_pair if label != votes.UNSURE]
        assert (yes[pair], no[pair]) == (sum(sure), sum(votes.WHOLE - label for label in sure))
    assert live.sum() == len(standing)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_pick_finds_an_unasked_pair(one: int, two: int, data: st.DataObject) -> None:
    left, right = np.arange(one, dtype=np.int32), np.arange(one, one + two, dtype=np.int32)
    pairs = [(u, v) for u in left.tolist() for v in right.tolist()]
    asked = data.draw(st.sets(st.sampled_from(pairs)))
    graph = UncertainGraph(range(one + two), [(u, v, 0.1) for u, v in asked])
    found = pick(left, right, np.uint64(1), graph.askable)
    assert tuple(found) in set(pairs) - asked or (found == (-1, -1) and asked == set(pairs))


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(4, 7))), st.data())
def test_pick_finds_an_unasked_candidate(pairs: set[tuple[int, int]], data: st.DataObject) -> None:
    asked = data.draw(st.sets(st.sampled_from(sorted(pairs)))) if pairs else set()
    graph = UncertainGraph(range(8), [(u, v, 0.1) for u, v in asked], candidates=sorted(pairs))
    found = pick(np.arange(4, dtype=np.int32), np.arange(4, 8, dtype=np.int32), np.uint64(1), graph.askable)
    assert tuple(found) in pairs - asked or (found == (-1, -1) and asked == pairs)


Pairs = set[tuple[int, int]]
EVERY_PAIR = list(combinations(range(7), 2))


def drawn(graph: UncertainGraph, wanted: int, tries: int, seed: int, taken: Pairs) -> Pairs:
    candidates = graph.candidates
    left, right = draw_unasked(
        wanted,
        tries,
        np.uint64(seed),
        len(graph),
        graph.pair_map,
        graph.pair_asked,
        (candidates.left, candidates.right, candidates.asked),
        candidates.listed,
        np.array([u * len(graph) + v for u, v in taken], np.int64),
    )
    found = list(zip(left.tolist(), right.tolist(), strict=True))
    assert len(set(found)) == len(found) <= wanted
    return set(found)


@given(
    st.none() | st.sets(st.sampled_from(EVERY_PAIR), min_size=1),
    st.sets(st.sampled_from(EVERY_PAIR)),
    st.sets(st.sampled_from(EVERY_PAIR)),
    st.integers(1, 21),
)
def test_unasked_pairs_are_drawn_once_each(listed: Pairs | None, asked: Pairs, taken: Pairs, wanted: int) -> None:
    may_be = set(EVERY_PAIR) if listed is None else listed
    edges = [(u, v, 0.1) for u, v in sorted(asked & may_be)]
    graph = UncertainGraph(range(7), edges, candidates=None if listed is None else sorted(listed))
    left = may_be - asked - taken
    found = drawn(graph, wanted, 2000, 1, taken)
    assert found <= left
    assert len(found) == min(wanted, len(left))


@pytest.mark.parametrize("listed", [False, True])
def test_unasked_pairs_are_drawn_evenly(listed: bool) -> None:
    graph = UncertainGraph(range(7), [(0, 1, 0.1), (2, 5, 0.9)], candidates=EVERY_PAIR if listed else None)
    often = dict.fromkeys(EVERY_PAIR, 0)
    for seed in range(3000):
        for pair in drawn(graph, 4, 100, seed, {(3, 4)}):
            often[pair] += 1
    never = {pair for pair, times in often.items() if not times}
    assert never == {(0, 1), (2, 5), (3, 4)}
    expected = 4 * 3000 / 18
    assert all(abs(times - expected) < 6 * expected**0.5 for pair, times in often.items() if pair not in never)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1])))
def test_candidates_are_indexed_from_both_sides(pairs: list[tuple[int, int]]) -> None:
    candidates = Candidates(Records(range(7)), pairs)
    expected = sorted({(min(pair), max(pair)) for pair in pairs})
    assert list(zip(candidates.left.tolist(), candidates.right.tolist(), strict=True)) == expected
    for node in range(7):
        span = slice(candidates.starts[node], candidates.starts[node + 1])
        assert candidates.other[span].tolist() == sorted({v if u == node else u for u, v in expected if node in (u, v)})
        for other, row in zip(candidates.other[span].tolist(), candidates.row[span].tolist(), strict=True):
            assert expected[row] == (min(node, other), max(node, other))
    for pair in combinations(range(7), 2):
        assert (pair in candidates) == (pair in expected)


@given(st.lists(st.integers(-5, 40), unique=True), st.lists(st.integers(-5, 40)))
def test_found_in_says_where(known: list[int], wanted: list[int]) -> None:
    ordered = sorted(known)
    at, there = found_in(np.array(ordered, np.int64), np.array(wanted, np.int64))
    assert there.tolist() == [number in known for number in wanted]
    assert at.tolist() == [ordered.index(number) if number in known else 0 for number in wanted]


@pytest.mark.parametrize("entries", [0, 1, 7, 8, 9, 1000])
def test_maps_are_never_more_than_half_full(entries: int) -> None:
    capacity = map_capacity(entries)
    assert capacity >= 2 * entries
    assert capacity & (capacity - 1) == 0


@given(plain.drawn_graphs(9, 20, plain.TENTHS), st.data())
def test_touched_clusters(drawn: tuple[int, list[plain.Edge]], data: st.DataObject) -> None:
    nodes, edges = drawn
    graph = UncertainGraph(range(nodes), edges)
    partition = Partition(graph)
    rows = np.array(sorted(data.draw(st.sets(st.sampled_from(range(len(edges)))))) if edges else [], np.int32)
    moved = np.array(sorted(data.draw(st.sets(st.integers(0, nodes - 1)))), np.int32)
    label = partition.label
    roots = touched_clusters(rows, moved, graph.pair_u, graph.pair_v, label, partition.size_of, graph.chosen)
    inside = {label[graph.pair_u[row]] for row in rows if label[graph.pair_u[row]] == label[graph.pair_v[row]]}
    expected = {root for root in inside | set(label[moved].tolist()) if partition.size_of[root] > 1}
    assert sorted(roots.tolist()) == sorted(expected)
    assert not graph.chosen.any()


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(2**40, 2**40 + 5), min_size=1, max_size=60))
def test_keys_are_ranked_by_their_digits(keys: list[int]) -> None:
    array = np.array(keys, np.uint64)
    assert order(array).tolist() == sorted(range(len(keys)), key=lambda at: keys[at])
    assert [int(nth(array, rank)) for rank in range(len(keys))] == sorted(keys)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9), st.integers(1, 40), st.data())
def test_the_largest_clusters_never_compared_come_first(sizes: list[int], wanted: int, data: st.DataObject) -> None:
    """Slots: some of the two have evidence between them, some were asked, all of their pairs or not, without any."""
    roots = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int32)
    records = sum(sizes)
    size_of = np.zeros(records, np.int32)
    size_of[roots] = sizes
    every = [(one, two) for at, one in enumerate(roots.tolist()) for two in roots[at + 1 :].tolist()]
    slots = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    keys, values = np.full(128, -1, np.int64), np.zeros(128, np.int32)
    evidence, asked = np.zeros(len(slots) + 1, np.int32), np.zeros(len(slots) + 1, np.int32)
    gone = set()
    for slot, (one, two) in enumerate(slots):
        intmap.put(keys, values, one * records + two, slot)
        asked[slot] = data.draw(st.integers(1, int(size_of[one] * size_of[two])))
        evidence[slot] = data.draw(st.integers(0, int(asked[slot])))
        if evidence[slot] or asked[slot] == size_of[one] * size_of[two]:
            gone.add((one, two))
    left = [pair for pair in every if pair not in gone]
    left.sort(key=lambda pair: (-int(size_of[pair[0]]) * int(size_of[pair[1]]), int(pair_hash(np.uint64(3), *pair))))
    rest = np.empty(0, np.int64)
    between = Slots(keys, values, rest, rest, evidence, asked, np.empty(0, np.uint64))
    one, two = largest_unlinked(roots, size_of, between, np.uint64(3), wanted)
    assert list(zip(one.tolist(), two.tolist(), strict=True)) == left[:wanted]


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9), st.integers(0, 4), st.integers(0, 6)), min_size=1),
    st.integers(1, 30),
    st.booleans(),
)
def test_a_batch_is_chosen_one_by_one(drawn: list[tuple[int, int, int, int]], k: int, once: bool) -> None:
    """What is worth most now, again and again; what is about two clusters that had their turn is put off."""
    drawn.sort(reverse=True)
    value, chance, small, two = (np.array(column) for column in zip(*drawn, strict=True))
    left, unchanged = list(range(len(drawn))), dict.fromkeys(small.tolist(), 1.0)
    chosen: list[int] = []
    again: list[int] = []
    while left and len(chosen) < k:
        at = max(left, key=lambda at: (value[at] * unchanged[int(small[at])], -at))
        left.remove(at)
        if once and two[at] in two[chosen]:
            again.append(at)
        else:
            chosen.append(at)
            unchanged[int(small[at])] *= 1 - chance[at] / 10
    found = choose(np.arange(value.size), value.astype(float), chance / 10, small, two, k, once)
    assert found.tolist() == (chosen + again)[:k]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.sets(st.integers(0, 9)))
def test_pairs_among_some_records(pairs: list[tuple[int, int]], some: set[int]) -> None:
    inside = np.isin(np.arange(10), list(some))
    left, right = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    for least in (1, 2):
        expected = [row for row, pair in enumerate(pairs) if sum(end in some for end in pair) >= least]
        assert pairs_among(inside, left, right, least).tolist() == expected


@given(st.lists(st.integers(0, 20)))
def test_rows_that_follow_each_other_are_a_slice(rows: list[int]) -> None:
    run = as_run(np.array(rows, np.int32))
    assert np.arange(30)[run].tolist() == rows
    assert isinstance(run, slice) == (bool(rows) and rows == list(range(rows[0], rows[0] + len(rows))))


def test_pairs_of_many_nodes_are_told_apart() -> None:
    """A pair's key, node times nodes plus node, needs more than 32 bits; without the compiler, too."""
    left, right = np.array([59_997, 59_998], np.int32), np.array([59_998, 59_999], np.int32)
    labels = agglomerated(60_000, left, right, np.array([1.0, 2.0]))[0]
    assert labels[59_990:].tolist() == [*range(59_990, 59_997), 59_997, 59_997, 59_997]
