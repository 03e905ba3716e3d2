"""Datasets, runs that are kept, summaries, and the report."""

import csv
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest

from askwise import InputError, Question, SimulatedCrowd
from askwise.errors import UnknownNameError
from askwise.experiments.clusterers import compare_clusterers
from askwise.experiments.folder import read_folder
from askwise.experiments.opening import open_dataset
from askwise.experiments.presets import PRESETS, plans
from askwise.experiments.properties import measure
from askwise.experiments.runs import Plan, Point, do_run, do_runs, read_points
from askwise.experiments.standins import PUBLISHED
from askwise.experiments.summary import by_system, mean_curve, questions_to, seconds_per_batch, spread
from askwise.experiments.systems import SYSTEMS

TINY = "standin:gymnastics,records=30,entities=6"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset of 20 records and 4 entities, every pair asked three times, similarities for all."""
    gold = {str(record): str(record % 4) for record in range(20)}
    crowd = SimulatedCrowd(gold, 0.1, 3)
    place = tmp_path / "data"
    place.mkdir()
    with (place / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["unique_id", "cluster_id"], *gold.items()])
    with (place / "votes.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["unique_id_l", "unique_id_r", "worker", "label"])
        for left, right in combinations(gold, 2):
            writer.writerows([v.left, v.right, v.worker, int(bool(v.label))] for v in crowd.answers(left, right))
    return place


def test_a_folder_is_a_dataset(folder: Path) -> None:
    data = read_folder(folder)
    assert (data.name, len(data.gold), data.candidates, data.budget) == ("data", 20, None, 190)
    assert len(list(data.crowd.ask([Question("0", "1", 0.0, "within")]))) == 3
    (folder / "pairs.csv").write_text(
        "unique_id_l,unique_id_r,similarity\n" + "".join(f"{v},{u},0.{u}\n" for u, v in combinations(range(20), 2))
    )
    candidates = read_folder(folder).candidates
    assert candidates is not None
    assert len(candidates) == 190
    assert candidates[0] == ("0", "1", 0.0)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,w,maybe\n", "votes.csv line 2: label 'maybe' is not"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,99,w,1\n", "line 2: record '99' is not in gold.csv"),
        ("votes.csv", "unique_id_l,unique_id_r,worker\n", "column 'label' is missing"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1\n", "line 2: not as many values as columns"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,w,1,9\n", "line 2: not as many values as columns"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,0,w,1\n", "line 2: record '0' is paired with itself"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,,1\n", "line 2: the worker is missing"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n", "has no votes"),
        ("votes.csv", "unique_id_l,unique_id_r,worker,label\n0,1,w," + "1" * 200_000, "field larger than field limit"),
        ("gold.csv", "unique_id,cluster_id\n0,1\n0,2\n", "gold.csv line 3: record '0' is in two clusters"),
        ("pairs.csv", "unique_id_l,unique_id_r,similarity\n0,1,nan\n", "line 2: similarity 'nan' is not a number"),
        ("gold.csv", "", "column 'unique_id' is missing"),
        ("pairs.csv", "unique_id_l,unique_id_r,similarity\n0,1,high\n", "line 2: similarity 'high' is not a number"),
    ],
)
def test_a_bad_file_is_named_with_its_line(folder: Path, name: str, text: str, words: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InputError, match=re.escape(words)):
        read_folder(folder)


def test_missing_and_binary_files_are_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*gold\.csv"):
        read_folder(folder / "nowhere")
    (folder / "gold.csv").write_bytes(b"unique_id,cluster_id\n\xff\xfe,1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_folder(folder)


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_standins_have_the_published_figures(name: str) -> None:
    figures = PUBLISHED[name]
    found = measure(f"standin:{name}")
    assert (found.records, found.entities, found.votes) == (figures.records, figures.entities, figures.votes)
    assert found.error == pytest.approx(figures.error, abs=0.012)
    assert found.pairs == (figures.candidates or figures.records * (figures.records - 1) // 2)


def test_standins_take_options() -> None:
    data = open_dataset("standin:gymnastics,records=50,entities=5,error=0.3,skew=2,correlation=1", 1)
    sizes = sorted(np.unique(list(data.gold.values()), return_counts=True)[1])
    assert len(data.gold) == 50
    assert len(sizes) == 5
    assert sizes[-1] > 20
    assert measure("standin:gymnastics,records=50,entities=5,error=0.3").error == pytest.approx(0.3, abs=0.03)
    assert open_dataset("standin:gymnastics", 1).gold != open_dataset("standin:gymnastics", 2).gold


def test_correlated_errors_come_together() -> None:
    """With correlation 1, the error rates of pairs between the same two entities are the same."""
    gold = {record: record % 4 for record in range(40)}

    def spread_within_entities(correlation: float) -> float:
        crowd = SimulatedCrowd(gold, 0.3, 50, correlation=correlation)
        rates: dict[frozenset[int], list[float]] = {}
        for left, right in combinations(gold, 2):
            wrong = [vote.label != (gold[left] == gold[right]) for vote in crowd.answers(left, right)]
            rates.setdefault(frozenset((gold[left], gold[right])), []).append(float(np.mean(wrong)))
        return float(np.mean([np.std(values) for values in rates.values()]))

    assert spread_within_entities(1.0) < 0.75 * spread_within_entities(0.0)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("standin:gymnastic", "'gymnastic' is not known"),
        ("standin:gymnastics,size=3", "no option 'size'"),
        ("standin:gymnastics,skew=big", "'big' is not a number"),
        ("standin:gymnastics,skew=nan", "skew = nan"),
        ("standin:gymnastics,records=0", "12 entities cannot share 0 records"),
        ("standin:gymnastics,records=3", "12 entities cannot share 3 records"),
    ],
)
def test_bad_standins(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_dataset(name, 0)


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_every_system_runs_and_repeats_itself(system: str) -> None:
    plan = Plan("main", TINY, system, 3)
    one, two = do_run(plan), do_run(plan)
    assert one[0].questions == 200
    assert [point.questions for point in one] == sorted({point.questions for point in one})
    assert [(p.questions, p.f1) for p in one] == [(p.questions, p.f1) for p in two]


def test_finished_runs_are_kept(tmp_path: Path) -> None:
    chosen = [Plan("main", TINY, system, run) for system in ("PERC", "random") for run in (0, 1)]
    first = do_runs(chosen, tmp_path, 2, lambda plan: None)
    times = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(times) == 4
    (tmp_path / chosen[0].file_name).unlink()
    (tmp_path / f"{chosen[0].file_name}.part1").write_text("half a line")  # an interruption leaves this behind
    told: list[Plan] = []
    second = do_runs(chosen, tmp_path, 2, told.append)
    assert sorted(told, key=chosen.index) == chosen
    assert [(p.system, p.run, p.questions, p.f1) for p in first] == [
        (p.system, p.run, p.questions, p.f1) for p in second
    ]
    for plan in chosen[1:]:
        assert (tmp_path / plan.file_name).stat().st_mtime_ns == times[plan.file_name]


def test_a_result_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("experiment,dataset\nmain,x\n")
    with pytest.raises(InputError, match=r"bad\.csv is not the result of a run"):
        read_points(tmp_path / "bad.csv")


def points(values: list[tuple[int, float, float]], run: int = 0) -> list[Point]:
    return [Point("main", "d", "PERC", run, 10, questions, 1.0, 1.0, f1, s) for questions, f1, s in values]


def test_summaries_by_hand() -> None:
    run = points([(10, 0.5, 9.0), (20, 0.8, 1.0), (30, 0.7, 2.0), (40, 0.9, 3.0), (50, 0.95, 100.0)])
    assert questions_to(run, 0.8) == 20
    assert questions_to(run, 0.99) is None
    assert seconds_per_batch(run, 0.9) == 2.0  # without the initial questions, and without what came after
    assert str(spread([10, 20, None])) == "15 ± 5 (2 of 3)"
    assert str(spread([None])) == "never"
    grid, mean, deviation = mean_curve([run, points([(10, 0.5, 0.0), (30, 0.9, 0.0)], 1)], 5)
    assert grid.tolist() == [10, 20, 30, 40, 50]
    assert mean.tolist() == pytest.approx([0.5, 0.75, 0.8, 0.9, 0.925])
    assert deviation[0] == 0
    assert by_system(run, "main").keys() == {("d", "PERC")}
    assert by_system(run, "batches") == {}


def test_clusterers_are_compared_on_one_graph() -> None:
    results = compare_clusterers(TINY, 0)
    assert len({result.edges for result in results}) == 1
    likelihood = {result.clusterer: result.log_likelihood for result in results}
    assert len(likelihood) == 21
    for name, value in likelihood.items():
        assert value >= likelihood[name.split("+")[0]] - 1e-6


def test_presets_cover_what_the_paper_ran(tmp_path: Path) -> None:
    (tmp_path / "cora").mkdir()
    with pytest.raises(InputError, match="name the folders themselves"):
        plans(PRESETS["paper"], (), (TINY,), 0, tmp_path)
    with pytest.raises(InputError, match="has none of the folders"):
        plans(PRESETS["paper"], (), (), 0, tmp_path / "cora")
    found = plans(PRESETS["paper"], (), (), 0, tmp_path)
    assert {plan.system for plan in found} == set(SYSTEMS)
    assert {plan.dataset for plan in found} == {*PRESETS["paper"].datasets, str(tmp_path / "cora")}
    assert {plan.run for plan in found} == set(range(10))
    assert {plan.batch for plan in found if plan.experiment == "batches"} == {10, 20, 40, 80, 160}


def experiment(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from askwise.cli import main; main()", "experiment", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_experiment_command(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    wanted = ("--dataset", str(folder), "--system", "PERC", "--system", "random", "--runs", "2", "--out", str(out))
    result = experiment(*wanted)
    assert result.returncode == 0, result.stderr
    with (out / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["system"], row["run"]) for row in rows} == {(s, r) for s in ("PERC", "random") for r in "01"}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 3
    for heading in ("Table 1", "Table 2", "Cost", "Accuracy", "Efficiency", "Clusterers"):
        assert heading in page
    before_script, script = page.split("<script>")
    assert not re.findall(r"(?:src|href)=", before_script)  # nothing from outside
    assert script.count("</script") == 1
    again = experiment(*wanted, "--format", "parquet")
    assert again.returncode == 0, again.stderr
    assert len(duckdb.read_parquet(str(out / "results.parquet")).fetchall()) == len(rows)


def test_experiment_command_names_what_is_wrong(tmp_path: Path) -> None:
    for arguments, words in (
        (("--system", "PERK"), "system 'PERK' is not known"),
        (("--dataset", "standin:nothing"), "stand-in 'nothing' is not known"),
        (("--dataset", str(tmp_path / "no")), "cannot read"),
    ):
        result = experiment(*arguments, "--out", str(tmp_path / "out"))
        assert result.returncode == 1
        assert words in result.stderr.splitlines()[-1]
        assert "Traceback" not in result.stderr


def test_a_table_from_a_spreadsheet_may_begin_with_a_mark(folder: Path) -> None:
    text = (folder / "gold.csv").read_text()
    (folder / "gold.csv").write_text(text, encoding="utf-8-sig")
    assert len(read_folder(folder).gold) == 20


def test_datasets_of_one_name_are_not_mixed_up(folder: Path, tmp_path: Path) -> None:
    twin = tmp_path / "other" / "data"
    shutil.copytree(folder, twin)
    chosen = [Plan("main", str(place), "PERC", 0) for place in (folder, twin)]
    with pytest.raises(InputError, match="are both called 'data'"):
        do_runs(chosen, tmp_path / "runs", 1, lambda plan: None)


def test_errors_survive_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(UnknownNameError("strategy 'x' is not known")))
    assert str(error) == "strategy 'x' is not known"


def test_an_interrupted_experiment_goes_on(tmp_path: Path) -> None:
    """Whatever was finished when the interrupt came is not done again."""
    command = ("--dataset", TINY, "--runs", "8", "--jobs", "1", "--out", str(tmp_path))
    process = subprocess.Popen(
        [sys.executable, "-c", "from askwise.cli import main; main()", "experiment", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if process.poll() is not None or list(tmp_path.glob("runs/*.csv")):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("runs/*.csv")}
    assert 0 < len(kept) < 48
    assert experiment(*command).returncode == 0
    assert len(list(tmp_path.glob("runs/*.csv"))) == 48
    assert all((tmp_path / "runs" / name).stat().st_mtime_ns == stamp for name, stamp in kept.items())
