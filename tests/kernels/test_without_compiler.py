"""Everything runs as plain Python, too (NUMBA_DISABLE_JIT=1): for debuggers, and for the lines that coverage counts."""

import json
import os
import subprocess
import sys
from pathlib import Path

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


def test_compiling_is_counted_the_first_time_and_never_again(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", COUNTED]
    said = [subprocess.run(command, env=environment, capture_output=True, text=True).stdout for _ in range(2)]
    assert said[0].startswith("True ")
    assert int(said[0].split()[1]) >= 3
    assert said[1] == "True 0\n"


def test_the_package_is_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "askwise", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("askwise, version ")
