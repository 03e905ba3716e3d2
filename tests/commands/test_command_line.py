"""The commands as a user runs them."""

import csv
import re
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner

import askwise
from askwise.cli import COMMANDS, commands

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from askwise.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from askwise.cli import commands;"
        "assert CliRunner().invoke(commands, ['--help']).exit_code == 0;"
        "print([name for name in ('numba', 'numpy', 'duckdb', 'sqlalchemy', 'fastapi', 'rich') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_version() -> None:
    assert run("--version").stdout.strip() == f"askwise, version {askwise.__version__}"


def test_demo(tmp_path: Path) -> None:
    result = run("demo", "--out", str(tmp_path / "out"))
    assert result.returncode == 0, result.stderr
    rows = [re.split(r"\s*│\s*", line) for line in result.stdout.splitlines() if line.startswith("│")]
    f1 = {row[1]: float(row[-2]) for row in rows}
    assert len(f1) == 4
    assert max(f1, key=lambda name: f1[name]) == "Askwise"
    with (tmp_path / "out" / "clusters.csv").open(newline="", encoding="utf-8") as file:
        clusters = list(csv.DictReader(file))
    assert len(clusters) == len({row["unique_id"] for row in clusters}) == 150
    assert {"cluster_id", "connectivity", "unique_id", "name", "street", "city", "phone"} == set(clusters[0])
    chart = ElementTree.parse(tmp_path / "out" / "f1.svg")
    assert len(chart.findall(".//{http://www.w3.org/2000/svg}polyline")) == 4


def test_demo_repeats_itself(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        assert run("demo", "--out", str(tmp_path / name), "--seed", "3").returncode == 0
        texts.append((tmp_path / name / "clusters.csv").read_text() + (tmp_path / name / "f1.svg").read_text())
    assert texts[0] == texts[1]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("demo", "--out", str(tmp_path / "file" / "out"))
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert "cannot write to the folder" in result.stderr


@pytest.mark.parametrize("wait", [0.0, 0.2, 0.4, 0.6])
def test_an_interrupt_is_one_line(tmp_path: Path, wait: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", "from askwise.cli import main; main()", "demo", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # everything is loaded, and the work begins
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode in (0, 130)  # 0: it was quicker
    assert "Traceback" not in errors


_SWALLOWED = """
from askwise import cli
class Swallows:
    def __del__(self):
        raise KeyboardInterrupt
def commands(**_):
    Swallows()
    import time
    time.sleep(30)
cli.commands = commands
cli.main()
"""


def test_an_interrupt_that_a_destructor_swallows_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", _SWALLOWED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "askwise: interrupted\n")


def test_an_output_that_is_full(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-c", "from askwise.cli import main; main()", "demo", "--out", str(tmp_path)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 1
    assert "No space left" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("demo", "--seed", "-1"), ("demo", "--sead", "1"), ("clusters",), ("next", ".", "-n0")]
)
def test_bad_arguments(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert re.fullmatch(r"askwise: .* \(see askwise.* --help\)\n", result.stderr)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "choices"),
    [
        (("clustres", "x"), "clusters"),
        (("rules", "customers"), "add, list, withdraw"),
        (("people", "customers"), "add, list, password, remove"),
    ],
)
def test_an_unknown_command_is_answered_with_those_there_are(arguments: tuple[str, ...], choices: str) -> None:
    assert f"choose {choices}" in run(*arguments).stderr


def test_a_shell_that_completes_a_line_gets_no_errors() -> None:
    line = {"_ASKWISE_COMPLETE": "bash_complete", "COMP_WORDS": "askwise clustres ", "COMP_CWORD": "2"}
    assert CliRunner().invoke(commands, env=line, prog_name="askwise").exit_code == 0


def test_every_command_is_in_the_docs() -> None:
    listed = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"askwise {name}" in listed


def test_public_names_exist() -> None:
    assert sorted(askwise.__all__) == dir(askwise)
    for name in askwise.__all__:
        assert getattr(askwise, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        askwise.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/systems.md", "docs/tutorial.md"])
def test_examples_in_the_docs_run(name: str, tmp_path: Path) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        subprocess.run([sys.executable, "-c", example], check=True, capture_output=True, cwd=tmp_path)


def test_changelog_has_the_version() -> None:
    assert f"## {askwise.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_package_is_typed() -> None:
    assert (Path(askwise.__file__).parent / "py.typed").exists()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "Apache-2.0"
