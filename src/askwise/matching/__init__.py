"""A matcher: from the fields of records, what a machine thinks of pairs."""

from askwise.matching.matcher import field_machine

__all__ = ["field_machine"]
