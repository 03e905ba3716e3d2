"""A matcher: it rates pairs of records by their fields."""

from askwise.matching.matcher import field_machine

__all__ = ["field_machine"]
