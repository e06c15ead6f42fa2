"""Names and options that NumbaPro and earlier releases of Numba had, and that today's Numba has not.

Each was tried with Numba 0.68 and numba-cuda 0.30, which end with an error; the tests try what is installed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.program.syntax.module import Import, ModuleSyntax

# Modules and names that an import does not find. NumbaPro went into Numba, and Accelerate ended with it.
GONE_NAMES = frozenset(
    {
        "numbapro", "accelerate.cuda", "numba.autojit", "numba.cuda.autojit", "numba.decorators",
        "numba.generated_jit", "numba.jitclass", "numba.npyufunc", "numba.roc", "numba.targets",
        "numba.typing", "numba.utils",
    }
)  # fmt: skip
# Options of `cuda.jit` that it refuses, unless they are None.
GONE_OPTIONS = ("argtypes", "restype", "bind", "target")
# `jit`, under all of its names, compiled for the GPU where an option said so.
_JIT_OF_ALL_TARGETS = frozenset(
    {"numba.jit", "numba.njit", "numba.autojit", "numba.decorators.jit", "numba.decorators.autojit"}
)
_GPU_TARGETS = frozenset({"cuda", "gpu"})


def jit_with_gpu_target(call: ast.Call, library_name: str) -> bool:
    """Whether a call is `jit(target="gpu")` or `jit(target="cuda")`, for the name of its function in the
    library.
    """
    return library_name in _JIT_OF_ALL_TARGETS and any(
        one.arg == "target"
        and isinstance(one.value, ast.Constant)
        and str(one.value.value).lower() in _GPU_TARGETS
        for one in call.keywords
    )


def gone_name(dotted: str) -> str | None:
    """The part of a dotted name that Numba has no longer, `numba.autojit` of itself; None for any other."""
    parts = dotted.split(".")
    names = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return next((one for one in names if one in GONE_NAMES), None)


def gone_imports(module: ModuleSyntax) -> Iterator[tuple[ast.stmt, str]]:
    """The import statements that end a module when it is loaded, each with the name that is not found.

    Those in functions, below conditions and in `try` may never be reached, or are prepared for.
    """
    for statement in module.tree.body:
        for imported in _imported(statement):
            name = gone_name(imported.dotted)
            if name is not None:
                yield statement, name
                break


def _imported(statement: ast.stmt) -> list[Import]:
    if isinstance(statement, ast.Import):
        return [Import(one.name) for one in statement.names]
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        return [Import(statement.module or "", one.name) for one in statement.names]
    return []
