"""The scan of dependencies fails for known faults, and never because nothing can be reached."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
CLEAN = '{"dependencies": [{"name": "one", "version": "1", "vulns": []}, {"name": "two", "skip_reason": "unknown"}]}'
FAULTY = '{"dependencies": [{"name": "one", "version": "1", "vulns": [{"id": "CVE-1"}]}]}'


@pytest.mark.parametrize(
    ("told", "code", "says"),
    [
        (CLEAN, 0, "2 dependencies, no known fault"),
        (FAULTY, 1, "one 1: CVE-1"),
        ("", 0, "cannot be reached"),
        ("half a fi", 0, "cannot be reached"),
    ],
)
def test_the_audit(tmp_path: Path, told: str, code: int, says: str) -> None:
    program = tmp_path / "pip-audit"  # writes to the file that its last argument names, and ends as pip-audit does
    program.write_text(f"#!/bin/sh\nfor last; do :; done\nprintf '%s' '{told}' > \"$last\"\nexit 1\n")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", ROOT / ".ci" / "audit"], capture_output=True, text=True, env={**os.environ, "PIP_AUDIT": str(program)}
    )
    assert (done.returncode, says in done.stdout) == (code, True), done.stdout + done.stderr


def test_the_audit_is_a_part_of_the_checks() -> None:
    assert ".ci/audit" in (ROOT / ".ci" / "run").read_text()
