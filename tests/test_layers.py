"""The layers of docs/architecture.md: a module imports only from layers to its left.

Late imports (inside functions) count, and so do imports by name (`import_module("askwise...")`). Imports for the type
checker alone do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
SOURCE = ROOT / "src" / "askwise"
LAYERS = [
    {"errors", "version", "arrays", "cells", "differences", "json_text", "plurals"},
    {"checks", "frames", "kernels", "records"},
    {"csv_files", "kinds", "sources"},
    {"columns", "gold_scores", "labels", "tables"},
    {"candidate_pairs", "pair_tables"},
    {"rules"},
    {"blocking"},
    {"components"},
    {"evidence"},
    {"matching"},
    {"graph"},
    {"clustering"},
    {"measures"},
    {"strategies"},
    {"crowds"},
    {"auditing", "charts", "explaining", "settled"},
    {"resolution"},
    {"resolving"},
    {"project"},
    {"asking", "notebook"},
    {"panels"},
    {"experiments"},
    {"report"},
    {"demo", "spark", "web"},
    {"commands"},
    {"cli"},
    {"__init__", "__main__"},
]
"""The names of src/askwise from left to right; those in one set may import each other."""


def _imported(node: ast.AST) -> Iterator[tuple[str, str, int]]:
    """The module, the name in it and the line of each import below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        if isinstance(child, ast.ImportFrom):
            for alias in child.names:
                yield child.module or "", alias.name, child.lineno
        elif isinstance(child, ast.Import):
            for alias in child.names:
                yield alias.name, "", child.lineno
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value, "", child.lineno
        yield from _imported(child)


def _target(module: str, name: str, known: set[str]) -> str | None:
    """Which part of the package an import is of, if of any."""
    root, _, rest = module.partition(".")
    part = rest.partition(".")[0] or name
    return part if root == "askwise" and part in known else None


def arrows_to_the_right(layers: list[set[str]], sources: dict[str, str]) -> list[str]:
    """Imports of what stands further right, for people to read; `sources` are texts by path below the package."""
    number = {name: at for at, names in enumerate(layers) for name in names}
    found = []
    for path, text in sources.items():
        own = path.split("/")[0].removesuffix(".py")
        for module, name, line in _imported(ast.parse(text)):
            target = _target(module, name, set(number))
            if target is not None and own in number and number[target] > number[own]:
                found.append(f"{path}:{line} imports {target}, which stands to the right of {own}")
    return found


def test_no_module_imports_from_a_layer_to_its_right() -> None:
    sources = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    packages = {path.split("/")[0] for path in sources if "/" in path}
    names = {path.split("/")[0].removesuffix(".py") for path in sources}
    assert packages <= set().union(*LAYERS) <= names, "each package needs a place among the layers, and nothing else"
    assert arrows_to_the_right(LAYERS, sources) == []


def test_late_imports_and_imports_by_name_count_and_those_of_the_type_checker_do_not() -> None:
    late = "def f():\n    from askwise.web import app\n"
    by_name = 'MODULES = {"app": "askwise.web.app"}\n'
    of_the_package = "from askwise import web\n"
    typing = "if TYPE_CHECKING:\n    from askwise.web import app\n"
    sources = {"graph.py": late, "kernels/heap.py": by_name, "rules.py": of_the_package, "tables.py": typing}
    found = arrows_to_the_right(LAYERS, sources)
    assert [line.split(":")[0] for line in found] == ["graph.py", "kernels/heap.py", "rules.py"]


def test_tests_import_no_benchmark() -> None:
    """What both need is in benchmarks/shared."""
    benchmarks = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not benchmarks & set(names), path
