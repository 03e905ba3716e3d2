"""Everything runs as plain Python, too (NUMBA_DISABLE_JIT=1): for debuggers, and for the lines that coverage counts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import askwise

LOOP = """
import json

from askwise import SimulatedCrowd, resolve
from askwise.demo.customers import customers

data = customers(30, 8)
found = []
for strategy in ("wise", "perc"):
    crowd = SimulatedCrowd(data.gold, error=0.0, votes=3)
    resolution = resolve(data.table, crowd, 40, 8, audit=0.1, strategy=strategy)
    found.append(sorted(sorted(cluster) for cluster in resolution.clustering))
    found.append(resolution.confidence("c001").right > 0.5)
    found.append(resolution.expected_scores().f1.value > 0.5)
print(json.dumps(found))
"""


def _run(disable: str) -> object:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable}
    command = [sys.executable, "-W", "error", "-c", LOOP]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_clusters_are_those_of_the_compiled_engine() -> None:
    """Questions may differ: logarithms differ in the last digit, and that breaks ties otherwise."""
    assert _run("1") == _run("0")


COUNTED = """
import numpy as np

from askwise.kernels.compiled import told_of_compiling
from askwise.kernels.mixing import hashes

counts = []
with told_of_compiling(counts.append):
    hashes(np.uint64(1), np.arange(3, dtype=np.int32))
print(counts == list(range(1, len(counts) + 1)), len(counts))
"""


def test_what_is_compiled_is_kept_until_any_kernel_changes(tmp_path: Path) -> None:
    """A kept result holds copies of the kernels that it calls, so a change of any of them outdates it."""
    copy = tmp_path / "askwise"
    shutil.copytree(Path(askwise.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "kept")

    def compiled() -> int:
        command = [sys.executable, "-c", COUNTED]
        counted, count = subprocess.run(command, env=environment, capture_output=True, text=True).stdout.split()
        assert counted == "True"
        return int(count)

    first = compiled()
    assert first >= 3
    assert compiled() == 0
    with (copy / "kernels" / "radix.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert compiled() == first


def test_the_package_is_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "askwise", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("askwise, version ")
