"""The vote log: rows that are only ever added, chained by pair, and the tallies of those that still count."""

from askwise.arrays import Bools, Int8s, Int32s
from askwise.kernels.compiled import compiled

UNSURE = -1


@compiled
def append_votes(
    rows: Int32s,
    workers: Int32s,
    labels: Int8s,
    count: int,
    log_pair: Int32s,
    log_worker: Int32s,
    log_label: Int8s,
    log_live: Bools,
    log_previous: Int32s,
    last: Int32s,
    yes: Int32s,
    no: Int32s,
) -> int:
    """Add votes on the pairs `rows`; a worker's later vote on a pair supersedes the earlier. Returns the new length."""
    for i in range(rows.size):
        pair = rows[i]
        earlier = last[pair]
        while earlier >= 0:
            if log_live[earlier] and log_worker[earlier] == workers[i]:
                log_live[earlier] = False
                if log_label[earlier] == 1:
                    yes[pair] -= 1
                elif log_label[earlier] == 0:
                    no[pair] -= 1
                break
            earlier = log_previous[earlier]
        log_pair[count] = pair
        log_worker[count] = workers[i]
        log_label[count] = labels[i]
        log_live[count] = True
        log_previous[count] = last[pair]
        last[pair] = count
        if labels[i] == 1:
            yes[pair] += 1
        elif labels[i] == 0:
            no[pair] += 1
        count += 1
    return count
