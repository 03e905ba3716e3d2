"""The one door to numba: `@compiled` and `@inlined` make a machine-code version of a function, kept on disk."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import event

FIRST_USE = 250
"""About as many functions are compiled before a fresh installation has its first clustering."""

Function = TypeVar("Function", bound=Callable[..., object])


_CONFIG: Any = numba.config
_SOURCES = hashlib.sha256(
    b"\0".join(source.read_bytes() for source in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()
"""What the kernels' sources say, in short."""


def compiled(function: Function) -> Function:
    """Compile `function` at its first call, without the interpreter lock, and keep the result on disk.

    Numba would accept a kept result as long as the file of `function` itself is unchanged, though a kernel holds
    a copy of every kernel that it calls. So the stamp of a kept result covers the sources of all kernels.
    """
    return _compiled(function)


def inlined(function: Function) -> Function:
    """Compile a step of a loop into each kernel that uses it. It must not make or return arrays.

    Numba counts references to every array that a function is given, atomically: that takes longer than most such
    steps do. Without a run-time for arrays (`_nrt`) it does not.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def _compiled(function: Function, **options: Any) -> Function:
    if _CONFIG.DISABLE_JIT:
        return _interpreted(function)
    # No kernel is handed to C: to leave out that entry point saves a part of the time that compiling takes.
    options["no_cfunc_wrapper"] = True
    dispatcher: Any = numba.njit(cache=True, nogil=True, **options)(function)
    dispatcher._cache._cache_file._source_stamp = _SOURCES
    return cast(Function, dispatcher)


def _interpreted(function: Function) -> Function:
    """Run `function` as the Python that it is (NUMBA_DISABLE_JIT=1): slow, but debuggers and coverage see it.

    Words of 64 bits wrap around here as they do in machine code; NumPy would warn.
    """

    @wraps(function)
    def run(*arguments: Any) -> object:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return function(*arguments)

    return cast(Function, run)


class _Compiled(event.Listener):
    """Counts the functions that were compiled."""

    def __init__(self, tell: Callable[[int], object]) -> None:
        self._tell = tell
        self._count = 0

    def on_start(self, event: event.Event) -> None:
        pass

    def on_end(self, event: event.Event) -> None:
        self._count += 1
        self._tell(self._count)


@contextmanager
def told_of_compiling(tell: Callable[[int], object]) -> Iterator[None]:
    """Call `tell` with the number of functions compiled so far, after each. What is on disk is not compiled again."""
    with event.install_listener("numba:compile", _Compiled(tell)):
        yield


@inlined
def wide(value: int) -> int:
    """An integer of 64 bits.

    Numba compiles a function once for each mixture of integer types and constants that it is called with. Where calls
    differ in nothing else, this makes them alike.
    """
    return int(np.int64(value))
