"""The one door to numba: `@compiled` makes a machine-code version of a function, kept on disk."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile `function` at its first call, without the interpreter lock, and keep the result on disk."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
