"""Projects on disk: inputs in a folder, votes in a database, and an engine that follows the votes."""

from askwise.project.project import Project
from askwise.project.values import ClusterRow, Point, Settings, Status, Task, VoteRow, Worker

__all__ = ["ClusterRow", "Point", "Project", "Settings", "Status", "Task", "VoteRow", "Worker"]
