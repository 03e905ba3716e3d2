"""Every error that Askwise raises on purpose.

    AskwiseError
    ├── StoreError            the database of a project cannot be reached, or does not hold what it should
    ├── CrowdError            a crowd cannot be reached, or refuses what it is asked
    └── InputError            an input cannot be used; the message names the value and says what to do
        ├── RecordError       an unknown or repeated record, or none at all
        ├── PairError         a pair of a record with itself, or something that is not a pair
        ├── ProbabilityError  a probability outside [0, 1], or not a number
        ├── LabelError        a vote's label that is not True, False, None or a probability
        ├── PartitionError    clusters that overlap, or that do not cover the records
        ├── UnknownNameError  a strategy, clusterer or evidence model that does not exist
        ├── TableError        a file or frame that cannot be read as a table
        ├── RuleError         a rule that makes no sense, or rules that contradict each other
        ├── ProjectError      a folder that holds no project, or a broken one
        └── TaskError         a task that is not the worker's, has an answer, or has run out of time

`InputError` is also a `ValueError`, so code that knows nothing of Askwise can catch it.
"""


class AskwiseError(Exception):
    """Base of all errors that Askwise raises on purpose."""


class StoreError(AskwiseError):
    """The database of a project cannot be reached, or does not hold what it should."""


class CrowdError(AskwiseError):
    """A crowd cannot be reached, or refuses what it is asked."""


class InputError(AskwiseError, ValueError):
    """An input cannot be used; the message names the value and says what to do."""


class RecordError(InputError):
    """An unknown or repeated record, or no records at all."""


class PairError(InputError):
    """A pair of a record with itself, or something that is not a pair."""


class ProbabilityError(InputError):
    """A probability outside [0, 1], or not a number."""


class LabelError(InputError):
    """A vote's label that is not True, False, None or a probability."""


class PartitionError(InputError):
    """Clusters that overlap, or that do not cover the records."""


class UnknownNameError(InputError):
    """A strategy, clusterer or evidence model that does not exist."""


class TableError(InputError):
    """A file or frame that cannot be read as a table."""


class RuleError(InputError):
    """A rule that makes no sense, or rules that contradict each other."""


class ProjectError(InputError):
    """A folder that holds no project, or a broken one."""


class TaskError(InputError):
    """A task that is not the worker's, has an answer, or has run out of time."""
