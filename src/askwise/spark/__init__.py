"""The engine on Spark, for records, scored pairs and votes that do not fit into memory.

Small things are done on the driver: the votes, one fit of the evidence, the choice among the best questions. Large
things stay in tables: numbering, evidence, components, clusters, the worth of every pair. The kernels are the engine's
own, called with one bucket of components or of clusters at a time.
"""

from askwise.errors import AskwiseError

try:
    from askwise.spark.resolve import Resolved, resolve_frames
except ModuleNotFoundError as error:
    library = (error.name or "").partition(".")[0]
    if library not in ("pyspark", "pyarrow", "pandas", "py4j"):
        raise
    raise AskwiseError(f"Spark needs {library}: pip install 'askwise[spark]'") from None

__all__ = ["Resolved", "resolve_frames"]
