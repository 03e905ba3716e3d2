"""Made-up records whose matcher has scored pairs, and voters: scores and votes as a matcher and a crowd would give."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from askwise import Vote
from askwise.arrays import Floats, Int32s, Int64s


@dataclass(frozen=True)
class MadePairs:
    """Ids in order, the entity of each, and pairs of positions with scores, each pair once."""

    ids: list[str]
    entity: Int64s
    left: Int32s
    right: Int32s
    score: Floats

    def votes(self, count: int, seed: int = 0) -> list[Vote]:
        """Votes of five workers, wrong one time in ten, three on a pair; the pairs are those nearest to even."""
        chance = np.random.default_rng((seed, 1))
        pairs = np.argsort(np.abs(self.score - 0.5) + chance.random(self.score.size) / 4)[: -(-count // 3)]
        same = self.entity[self.left[pairs]] == self.entity[self.right[pairs]]
        found = []
        for at in range(count):
            pair, worker = at // 3, f"w{(at * 7 + at // 3) % 5}"
            label = bool(same[pair] ^ (chance.random() < 0.1))
            found.append(Vote(self.ids[self.left[pairs[pair]]], self.ids[self.right[pairs[pair]]], worker, label))
        return found


def made_pairs(records: int, a_record: int = 10, digits: int = 6, seed: int = 0) -> MadePairs:
    """`a_record` pairs a record: inside its entity of one to six records, and with others anywhere.

    One pair in ten inside an entity looks different to the matcher, and one in three hundred of the others alike;
    scores are rounded to `digits`.
    """
    chance = np.random.default_rng(seed)
    sizes = chance.integers(1, 7, records)
    entity = np.repeat(np.arange(records), sizes)[:records]
    start = np.searchsorted(entity, entity)
    end = np.searchsorted(entity, entity, side="right")
    left = np.repeat(np.arange(records), a_record)
    slot = np.tile(np.arange(a_record), records)
    inside = start[left] + (left - start[left] + 1 + slot) % (end[left] - start[left])
    right = np.where(slot < (end - start)[left] - 1, inside, chance.integers(0, records, left.size))
    low, high = np.minimum(left, right), np.maximum(left, right)
    keys = np.unique((low * records + high)[low != high])
    low, high = keys // records, keys % records
    same = entity[low] == entity[high]
    looks_same = same ^ (chance.random(low.size) < np.where(same, 0.1, 1 / 300))
    score: Floats = np.where(looks_same, chance.beta(6, 2, low.size), chance.beta(2, 12, low.size))
    order = chance.permutation(records)  # so that near records have nothing to do with each other
    u, v = order[low].astype(np.int32), order[high].astype(np.int32)
    named = np.empty(records, np.int64)
    named[order] = entity
    ids = [f"r{at:08d}" for at in range(records)]
    return MadePairs(ids, named, np.minimum(u, v), np.maximum(u, v), score.round(digits))


def vote_table(votes: list[Vote]) -> pa.Table:
    """Votes as Spark takes them."""
    columns = {
        "unique_id_l": pa.array([vote.left for vote in votes], pa.string()),
        "unique_id_r": pa.array([vote.right for vote in votes], pa.string()),
        "worker": pa.array([vote.worker for vote in votes], pa.string()),
        "label": pa.array([vote.label for vote in votes], pa.bool_()),
    }
    return pa.table({**columns, "number": pa.array(range(len(votes)), pa.int64())})


def pair_table(made: MadePairs) -> pa.Table:
    """Scored pairs as Spark takes them."""
    ids = pa.array(made.ids)
    return pa.table({"unique_id_l": ids.take(made.left), "unique_id_r": ids.take(made.right), "score": made.score})
