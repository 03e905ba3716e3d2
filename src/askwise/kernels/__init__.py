"""Every compiled loop, and nothing else: plain arrays in, plain arrays out.

A module a subject. Records, pairs and clusters are positions here (int32), never ids. A pair is a row of the
arrays `pair_u`, `pair_v` (`u < v`) and `pair_p` (NaN: asked, but no evidence). The half-edges 2*pair (seen from u)
and 2*pair+1 (seen from v) hang in linked lists, `head[record]` and `following[half-edge]`, ended by -1.

| module | subject |
| --- | --- |
| mixing | pseudo-random numbers that are a function of what they are for |
| intmap | integer to integer hash map |
| adjacency | pairs into linked lists; what lies around some records |
| votes | the vote log, superseding, tallies |
| agglomerate | greedy merging on a summed weight |
| blocks | biconnected components |
| exact | connectivity and all gains of a small block, exactly |
| sampling | the same for a large block, 64 possible worlds to a word |
| gains | a whole cluster: connectivity, and its best questions |
| between | pairs of clusters: their evidence, the weakest first |
| unlinked | candidates between clusters that were never compared |
"""
