"""Settings and fixtures that many tests share."""

import csv
import os
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from databases import Databases
from hypothesis import HealthCheck, settings
from projects import many
from shared.postgresql import postgresql

from askwise import Project, SimulatedCrowd

# Compiling a kernel at its first call takes seconds, so no example has a deadline. Without the compiler, few will do.
settings.register_profile(
    "askwise",
    deadline=None,
    max_examples=15 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 150,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("askwise")

QUICK = {
    "test_command_line",
    "test_components",
    "test_differences",
    "test_explaining",
    "test_files",
    "test_layers",
    "test_local_search",
    "test_resolution",
    "test_scored_pairs",
    "test_tables",
    "test_without_compiler",
}
"""The modules of `make quick`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test with what it needs beside Python packages; tests of quick modules that need nothing are quick."""
    for item in items:
        needs = set(_needs(item))
        for name in needs:
            item.add_marker(name)
        if not needs and item.path.stem in QUICK:
            item.add_marker("quick")


def _needs(item: pytest.Item) -> Iterator[str]:
    module, fixtures = item.path.stem, getattr(item, "fixturenames", ())
    names = vars(getattr(item, "module", item))
    if module == "test_label_studio":
        yield "label_studio"
        return
    if module == "test_spark":
        yield "spark"
    if "chromium" in names:
        yield "browser"
    given = getattr(getattr(item, "callspec", None), "params", {})
    if given.get("databases") == "postgresql" or "postgresql" in names or "server" in fixtures:
        yield "postgresql"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset of 20 records and 4 entities, with three votes on every pair."""
    gold = {str(record): str(record % 4) for record in range(20)}
    crowd = SimulatedCrowd(gold, 0.1, 3)
    place = tmp_path / "data"
    place.mkdir()
    with (place / "gold.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["unique_id", "cluster_id"], *gold.items()])
    with (place / "votes.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["unique_id_l", "unique_id_r", "worker", "label"])
        for left, right in combinations(gold, 2):
            writer.writerows([v.left, v.right, v.worker, int(bool(v.label))] for v in crowd.answers(left, right))
    return place


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server on loopback."""
    with postgresql() as running:
        yield running.address


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Fresh databases; a test that uses it runs on both kinds."""
    server = request.getfixturevalue("server") if request.param == "postgresql" else ""
    return Databases(request.param, tmp_path, server)


@pytest.fixture
def address(databases: Databases) -> str | None:
    """Where the votes of a new project go: None is in its folder."""
    return None if databases.kind == "sqlite" else databases.fresh()


@pytest.fixture
def project(tmp_path: Path, address: str | None) -> Iterator[Project]:
    with Project.new(tmp_path / "people", many(), store=address) as made:
        yield made
