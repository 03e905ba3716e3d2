"""Splink on made-up people, set up by hand as its guide advises, in an environment with nothing of ours.

python rival_splink_people.py PEOPLE.csv CLUSTERS.csv
"""

from __future__ import annotations

import logging
import sys

import duckdb
import splink
import splink.comparison_library as comparisons

RULES = (
    ("phone",),
    ("surname", "birth_date"),
    ("surname", "postcode"),
    ("street", "city"),
    ("given_name", "birth_date"),
    ("given_name", "surname", "city"),
)
TRAINING = (("surname", "birth_date"), ("street", "city"))
CUT = 0.9


def main() -> None:
    """Train, predict, cluster."""
    source, out = sys.argv[1:]
    settings = splink.SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            comparisons.NameComparison("given_name").configure(term_frequency_adjustments=True),
            comparisons.NameComparison("surname").configure(term_frequency_adjustments=True),
            comparisons.LevenshteinAtThresholds("birth_date", [1, 2]),
            comparisons.LevenshteinAtThresholds("street", [1, 3]),
            comparisons.LevenshteinAtThresholds("city", [1, 2]).configure(term_frequency_adjustments=True),
            comparisons.LevenshteinAtThresholds("postcode", [1]),
            comparisons.LevenshteinAtThresholds("phone", [1, 2]),
        ],
        blocking_rules_to_generate_predictions=[splink.block_on(*rule) for rule in RULES],
    )
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{source}', all_varchar = true)")
    database = splink.DuckDBAPI(connection)
    linker = splink.Linker(database.register("people"), settings, log_level=logging.ERROR)
    training = linker.training
    training.estimate_probability_two_random_records_match([splink.block_on(*rule) for rule in TRAINING], recall=0.7)
    training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in TRAINING:
        training.estimate_parameters_using_expectation_maximisation(splink.block_on(*rule))
    predictions = linker.inference.predict(threshold_match_probability=0.5, warning_mode="never")
    grouped = linker.clustering.cluster_pairwise_predictions_at_threshold(
        predictions, threshold_match_probability=CUT
    ).as_dict()
    with open(out, "w", encoding="utf-8") as file:
        for record, cluster in zip(grouped["unique_id"], grouped["cluster_id"], strict=True):
            file.write(f"{record},{cluster}\n")


if __name__ == "__main__":
    main()
