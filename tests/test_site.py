"""The site of the docs: it builds without a warning, its links hold, and it needs no network."""

import os
import re
import subprocess
import sys
from pathlib import Path

from askwise.cli import COMMANDS

ROOT = Path(__file__).parent.parent


def test_the_site_builds_strictly_and_opens_offline(tmp_path: Path) -> None:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    assert {"index.html", "reference.html", "tutorial.html"} <= set(pages)
    for name, page in pages.items():
        assert not re.findall(r'<(?:script|img)[^>]+src="http|<link[^>]+rel="stylesheet"[^>]+href="http', page), name
    for command_name in COMMANDS:
        assert f"askwise {command_name}</h3>" in re.sub(r"<a class=\"headerlink.*?</a>", "", pages["reference.html"])
    assert "tutorial.html" in (tmp_path / "llms.txt").read_text(encoding="utf-8")
