"""Launches of Triton kernels in host code: what each parameter gets, and the grid."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.evidence.source.host.data_flow.loop_context import LoopContext, loop_context
from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.program.names.scope_bindings import bound_at
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.values.constants import Constants

# Steps from name to name that a size is followed; sizes that depend on themselves branch at each of them.
_STEPS = 5


@dataclass(frozen=True)
class TritonLaunch:
    """One launch `kernel[grid](...)`. `given` are expressions by parameter, `options` those of the launch.

    `open` when `*` or `**` may give more; `grid` are the sizes of the grid, empty where they cannot be seen.
    """

    module: ModuleSyntax = field(repr=False)
    node: ast.Call = field(repr=False)
    kernel: TritonFunction = field(repr=False)
    given: Mapping[str, ast.expr] = field(default_factory=dict)
    options: Mapping[str, ast.expr] = field(default_factory=dict)
    open: bool = False
    grid: tuple[ast.expr, ...] = ()
    grid_text: str = ""
    function: FunctionNode | None = None
    context: LoopContext | None = None


def find_triton_launches(module: ModuleSyntax, reader: TritonReader) -> list[TritonLaunch]:
    """The launches of Triton kernels in a module, in order of lines."""
    found = []
    for call in module.calls:
        if not isinstance(call.func, ast.Subscript):
            continue
        dotted = module.dotted(call.func.value)
        kernel = reader.find(dotted, module) if dotted else None
        if kernel is not None:
            found.append(_launch(call, call.func.slice, kernel, module))
    return found


def _launch(call: ast.Call, grid: ast.expr, kernel: TritonFunction, module: ModuleSyntax) -> TritonLaunch:
    function = module.function_around(call)
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    is_open = starred or any(one.arg is None for one in call.keywords)
    given = {} if starred else dict(zip(kernel.parameters, call.args, strict=False))
    options = {}
    for one in call.keywords:
        if one.arg in kernel.parameters:
            given[str(one.arg)] = one.value
        elif one.arg is not None:
            options[one.arg] = one.value
    return TritonLaunch(
        module,
        call,
        kernel,
        given,
        options,
        is_open,
        _sizes(grid, module),
        ast.unparse(grid),
        function,
        loop_context(module, call),
    )


def _sizes(grid: ast.expr, module: ModuleSyntax) -> tuple[ast.expr, ...]:
    """The sizes of a grid that is written out, directly, by a name, or as a lambda or function."""
    if isinstance(grid, ast.Name):
        bound = bound_at(module, grid)
        only = bound[0] if len(bound) == 1 else None
        last = only.definition.body[-1] if only is not None and only.definition is not None else None
        if only is not None and only.value is not None and only.part is None:
            grid = only.value
        elif isinstance(last, ast.Return) and last.value is not None:
            grid = last.value
    if isinstance(grid, ast.Lambda):
        grid = grid.body
    return tuple(grid.elts) if isinstance(grid, ast.Tuple | ast.List) else ()


class LaunchValues:
    """Numbers that a launch gives to the parameters of its kernel."""

    def __init__(self, launch: TritonLaunch, reader: TritonReader) -> None:
        self.launch = launch
        self._constants = Constants(reader.workspace, launch.module, launch.function, depth=_STEPS)
        self._numbers: dict[ast.expr, int | None] = {}
        self._own = Constants(reader.workspace, launch.kernel.module, None)

    def number(self, node: ast.expr | None) -> int | None:
        """The whole number that an expression of the host code is, None where the source does not fix it."""
        if node is None:
            return None
        if node not in self._numbers:
            value = self._constants.value(node)
            is_number = isinstance(value, int) and not isinstance(value, bool)
            self._numbers[node] = int(value) if is_number else None  # type: ignore[call-overload]
        return self._numbers[node]

    def sizes(self, parameter: str) -> frozenset[int]:
        """The numbers that a parameter may get, empty where they are not known."""
        launch = self.launch
        if parameter in launch.given:
            value = self.number(launch.given[parameter])
            return frozenset() if value is None else frozenset({value})
        kernel = launch.kernel
        if kernel.tuning is not None and parameter in kernel.tuning.parameters:
            return kernel.tuning.sizes_of(parameter)
        if launch.open or kernel.wrapped or parameter in kernel.heuristics or kernel.tuning is not None:
            return frozenset()
        default = kernel.defaults().get(parameter)
        written = self._own.value(default) if default is not None else None
        return (
            frozenset({written})
            if isinstance(written, int) and not isinstance(written, bool)
            else frozenset()
        )

    def option(self, name: str) -> int | None:
        """The number that the launch gives to an option such as `num_warps`."""
        return self.number(self.launch.options.get(name))

    def chooses(self, name: str) -> bool | None:
        """Whether somebody chose an option: the launch, the configurations or a heuristic."""
        launch, tuning = self.launch, self.launch.kernel.tuning
        if name in launch.options or name in launch.given or name in launch.kernel.heuristics:
            return True
        if tuning is not None and any(name in one.options for one in tuning.configurations):
            return True
        unseen = tuning is not None and (
            not tuning.configurations or any(c.open for c in tuning.configurations)
        )
        return None if launch.open or launch.kernel.wrapped or unseen else False
