"""Writes questions to a file and reads votes from another, for other tools and people with spreadsheets.

The file has a row for each open question, with the fields of both records and a column `order`. Fill in the columns
`worker` and `label` (1, 0, empty for unsure); a row without a worker counts as unanswered.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askwise.cells import cell
from askwise.crowds.options import option
from askwise.crowds.protocol import Context, Order, Reply
from askwise.differences import shown
from askwise.errors import InputError
from askwise.labels import label_of
from askwise.sources import open_source

ORDER, WORKER, LABEL = "order", "worker", "label"


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """The paths of the files."""

    questions: Path = option("the file to write questions to")
    answers: Path | None = option("the file to read votes from", None)
    votes: int = option("votes for each question", 1, 1)
    ahead: int = option("unanswered questions in the file", 200, 1)


OPTIONS = CsvOptions


def open_crowd(options: CsvOptions, context: Context) -> CsvCrowd:
    """Make a crowd of two files."""
    return CsvCrowd(options, context)


class CsvCrowd:
    """People who get a table and return one."""

    lasts, waits = True, False

    def __init__(self, options: CsvOptions, context: Context) -> None:
        self.name = "csv"
        self._options = options
        self._fields = context.fields
        self._orders: dict[int, Order] = {}

    @property
    def room(self) -> int:
        """How many more questions may be open in the file."""
        return self._options.ahead - len(self._orders)

    def estimate(self, order: Order) -> float:
        """Nothing is paid through Askwise."""
        return 0.0

    def put(self, orders: Sequence[Order]) -> dict[int, str]:
        """Write all open questions."""
        self._orders |= {order.id: order for order in orders}
        self._write()
        return {}

    def _write(self) -> None:
        path = self._options.questions
        new = path.with_name(f"{path.name}.new")
        header = [ORDER, "unique_id_l", "unique_id_r"]
        header += [f"{name}{side}" for name in self._fields for side in ("_l", "_r")]
        with new.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(map(cell, [*header, WORKER, LABEL]))
            for order in self._orders.values():
                left, right = order.left_record or {}, order.right_record or {}
                values = [shown(record.get(name)) for name in self._fields for record in (left, right)]
                writer.writerow(map(cell, [order.id, order.left, order.right, *values, "", ""]))
        new.replace(path)

    def collect(self, seconds: float) -> list[Reply]:
        """Read the votes in the file of answers, if there is one; earlier ones count once."""
        path = self._options.answers
        if path is None or not path.is_file():
            return []
        source = open_source(path)
        for name in (ORDER, WORKER, LABEL):
            source.need(name, f"Answers need {ORDER}, {WORKER}, {LABEL}.")
        found: list[Reply] = []
        given: dict[int, int] = {}
        for at, row in enumerate(zip(*source.load([ORDER, WORKER, LABEL]), strict=True)):
            number, worker = str(row[0] or "").strip(), str(row[1] or "").strip()
            if not worker:
                continue
            if not number.isascii() or not number.isdigit():
                raise InputError(f"{source.row(at)}: the order {number[:60]!r} is not the number of a question")
            if int(number) not in self._orders:
                continue
            label = label_of(source, at, row[2])
            given[int(number)] = given.get(int(number), 0) + 1
            key = hashlib.sha256(f"{number}\0{worker}\0{label}".encode()).hexdigest()[:32]
            done = given[int(number)] >= self._options.votes
            found.append(Reply(int(number), worker, label, request=key, done=done))
        if found:
            for reply in found:
                if reply.done:
                    self._orders.pop(reply.order, None)
            self._write()
        return found

    def remarks(self) -> str:
        """Nothing."""
        return ""

    def close(self) -> None:
        """Nothing is open."""
