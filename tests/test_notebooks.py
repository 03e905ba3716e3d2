"""The notebooks run from top to bottom in a real kernel, and are kept without output."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from shared.model_server import Model, serving

import askwise
from askwise import InputError, Project, Resolution, Table, Vote
from askwise.demo.customers import customers
from askwise.notebook import label

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
PEOPLE = [
    {"unique_id": "<b>", "name": "Anna Miller", "city": "Rome"},
    {"unique_id": "a2", "name": "Ana Miller", "city": "Rome"},
    {"unique_id": "b1", "name": "Bert Jones", "city": "Oslo"},
]


def outputs(path: Path, folder: Path) -> list[Any]:
    """Run a notebook in an empty folder; returns what its cells showed."""
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        assert cell.cell_type == "markdown" or (not cell.outputs and cell.execution_count is None)
    NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


def shown(outputs: list[Any], kind: str) -> list[str]:
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


@pytest.fixture(autouse=True)
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the kernel find this `askwise`, as the command too."""
    program = tmp_path / "bin" / "askwise"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m askwise "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(askwise.__file__).parent.parent))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))


def test_every_notebook_is_tested() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["dedupe", "label", "models_then_people", "paper", "splink"]


@pytest.mark.parametrize("name", ["dedupe", "splink"])
def test_votes_make_the_clusters_better(name: str, tmp_path: Path) -> None:
    found = outputs(NOTEBOOKS[0].parent / f"{name}.ipynb", tmp_path)
    scores = [text for text in shown(found, "text/plain") if text.startswith("Scores")]
    f1 = [float(text.rsplit("f1=", 1)[1].rstrip(")")) for text in scores]
    assert f1[-1] > f1[0]
    assert all("<table" in html for html in shown(found, "text/html"))


def test_the_paper_notebook_draws_its_figure(tmp_path: Path) -> None:
    (figure,) = shown(outputs(NOTEBOOKS[0].parent / "paper.ipynb", tmp_path), "image/svg+xml")
    assert "Askwise" in figure


def test_the_buttons_work_in_a_kernel(tmp_path: Path) -> None:
    found = outputs(NOTEBOOKS[0].parent / "label.ipynb", tmp_path)
    assert len(shown(found, "application/vnd.jupyter.widget-view+json")) == 2
    assert "30" in shown(found, "text/plain")
    assert shown(found, "text/plain")[-1] == "1"


def test_a_model_is_asked_first_and_people_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = customers(seed=1)
    owner = {tuple(fields.values()): data.gold[record] for record, fields in data.fields.items()}

    def answer(one: dict[str, str], two: dict[str, str]) -> str:
        ours, theirs = (tuple(side.get(name) or "" for name in data.table.fields) for side in (one, two))
        same = owner[ours] == owner[theirs]
        wrong = sum(map(ord, "".join(ours + theirs))) % 7 == 0
        return "yes" if same != wrong else "no"

    with serving(Model(answer)) as url:
        monkeypatch.setenv("MODEL_URL", url)
        found = outputs(NOTEBOOKS[0].parent / "models_then_people.ipynb", tmp_path)
    text = "".join(output.text for output in found if output.output_type == "stream")
    assert "200 questions were asked" in text
    assert "60 votes in this run" in text
    assert "worker='colleague', votes=60" in shown(found, "text/plain")[-1]


def test_a_click_is_a_vote_and_undo_takes_it_back() -> None:
    table = Table.read(PEOPLE)
    resolution = Resolution(table)
    desk = label(resolution, worker="ann")
    assert desk.pair is not None
    first = desk.pair
    assert "Are these the same?" in desk.html
    assert "Rome" in desk.html, "the resolution knows its table"
    desk.buttons["Same"].click()
    assert (desk.answered, resolution.votes.count, resolution.asked) == (1, 1, 1)
    desk.buttons["Undo"].click()
    assert (desk.answered, desk.pair) == (0, first)
    assert desk.buttons["Undo"].click() is None
    assert desk.answered == 0
    desk.buttons["Different"].click()
    same = Resolution(table)
    same.add_votes([Vote(first.left, first.right, "ann", False)])
    assert resolution.clustering == same.clustering
    while desk.pair is not None:
        desk.buttons["Unsure"].click()
    assert "no more questions" in desk.html
    assert desk.buttons["Same"].disabled


def test_values_are_escaped_and_marked_without_colours() -> None:
    table = Table.read(PEOPLE)
    desk = label(Resolution(table, [("<b>", "a2", 0.5)]), table)
    assert "&lt;b&gt;" in desk.html
    assert "An<b><u>n</u></b>a Miller" in desk.html
    assert "color" not in desk.html


def test_answers_to_a_project_are_on_disk(tmp_path: Path) -> None:
    with Project.new(tmp_path / "people", PEOPLE) as project:
        desk = label(project, worker="ann")
        desk.buttons["Same"].click()
        desk.buttons["Undo"].click()
        desk.buttons["Different"].click()
        rows = sorted(project.votes_of("ann"), key=lambda row: row.id)
        assert [(row.label, row.source) for row in rows][-1] == (False, "notebook")
        assert project.status().votes == 1
        until = time.monotonic() + 60
        while project.resolution.asked == 0 and time.monotonic() < until:
            time.sleep(0.05)
        assert project.resolution.asked == 1, "the engine follows in the background"


def test_a_table_without_the_records_is_an_error() -> None:
    with pytest.raises(InputError, match="'x' of the resolution is not in the table"):
        label(Resolution(["x", "y"]), PEOPLE)


def test_what_cannot_be_labelled_is_an_error() -> None:
    with pytest.raises(InputError, match=r"a Resolution or a Project, not 'customers.csv'"):
        label("customers.csv")  # type: ignore[arg-type]


def test_without_ipywidgets_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(InputError, match=r"askwise\[notebook\]"):
        label(Resolution(["x", "y"]))
