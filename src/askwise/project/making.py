"""Makes the folder and the database of a new project, and opens the database of one that is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from askwise.blocking import candidates as find_candidates
from askwise.blocking.possible import Links
from askwise.candidate_pairs import ScoredPairs
from askwise.columns import Use
from askwise.pair_tables import read_pairs
from askwise.project import checks, digests
from askwise.project import folder as files
from askwise.project.column_file import write_use
from askwise.project.database import is_writable, sqlite_file, store_url
from askwise.project.rule_file import RuleBook, write_book
from askwise.project.store import Store
from askwise.rules import Rule
from askwise.tables import Table

Progress = Callable[[str, int, int], object]


def scored_pairs(
    pairs: Any, table: Table, links: Links, rules: list[Rule], progress: Progress | None
) -> ScoredPairs | None:
    """The candidates of a new project; None for every pair."""
    if pairs is None:
        return find_candidates(table, links=links, rules=rules, progress=progress) if table.compared else None
    if not isinstance(pairs, ScoredPairs):
        pairs = read_pairs(pairs, sourced=table.sourced)
    return checks.pairs_among(pairs, table)


def make(
    folder: Path, about: files.About, table: Table, scored: ScoredPairs | None, book: RuleBook, store: str | None
) -> None:
    """Write the folder and the database of a project; nothing is left behind if that fails."""
    with files.made(folder):
        files.write_records(folder, table, about.id)
        if scored is not None:
            files.write_pairs(folder, scored)
        if book.numbered:
            write_book(folder, book)
        if table.use != Use():
            write_use(folder, table.use)
        files.write_about(folder, about)
        opened = Store(checks.address(folder, store))
        try:
            opened.create(about.key, about.name, digests.of_files(folder))
        finally:
            opened.close()


def open_store(folder: Path, about: files.About, store: str | None) -> Store:
    """The database of a project, upgraded if needed; for reading only if it cannot be written to."""
    url = store_url(store or checks.store_of(folder, about))
    file = sqlite_file(url)
    reading = file is not None and file.is_file() and not is_writable(file)
    opened = Store.copy_of(url) if reading else Store(url)
    try:
        opened.open(about.key)
        if not opened.read_only:
            opened.carry_on(folder)
        opened.seal(lambda: digests.of_files(folder))
    except BaseException:
        opened.close()
        raise
    return opened
