"""A matcher: from the fields of records, what a machine thinks of pairs."""

from askwise.matching.matcher import matcher

__all__ = ["matcher"]
