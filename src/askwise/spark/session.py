"""A Spark session for commands: the same Python on the workers as here, and on one machine nothing but loopback."""

from __future__ import annotations

import os
import re
import sys

from pyspark.sql import SparkSession

_LOCAL = re.compile(r"local(?:\[(\d+|\*)\])?")
_RETRIES = 4


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
