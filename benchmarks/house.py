"""How easy the source is to live in, counted at some commits: python benchmarks/house.py 82fae7e HEAD

Lines are those of files, blank ones and comments included. A function's lines are counted without those of functions
inside it, its parameters without self. Constants are names in capitals that a module or a class gives a number.
"""

import ast
import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files_at(commit: str) -> dict[str, str]:
    """The Python files of the package and the README at a commit, by path."""
    made = subprocess.run(["git", "archive", commit, "src/askwise", "README.md"], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as archive:
        members = [one for one in archive.getmembers() if one.name.endswith((".py", ".md"))]
        return {one.name: archive.extractfile(one).read().decode() for one in members}  # type: ignore[union-attr]


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def inside(function: Function) -> Iterator[Function]:
    """The functions right inside a function."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function):
            yield node
        else:
            waiting.extend(ast.iter_child_nodes(node))


def lines_of(function: Function) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def parameters_of(function: Function) -> int:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def private_attributes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            stored = (
                one for one in ast.walk(node) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
            )
            own = {one.attr for one in stored if isinstance(one.value, ast.Name) and one.value.id == "self"}
            yield sum(name.startswith("_") for name in own), node.name


def constants(tree: ast.AST) -> int:
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            for line in node.body:
                targets = line.targets if isinstance(line, ast.Assign) else []
                names = [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
                numbers = isinstance(line, ast.Assign) and any(
                    isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in ast.walk(line.value)
                )
                count += sum(bool(re.fullmatch(r"_?[A-Z][A-Z0-9_]*", one.id)) for one in names) if numbers else 0
    return count


def figures(commit: str) -> dict[str, str]:
    """What is counted, in words."""
    files = files_at(commit)
    readme = files.pop("README.md")
    trees = {path.removeprefix("src/askwise/"): ast.parse(text) for path, text in files.items()}
    every = [(path, one) for path, tree in trees.items() for one in functions(tree)]
    longest = max((lines_of(one) - sum(map(lines_of, inside(one))), one.name, path) for path, one in every)
    most = max((parameters_of(one), one.name, path) for path, one in every)
    kernels = max((parameters_of(one), one.name) for path, one in every if path.startswith("kernels/"))
    private = max((*found, path) for path, tree in trees.items() for found in private_attributes(tree))
    in_strategies = max(
        found for path, tree in trees.items() if path == "strategies/wise.py" for found in private_attributes(tree)
    )
    packages = Counter(path.partition("/")[0] if "/" in path else "(top)" for path in trees)
    lines: Counter[str] = Counter()
    for path, text in files.items():
        short = path.removeprefix("src/askwise/")
        lines[short.partition("/")[0] if "/" in short else "(top)"] += text.count("\n")
    stems = Counter(path.rpartition("/")[2].removesuffix(".py") for path in trees if "__" not in path)
    return {
        "longest function, lines": "{} ({}, {})".format(*longest),
        "most parameters": "{} ({}, {})".format(*most),
        "most parameters of a kernel": "{} ({})".format(*kernels),
        "most private attributes of a class": "{} ({}, {})".format(*private),
        "private attributes of `Wise`": str(in_strategies[0]),
        "constants": str(sum(map(constants, trees.values()))),
        "module names used more than once": str(sum(count > 1 for count in stems.values())),
        "words of README": str(len(readme.split())),
        "modules": str(sum(packages.values())),
        "lines": f"{sum(lines.values()):,}",
        **{f"lines of {name}": f"{count:,}" for name, count in sorted(lines.items())},
    }


def main(*commits: str) -> None:
    found = [figures(commit) for commit in commits]
    names = list(dict.fromkeys(name for one in found for name in one))
    print("|  | " + " | ".join(commits) + " |")
    print("| --- " * (1 + len(commits)) + "|")
    for name in names:
        print(f"| {name} | " + " | ".join(one.get(name, "") for one in found) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
