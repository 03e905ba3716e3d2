"""The paper's own settings, which tests of the paper's numbers and of exact states use."""

from typing import Any

from askwise import Resolution

PAPER = {"strategy": "perc", "clustering": "scc", "evidence": "ratio"}


def paper_resolution(*arguments: Any, **options: Any) -> Resolution:
    """A resolution with the paper's strategy, clustering and evidence, unless the options say otherwise."""
    return Resolution(*arguments, **{**PAPER, **options})
