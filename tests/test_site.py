"""The site of the docs: it builds without a warning, its links hold, and it needs no network."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import askwise
from askwise.cli import COMMANDS

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())


def test_the_site_builds_strictly_and_opens_offline(tmp_path: Path) -> None:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    assert {"index.html", "cli.html", "api.html", "tutorial.html"} <= set(pages)
    for name, page in pages.items():
        assert not re.findall(r'<(?:script|img)[^>]+src="http|<link[^>]+rel="stylesheet"[^>]+href="http', page), name
    headings = {name: set(re.findall(r'<h2 id="[^"]*">([^<]+)', page)) for name, page in pages.items()}
    assert {f"askwise {name}" for name in COMMANDS} <= headings["cli.html"]
    assert set(askwise.__all__) - {"__version__"} <= headings["api.html"]
    assert "----" not in pages["api.html"]  # the sections of docstrings became lists
    assert "tutorial.html" in (tmp_path / "llms.txt").read_text(encoding="utf-8")
    assert (tmp_path / "search" / "search_index.json").exists()


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f": {page.name}\n" in menu, page.name


def test_readme_names_every_extra() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra in extras:
        assert f".[{extra}]" in readme, extra
