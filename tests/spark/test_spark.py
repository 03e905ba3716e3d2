"""Spark beside the engine on one machine: the same clusters, the same questions, whatever is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame, SparkSession
from shared.made_pairs import MadePairs, made_pairs, pair_table, vote_table

from askwise import AskwiseError, Resolution, ScoredPairs, Vote
from askwise.cli import commands
from askwise.errors import InputError, LabelError, PairError, ProbabilityError, RecordError, RuleError, TableError
from askwise.evidence.scores import machine_of
from askwise.evidence.votes import Ballots
from askwise.spark import Resolved, inputs, pair_arrays, resolve_frames, vote_evidence
from askwise.spark.session import read, session
from askwise.spark.star_components import components

QUESTIONS = 40


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    # The session is short: Java's second compiler, and threads that collect garbage, would cost more than they save.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        made = session("local[2]", "1g")
    made.conf.set("spark.sql.shuffle.partitions", "2")
    # The tables are small: planning again after each stage, and compiling each stage, would only cost.
    made.conf.set("spark.sql.adaptive.enabled", "false")
    made.conf.set("spark.sql.codegen.wholeStage", "false")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def made() -> MadePairs:
    return made_pairs(1500, digits=2)  # so that many pairs have the same score


def frames(spark: SparkSession, made: MadePairs) -> tuple[DataFrame, DataFrame]:
    shuffled = np.random.default_rng(0).permutation(len(made.ids))
    records = spark.createDataFrame(pa.table({"unique_id": [made.ids[at] for at in shuffled]}))
    return records, spark.createDataFrame(pair_table(made))


def run(spark: SparkSession, made: MadePairs, votes: list[Vote], state: Path, **options: Any) -> Resolved:
    table = spark.createDataFrame(vote_table(votes)) if votes else None
    return resolve_frames(*frames(spark, made), table, state=str(state), questions=QUESTIONS, **options)


def same_as_one_machine(found: Resolved, made: MadePairs, votes: list[Vote], **options: Any) -> None:
    scored = ScoredPairs(made.ids, made.left, made.right, made.score)
    records = {"unique_id": made.ids, **options.pop("fields")} if "fields" in options else made.ids
    order = np.lexsort((made.right, made.left))
    machine = machine_of(made.score[order], made.left[order], made.right[order], len(made.ids))
    engine = Resolution(records, scored, strategy="wise", votes=votes, machine=machine, **options)
    rows = {row.unique_id: row for row in found.clusters.collect()}
    assert len(rows) == len(made.ids)
    for members, confidence in zip(engine.clustering, engine.confidences(), strict=True):
        for member in members:
            row = rows[member]
            assert row.cluster_id == min(map(str, members))
            assert (row.connectivity, row.separation) == (confidence.connectivity, confidence.separation)
            assert row.nearest == confidence.nearest
            assert row.confidence == min(confidence.connectivity, confidence.separation)
    asked = [(row.unique_id_l, row.unique_id_r, row.gain, row.why) for row in found.questions.orderBy("rank").collect()]
    assert asked == [(one.left, one.right, one.gain, one.why) for one in engine.next_questions(QUESTIONS)]


def votes_of(made: MadePairs, count: int) -> list[Vote]:
    """Votes on candidates, and some beside them: a YES that joins two entities, a NO, one that nobody could answer."""
    votes = made.votes(count)
    ids = made.ids
    beside = [(3, 900, True), (5, 800, False), (7, 8, None)]
    votes[20:20] = [Vote(ids[left], ids[right], "w1", label) for left, right, label in beside]
    return votes


def test_no_run_breaks_a_rule(spark: SparkSession, made: MadePairs, tmp_path: Path) -> None:
    """Rules of all kinds hold, as on one machine: in the first run, and in one that carries on with more votes."""
    chance = np.random.default_rng(5)
    ids = made.ids
    country = [None if chance.random() < 0.5 else str(at % 3) for at in range(len(ids))]
    isbn = [str(at) if at % 100 == 0 else "the same" if at in (7, 11) else None for at in range(len(ids))]
    fields = {"country": country, "isbn": isbn, "source_dataset": ["a" if at % 4 else "b" for at in range(len(ids))]}
    country[7] = country[11] = None
    both = [(made.left[at], made.right[at]) for at in np.argsort(-made.score)[:40].tolist()]
    named = [(ids[u], ids[v], False) for u, v in both if {u, v} != {7, 11}]
    rules = ["differs:country", "no-duplicates:b", "equal:isbn", *named, (ids[21], ids[1201], True)]
    country[21] = country[1201] = None
    votes = votes_of(made, 200) + [Vote(left, right, f"w{n}", True) for left, right, _ in named for n in range(6)]
    columns = {"unique_id": ids, **fields}
    records, pairs = spark.createDataFrame(pa.table(columns)), spark.createDataFrame(pair_table(made))
    for some in (votes[:150], votes[:155]):
        table = spark.createDataFrame(vote_table(some))
        options: dict[str, Any] = {"state": str(tmp_path / "state"), "questions": QUESTIONS, "rules": rules}
        found = resolve_frames(records, pairs, table, **options)
        same_as_one_machine(found, made, some, rules=rules, fields=fields)
        cluster = {row.unique_id: row.cluster_id for row in found.clusters.collect()}
        assert all(cluster[left] != cluster[right] for left, right, _ in named)
        assert cluster[ids[7]] == cluster[ids[11]]
        assert cluster[ids[21]] == cluster[ids[1201]]
        for key in set(cluster.values()):
            members = [at for at, record in enumerate(ids) if cluster[record] == key]
            assert len({country[at] for at in members} - {None}) <= 1
            assert sum(at % 4 == 0 for at in members) <= 1
    table = spark.createDataFrame(vote_table(votes))
    with pytest.raises(RuleError, match="contradict each other"):
        resolve_frames(records, pairs, table, state=str(tmp_path / "other"), rules=[*rules, (ids[7], ids[11], False)])
    with pytest.raises(TableError, match="the records has no column 'colour'"):
        resolve_frames(records, pairs, table, state=str(tmp_path / "other"), rules=["equal:colour"])


def worker_processes() -> list[int]:
    """The Python processes of the Spark that this process has started."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    ours = {os.getpid()}
    for _ in range(6):  # this process, a shell, the Java machine, its daemon, the daemon's workers
        ours |= {int(pid) for pid, parent, _ in rows if int(parent) in ours}
    daemons = {int(pid) for pid, _, args in rows if int(pid) in ours and "pyspark.daemon" in args}
    return [int(pid) for pid, parent, _ in rows if int(parent) in daemons]


class Killer:
    """Kills a worker in each of two steps; `progress` tells it which step it is."""

    def __init__(self) -> None:
        self.killed: list[int] = []
        self._step = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def progress(self, step: str) -> None:
        self._step = step

    def _watch(self) -> None:
        for step in ("clusters", "questions"):
            while not self._over.wait(0.02):
                alive = [process for process in worker_processes() if process not in self.killed]
                if self._step == step and alive:
                    os.kill(alive[0], signal.SIGKILL)
                    self.killed.append(alive[0])
                    break

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


class StoppedError(Exception):
    """A run that ends in the middle."""


def stop(step: str) -> None:
    if step == "clusters":
        raise StoppedError


def test_the_loop_is_that_of_one_machine(
    spark: SparkSession,
    made: MadePairs,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pair_arrays, "_PART", made.left.size // 2 - 1)
    votes = votes_of(made, 220)  # fits take place at 48, 60, 185 and 232 votes
    with Killer() as killer:  # killed workers change nothing
        first = run(spark, made, [], tmp_path, progress=killer.progress)
    assert len(killer.killed) == 2
    same_as_one_machine(first, made, [])
    assert first.clustered == first.components

    few = votes[:48]
    with pytest.raises(StoppedError):  # a run that ends early leaves the state as it was
        run(spark, made, few, tmp_path, progress=stop)
    assert len(list(tmp_path.glob("run-*"))) == 2
    assert [path.name for path in tmp_path.glob("current-*")] == ["current-000001.json"]
    again = run(spark, made, few, tmp_path)
    same_as_one_machine(again, made, few)
    assert again.clustered == again.components
    few = votes[:58]  # no further fit: what they touch is clustered again
    again = run(spark, made, few, tmp_path)
    same_as_one_machine(again, made, few)
    assert 0 < again.clustered < again.components / 4

    with caplog.at_level("WARNING"):  # a fit, so everything; the larger components on the driver
        fitted = run(spark, made, votes[:200], tmp_path, largest=8, bucket=400)
    assert "is clustered on the driver" in caplog.text
    same_as_one_machine(fitted, made, votes[:200])
    assert fitted.clustered == fitted.components

    later = run(spark, made, votes, tmp_path)
    same_as_one_machine(later, made, votes)
    assert 0 < later.clustered < later.components / 4
    same = run(spark, made, votes, tmp_path)
    assert (same.clustered, same.folder) == (0, later.folder)
    assert len(list(tmp_path.glob("run-*"))) == 2
    assert len(list(tmp_path.glob("current-*.json"))) == 2


def test_one_vote_to_a_pair(spark: SparkSession, made: MadePairs, tmp_path: Path) -> None:
    """What a pair's own votes taught the machine is taken out of its odds as on one machine, and lasts."""
    votes = made.votes(660)[::3]
    for some in (votes[:200], votes):
        same_as_one_machine(run(spark, made, some, tmp_path), made, some)
    belief = json.loads((tmp_path / "current-000002.json").read_text())["belief"]
    asked = {(made.ids.index(str(vote.left)), made.ids.index(str(vote.right))) for vote in votes}
    assert set(zip(belief["left"], belief["right"], strict=True)) <= asked
    assert any(belief["own"])


def test_components(spark: SparkSession, tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    ends = np.sort(chance.integers(0, 400, (300, 2)), axis=1)
    ends = np.concatenate((ends[ends[:, 0] != ends[:, 1]], [[500 + at, 501 + at] for at in range(40)]))  # and a chain

    def keep(table: DataFrame, name: str) -> DataFrame:
        table.write.parquet(str(tmp_path / name))
        return spark.read.parquet(str(tmp_path / name))

    edges = spark.createDataFrame(pa.table({"u": ends[:, 0], "v": ends[:, 1]}))
    found = {row.position: row.component for row in components(edges, keep).collect()}
    graph = networkx.Graph(ends.tolist())
    assert found == {node: min(part) for part in networkx.connected_components(graph) for node in part}


RECORDS = ["a", "b", "c"]
BAD_RECORDS: list[tuple[list[str | None], str]] = [
    ([*RECORDS, "a"], "'a' is given 2 times"),
    ([*RECORDS, None], "without unique_id"),
]
BAD_PAIRS: list[tuple[list[tuple[str, str, float | None]], type[InputError], str]] = [
    ([("a", "x", 0.2)], RecordError, "'x', which is not among the records"),
    ([("a", "b", 0.9), ("b", "a", 0.8)], PairError, "given twice, with the scores 0.8 and 0.9"),
    ([("a", "a", 0.9)], PairError, "with itself"),
    ([("a", "b", None)], ProbabilityError, "not a finite number"),
    ([("a", "b", float("nan"))], ProbabilityError, "not a finite number"),
]
BAD_VOTES: list[tuple[list[tuple[Any, ...]], type[InputError], str]] = [
    ([("a", "x", "w", "1", 1)], RecordError, "number 1: record 'x'"),
    ([("a", "a", "w", "1", 1)], PairError, "number 1: record 'a' is paired with itself"),
    ([("a", "b", None, "1", 1)], InputError, "the worker is missing"),
    ([("a", "b", "w", "maybe", 1)], LabelError, "'maybe'"),
    ([("a", "b", "w", "1", 1), ("a", "c", "w", "1", 1)], InputError, "given twice"),
]


def test_bad_tables(spark: SparkSession, tmp_path: Path) -> None:
    names = count()

    def keep(table: DataFrame, name: str) -> DataFrame:
        place = str(tmp_path / f"{name}-{next(names)}")
        table.write.parquet(place)
        return spark.read.schema(table.schema).parquet(place)

    def ids(records: Sequence[str | None]) -> DataFrame:
        return spark.createDataFrame([(record,) for record in records], "unique_id string")

    for records, message in BAD_RECORDS:
        with pytest.raises(RecordError, match=message):
            inputs.numbered(ids(records), keep)
    known = inputs.numbered(ids(RECORDS), keep)
    assert sorted(map(tuple, known.collect())) == [(0, "a"), (1, "b"), (2, "c")]
    for pairs, kind, message in BAD_PAIRS:
        scored = spark.createDataFrame(pairs, "unique_id_l string, unique_id_r string, score double")
        with pytest.raises(kind, match=message):
            inputs.numbered_pairs(scored, "score", known, keep)
    for votes, kind, message in BAD_VOTES:
        schema = "unique_id_l string, unique_id_r string, worker string, label string, number int"
        with pytest.raises(kind, match=message):
            inputs.ballots(spark.createDataFrame(votes, schema), known)
    told = f"{schema}, probability double"
    said = [("a", "b", "w", "1", 1, 0.75), ("a", "c", "w", "0", 2, None), ("b", "c", "w", None, 3, None)]
    assert inputs.ballots(spark.createDataFrame(said, told), known).labels.tolist() == [48, 0, -1]
    with pytest.raises(LabelError, match="contradicts the label no"):
        inputs.ballots(spark.createDataFrame([("a", "b", "w", "0", 1, 0.75)], told), known)


def test_bad_columns_and_settings(spark: SparkSession, tmp_path: Path) -> None:
    ids = spark.createDataFrame([(1,), (2,)], "unique_id int")
    scored = spark.createDataFrame([(1, 2, 0.5)], "unique_id_l int, unique_id_r int, score double")
    place = str(tmp_path)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: resolve_frames(ids.toDF("id"), scored, state=place), "'unique_id'"),
        (lambda: resolve_frames(ids, scored.toDF("unique_id_l", "unique_id_r", "x"), state=place), "score"),
        (lambda: resolve_frames(ids, scored, scored, state=place), "'worker'"),
        (lambda: resolve_frames(ids, scored, state=place, evidence="ratio"), "auto, scores"),
        (lambda: resolve_frames(ids, scored, state=place, clustering="x"), "clustering 'x'"),
        (lambda: resolve_frames(ids, scored, state=place, questions=0), "questions = 0"),
        (lambda: resolve_frames(ids.selectExpr("string(unique_id) AS unique_id"), scored, state=place), "cast one"),
    ]
    for call, message in cases:
        with pytest.raises(InputError, match=message):
            call()
    for other in ("{}", '{"format": 1, "about": {}}'):  # 1: before pairs had company
        (tmp_path / "current-000001.json").write_text(other)
        with pytest.raises(AskwiseError, match=r"not a state that this version can read; name a new folder"):
            resolve_frames(ids, scored, state=place)


def test_a_fit_looks_around_where_there_are_too_many_pairs(
    spark: SparkSession, made: MadePairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vote_evidence, "MOST_FITTED", made.left.size // 2)
    pairs = list(zip(made.left.tolist(), made.right.tolist(), strict=True))
    asked = pairs[::500]
    left, right = (np.array(side, np.int32) for side in zip(*asked, strict=True))
    said = Ballots(left, right, ["w"] * left.size, np.ones(left.size, np.int8))
    scored = spark.createDataFrame(pa.table({"u": made.left.astype(np.int64), "v": made.right, "score": made.score}))
    looked = {(row.u, row.v) for row in vote_evidence.around(scored, len(pairs), said, 0).collect()}
    records = {*left.tolist(), *right.tolist()}
    touching = {pair for pair in pairs if records & set(pair)}
    assert touching < looked < set(pairs)
    assert len(looked - touching) == pytest.approx((len(pairs) - len(touching)) / 4, rel=0.2)


def test_too_many_pairs_have_no_company(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = made_pairs(60)
    for module in ("resolve", "vote_evidence"):
        monkeypatch.setattr(f"askwise.spark.{module}.MOST_FITTED", few.left.size - 1)
    with caplog.at_level("WARNING"):
        found = run(spark, few, few.votes(100), tmp_path)
    assert f"there are {few.left.size:,} pairs, more than {few.left.size - 1:,}: a pair is judged by" in caplog.text
    learned = json.loads((tmp_path / "current-000001.json").read_text())["belief"]["parameters"]
    assert learned["slope"] != 1
    assert learned["traits"] == []
    assert found.clusters.count() == 60


def test_the_extra_is_named() -> None:
    code = "import sys; sys.modules['pyspark'] = None; from askwise.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "spark", "a", "b", "--state", "c"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr == "askwise: Spark needs pyspark: pip install 'askwise[spark]'\n"


def test_tables_that_are_not_there(spark: SparkSession) -> None:
    for name in ("nothing.parquet", "nothing.csv"):
        with pytest.raises(TableError, match=f"cannot read {name}: .*PATH_NOT_FOUND"):
            read(spark, name)


@pytest.mark.usefixtures("spark")
def test_the_command(made: MadePairs, tmp_path: Path) -> None:
    """The last test: the command ends the session."""
    (tmp_path / "records.csv").write_text("unique_id,name\n" + "".join(f"{name},x\n" for name in made.ids))
    pq.write_table(pair_table(made), tmp_path / "pairs.parquet")
    (tmp_path / "votes.csv").write_text(
        "unique_id_l,unique_id_r,worker,label,number\n"
        + "".join(f"{v.left},{v.right},{v.worker},{int(bool(v.label))},{at}\n" for at, v in enumerate(made.votes(30)))
    )
    tables = [str(tmp_path / name) for name in ("records.csv", "pairs.parquet", "votes.csv")]
    options = ["--state", str(tmp_path / "state"), "-n", "20", "-o", str(tmp_path / "ask.csv")]
    done = CliRunner().invoke(commands, ["spark", *tables, *options], catch_exceptions=False)
    assert f"the clusters are in {tmp_path}/state/run-" in done.stderr
    lines = (tmp_path / "ask.csv").read_text().splitlines()
    scored = ScoredPairs(made.ids, made.left, made.right, made.score)
    engine = Resolution(made.ids, scored, strategy="wise", votes=made.votes(30))
    assert [tuple(line.split(",")[1:3]) for line in lines[1:]] == [
        (one.left, one.right) for one in engine.next_questions(20)
    ]
