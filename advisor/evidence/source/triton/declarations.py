"""The functions of a module that Triton compiles, with the options of their decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.evidence.source.triton.configurations import Tuning, tuning_of
from advisor.evidence.source.triton.names import TritonNames
from advisor.model.records import kernel_key
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.names.visible_names import value_at
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_HEURISTICS = "triton.heuristics"
_AUTOTUNE = "triton.autotune"


@dataclass(frozen=True)
class TritonFunction:
    """One function below `@triton.jit`: a kernel, or a function that kernels call.

    `tuning` is that of `@triton.autotune`; `heuristics` are the parameters that `@triton.heuristics` gives;
    `wrapped` when decorators that are not Triton's stand around it, which may give parameters too.
    """

    module: ModuleSyntax = field(repr=False)
    node: FunctionNode = field(repr=False)
    tuning: Tuning | None = None
    heuristics: frozenset[str] = frozenset()
    wrapped: bool = False

    @property
    def key(self) -> str:
        """The key of its record."""
        return kernel_key(self.module.path, self.module.qualname(self.node), self.node.lineno)

    @property
    def name(self) -> str:
        """The name in the `def`."""
        return self.node.name

    @property
    def arguments(self) -> list[ast.arg]:
        """Its parameters, keyword-only ones too."""
        given = self.node.args
        return [*given.posonlyargs, *given.args, *given.kwonlyargs]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(one.arg for one in self.arguments)

    def constants(self) -> frozenset[str]:
        """The parameters that are annotated as `tl.constexpr`."""
        return frozenset(one.arg for one in self.arguments if _is_constexpr(one.annotation))

    def defaults(self) -> dict[str, ast.expr]:
        """The default values of parameters."""
        return parameter_defaults(self.node)


def triton_functions(names: TritonNames) -> list[TritonFunction]:
    """The functions of a module that Triton compiles, in order of lines."""
    if not names.used:
        return []
    module = names.module
    applied = set(_applied(names))
    found = []
    for node in module.functions:
        decorators = [(one, _decorator(one, names)) for one in node.decorator_list]
        if node.name in applied or any(name == "triton.jit" for _, name in decorators):
            found.append(_function(node, decorators, names))
    return found


def _function(
    node: FunctionNode, decorators: list[tuple[ast.expr, str | None]], names: TritonNames
) -> TritonFunction:
    tuning: Tuning | None = None
    heuristics = set[str]()
    wrapped = False
    for one, name in decorators:
        if name == _AUTOTUNE and isinstance(one, ast.Call):
            tuning = tuning_of(one, names)
        elif name == _HEURISTICS and isinstance(one, ast.Call):
            values = one.args[0] if one.args else keyword_value(one, "values")
            heuristics |= _names_in(values, names.module)
        elif name != "triton.jit":
            wrapped = True
    return TritonFunction(names.module, node, tuning, frozenset(heuristics), wrapped)


def _decorator(node: ast.expr, names: TritonNames) -> str | None:
    """The name of Triton behind a decorator, with or without arguments."""
    return names.of(node.func if isinstance(node, ast.Call) else node)


def _applied(names: TritonNames) -> Iterator[str]:
    """The functions that are handed to `triton.jit` as to any function."""
    for call in names.module.calls:
        if call.args and isinstance(call.args[0], ast.Name) and names.of(call.func) == "triton.jit":
            yield call.args[0].id


def _names_in(values: ast.expr | None, module: ModuleSyntax) -> set[str]:
    if isinstance(values, ast.Name):
        values = value_at(module, values)
    if not isinstance(values, ast.Dict):
        return set()
    return {key.value for key in values.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def _is_constexpr(annotation: ast.expr | None) -> bool:
    if annotation is None:
        return False
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.rpartition(".")[2] == "constexpr"
    last = annotation.attr if isinstance(annotation, ast.Attribute) else getattr(annotation, "id", "")
    if isinstance(annotation, ast.Subscript):
        return _is_constexpr(annotation.value)
    return last == "constexpr"
