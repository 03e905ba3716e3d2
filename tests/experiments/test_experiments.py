"""Stand-ins, runs that are kept, presets, and the command."""

import csv
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import astuple
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest

from askwise import InputError, SimulatedCrowd, pairwise_scores
from askwise.errors import UnknownNameError
from askwise.experiments.calibration import LEVELS, Promise
from askwise.experiments.clusterers import compare_clusterers
from askwise.experiments.dataset_names import open_dataset
from askwise.experiments.presets import PRESETS, plans
from askwise.experiments.properties import measure
from askwise.experiments.results import read_rows, write_rows
from askwise.experiments.runs import Plan, Point, do_run, do_runs, resolution_of
from askwise.experiments.standins import PUBLISHED
from askwise.experiments.systems import PARTS, SYSTEMS, System, named_system
from askwise.report.run_experiment import run_experiment

TINY = "standin:gymnastics,records=30,entities=6"


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
    one, two = do_run(plan).points, do_run(plan).points
    assert one[0].questions == 200
    assert [point.questions for point in one] == sorted({point.questions for point in one})
    assert [(p.questions, p.f1) for p in one] == [(p.questions, p.f1) for p in two]


def test_finished_runs_are_kept(tmp_path: Path) -> None:
    chosen = [Plan("main", TINY, system, run) for system in ("PERC", "random") for run in (0, 1)]
    first = do_runs(chosen, tmp_path, 2, lambda plan: None).points
    times = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(times) == 4
    (tmp_path / chosen[0].file_name).unlink()
    (tmp_path / f"{chosen[0].file_name}.part1").write_text("half a line")  # an interruption leaves this behind
    told: list[Plan] = []
    second = do_runs(chosen, tmp_path, 2, told.append).points
    assert sorted(told, key=chosen.index) == chosen
    assert [(p.system, p.run, p.questions, p.f1) for p in first] == [
        (p.system, p.run, p.questions, p.f1) for p in second
    ]
    for plan in chosen[1:]:
        assert (tmp_path / plan.file_name).stat().st_mtime_ns == times[plan.file_name]


def test_a_result_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("experiment,dataset\nmain,x\n")
    with pytest.raises(InputError, match=r"bad\.csv is not the result of a run"):
        read_rows(tmp_path / "bad.csv", Point)
    write_rows(tmp_path / "good.csv", Promise, [Promise("cold", "d", "wise", 0, 25, "f1", 0.9, 0.4, 0.5, 0.6, 0.45)])
    text = (tmp_path / "good.csv").read_text()
    for other in (text.replace("f1", "f2"), text.replace("0.9", "0.99"), text.replace("0.45", "high"), text[:-6]):
        (tmp_path / "bad.csv").write_text(other)
        with pytest.raises(InputError, match=r"bad\.csv is not the result of a run"):
            read_rows(tmp_path / "bad.csv", Promise)


def test_clusterers_are_compared_on_one_graph() -> None:
    results = compare_clusterers(TINY, 0)
    assert len({result.edges for result in results}) == 1
    likelihood = {result.clusterer: result.log_likelihood for result in results}
    assert len(likelihood) == 28
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


def test_the_parts_are_compared_from_no_question_on(tmp_path: Path) -> None:
    """Stand-ins have no scores and no fields, so what sees these is left out there; they keep their batch size."""
    (tmp_path / "product").mkdir()
    (tmp_path / "elsewhere").mkdir()
    preset, real = PRESETS["evidence"], str(tmp_path / "product")
    assert preset.datasets == ("standin:gymnastics", "standin:landmarks", "standin:allsports", "standin:cora")
    blind = ["the paper's PERC", "+ smoothing", "+ workers", "+ local search"]
    every = ["the paper's PERC", "+ smoothing", "+ workers", "+ scores", "+ matcher", "+ local search"]
    assert plans(preset, (), (), 2, tmp_path) == [
        Plan("cold", name, system, run, batch, target=0.0, budget=15_000, cold=True)
        for name, systems, batch in (*((name, blind, 0) for name in preset.datasets), (real, every, 25))
        for run in (0, 1)
        for system in systems
    ]
    assert len(plans(preset, (), (), 0, None)) == 4 * 4 * 10
    assert plans(preset, ("+ matcher", "+ workers"), (TINY, real), 1, None) == [
        Plan("cold", TINY, "+ workers", 0, 0, budget=15_000, cold=True),
        Plan("cold", real, "+ matcher", 0, 25, budget=15_000, cold=True),
        Plan("cold", real, "+ workers", 0, 25, budget=15_000, cold=True),
    ]


def shops(folder: Path) -> Path:
    """Two made-up shops that sell the same eight things."""
    folder.mkdir(parents=True)
    names = ["red lamp", "oak table", "blue chair", "green vase", "iron bed", "wool rug", "glass jar", "tin box"]
    rows = [(f"{shop}{at}", shop, name, at) for shop in "ab" for at, name in enumerate(names)]
    records = "".join(f"{record},{shop},{name}\n" for record, shop, name, _ in rows)
    (folder / "records.csv").write_text(f"unique_id,source_dataset,name\n{records}")
    gold = "".join(f"{record},{entity}\n" for record, _, _, entity in rows)
    (folder / "gold.csv").write_text(f"unique_id,cluster_id\n{gold}")
    return folder


def test_bare_tables_are_run_with_each_kind_of_answers(tmp_path: Path) -> None:
    folder = shops(tmp_path / "abt_buy_models")
    found = plans(PRESETS["table"], (), (), 2, tmp_path)
    kinds = [
        f"table:{folder},error={error},votes={votes}{more}"
        for more in ("", ",duplicates=none")
        for error, votes in ((0.0, 1), (0.1, 1), (0.1, 3), (0.2, 1), (0.2, 3))
    ]
    assert [plan.dataset for plan in found] == [kind for kind in kinds for _ in range(2)]
    assert {(plan.system, plan.cold, plan.watched) for plan in found} == {("wise, fields", True, False)}
    points, promises = do_run(found[0])
    assert points[0].questions == 0
    assert {point.dataset for point in points} == {"abt_buy_models, truthful answers"}
    assert points[-1].f1 == 1.0
    assert promises == []


def test_answers_to_a_bare_table_are_as_often_wrong_as_said(tmp_path: Path) -> None:
    data = open_dataset(f"table:{shops(tmp_path / 'two')},error=0.2,votes=3,duplicates=none", 0)
    assert data.rules == ("no-duplicates:a", "no-duplicates:b")
    assert data.name == "two (sources without duplicates), 20% wrong, 3 votes"
    resolution = resolution_of(data, named_system("wise, fields"), 0)
    questions = resolution.next_questions(5)
    votes = list(data.crowd.ask(questions))
    assert len(votes) == 3 * len(questions)
    assert {vote.worker for vote in votes} == {"w1", "w2", "w3"}
    assert isinstance(data.crowd, SimulatedCrowd)
    wrong = [
        vote.label != (data.gold[left] == data.gold[right])
        for left, right in combinations(data.gold, 2)
        for vote in data.crowd.answers(left, right)
    ]
    assert np.mean(wrong) == pytest.approx(0.2, abs=0.06)


def test_bad_tables_are_named(tmp_path: Path) -> None:
    folder = shops(tmp_path / "shops")
    for options, words in (
        ("size=3", "no option 'size'"),
        ("error=2", "a rate from 0 to below 1"),
        ("votes=1.5", "a whole number of at least 1"),
        ("votes=many", "a whole number of at least 1"),
        ("duplicates=some", "neither 'possible' nor 'none'"),
    ):
        with pytest.raises(InputError, match=words):
            open_dataset(f"table:{folder},{options}", 0)
    with pytest.raises(InputError, match="has none of the tables"):
        plans(PRESETS["table"], (), (), 0, tmp_path)
    with pytest.raises(InputError, match="name a folder of them"):
        plans(PRESETS["table"], (), (), 0, None)
    plain = shops(tmp_path / "plain")
    (plain / "records.csv").write_text((plain / "records.csv").read_text().replace("source_dataset", "shop"))
    with pytest.raises(InputError, match="no sources to declare"):
        open_dataset(f"table:{plain},duplicates=none", 0)
    (plain / "records.csv").unlink()
    with pytest.raises(InputError, match=r"has no records\.csv"):
        open_dataset(f"table:{plain}", 0)


def test_nothing_to_run_is_said() -> None:
    with pytest.raises(InputError, match=r"\+ matcher sees more than votes"):
        plans(PRESETS["evidence"], ("+ matcher",), (TINY,), 1, None)


def test_rules_of_asking_are_compared_on_each_dataset_up_to_its_budget(tmp_path: Path) -> None:
    (tmp_path / "product").mkdir()
    real = str(tmp_path / "product")
    found = plans(PRESETS["asking"], ("wise", "wise, fields"), (TINY, real), 1, None)
    assert found == [
        Plan("cold", TINY, "wise", 0, 0, budget=15_000, cold=True),
        Plan("cold", real, "wise", 0, 25, budget=3_000, cold=True),
        Plan("cold", real, "wise, fields", 0, 25, budget=3_000, cold=True),
    ]


def test_a_cold_run_begins_at_nothing_and_keeps_to_its_budget() -> None:
    found = do_run(Plan("cold", TINY, "the paper's PERC", 0, 40, budget=100, cold=True)).points
    assert [point.questions for point in found] == [0, 40, 80, 100]
    assert (found[0].recall, found[0].f1, found[0].seconds) == (0.0, 0.0, 0.0)  # all records by themselves
    assert {(point.experiment, point.dataset, point.system, point.batch) for point in found} == {
        ("cold", TINY, "the paper's PERC", 40)
    }


def test_what_is_expected_is_noted_along_a_cold_run() -> None:
    """Some twenty times, with the truth of that point, as `expected_scores` says it, and without changing the run."""
    hard = f"{TINY},error=0.3"
    plan = Plan("cold", hard, "wise", 1, 10, cold=True)
    points, promises = do_run(plan)
    truth = {point.questions: point for point in points}
    noted = sorted({promise.questions for promise in promises})
    assert len(noted) in range(15, 23)
    assert noted[0] == 10
    assert noted[-1] > 0.9 * points[-1].questions
    assert len(promises) == len(noted) * 3 * len(LEVELS)
    for promise in promises:
        assert promise.low <= promise.expected <= promise.high
        assert promise.truth == pytest.approx(getattr(truth[promise.questions], promise.score), abs=1e-6)
        assert (promise.experiment, promise.dataset, promise.system, promise.run) == ("cold", hard, "wise", 1)
    data, middle = open_dataset(hard, 1), noted[8]
    resolution = resolution_of(data, named_system("wise"), 1)
    while resolution.asked < middle:
        resolution.add_votes(data.crowd.ask(resolution.next_questions(10)))
    assert 0.0 < pairwise_scores(resolution.clustering, data.gold).f1 == truth[middle].f1 < 1.0
    for promise in (promise for promise in promises if promise.questions == middle):
        interval = getattr(resolution.expected_scores(promise.level), promise.score)
        assert (promise.expected, promise.low, promise.high) == pytest.approx(interval, abs=1e-6)


def test_only_cold_runs_note_what_is_expected() -> None:
    assert do_run(Plan("main", TINY, "PERC", 0)).promises == []


def test_intervals_are_kept_and_runs_without_them_are_read(tmp_path: Path) -> None:
    """Those of a run are in a file beside its points; versions before had none, and such runs are not done again."""
    chosen = [Plan("cold", TINY, "wise", run, 40, cold=True) for run in (0, 1)]

    def report(form: str) -> str:
        paths = run_experiment(chosen, tmp_path, 1, form, lambda what, done: None)
        assert [path.name for path in paths] == [f"{n}.{form}" for n in ("results", "intervals", "clusterers")] + [
            "report.html"
        ]
        return paths[-1].read_text(encoding="utf-8").split("<script>")[0]

    page = report("csv")
    rows = read_rows(tmp_path / "intervals.csv", Promise)
    runs = tmp_path / "runs"
    times = {path.name: path.stat().st_mtime_ns for path in runs.iterdir()}
    assert times.keys() == {name for plan in chosen for name in (plan.file_name, plan.promises_name)}
    assert rows == [row for plan in chosen for row in read_rows(runs / plan.promises_name, Promise)]
    assert "Do the intervals hold the truth?" in page
    assert "points of 2 runs," in page
    (runs / chosen[0].promises_name).unlink()
    assert "points of 1 of the 2 runs (older ones did not note it)," in report("parquet")
    kept = duckdb.read_parquet(str(tmp_path / "intervals.parquet")).fetchall()
    assert kept == [astuple(row) for row in rows if row.run == 1]
    (runs / chosen[1].promises_name).unlink()
    assert "intervals" not in report("csv")
    assert {path.name: path.stat().st_mtime_ns for path in runs.iterdir()} == {
        plan.file_name: times[plan.file_name] for plan in chosen
    }


def test_no_system_hides_another() -> None:
    for name, system in (*SYSTEMS.items(), *PARTS.items()):
        assert named_system(name) == system
    assert named_system("random") == System("random", "scc+moves", "auto", "scores")
    assert named_system("random, fields") == System("random", "scc+moves", "auto", "fields")


def experiment(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from askwise.cli import main; main()", "experiment", *arguments],
        cwd=cwd,
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


def test_a_strategy_of_ones_own(tmp_path: Path) -> None:
    """The one that docs/systems.md shows, in a module beside the data."""
    text = (Path(__file__).parents[2] / "docs" / "systems.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "mine.py").write_text(code)
    result = experiment("--dataset", TINY, "--system", "mine:Largest", "--runs", "1", "--jobs", "1", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    points = read_rows(tmp_path / "askwise-experiment" / "results.csv", Point)
    assert {point.system for point in points} == {"mine:Largest"}
    assert points[-1].questions == 30 * 29 // 2


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
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
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
