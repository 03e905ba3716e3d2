"""SCC on graphs of 10K, 100K and 1M records (7.5M pairs): ours against a straightforward one with heap and dicts."""

from __future__ import annotations

import heapq
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from time import perf_counter, process_time

import numpy as np
from memory import forget_peak, peak_gigabytes
from signed_graphs import SignedGraph, signed_graph

from askwise.arrays import Int32s
from askwise.components import Components
from askwise.kernels.agglomerate import SUM, TIE_SCALE
from askwise.kernels.components import KERNIGHAN_LIN, MOVES, ONE_MOVE

SIZES = (10_000, 100_000, 1_000_000)
SEED = 1
REPEATS = 3
"""Ours is so short that the shortest of three counts: other people's load on the machine only ever adds."""

SEARCHES = {"one-move": ONE_MOVE, "moves": MOVES, "kernighan-lin": KERNIGHAN_LIN}


def heap_and_dicts(graph: SignedGraph) -> Int32s:
    """SCC as one would write it down: dicts of neighbours, a heap, entries that are no longer true passed over."""
    around: list[dict[int, float]] = [{} for _ in range(graph.size)]
    heap = []
    for u, v, weight in zip(graph.left.tolist(), graph.right.tolist(), graph.weight.tolist(), strict=True):
        around[u][v] = around[v][u] = weight
        if round(weight * TIE_SCALE) > 0:
            heap.append((-round(weight * TIE_SCALE), u, v))
    heapq.heapify(heap)
    into = list(range(graph.size))
    while heap:
        rank, one, two = heapq.heappop(heap)
        if two not in around[one] or -round(around[one][two] * TIE_SCALE) != rank:
            continue
        del around[one][two]
        del around[two][one]
        for other, weight in around[two].items():
            del around[other][two]
            weight += around[one].get(other, 0.0)
            around[one][other] = around[other][one] = weight
            rank = round(weight * TIE_SCALE)
            if rank > 0:
                heapq.heappush(heap, (-rank, min(one, other), max(one, other)))
        around[two] = {}
        into[two] = one
    for node in range(graph.size):  # a cluster is named by its smallest record
        into[node] = into[into[node]]
    return np.array(into, np.int32)


@dataclass(frozen=True)
class Merging:
    """What one graph took: seconds, CPU time, the weight that is cut, the peak of the memory with the graph itself."""

    records: int
    pairs: int
    plain: float
    plain_cut: float
    same: bool
    seconds: float
    one_core: float
    cpu: float
    cut: float
    searches: dict[str, tuple[float, float]]
    gigabytes: float


def measured(records: int) -> Merging:
    """Measure at one size."""
    _warm_up()
    graph = signed_graph(records, SEED)
    forget_peak()
    seconds = cpu = float("inf")
    for _ in range(REPEATS):
        begin, work = perf_counter(), process_time()
        components = Components(graph.size, graph.left, graph.right, graph.weight)
        labels = components.merged(SUM)
        seconds, cpu = min(seconds, perf_counter() - begin), min(cpu, process_time() - work)
    memory = peak_gigabytes()
    searches = {}
    for name, search in SEARCHES.items():
        begin = perf_counter()
        found = components.improved(labels, search)
        searches[name] = perf_counter() - begin, graph.cut(found)
    begin = perf_counter()
    alone = Components(graph.size, graph.left, graph.right, graph.weight, threads=1).merged(SUM)
    one_core = perf_counter() - begin
    begin = perf_counter()
    plain = heap_and_dicts(graph)
    taken = perf_counter() - begin
    same = bool((plain == labels).all() and (alone == labels).all())
    return Merging(
        records,
        graph.left.size,
        taken,
        graph.cut(plain),
        same,
        seconds,
        one_core,
        cpu,
        graph.cut(labels),
        searches,
        memory,
    )


def _warm_up() -> None:
    graph = signed_graph(1000, SEED)
    components = Components(graph.size, graph.left, graph.right, graph.weight)
    for search in SEARCHES.values():
        components.improved(components.merged(SUM), search)


def main(sizes: tuple[int, ...] = SIZES) -> list[Merging]:
    """A line for each size, each in a process of its own."""
    print(f"SCC on signed graphs, seed {SEED}; the sum of the weights that are cut: the lower, the better")
    found = []
    for records in sizes:
        answer = subprocess.run([sys.executable, __file__, str(records)], check=True, capture_output=True, text=True)
        one = Merging(**json.loads(answer.stdout))
        found.append(one)
        searches = "; ".join(
            f"{name} {seconds:.3f} s more, {cut:,.0f}" for name, (seconds, cut) in one.searches.items()
        )
        print(
            f"  {records:>9,} records, {one.pairs:,} pairs: heap and dicts {one.plain:.2f} s, {one.plain_cut:,.0f}; "
            f"ours {one.seconds:.3f} s ({one.cpu:.3f} s of CPU time, {one.one_core:.3f} s on one core, "
            f"{one.gigabytes:.2f} GB), {one.cut:,.0f}, ratio {one.plain / one.seconds:.0f}, "
            f"{'the same clusters' if one.same else 'OTHER CLUSTERS'}; {searches}",
            flush=True,
        )
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(asdict(measured(int(sys.argv[1])))))
    else:
        main()
