"""Changes of a project's files: whenever the process ends, all of a change is there in the end, or nothing of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sites import PEOPLE

from askwise import Project
from askwise.errors import StoreError
from askwise.project import digests, file_changes
from askwise.project.backups import backup, restore
from askwise.project.doctor import examine

NEW = {"unique_id": "n1", "name": "Nora New", "street": "1 New Road", "city": "Rome", "phone": "555-0001"}


DIE = "lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
TWICE = f"calls = []; real = file_changes.put_in_place; die = {DIE}\n"
TWICE += "file_changes.put_in_place = lambda *given: die() if calls else (calls.append(1), real(*given))"
MOMENTS = {
    "before any file is written": (f"folder.write_records = {DIE}", False),
    "before it is noted what they are": (f"file_changes.write_text = {DIE}", False),
    "before a file is in its place": (f"file_changes.carried_out = {DIE}", True),
    "between two files": (TWICE, True),
    "before the store knows": (f"file_changes.tell = {DIE}", True),
    "before it is cleared away": (f"file_changes.clear = {DIE}", True),
}
"""What makes a process end there, and whether the change is carried on."""

PROGRAM = """
import os, signal, sys
from askwise import Project
from askwise.project import file_changes, folder
project = Project.open(sys.argv[1], store=sys.argv[2] or None)
{}
project.add_records([{}])
"""


def killed(place: Path, address: str | None, moment: str) -> None:
    """Add a record in a process that ends at a moment."""
    program = PROGRAM.format(MOMENTS[moment][0], NEW)
    done = subprocess.run([sys.executable, "-c", program, str(place), address or ""], capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_process_ends_in_the_middle_of_a_change(
    tmp_path: Path, address: str | None, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "project"
    Project.new(place, PEOPLE, store=address).close()
    if address is not None:
        monkeypatch.setenv("ASKWISE_STORE", address)
    killed(place, address, moment)
    assert all(finding.good for finding in examine(place)), "the doctor does not take it for damage"
    with Project.open(place) as project:
        assert ("n1" in project.table.ids) == MOMENTS[moment][1]
        assert not file_changes.is_there(place)
        assert {finding.what: finding.detail for finding in examine(place)}["inputs"].endswith("as they were written")
        if not MOMENTS[moment][1]:
            project.add_records([NEW])
        more = {**NEW, "unique_id": "n2"}
        project.add_records([more])
        assert project.table.ids[-2:] == ["n1", "n2"]
        project.add_rules(["differs:city"])
    assert all(finding.good for finding in examine(place))


@pytest.mark.parametrize("moment", [moment for moment, (_, done) in MOMENTS.items() if done])
def test_a_server_that_runs_meanwhile_carries_it_on(tmp_path: Path, address: str | None, moment: str) -> None:
    with Project.new(tmp_path / "project", PEOPLE, store=address) as project:
        killed(project.folder, address, moment)
        if moment != "before it is cleared away":
            with pytest.raises(StoreError, match="others have just changed"):
                project.add_rules(["differs:city"])
        project.add_rules(["differs:city"])
        project.refresh()
        assert project.table.ids[-1] == "n1"
        assert [rule.name for _, rule in project.rules()] == ["differs:city"]
        assert project.store.about().files == digests.of_files(project.folder)


def test_a_backup_belongs_together(tmp_path: Path, address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made after a change was interrupted, and after it was carried on."""
    place = tmp_path / "project"
    Project.new(place, PEOPLE, store=address).close()
    if address is not None:
        monkeypatch.setenv("ASKWISE_STORE", address)
    killed(place, address, "before the store knows")
    with pytest.raises(StoreError, match="not as Askwise wrote them"):
        backup(place, tmp_path / "first.zip")
    Project.open(place).close()
    backup(place, tmp_path / "second.zip")
    monkeypatch.delenv("ASKWISE_STORE", raising=False)
    restore(tmp_path / "second.zip", tmp_path / "again")
    with Project.open(tmp_path / "again") as project:
        assert project.table.ids[-1] == "n1"
