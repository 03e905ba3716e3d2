from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Databases, postgresql
from hypothesis import HealthCheck, settings

# Compiling a kernel at its first call takes seconds, so no example has a deadline.
settings.register_profile(
    "askwise", deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("askwise")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server on loopback."""
    with postgresql() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Fresh databases; a test that uses it runs on both kinds."""
    server = request.getfixturevalue("server") if request.param == "postgresql" else ""
    return Databases(request.param, tmp_path, server)
