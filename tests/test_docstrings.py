"""Public names say what they take and give, in numpy's style, and their examples run."""

import doctest
import inspect
from importlib import import_module

import pytest

import askwise

NAMES = sorted(set(askwise.__all__) - {"__version__"})
MODULES = sorted({getattr(askwise, name).__module__ for name in NAMES})


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    failed, _ = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert not failed


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isfunction(getattr(askwise, name))])
def test_a_function_says_what_it_takes_and_gives(name: str) -> None:
    text = inspect.getdoc(getattr(askwise, name)) or ""
    for section in ("Parameters", "Returns", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text, section
    described = text.split("Parameters\n", 1)[1].split("\nReturns\n", 1)[0]
    for parameter in inspect.signature(getattr(askwise, name)).parameters:
        assert parameter in described, parameter


@pytest.mark.parametrize("name", ["Resolution", "ScoredPairs", "SimulatedCrowd", "UncertainGraph", "Until"])
def test_a_class_says_what_it_takes(name: str) -> None:
    text = inspect.getdoc(getattr(askwise, name)) or ""
    for parameter in inspect.signature(getattr(askwise, name)).parameters:
        assert parameter in text, parameter
    assert "\nExamples\n--------\n" in text
