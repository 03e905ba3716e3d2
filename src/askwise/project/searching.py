"""Search over whole records: every word has to be in some field, regardless of case and accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from askwise.arrays import Int64s
from askwise.differences import shown
from askwise.errors import InputError
from askwise.project.project import Project
from askwise.tables import Table

MOST_WORDS = 20
_BETWEEN = "\n"  # no word has it


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a value, and whether it matches."""

    text: str
    found: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that was found: its cluster's id, and the fields that have one of the words."""

    record: str
    cluster: int
    fields: dict[str, list[Piece]]


class Searching:
    """All records as texts, made at the first search. Threads may share it."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = Lock()
        self._texts: tuple[Table, list[str]] | None = None

    def places(self, words: str) -> Int64s:
        """The positions of the records that have all of the words, in order."""
        wanted = _words(words)
        texts = self._all()
        found = range(len(texts))
        for word in wanted:
            found = [at for at in found if word in texts[at]]  # type: ignore[assignment]
        return np.array(found, np.int64) if wanted else np.empty(0, np.int64)

    def hits(self, words: str, offset: int = 0, limit: int = 50, hidden: Sequence[str] = ()) -> tuple[int, list[Hit]]:
        """How many records have all of the words, and some of them; a record with exactly that id comes first.

        Matches in `hidden` fields do not count.
        """
        places, board, table = self.places(words), self._project.board(), self._project.table
        places = places[places < board.place.size]
        wanted = _words(words)
        if hidden:
            places = np.array([at for at in places.tolist() if self._has(at, wanted, hidden)], np.int64)
        named = [at for at in places.tolist() if str(table.ids[at]) == words.strip()]
        ordered = [*named, *(at for at in places.tolist() if at not in named)]
        hits = []
        for at in ordered[offset : offset + limit]:
            record = str(table.ids[at])
            values = {self._project.about.id: record} | {
                name: shown(value) for name, value in self._project.record(record).items() if name not in hidden
            }
            marked = {name: marks(text, wanted) for name, text in values.items()}
            fields = {name: parts for name, parts in marked.items() if any(part.found for part in parts)}
            hits.append(Hit(record, int(board.ids[board.place[at]]), fields))
        return places.size, hits

    def _has(self, at: int, wanted: list[str], hidden: Sequence[str]) -> bool:
        record = str(self._project.table.ids[at])
        values = [shown(value) for name, value in self._project.record(record).items() if name not in hidden]
        text = folded(_BETWEEN.join([record, *values]))
        return all(word in text for word in wanted)

    def _all(self) -> list[str]:
        table = self._project.table
        with self._lock:
            if self._texts is None or self._texts[0] is not table:
                self._texts = table, _texts(table)
            return self._texts[1]


def _texts(table: Table) -> list[str]:
    columns = [map(str, table.ids)]
    for name in table.shown:
        values = table.columns[name]
        listed = values.astype(object).tolist() if table.kinds[name] == "date" else values.tolist()
        columns.append(map(shown, listed))
    return [folded(_BETWEEN.join(row)) for row in zip(*columns, strict=True)]


def _words(text: str) -> list[str]:
    words = list(dict.fromkeys(folded(text).split()))
    if len(words) > MOST_WORDS:
        raise InputError(f"these are {len(words)} words; search for at most {MOST_WORDS}")
    return words


def folded(text: str) -> str:
    """Text without case and accents."""
    if text.isascii():
        return text.lower()
    return "".join(map(_folded, text))


def _folded(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    parts = unicodedata.normalize("NFKD", letter)
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold()


def marks(text: str, words: Sequence[str]) -> list[Piece]:
    """A value in pieces, with every matching word marked."""
    letters = [_folded(letter) for letter in text]
    start = np.concatenate(([0], np.cumsum([len(letter) for letter in letters]))).astype(np.int64)
    plain, found = "".join(letters), np.zeros(len(text), np.bool_)
    for word in words:
        at = plain.find(word) if word else -1
        while at >= 0:
            first = int(np.searchsorted(start, at, side="right")) - 1
            found[first : int(np.searchsorted(start, at + len(word)))] = True
            at = plain.find(word, at + 1)
    pieces: list[Piece] = []
    begin = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or found[end] != found[begin]:
            pieces.append(Piece(text[begin:end], bool(found[begin])))
            begin = end
    return pieces
