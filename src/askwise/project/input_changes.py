"""Changes of a project's inputs while people work: more records, other rules, other uses of columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from askwise.blocking import candidates as find_candidates
from askwise.candidate_pairs import ScoredPairs
from askwise.columns import Use
from askwise.project import folder as files
from askwise.project.added_records import OWN_SCORE, joined, merged, more_pairs
from askwise.project.column_file import write_use
from askwise.project.engine import Engine, Progress
from askwise.project.rule_file import RuleBook, read_book, write_book
from askwise.project.several_sources import links_of
from askwise.records import Records
from askwise.rules import Constraints, Rule
from askwise.tables import Table


class Inputs:
    """Changes inputs for everyone who works on the project, and loads them again."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._store = engine, engine.store
        self._folder, self._about = engine.folder, engine.about

    def add(self, new: Table, row: Callable[[int], str], pairs: Any, progress: Progress | None) -> int:
        """Add records after the existing ones; errors call a row what `row` says."""
        with self._engine.lock:
            table = joined(self._engine.table, new, row)
            old = files.read_pairs(self._folder, self._engine.table.ids, self._about.score)
            rules = read_book(self._folder).rules
            Constraints.of(Records(table.ids), rules, table).check()
            scored = more_pairs(
                table, len(self._engine.table), old, pairs, partial(self._found, rules=rules, progress=progress)
            )

            def write(place: Path) -> None:
                files.write_records(place, table, self._about.id)
                if scored is not None:
                    files.write_pairs(place, scored)

            self._store.change_inputs(self._folder, self._engine.state[0], write)
            self._engine.load(progress)
        return len(new)

    def _found(self, table: Table, rules: list[Rule], progress: Progress | None = None) -> ScoredPairs:
        """The candidates that Askwise finds itself."""
        return find_candidates(table, links=links_of(self._about), rules=rules, progress=progress)

    def change_rules(self, change: Callable[[RuleBook], RuleBook], by: str) -> RuleBook:
        """Change the rules for everyone who works on the project; returns those that hold now.

        If rules were withdrawn, pairs that they had excluded become candidates.
        """
        with self._engine.lock:
            self._engine.refresh()
            before = read_book(self._folder)
            after = change(before)
            added = [f"{number}: {rule.name}" for number, rule in after.numbered if number not in dict(before.numbered)]
            gone = [f"{number}: {rule.name}" for number, rule in before.numbered if number not in dict(after.numbered)]
            Constraints.of(self._engine.records, after.rules, self._engine.table).check()
            scored = files.read_pairs(self._folder, self._engine.table.ids, self._about.score)
            if scored is not None and scored.score_name == OWN_SCORE and set(before.numbered) - set(after.numbered):
                scored = merged(scored, self._found(self._engine.table, after.rules))

            def write(place: Path) -> None:
                write_book(place, after)
                if scored is not None:
                    files.write_pairs(place, scored)

            said = by, "rules", {"added": added, "withdrawn": gone}
            self._store.change_inputs(self._folder, self._engine.state[0], write, said)
            self._engine.load()
            return after

    def change_use(self, use: Use) -> None:
        """Change what columns are for, for everyone. Candidates that Askwise found are found again."""
        with self._engine.lock:
            self._engine.refresh()
            table = self._engine.table.used(use)
            scored = files.read_pairs(self._folder, table.ids, self._about.score)
            own = scored is not None and scored.score_name == OWN_SCORE
            again = own and table.compared != self._engine.table.compared
            if again:
                scored = self._found(table, read_book(self._folder).rules)

            def write(place: Path) -> None:
                write_use(place, use)
                if again and scored is not None:
                    files.write_pairs(place, scored)

            self._store.change_inputs(self._folder, self._engine.state[0], write)
            self._engine.load()
