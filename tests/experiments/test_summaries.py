"""From points to figures and tables, by hand."""

import pytest

from askwise.experiments.calibration import LEVELS, Promise, mean_shares, shares
from askwise.experiments.runs import Point
from askwise.experiments.summary import (
    Runs,
    by_system,
    f1_after,
    mean_curve,
    mean_f1,
    questions_to,
    seconds_per_batch,
    spread,
)
from askwise.report.ablation import parts_table, stops_table
from askwise.report.calibration import calibration_figure, calibration_table, calibration_words
from askwise.report.experiment import experiment_report


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


@pytest.mark.parametrize(
    ("questions", "f1"), [(0, 0.2), (20, 0.2), (40, 0.3), (60, 0.4), (65, 0.5), (70, 0.6), (80, 0.5), (500, 0.5)]
)
def test_f1_after_some_questions(questions: int, f1: float) -> None:
    run = points([(20, 0.2, 0), (60, 0.4, 0), (70, 0.6, 0), (80, 0.5, 0)])
    assert f1_after(run, questions) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("until", "mean"),
    [
        (20, 0.2),  # only where it begins
        (60, 0.3),  # a straight line from 0.2 to 0.4
        (100, (40 * 0.3 + 40 * 0.6) / 80),  # then one from 0.4 to 0.8
        (180, (40 * 0.3 + 40 * 0.6 + 80 * 0.8) / 160),  # and it ended there
    ],
)
def test_mean_f1(until: int, mean: float) -> None:
    assert mean_f1(points([(20, 0.2, 0), (60, 0.4, 0), (100, 0.8, 0)]), until) == pytest.approx(mean, abs=0.001)


def parts() -> list[Point]:
    """Two systems on one dataset, one of them twice, and one on another, whose run ends early."""
    runs = [
        ("d", "old", 0, [(0, 0.2), (100, 0.6), (200, 1.0)]),  # up to 200: 0.2 to 1.0
        ("d", "old", 1, [(0, 0.0), (100, 0.2), (200, 0.4), (400, 0.9), (500, 0.85)]),  # up to 200: 0.0 to 0.4
        ("d", "new", 0, [(0, 0.8), (100, 0.9), (1000, 0.9), (1200, 0.7)]),  # up to 200: 0.85 and 0.9, on average
        ("e", "new", 0, [(0, 0.5), (25, 0.6), (50, 0.7)]),
    ]
    return [
        Point("cold", dataset, system, run, 25, questions, 1.0, 1.0, f1, 0.0)
        for dataset, system, run, values in runs
        for questions, f1 in values
    ]


@pytest.fixture
def systems() -> Runs:
    return by_system(parts(), "cold")


def test_table_of_parts_by_hand(systems: Runs) -> None:
    header, rows = parts_table(systems)
    levels = ["to F1 0.8", "to F1 0.9", "to F1 0.95"]
    assert header == ["dataset", "system", *levels, "best F1", "mean F1", "F1 at the end"]
    # Means are up to 200 questions on d, where its first run ended, and up to 50 on e.
    assert rows == [
        ["d", "old", "300 ± 100", "300 ± 100", "200 ± 0 (1 of 2)", "0.950 ± 0.050", "0.400", "0.925"],
        ["d", "new", "0 ± 0", "100 ± 0", "never", "0.900 ± 0.000", "0.875", "0.700"],
        ["e", "new", "never", "never", "never", "0.700 ± 0.000", "0.600", "0.700"],
    ]


def test_table_of_stops_by_hand(systems: Runs) -> None:
    header, rows = stops_table(systems)
    stops = ["0", "20", "50", "100", "200", "400", "800", "1,600", "3,000", "5,000"]
    assert header == ["dataset", "system", *stops, "lowest from 100 on"]
    # The first run of "old" keeps its 1.0 at 400; a stop is empty where no run got so far.
    assert rows == [
        ["d", "old", "0.100", "0.160", "0.250", "0.400", "0.700", "0.950", "", "", "", "", "0.200"],
        ["d", "new", "0.800", "0.820", "0.850", "0.900", "0.900", "0.900", "0.900", "", "", "", "0.700"],
        ["e", "new", "0.500", "0.580", "0.700", "", "", "", "", "", "", "", ""],
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_a_run_that_ended_before_100_has_no_say_in_the_lowest(order: int) -> None:
    runs = [points([(0, 0.1, 0), (90, 0.3, 0)]), points([(0, 0.0, 0), (100, 0.6, 0), (150, 0.5, 0)], 1)]
    _, rows = stops_table({("d", "PERC"): runs[::order]})
    assert rows[0][-1] == "0.500"


def test_the_report_of_the_parts_has_their_tables_and_no_others() -> None:
    page = experiment_report(parts(), [], [], []).split("<script>")[0]
    assert "Askwise: systems compared from no question on" in page
    assert "Mean over 2 runs" in page
    assert page.count("<table>") == 2
    assert page.count("<svg") == 1
    for cell in ("<td>300 ± 100</td>", "<td>0.875</td>", "<td>0.250</td>"):
        assert cell in page


def promises(dataset: str, system: str, truths: list[float]) -> list[Promise]:
    """At each point, for each level and score, an interval from 0.5 to half the level above; recall's is twice that."""
    wide = {"precision": 0.5, "recall": 1.0, "f1": 0.5}
    return [
        Promise("cold", dataset, system, 0, 25 * at, score, level, 0.5, 0.5, 0.5 + level * width, truth)
        for at, truth in enumerate(truths)
        for level in LEVELS
        for score, width in wide.items()
    ]


def test_shares_by_hand() -> None:
    # Intervals end at 0.75, 0.8, 0.85, 0.9, 0.95, 0.975; those of recall at 1 and beyond.
    found = shares(promises("d", "wise", [0.4, 0.5, 0.9, 0.96]))
    assert [found["f1", level] for level in LEVELS] == [0.25, 0.25, 0.25, 0.5, 0.5, 0.75]
    assert {found["recall", level] for level in LEVELS} == {0.75}
    other = shares(promises("e", "wise", [0.6]))
    assert mean_shares([found, other])["f1", 0.9] == 0.75


def test_calibration_by_hand() -> None:
    some = (
        promises("d", "wise", [0.4, 0.5, 0.9, 0.96])
        + promises("d", "random", [0.7, 0.7])
        + promises("e", "wise", [0.6])
    )
    header, rows = calibration_table(some)
    assert header == ["dataset", "system", "precision", "recall", "F1"]
    assert rows == [
        ["d", "all", "0.67", "0.83", "0.67"],
        ["d", "wise", "0.50", "0.75", "0.50"],
        ["d", "random", "1.00", "1.00", "1.00"],
        ["e", "wise", "1.00", "1.00", "1.00"],
        ["mean of the datasets", "all", "0.83", "0.92", "0.83"],
    ]
    values = calibration_figure(some)["data"]["values"]
    drawn = {(value.get("dataset"), value["score"], value["promised"]): value["held"] for value in values}
    assert drawn["d", "F1", 0.9] == 0.6667
    assert drawn["mean of the datasets", "F1", 0.9] == 0.8333
    assert drawn[None, "F1", 0.5] == 0.5
    words = calibration_words(some, 3)
    assert "points of 3 runs," in words
    assert "hold the true F1 in 83% of the cases (mean of the datasets), least often on d, in 67%." in words
    assert calibration_table(promises("e", "wise", [0.6]))[1] == [["e", "wise", "1.00", "1.00", "1.00"]]
    assert "hold the true F1 in 100% of the cases. " in calibration_words(promises("e", "wise", [0.6]), 1)


def test_the_report_has_the_calibration_where_it_was_noted() -> None:
    page = experiment_report(parts(), [], [], promises("d", "new", [0.4, 0.6])).split("<script>")[0]
    assert "Do the intervals hold the truth?" in page
    assert "points of 1 of the 4 runs" in page
    assert page.count("<table>") == 3
    assert page.count("<svg") == 2
    assert "<td>d</td><td>new</td><td>0.50</td><td>0.50</td><td>0.50</td>" in page
