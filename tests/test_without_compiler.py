"""Everything runs as plain Python, too (NUMBA_DISABLE_JIT=1): for debuggers, and for the lines that coverage counts."""

import json
import os
import subprocess
import sys

LOOP = """
import json
import sys

from askwise import SimulatedCrowd, resolve
from askwise.demo.people import customers

asked = []


class Crowd(SimulatedCrowd):
    def ask(self, questions):
        asked.extend((question.left, question.right) for question in questions)
        return super().ask(questions)


data = customers(30, 8)
for strategy in ("wise", "perc"):
    resolution = resolve(data.table, Crowd(data.gold, error=0.1, votes=3), 24, 8, audit=0.1, strategy=strategy)
    asked.append(sorted(sorted(cluster) for cluster in resolution.clustering))
    asked.append(round(float(resolution.expected_scores().f1.value), 9))
    asked.append(round(float(resolution.reliability), 9))
print(json.dumps(asked))
"""


def _run(disable: str) -> object:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": disable}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOOP], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_questions_and_clusters_are_those_of_the_compiled_engine() -> None:
    assert _run("1") == _run("0")


def test_the_package_is_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "askwise", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("askwise, version ")
