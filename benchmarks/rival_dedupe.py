"""dedupe on a table with truthful answers to its own questions; runs in an environment with dedupe and nothing of ours.

    python rival_dedupe.py FOLDER SEED (sources or no) ANSWERS...

With sources, two tables without duplicates are linked one to one.
Prints a line of JSON for each number of answers: the answers, the clusters with threshold 0.5, and those with others.
"""

from __future__ import annotations

import csv
import json
import logging
import os
import random
import re
import sys
from pathlib import Path
from statistics import mean
from typing import Any

import dedupe
import numpy

LONG = 8
"""Texts of more words on average are compared as Text, others as String."""

SAMPLE = 5_000
OTHER_CUTS = (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)


def main() -> None:
    """Ask, train and cluster."""
    logging.disable(logging.WARNING)
    os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # its processes would outlive a copy
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
    kind = dedupe.RecordLink if linked else dedupe.Dedupe
    deduper = kind([_variable(name, data) for name in names], num_cores=1)
    deduper.prepare_training(*tables, sample_size=SAMPLE)
    asked = 0
    for count in answers:
        while asked < count:
            for pair in deduper.uncertain_pairs():
                same = gold[pair[0]["unique_id"]] == gold[pair[1]["unique_id"]]
                deduper.mark_pairs({"match": [pair] if same else [], "distinct": [] if same else [pair]})
                asked += 1
        child = os.fork()  # a deduper that was trained takes no more answers, so a copy is trained
        if not child:
            print(json.dumps({"answers": asked} | _clusters(deduper, tables, linked)), flush=True)
            os._exit(0)
        os.waitpid(child, 0)


def _clusters(deduper: Any, tables: list[dict[str, dict[str, Any]]], linked: bool) -> dict[str, Any]:
    """Train and cluster, or say what failed."""
    try:
        deduper.train()
        scores = deduper.score(deduper.pairs(*tables))
        found = [_at(deduper, scores, cut, tables, linked) for cut in (0.5, *OTHER_CUTS)]
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {str(error)[:100]}"}
    return {"clusters": found[0], "others": found[1:]}


def _at(deduper: Any, scores: Any, cut: float, tables: list[dict[str, Any]], linked: bool) -> list[list[str]]:
    """The clusters with a threshold; partition and join do the same steps."""
    if linked:
        groups = [list(map(str, pair)) for pair, _ in deduper.one_to_one(scores, cut)]
    else:
        groups = [list(map(str, records)) for records, _ in deduper.cluster(scores, cut)]
    known = {one for records in groups for one in records}
    return groups + [[one] for table in tables for one in table if one not in known]


def _plain(value: str) -> str | None:
    """Lower case; what is neither letter nor digit becomes a space."""
    return " ".join(re.sub(r"[\W_]+", " ", value.casefold()).split()) or None


def _variable(name: str, data: dict[str, dict[str, Any]]) -> Any:
    words = mean(len(row[name].split()) for row in data.values() if row[name])
    kind = dedupe.variables.Text if words > LONG else dedupe.variables.String
    return kind(name, has_missing=any(row[name] is None for row in data.values()))


if __name__ == "__main__":
    main()
