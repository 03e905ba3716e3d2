"""The one door to numba: `@compiled` and `@inlined` make a machine-code version of a function, kept on disk."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def _digest(folder: Path) -> str:
    """What the kernels' sources say, in short."""
    sources = sorted(folder.glob("*.py"))
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()


_SOURCES = _digest(Path(__file__).parent)


def compiled(function: Function) -> Function:
    """Compile `function` at its first call, without the interpreter lock, and keep the result on disk.

    Numba would take a kept result for good as long as the file of `function` itself is unchanged, though a kernel holds
    a copy of every kernel that it calls. So the stamp of a kept result covers the sources of all kernels.
    """
    return _compiled(function)


def inlined(function: Function) -> Function:
    """The same for a step of a loop, which becomes a part of what calls it. It must not make or return arrays.

    Numba counts references to every array that a function is given, atomically: that takes longer than most such
    steps do. Without a run-time for arrays (`_nrt`) it does not.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def _compiled(function: Function, **options: Any) -> Function:
    dispatcher: Any = numba.njit(cache=True, nogil=True, **options)(function)
    if hasattr(dispatcher, "_cache"):  # not with NUMBA_DISABLE_JIT
        dispatcher._cache._cache_file._source_stamp = _SOURCES
    return cast(Function, dispatcher)
