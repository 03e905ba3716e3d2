"""Clusters of which only some members are present."""

from __future__ import annotations

import numpy as np

from askwise.arrays import Int32s
from askwise.kernels.constraints import Values
from askwise.kernels.partition import Membership


def membership_of(label: Int32s, size_of: Int32s, held: Values) -> Membership:
    """The present members of known clusters; `size_of` and `held` include the members elsewhere."""
    members = np.argsort(label, kind="stable").astype(np.int32)
    following: Int32s = np.full(label.size, -1, np.int32)
    together = label[members[1:]] == label[members[:-1]]
    following[members[:-1][together]] = members[1:][together]
    return Membership(label, size_of, following, held)
