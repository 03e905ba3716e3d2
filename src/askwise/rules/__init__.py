"""Rules: what holds in every clustering, whatever the evidence says."""

from askwise.rules.applied import Constraints, Groups
from askwise.rules.chains import Contradiction, Step
from askwise.rules.rule import DECISION, DIFFERS, EQUAL, NO_DUPLICATES, PAIRS, Rule, as_rules, read_rules

__all__ = [
    "DECISION",
    "DIFFERS",
    "EQUAL",
    "NO_DUPLICATES",
    "PAIRS",
    "Constraints",
    "Contradiction",
    "Groups",
    "Rule",
    "Step",
    "as_rules",
    "read_rules",
]
