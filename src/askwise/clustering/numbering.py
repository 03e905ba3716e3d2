"""Helpers of clusterers: a random order of the records, and labels in one form."""

import numpy as np

from askwise.arrays import Int32s
from askwise.kernels.mixing import hashes
from askwise.kernels.partition import by_smallest


def shuffled(nodes: Int32s, seed: int) -> Int32s:
    """The places in `nodes` in an order that depends on the seed and the records, not on other records."""
    return np.argsort(hashes(np.uint64(seed), nodes), kind="stable").astype(np.int32)


def smallest_first(labels: Int32s) -> Int32s:
    """Labels in the form that clusterers return: the smallest place in the cluster."""
    return by_smallest(labels)
