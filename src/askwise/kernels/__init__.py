"""Every compiled loop, and nothing else: plain arrays in, plain arrays out.

A module a subject. Records, pairs and clusters are positions here (int32), never ids. A pair is a row of the
arrays `pair_u`, `pair_v` (`u < v`) and `pair_p` (NaN: asked, but no evidence). The pairs around a record are walked
through as `adjacency.py` says.

| module | subject |
| --- | --- |
| mixing | pseudo-random numbers that are a function of what they are for |
| intmap, heap | integer to integer hash map; a heap from which any slot can be taken |
| ngrams, neighbours, pair_lists | texts as vectors, their nearest neighbours, pairs in blocks |
| adjacency, candidate_pairs | the pairs around records, what lies around some; listed candidates from both sides |
| votes | the vote log, superseding, tallies |
| agglomerate, dense_merging | greedy merging: with lists and a heap, and in a table for small graphs |
| components | what is done to each component of the positive pairs by itself |
| merge_tree | the two sides of each merge: the evidence around them, pairs between them |
| linking, pivoting | clusterers that take the records in order; how far pivoting has come |
| local_search | moves that raise the likelihood |
| partition | labels, members, components |
| blocks, exact, sampling, gains | a cluster: its blocks, small ones exactly, large ones sampled, its best questions |
| cluster_questions | the best questions inside many clusters, in one call |
| separations, unlinked, unlinked_by_size | pairs of clusters, compared and never compared |
| picking, bit_sets | one pair out of many that may be asked; sets that are counted and drawn from |
| question_values, equivalent_questions, batches | what questions are worth, others about the same change, a batch |
| nearest_clusters | for each cluster, the other that it could best be confused with |
| bottleneck | MinMax's path scores |
"""
