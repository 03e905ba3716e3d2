"""The state between two runs: a folder of tables for each run, and a file that says which run counts.

A run writes into a new folder. When everything is there, one small file appears under the next number; only then does
the next run, or a reader, see it. A run that is killed leaves the state as it was, and the next one removes what it had
written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from askwise.errors import ProjectError
from askwise.spark.star_components import Keep

_CURRENT = re.compile(r"current-(\d{6})\.json")
_OURS = ("run-", "inputs-")
_FORMAT = 7
_FILES = 4
"""Files for a part of a table that comes from the driver; Spark by itself would write one for every 10,000 rows."""


class State:
    """A folder that Spark can write to, on any file system."""

    def __init__(self, spark: SparkSession, address: str) -> None:
        self._spark = spark
        self._address = address.rstrip("/")
        self._jvm: Any = spark._jvm
        path = self._path("")
        self._files: Any = path.getFileSystem(spark._jsc.hadoopConfiguration())
        self.number, self.current = self._read()

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self._address}/{name}" if name else self._address)

    def _names(self) -> list[str]:
        root = self._path("")
        if not self._files.exists(root):
            return []
        return sorted(status.getPath().getName() for status in self._files.listStatus(root))

    def _read(self) -> tuple[int, dict[str, Any]]:
        """The number and the contents of the current state; 0 and nothing if there is none."""
        found = [match for match in map(_CURRENT.fullmatch, self._names()) if match]
        if not found:
            return 0, {}
        name = found[-1][0]
        stream = self._files.open(self._path(name))
        try:
            text = self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        finally:
            stream.close()
        try:
            current = json.loads(text)
            known = current["format"] == _FORMAT
        except (json.JSONDecodeError, KeyError, TypeError):
            known = False
        if not known:
            raise ProjectError(f"{self._address}/{name} is not a state that this version can read; name a new folder")
        return int(found[-1][1]), current

    def new_folder(self, kind: str) -> str:
        """The name of a folder that is still unused."""
        return f"{kind}-{self.number + 1:06d}-{uuid4().hex[:8]}"

    def keep(self, folder: str) -> Keep:
        """A function that writes tables into a folder of the state and reads them back."""

        def written(table: DataFrame, name: str) -> DataFrame:
            place = f"{self._address}/{folder}/{name}"
            table.write.parquet(place)
            return self._spark.read.schema(table.schema).parquet(place)

        return written

    def keep_parts(self, folder: str, name: str, parts: Iterable[pa.Table]) -> None:
        """Write a table from the driver into a folder of the state, part by part, so that Spark holds one at a time."""
        for part in parts:
            table = self._spark.createDataFrame(part).coalesce(_FILES)
            table.write.mode("append").parquet(f"{self._address}/{folder}/{name}")

    def table(self, folder: str, name: str) -> DataFrame:
        """A stored table."""
        return self._spark.read.parquet(f"{self._address}/{folder}/{name}")

    def place(self, folder: str) -> str:
        """The path of a folder of the state."""
        return f"{self._address}/{folder}"

    def remove(self, name: str) -> None:
        """Delete a folder or a file."""
        self._files.delete(self._path(name), True)

    def switch(self, contents: dict[str, Any]) -> None:
        """Make these contents current. What neither they nor those before them name is deleted."""
        if self._read()[0] != self.number:
            raise ProjectError(f"another run has changed {self._address} meanwhile; run again, one at a time")
        before = self.current
        number, name = self.number + 1, f"current-{self.number + 1:06d}.json"
        new = self._path(f"{name}.new")
        stream = self._files.create(new, True)
        stream.write(json.dumps({"format": _FORMAT, **contents}).encode())
        stream.close()
        if not self._files.rename(new, self._path(name)):
            raise ProjectError(f"cannot write {self._address}/{name}")
        named = {folder for state in (before, contents) for folder in (state.get("run"), state.get("inputs"))}
        for old in self._names():
            match = _CURRENT.fullmatch(old)
            if (match and int(match[1]) < number - 1) or (old.startswith(_OURS) and old not in named):
                self.remove(old)
        self.number, self.current = number, contents
