"""What tests of the store share."""

from askwise.project.values import Task, VoteRow

PAIRS = [(f"a{number}", f"b{number}") for number in range(6)]


def imported(left: str, right: str, worker: str, label: bool | None, now: float = 0.0) -> VoteRow:
    return VoteRow(0, now, "vote", worker, left, right, label, "file")


def pair_of(task: Task) -> tuple[str, str]:
    return min(task.left, task.right), max(task.left, task.right)
