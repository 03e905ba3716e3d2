"""Entity resolution of Spark frames."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from askwise.checks import small_seed, whole_number
from askwise.clustering.registry import clusterer
from askwise.evidence.votes import Ballots
from askwise.kernels.constraints import Values
from askwise.pair_tables import LEFT, RIGHT
from askwise.rules import as_rules
from askwise.spark.belief import Belief, check_evidence, fit_length, untried
from askwise.spark.gathering import next_questions
from askwise.spark.inputs import (
    NO_VOTES,
    ballots,
    digest,
    first_ballots,
    named,
    need,
    numbered,
    numbered_pairs,
    score_column,
)
from askwise.spark.pair_arrays import collected, with_neighbours
from askwise.spark.rule_evidence import digest_of, with_rules, worked_out
from askwise.spark.run import Settings, Step, settings_of
from askwise.spark.state import State
from askwise.spark.vote_evidence import MOST_FITTED, Asked, asked_pairs, fingerprint, fit
from askwise.tables import ID_COLUMN

_QUESTION = "rank int, {0} {2}, {1} {2}, gain double, kind string, why string"
_log = logging.getLogger("askwise.spark")


@dataclass(frozen=True)
class Resolved:
    """The result of a run.

    `clusters` has a row for each record: `cluster_id` (the first id of the cluster), `unique_id`, `confidence` (the
    smaller of the next two), `connectivity`, `separation`, and `nearest`, the cluster that the separation refers to.
    `questions` has the next questions, the most useful first. Both are tables in the folder of the state; `clustered`
    says how many components were clustered in this run, `components` how many there are.
    """

    clusters: DataFrame
    questions: DataFrame
    folder: str
    clustered: int
    components: int


def resolve_frames(
    records: DataFrame,
    pairs: DataFrame,
    votes: DataFrame | None = None,
    *,
    state: str,
    questions: int = 1000,
    score: str | None = None,
    clustering: str = "scc+moves",
    evidence: str = "auto",
    seed: int = 0,
    rules: Iterable[Any] = (),
    bucket: int = 1_000_000,
    largest: int = 5_000_000,
    progress: Callable[[str], None] = lambda step: None,
) -> Resolved:
    """Resolve records of any number: the clusters and the questions of `Resolution(..., strategy="wise")`.

    Parameters
    ----------
    records : DataFrame
        With `unique_id`, and the fields that rules are about.
    pairs : DataFrame
        With `unique_id_l`, `unique_id_r` and a score, as for `read_pairs`.
    votes : DataFrame, optional
        With `unique_id_l`, `unique_id_r`, `worker`, `label` (1, 0, empty) and `number`, which is their order; perhaps
        `probability`. Votes are only ever added.
    state : str
        A folder on any file system that Spark can write to. The next run with more votes goes on from there.
    questions : int
        How many questions to choose.
    score : str, optional
        The column of the score.
    clustering, evidence, seed, rules
        As for `Resolution`; `evidence` is "auto" or "scores".
    bucket : int
        How many pairs a task works on at once.
    largest : int
        A component with more pairs is clustered on the driver, with a warning.
    progress : callable
        Gets the name of each step.

    Returns
    -------
    Resolved
    """
    check_evidence(evidence)
    clusterer(clustering)
    seed = small_seed(seed)
    wanted = whole_number("questions", questions, 1)
    sizes = whole_number("bucket", bucket, 1), whole_number("largest", largest, 1)
    spark = records.sparkSession
    kept = State(spark, state)
    score = score_column(pairs, score)
    rules = as_rules(rules)

    progress("reading")
    before = kept.current
    inputs, about = _inputs(kept, records, pairs, score)
    ids, scored = kept.table(inputs, "records"), _scored(kept, inputs, about)
    constraints = worked_out(rules, records, ids)
    settings = settings_of(clustering, evidence, seed, score, digest_of(constraints))
    said = NO_VOTES if votes is None else ballots(votes, ids)
    length = fit_length(evidence, about["pairs"], said.left.size)
    goes_on = (
        before.get("inputs") == inputs
        and before["settings"] == settings
        and before["fitted"] == length
        and fingerprint(first_ballots(said, before["votes"])) == before["said"]
    )
    if goes_on and (before["votes"], before["questions"]) == (said.left.size, wanted):
        return _resolved(kept, 0)
    values = constraints.values
    belief = _belief(goes_on, before, evidence, seed, scored, about, first_ballots(said, length), values)
    asked, ruled = with_rules(asked_pairs(said, scored, belief), constraints, scored)

    run = kept.new_folder("run")
    keep, work = kept.keep(run), kept.keep(f"{run}/work")
    step = Step(spark, Settings(clustering, seed, *sizes), constraints.groups, work, progress)
    if goes_on:
        old = before["run"]
        now, gone = asked.changed(_asked_before(kept.table(old, "asked")))
        clusters, valued, count = step.touched(kept.table(old, "members"), kept.table(old, "pairs"), now, gone)
    else:
        clusters, valued, count = step.everything(step.evidence(scored, belief, asked, ruled), ids.select("position"))
    progress("writing")
    valued = keep(valued, "pairs")
    clusters = keep(clusters, "members")
    keep(spark.createDataFrame(asked.table()), "asked")
    keep(_public(clusters, ids), "clusters")
    kind = dict(ids.dtypes)[ID_COLUMN]
    rows = [
        (at, one.left, one.right, one.gain, one.kind, one.why)
        for at, one in enumerate(next_questions(valued, clusters, ids, wanted), 1)
    ]
    keep(spark.createDataFrame(rows, _QUESTION.format(LEFT, RIGHT, kind)).coalesce(1), "questions")
    kept.remove(f"{run}/work")
    kept.switch(
        {
            "run": run,
            "inputs": inputs,
            "about": about,
            "settings": settings,
            "votes": said.left.size,
            "questions": wanted,
            "components": clusters.where("component = position").count(),
            "said": fingerprint(said),
            "fitted": length,
            "belief": belief.as_dict(),
        }
    )
    return _resolved(kept, count)


def _resolved(kept: State, clustered: int) -> Resolved:
    """The result in the current state."""
    run = kept.current["run"]
    tables = kept.table(run, "clusters"), kept.table(run, "questions")
    return Resolved(*tables, kept.place(run), clustered, kept.current["components"])


def _inputs(kept: State, records: DataFrame, pairs: DataFrame, score: str) -> tuple[str, dict[str, Any]]:
    """The folder of the numbered inputs, and what is known of them; that of the last run if they are unchanged."""
    need(records, "the records", [ID_COLUMN])
    of_records, of_pairs = digest(records, [ID_COLUMN]), digest(pairs, [LEFT, RIGHT, score])
    seen = [*of_records, *of_pairs]
    if kept.current.get("about", {}).get("seen") == seen:
        return kept.current["inputs"], kept.current["about"]
    folder = kept.new_folder("inputs")
    keep = kept.keep(folder)
    ids = numbered(records, keep)
    scored = numbered_pairs(pairs, score, ids, keep)
    row = scored.agg(sf.count("*"), sf.min("score"), sf.max("score")).first()
    assert row is not None
    low, high = (0.0 if value is None else float(value) for value in row[1:])
    company = row[0] <= MOST_FITTED
    if company:
        kept.keep_parts(folder, "company", with_neighbours(collected(scored), of_records[0]))
        kept.remove(f"{folder}/pairs")
    else:
        _log.warning(
            "there are %s pairs, more than %s: a pair is judged by its score and its votes alone, without what the "
            "other candidates of its two records say.",
            f"{row[0]:,}",
            f"{MOST_FITTED:,}",
        )
    return folder, {"seen": seen, "pairs": row[0], "low": low, "high": high, "company": company}


def _scored(kept: State, inputs: str, about: dict[str, Any]) -> DataFrame:
    """The numbered pairs, with the features from other candidates if they are not too many."""
    return kept.table(inputs, "company") if about["company"] else kept.table(inputs, "pairs").select("u", "v", "score")


def _belief(
    goes_on: bool,
    before: dict[str, Any],
    evidence: str,
    seed: int,
    scored: DataFrame,
    about: dict[str, Any],
    said: Ballots,
    values: Values,
) -> Belief:
    """The fitted evidence: from an earlier run, new, or none yet."""
    if goes_on:
        return Belief.from_dict(before["belief"])
    if not said.left.size:
        return untried(about["low"], about["high"])
    return fit(evidence, seed, scored, about, said, values if values.shape[1] else None)


def _asked_before(table: DataFrame) -> Asked:
    columns = table.select("u", "v", "p", "extra").toArrow().columns
    u, v, p, extra = (column.to_numpy() for column in columns)
    return Asked(u, v, np.asarray(p, np.float64), extra)


def _public(clusters: DataFrame, ids: DataFrame) -> DataFrame:
    """The clusters by the names of records."""
    table = named("position", ID_COLUMN, ids, clusters)
    table = named("cluster", "cluster_id", ids, table)
    table = named("nearest", "nearest_id", ids, table)
    return table.select(
        "cluster_id",
        ID_COLUMN,
        sf.least("connectivity", "separation").alias("confidence"),
        "connectivity",
        "separation",
        sf.col("nearest_id").alias("nearest"),
    )
