"""Splink on a table, then review of its most uncertain pairs; runs in an environment with Splink and nothing of ours.

    python rival_splink.py FOLDER SEED (sources or no) ANSWERS...

Settings come from the columns alone. Short texts are compared by Jaro-Winkler, long ones by the words in common, both
with term frequencies. A blocking rule for each column: its first words, as few as give at most 30 pairs a record; an
only column has one for its last words, too. With sources, two tables without duplicates are linked, the likeliest pairs
first, each record to one at most.
Prints a line of JSON for each number of answers: the answers, the clusters with threshold 0.9, and those with others.
"""

from __future__ import annotations

import csv
import json
import logging
import re
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import splink
import splink.comparison_level_library as levels
import splink.comparison_library as comparisons

LONG, MOST_PAIRS, CUT, RECALL = 8, 30, 0.9, 0.7
OTHER_CUTS = (0.01, 0.1, 0.3, 0.5, 0.7, 0.99, 0.999, 0.9999, 0.99999)
PREDICTED = ("unique_id_l", "unique_id_r", "match_probability")
WORD_LEVELS = (0.8, 0.6, 0.4, 0.2)


def main() -> None:
    """Train, predict, review, cluster."""
    folder, answers = Path(sys.argv[1]), [int(count) for count in sys.argv[4:]]
    seed, linked = int(sys.argv[2]), sys.argv[3] == "sources"
    with (folder / "gold.csv").open(newline="", encoding="utf-8-sig") as file:
        gold = {row["unique_id"]: row["cluster_id"] for row in csv.DictReader(file)}
    with (folder / "records.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name not in ("unique_id", "source_dataset")]
    values = {name: [_plain(row[name]) for row in rows] for name in names}
    names = [name for name in names if len(set(values[name]) - {None}) > 1]
    keys = {}
    if len(names) == 1:  # Splink does not train what a rule compares, so the rules need columns of their own
        (name,) = names
        backwards = [text and " ".join(reversed(text.split())) for text in values[name]]
        keys = {"first_words": values[name], "last_words": backwards}
    rules = [
        rule for name, texts in (keys or {name: values[name] for name in names}).items() if (rule := _rule(name, texts))
    ]
    database = splink.DuckDBAPI()
    ids = [row["unique_id"] for row in rows]
    table = {"unique_id": ids, **{name: values[name] for name in names}, **keys}
    source = [row["source_dataset"] if linked else "" for row in rows]
    tables = []
    for one in sorted(set(source)):
        part = {
            name: [value for value, of in zip(column, source, strict=True) if of == one]
            for name, column in table.items()
        }
        tables.append(database.register(part))
    settings = splink.SettingsCreator(
        link_type="link_only" if linked else "dedupe_only",
        comparisons=[_comparison(name, values[name]) for name in names],
        blocking_rules_to_generate_predictions=[splink.block_on(rule) for rule in rules],
    )
    linker = splink.Linker(tables if linked else tables[0], settings, log_level=logging.ERROR)
    training = linker.training
    training.estimate_probability_two_random_records_match([splink.block_on(*rules[:2])], recall=RECALL)
    training.estimate_u_using_random_sampling(max_pairs=1e6, seed=seed + 1)
    for rule in rules[:2]:
        training.estimate_parameters_using_expectation_maximisation(splink.block_on(rule))
    predicted = linker.inference.predict(warning_mode="never").as_dict()
    pairs = list(zip(*(predicted[name] for name in PREDICTED), strict=True))
    doubt = sorted(range(len(pairs)), key=lambda at: abs(pairs[at][2] - 0.5))
    for count in answers:
        reviewed = set(doubt[:count])
        found = []
        for cut in (CUT, *OTHER_CUTS):
            links = {
                (left, right): 1.0 if at in reviewed else chance
                for at, (left, right, chance) in enumerate(pairs)
                if (gold[left] == gold[right] if at in reviewed else chance >= cut)
            }
            found.append(_components(ids, _single(links) if linked else list(links)))
        print(json.dumps({"answers": count, "clusters": found[0], "others": found[1:]}), flush=True)


def _plain(text: str) -> str | None:
    """Lower case; what is neither letter nor digit becomes a space."""
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split()) or None


def _rule(name: str, values: list[str | None]) -> str | None:
    """The first words of a column, as few as give not too many pairs; None if even the whole text does."""
    for words in (1, 2, 3, None):
        sizes = Counter(" ".join(text.split()[:words]) for text in values if text is not None).values()
        if sum(size * (size - 1) // 2 for size in sizes) <= MOST_PAIRS * len(values):
            return name if words is None else f"array_to_string(string_split({name}, ' ')[1:{words}], ' ')"
    return None


def _comparison(name: str, values: list[str | None]) -> Any:
    if mean(len(text.split()) for text in values if text is not None) <= LONG:
        return comparisons.JaroWinklerAtThresholds(name, [0.92, 0.88, 0.7]).configure(term_frequency_adjustments=True)
    left, right = (f"string_split({name}_{side}, ' ')" for side in "lr")
    share = f"len(list_intersect({left}, {right})) * 1.0 / len(list_distinct(list_concat({left}, {right})))"
    return comparisons.CustomComparison(
        [
            levels.NullLevel(name),
            levels.ExactMatchLevel(name, term_frequency_adjustments=True),
            *(levels.CustomLevel(f"{share} >= {least}", label_for_charts=f"words {least}") for least in WORD_LEVELS),
            levels.ElseLevel(),
        ],
        output_column_name=name,
    )


def _single(links: dict[tuple[str, str], float]) -> list[tuple[str, str]]:
    """The likeliest links first, as long as neither record has one."""
    taken: set[str] = set()
    kept = []
    for pair in sorted(links, key=lambda pair: -links[pair]):
        if taken.isdisjoint(pair):
            taken.update(pair)
            kept.append(pair)
    return kept


def _components(ids: list[str], links: list[tuple[str, str]]) -> list[list[str]]:
    """The connected components."""
    root = {record: record for record in ids}

    def find(record: str) -> str:
        while root[record] != record:
            root[record] = record = root[root[record]]
        return record

    for left, right in links:
        root[find(left)] = find(right)
    groups: dict[str, list[str]] = {}
    for record in ids:
        groups.setdefault(find(record), []).append(record)
    return list(groups.values())


if __name__ == "__main__":
    main()
