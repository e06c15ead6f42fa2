"""The functions of a unit as Numba has typed them: its statements, with the type of every variable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from advisor.evidence.compiled.instructions.ptx import unit_function

# A function of a unit with the types of its arguments, for which Numba compiles it once.
FunctionKey = tuple[int, tuple[Any, ...]]


@dataclass(frozen=True)
class TypedFunction:
    """One function in one typing: Numba's statements, types by variable, and signatures by expression."""

    key: FunctionKey
    statements: tuple[Any, ...]
    types: Any
    signatures: Any

    @property
    def number(self) -> int:
        """Its number in the unit."""
        return self.key[0]


TypedFunctions = dict[FunctionKey, TypedFunction]


@contextmanager
def typed_functions() -> Iterator[TypedFunctions]:
    """What is compiled inside of the context, as it was typed.

    Kernels and device functions all go through `compile_cuda`, a name that is private to numba-cuda; a test
    pins it.
    """
    from numba.cuda import compiler, dispatcher

    found: TypedFunctions = {}
    original = compiler.compile_cuda

    def noting(pyfunc: Any, return_type: Any, args: Any, *more: Any, **options: Any) -> Any:
        result = original(pyfunc, return_type, args, *more, **options)
        function = _typed(pyfunc, args, result.type_annotation)
        if function is not None:
            found[function.key] = function
        return result

    holders = [module for module in (compiler, dispatcher) if hasattr(module, "compile_cuda")]
    for module in holders:
        module.compile_cuda = noting
    try:
        yield found
    finally:
        for module in holders:
            module.compile_cuda = original


def function_key(pyfunc: Any, args: Any) -> FunctionKey | None:
    """The key of a Python function in a typing, None for one that is not of a unit."""
    number = unit_function(pyfunc.__code__.co_filename)
    return None if number is None else (number, tuple(args))


def _typed(pyfunc: Any, args: Any, annotation: Any) -> TypedFunction | None:
    key = function_key(pyfunc, args)
    if key is None or annotation is None:
        return None
    statements = tuple(one for _, block in sorted(annotation.blocks.items()) for one in block.body)
    return TypedFunction(key, statements, annotation.typemap, annotation.calltypes)
