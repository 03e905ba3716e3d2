"""A Spark session for commands: the same Python on the workers, and on one machine only loopback connections."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException, PySparkRuntimeError
from pyspark.sql import DataFrame, SparkSession

from askwise.errors import AskwiseError, TableError

_LOCAL = re.compile(r"local(?:\[(\d+|\*)\])?")
_RETRIES = 4


@contextmanager
def opened(master: str | None, memory: str = "4g") -> Iterator[SparkSession]:
    """A session for the duration of a command; failures become one line."""
    try:
        spark = session(master, memory)
    except PySparkRuntimeError as error:
        raise AskwiseError(f"Spark did not start; it needs Java 17 or newer ({_line(error)})") from None
    try:
        yield spark
    except (PySparkException, Py4JError) as error:
        raise AskwiseError(f"Spark failed: {_line(error)}") from None
    finally:
        spark.stop()


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def read(spark: SparkSession, name: str) -> DataFrame:
    """Read a table by its path or address: CSV or JSON lines by the ending, else Parquet."""
    try:
        if name.endswith((".csv", ".csv.gz")):
            return spark.read.csv(name, header=True)
        if name.endswith((".json", ".jsonl")):
            return spark.read.json(name)
        return spark.read.parquet(name)
    except AnalysisException as error:
        raise TableError(f"cannot read {name}: {_line(error)}") from None


def session(master: str | None, memory: str = "4g") -> SparkSession:
    """A session on `master`, or on the one that Spark's own settings name; `memory` is for local masters."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("askwise").config("spark.ui.showConsoleProgress", "false")
    if master is None:
        return builder.getOrCreate()
    local = _LOCAL.fullmatch(master)
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        cores = local[1] or "1"
        # Spark gives up on one machine when a single task fails; a killed worker should only cost time.
        master = f"local[{cores},{_RETRIES}]"
        for name, value in {
            "spark.driver.memory": memory,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": str(4 * (os.cpu_count() or 1) if cores == "*" else 4 * int(cores)),
        }.items():
            builder = builder.config(name, value)
    return builder.master(master).getOrCreate()
