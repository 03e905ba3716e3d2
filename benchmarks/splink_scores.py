"""Splink's own model of a table, and what it says of given pairs: settings from the columns alone, no labels.

Fields are put into the plain form that our matcher sees, too. Texts are compared in one of two ways: by Jaro-Winkler at
the levels of Splink's comparison of names, or by the share of words in common; both with term frequencies. Numbers and
dates are compared exactly and nearly. u comes from random pairs, lambda from records that agree on two keys, m from
expectation-maximisation within each of these keys, as in Splink's guide.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from askwise import Table
from askwise.blocking.texts import record_texts
from askwise.kinds import column_texts

try:
    import splink
    import splink.comparison_level_library as levels
    import splink.comparison_library as comparisons
except ImportError:
    sys.exit("this benchmark needs Splink 5: pip install 'splink>=5'")

SETUPS = ("Jaro-Winkler", "words")
TEXT_LEVELS = [0.92, 0.88, 0.7]
WORD_LEVELS = [0.8, 0.6, 0.4, 0.2]
NEAR_NUMBER = 0.05
SEED = 1
MOST_PAIRS = 1e6
RECALL = 0.7
"""The share of the matches that agree on both keys, as we guess it; the figure of Splink's guide."""

CUT = 0.9

LEAST_PAIRS = 0.1
LEAST_DISTINCT = 0.1
"""For EM, the least pairs a record that a key needs, and the least distinct values a record that its column needs."""


@dataclass(frozen=True)
class SplinkResult:
    """What Splink says: the probabilities of the pairs, its own clusters, its keys, and the share that matches."""

    probability: dict[tuple[Hashable, Hashable], float]
    clusters: dict[Hashable, Hashable]
    keys: tuple[Key, Key]
    matching: float


@dataclass(frozen=True)
class Key:
    """A text column, or its first words, as Splink is trained within it."""

    column: str
    words: int | None

    def __str__(self) -> str:
        return self.column if self.words is None else f"{self.column} ({self.words} words)"

    @property
    def rule(self) -> str:
        """The key in SQL."""
        if self.words is None:
            return self.column
        return f"array_to_string(string_split({self.column}, ' ')[1:{self.words}], ' ')"


def splink_result(table: Table, pairs: Sequence[tuple[Hashable, Hashable]], setup: str) -> SplinkResult:
    """Train Splink on the table and have it score exactly these pairs; `setup` says how texts are compared."""
    logging.getLogger("splink").setLevel(logging.ERROR)
    values = {name: _values(table, name) for name in table.fields}
    fields = [name for name in table.fields if len(set(values[name]) - {None}) > 1]
    position = {record: at for at, record in enumerate(table.ids)}
    rows = {"unique_id": list(range(len(table))), **{name: values[name] for name in fields}}
    ends = [(position[left], position[right]) for left, right in pairs]

    database = splink.DuckDBAPI()
    settings = splink.SettingsCreator(
        link_type="dedupe_only", comparisons=[_comparison(table.kinds[name], name, setup) for name in fields]
    )
    linker = splink.Linker(database.register(rows), settings, log_level=logging.ERROR)
    first, second = _keys(table, values, fields)
    training = linker.training
    training.estimate_probability_two_random_records_match([splink.block_on(first.rule, second.rule)], recall=RECALL)
    training.estimate_u_using_random_sampling(max_pairs=MOST_PAIRS, seed=SEED)
    for key in (first, second):
        training.estimate_parameters_using_expectation_maximisation(splink.block_on(key.rule))

    blocked = {
        "match_key": ["0"] * len(ends),
        "join_key_l": [min(pair) for pair in ends],
        "join_key_r": [max(pair) for pair in ends],
    }
    linker.table_management.register_blocked_pairs_for_predict(database.register(blocked))
    predictions = linker.inference.predict(warning_mode="never")
    found = predictions.as_dict()
    probability = {
        (table.ids[left], table.ids[right]): float(value)
        for left, right, value in zip(
            found["unique_id_l"], found["unique_id_r"], found["match_probability"], strict=True
        )
    }
    grouped = linker.clustering.cluster_pairwise_predictions_at_threshold(
        predictions, threshold_match_probability=CUT
    ).as_dict()
    clusters: dict[Hashable, Hashable] = {
        table.ids[record]: name for record, name in zip(grouped["unique_id"], grouped["cluster_id"], strict=True)
    }
    matching = float(linker.misc.save_model_to_json()["probability_two_random_records_match"])
    return SplinkResult(probability, clusters, (first, second), matching)


def _values(table: Table, name: str) -> list[Any]:
    """A column as Splink gets it, None where it is missing."""
    kind = table.kinds[name]
    if kind == "number":
        return [None if value != value else float(value) for value in table.columns[name].tolist()]
    if kind == "date":
        return [text[:10] if text else None for text in column_texts(kind, table.columns[name])]
    return [" ".join(text.split()) or None for text in record_texts(table, [name])]


def _comparison(kind: str, name: str, setup: str) -> Any:
    if kind == "number":
        return comparisons.CustomComparison(
            [
                levels.NullLevel(name),
                levels.ExactMatchLevel(name),
                levels.PercentageDifferenceLevel(name, NEAR_NUMBER),
                levels.ElseLevel(),
            ],
            output_column_name=name,
        )
    if kind == "date":
        return comparisons.AbsoluteDateDifferenceAtThresholds(
            name, input_is_string=True, metrics=["day", "month"], thresholds=[3, 1]
        )
    if setup == "words":
        return _words_in_common(name)
    return comparisons.JaroWinklerAtThresholds(name, TEXT_LEVELS).configure(term_frequency_adjustments=True)


def _words_in_common(name: str) -> Any:
    """Texts by the words that both have, as a share of those that either has."""
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


def _keys(table: Table, values: dict[str, list[Any]], fields: list[str]) -> tuple[Key, Key]:
    """Two keys of two columns: of the columns that tell records apart, the two with the fewest gaps.

    A key is the whole text, or where hardly any two are the same its first three, two words or one.
    """
    telling = [
        name for name in fields if table.kinds[name] == "text" and len(set(values[name])) >= LEAST_DISTINCT * len(table)
    ]
    telling.sort(key=lambda name: values[name].count(None))
    found = [key for name in telling if (key := _key(name, values[name])) is not None][:2]
    if len(found) < 2:
        sys.exit(f"no two columns to train Splink on, of {', '.join(fields)}")
    return found[0], found[1]


def _key(name: str, values: list[Any]) -> Key | None:
    texts = [text for text in values if text is not None]
    for words in (None, 3, 2, 1):
        sizes = Counter(" ".join(text.split()[:words]) for text in texts).values()
        if sum(size * (size - 1) // 2 for size in sizes) >= LEAST_PAIRS * len(values):
            return Key(name, words)
    return None
