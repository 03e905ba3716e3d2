"""The records of a project: as they went in, more of them later, and clusters that keep their ids."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from projects import PEOPLE, reopened, state, vote_for

from askwise import Project
from askwise.errors import InputError, RecordError
from askwise.project.cluster_ids import lasting_ids


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE, name="five people") as project:
        assert project.table.ids == ["1", "2", "3", "4", "5"]
        assert project.record("1")["size"] == 1.5
        assert str(project.record("1")["born"]) == "1980-01-02"
        assert project.record("2") == {
            "name": "Ana Miller",
            "city": "roma",
            "born": project.record("1")["born"],
            "size": None,
        }
        assert project.table.kinds == {"name": "text", "city": "text", "born": "date", "size": "number"}
        assert project.name == "five people"
        with pytest.raises(RecordError, match="'9'"):
            project.record("9")


def test_every_pair_of_records_without_fields(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", {"unique_id": ["a", "b", "c"]}) as project:
        assert project.status().candidates == 3
        assert project.record("a") == {}
        vote_for(project, "ann", 3)
        assert project.take("ann") is None
        assert project.add_records({"unique_id": ["d"]}) == 1
        assert project.status().candidates == 6
        with pytest.raises(InputError, match="need no pairs"):
            project.add_records({"unique_id": ["e"]}, [{"unique_id_l": "a", "unique_id_r": "e", "score": 1.0}])


def test_pairs_of_ones_own(tmp_path: Path) -> None:
    pairs = [{"unique_id_l": 2, "unique_id_r": 1, "match_weight": 3.0}]
    with Project.new(tmp_path / "p", PEOPLE, pairs) as project:
        assert project.status().candidates == 1
        (question,) = project.next_questions(5)
        assert {question.left, question.right} == {"1", "2"}
        with pytest.raises(InputError, match="match_weight"):
            project.add_records([{"unique_id": 6, "name": "Bert Jones"}])
        with pytest.raises(InputError, match="two kinds"):
            project.add_records([{"unique_id": 6}], [{"unique_id_l": 6, "unique_id_r": 3, "match_probability": 0.5}])
        more = [{"unique_id_l": 6, "unique_id_r": 3, "match_weight": 1.0}]
        assert project.add_records([{"unique_id": 6, "name": "Bert Jones"}], more) == 1
        assert project.status().candidates == 2
    with pytest.raises(RecordError, match="99"):
        Project.new(tmp_path / "q", PEOPLE, [{"unique_id_l": 99, "unique_id_r": 1, "score": 1}])
    assert not (tmp_path / "q").exists()


def test_new_records_leave_the_old_ones_alone(project: Project, address: str | None) -> None:
    vote_for(project, "ann", 60)
    project.refresh()
    before = {member: row.id for row in project.clusters() for member in row.members}
    clusters = {row.id: set(row.members) for row in project.clusters()}
    votes = project.store.votes()
    with reopened(project, address) as other:
        assert project.add_records([{"unique_id": "new", "name": "Nobody Atall", "phone": 12}]) == 1
        assert other.refresh() == 0
        assert state(other) == state(project)
    assert project.store.votes() == votes
    rows = project.clusters()
    after = {member: row.id for row in rows for member in row.members}
    assert after["new"] not in before.values()
    kept = [row for row in rows if clusters.get(row.id) == set(row.members)]
    assert len(kept) > 0.9 * len(clusters)
    for bad, match in (
        ([{"unique_id": "c000"}], "already"),
        ([{"unique_id": "x", "nonsense": 1}], "no column 'nonsense'"),
    ):
        with pytest.raises(InputError, match=match):
            project.add_records(bad)


def test_columns_of_two_kinds_become_text(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", PEOPLE) as project:
        project.add_records([{"unique_id": 6, "size": "large", "born": "2001-02-03T04:05:06"}, {"unique_id": 7}])
        assert project.table.kinds == {"name": "text", "city": "text", "born": "date", "size": "text"}
        assert [project.record(str(number))["size"] for number in (1, 3, 6, 7)] == ["1.5", "2", "large", None]
        assert str(project.record("6")["born"]) == "2001-02-03 04:05:06"


def test_cluster_ids_last(project: Project) -> None:
    seen: dict[int, set[str]] = {}
    before: dict[str, int] = {}
    for round in range(5):
        vote_for(project, f"w{round}", 40, round)
        project.refresh()
        rows = project.clusters()
        assert len({row.id for row in rows}) == len(rows)
        for row in rows:
            had = Counter(before[member] for member in row.members if member in before)
            if row.id in seen:
                assert had[row.id] > 0  # an id that was there before goes to some of its records
            seen[row.id] = set(row.members)
            assert 0 <= row.confidence <= 1
        before = {member: row.id for row in rows for member in row.members}
        assert sorted(before) == sorted(project.table.ids)  # type: ignore[type-var]
    assert project.clusters() == rows


def test_lasting_ids() -> None:
    first, free = lasting_ids(np.empty(0, np.int64), np.array([0, 0, 2, 2, 4], np.int32), 1)
    assert (first.tolist(), free) == ([1, 1, 2, 2, 3], 4)
    split, free = lasting_ids(first, np.array([0, 1, 2, 2, 2, 5], np.int32), free)
    assert (split.tolist(), free) == ([1, 4, 2, 2, 2, 5], 6)
    merged, free = lasting_ids(split, np.array([0, 0, 0, 0, 0, 0], np.int32), free)
    assert (merged.tolist(), free) == ([2] * 6, 6)
    again, free = lasting_ids(merged, np.array([0, 0, 0, 0, 4, 4], np.int32), free)
    assert (again.tolist(), free) == ([2, 2, 2, 2, 6, 6], 7)
