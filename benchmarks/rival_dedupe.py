"""dedupe on a table with truthful answers to its own questions; runs in an environment with dedupe and nothing of ours.

    python rival_dedupe.py FOLDER SEED (sources or no) ANSWERS...

With sources, two tables without duplicates are linked one to one.
Prints a line of JSON for each number of answers: the answers, and the clusters of the records.
"""

from __future__ import annotations

import csv
import json
import logging
import random
import re
import sys
from io import StringIO
from pathlib import Path
from statistics import mean
from typing import Any

import dedupe
import numpy

LONG = 8
"""Texts of more words on average are compared as Text, others as String."""

SAMPLE = 5_000


def main() -> None:
    """Ask, train and cluster."""
    logging.disable(logging.WARNING)
    folder = Path(sys.argv[1])
    seed, linked = int(sys.argv[2]), sys.argv[3] == "sources"
    random.seed(seed)
    numpy.random.seed(seed)
    answers = [int(count) for count in sys.argv[4:] if int(count)]
    with (folder / "gold.csv").open(newline="", encoding="utf-8-sig") as file:
        gold = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
    with (folder / "records.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in ("unique_id", "source_dataset")]
    data = {row["unique_id"]: row | {name: _plain(row[name]) for name in names} for row in rows}
    names = [name for name in names if any(row[name] for row in data.values())]
    if linked:
        sources = sorted({row["source_dataset"] for row in rows})
        tables = [{key: row for key, row in data.items() if row["source_dataset"] == source} for source in sources]
    else:
        tables = [data]
    asked, answered = 0, ""
    for count in answers:
        # A deduper that was trained takes no more answers, so each number of them has one of its own.
        kind = dedupe.RecordLink if linked else dedupe.Dedupe
        deduper = kind([_variable(name, data) for name in names], num_cores=1)
        deduper.prepare_training(*tables, StringIO(answered) if answered else None, sample_size=SAMPLE)
        while asked < count:
            for pair in deduper.uncertain_pairs():
                same = gold[pair[0]["unique_id"]] == gold[pair[1]["unique_id"]]
                deduper.mark_pairs({"match": [pair] if same else [], "distinct": [] if same else [pair]})
                asked += 1
        training = StringIO()
        deduper.write_training(training)
        answered = training.getvalue()
        try:
            deduper.train()
            groups = deduper.join(*tables, 0.5, "one-to-one") if linked else deduper.partition(data, 0.5)
            found = [list(map(str, records)) for records, _ in groups]
            found += [[one] for one in data.keys() - {one for records in found for one in records}]
        except Exception as error:
            print(json.dumps({"answers": asked, "failed": f"{type(error).__name__}: {str(error)[:100]}"}), flush=True)
        else:
            print(json.dumps({"answers": asked, "clusters": found}), flush=True)


def _plain(value: str) -> str | None:
    """Lower case; what is neither letter nor digit becomes a space."""
    return " ".join(re.sub(r"[\W_]+", " ", value.casefold()).split()) or None


def _variable(name: str, data: dict[str, dict[str, Any]]) -> Any:
    words = mean(len(row[name].split()) for row in data.values() if row[name])
    kind = dedupe.variables.Text if words > LONG else dedupe.variables.String
    return kind(name, has_missing=any(row[name] is None for row in data.values()))


if __name__ == "__main__":
    main()
