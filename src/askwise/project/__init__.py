"""A project that lasts: inputs in a folder, votes in a store, and the engine that follows them."""

from askwise.project.project import Project
from askwise.project.values import ClusterRow, Point, Settings, Status, Task, VoteRow, Worker

__all__ = ["ClusterRow", "Point", "Project", "Settings", "Status", "Task", "VoteRow", "Worker"]
