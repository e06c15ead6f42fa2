"""What the simulated GPU has not: functions of CuPy's runtime that say so when they are called."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any

from advisor.evidence.simulated.driver.results import Result

# What computes on its arguments alone, or asks the runtime that is a part of CuPy for its version.
_KEPT = frozenset({
    "check_status",
    "make_Extent",
    "make_PitchedPtr",
    "make_Pos",
    "runtimeGetVersion",
})  # fmt: skip


def refusals(module: ModuleType, answered: Collection[str]) -> dict[str, Callable[..., Any]]:
    """A function for each of a module's that is not answered: textures, graphs, sharing with processes."""
    table: dict[str, Any] = module.__pyx_capi__
    public = {name for name, value in vars(module).items() if _is_compiled(value)}
    names = {name for name in public | set(table) if not name.startswith("_")}
    return {
        name: _refusal(module, name) for name in names - set(answered) - _KEPT if _is_function(table, name)
    }


def _is_compiled(value: Any) -> bool:
    return type(value).__name__ in ("builtin_function_or_method", "cython_function_or_method")


def _is_function(table: dict[str, Any], name: str) -> bool:
    """Whether a capsule is of a function, where there is one: others are of constants."""
    return name not in table or "(" in str(table[name])


def _refusal(module: ModuleType, name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        error = module.CUDARuntimeError(Result.CUDA_ERROR_NOT_SUPPORTED.value)
        error.args = (f"{error.args[0]}: the simulated GPU does not offer cuda{name[0].upper()}{name[1:]}.",)
        raise error

    return refuse
