"""Calls of universal functions made by `vectorize` and `guvectorize` for CUDA, with what they are given."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.evidence.source.host.host_records import listed
from advisor.evidence.source.test_paths import is_test_path
from advisor.model.records import Record
from advisor.model.text.notebooks.joined_text import is_repeated_by_command
from advisor.program.arrays.host_arrays import HostScope
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.launch_arguments import largest_host_array
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.timing_loops import timing_loop
from advisor.program.names.scope_bindings import bound_at, is_same_value
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax, stored_names

_MAKERS = frozenset(
    {"numba.vectorize", "numba.guvectorize", "numba.cuda.vectorize", "numba.cuda.guvectorize"}
)
_DEPTH = 6


def universal_call_records(module: ModuleSyntax, host_values: HostValues) -> list[Record]:
    """One record for each call of a universal function of this module that runs on the GPU."""
    names = {
        function.name
        for function in module.functions
        if _runs_on_gpu(function, module, host_values.workspace)
    }
    if not names:
        return []
    calls = [call for call in module.calls if isinstance(call.func, ast.Name) and call.func.id in names]
    return [_record(_UniversalCall(call, module, host_values, frozenset(names))) for call in calls]


def _runs_on_gpu(function: FunctionNode, module: ModuleSyntax, workspace: Workspace) -> bool:
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        dotted = module.dotted(decorator.func)
        if dotted is None or workspace.library_name(dotted, module) not in _MAKERS:
            continue
        target = keyword_value(decorator, "target")
        if isinstance(target, ast.Constant) and target.value == "cuda":
            return True
    return False


@dataclass(frozen=True)
class _NeedlessCopy:
    """An array of which a copy could be left out, in the field that says why."""

    returned_array: str | None = None
    returned_by: str | None = None
    copied_each_iteration: str | None = None
    copied_again: str | None = None


@dataclass(frozen=True)
class _UniversalCall:
    """A call in its module; `names` are the universal functions of that."""

    call: ast.Call
    module: ModuleSyntax
    host_values: HostValues
    names: frozenset[str]

    @property
    def function(self) -> FunctionNode | None:
        return self.module.function_around(self.call)

    @property
    def scope(self) -> HostScope:
        return HostScope(self.module, self.function, self.host_values)

    def arrays(self) -> tuple[str, ...] | None:
        """The arguments that are NumPy arrays, results of other universal functions on such included."""
        known = self.scope.host_arrays(self.call.args)
        names = {ast.unparse(one) for one in self.call.args if self.made_by(one)}
        if known is None and not names:
            return None
        return tuple(
            name for name in map(ast.unparse, self.call.args) if name in names or name in (known or ())
        )

    def made_by(self, argument: ast.expr, depth: int = _DEPTH) -> ast.Call | None:
        """The call of a universal function that has made an argument as a NumPy array, None for any other."""
        values = self._values(argument) if isinstance(argument, ast.Name) else [argument]
        makers = [
            value for value in values if isinstance(value, ast.Call) and self._copies_back(value, depth)
        ]
        return makers[0] if makers and len(makers) == len(values) else None

    def _values(self, name: ast.Name) -> Sequence[ast.expr | None]:
        bound = bound_at(self.module, name)
        if self.function is None:
            # What stands below, in a loop around both, is left out: arrays that alternate there are alike.
            bound = [one for one in bound if one is not None and one.line < name.lineno]
        return [one.value if one is not None and one.part is None else None for one in bound]

    def _copies_back(self, value: ast.Call, depth: int) -> bool:
        """Whether a call is one of a universal function that gets NumPy arrays, so that it makes one."""
        if not isinstance(value.func, ast.Name) or value.func.id not in self.names:
            return False
        if value.keywords or value is self.call or not depth:
            return False
        made = any(self.made_by(one, depth - 1) for one in value.args)
        return made or bool(self.scope.host_arrays(value.args))

    def largest(self, call: ast.Call, depth: int = _DEPTH) -> int | None:
        """The elements of the largest NumPy array that a call gets, None where the source does not tell."""
        makers = [maker for one in call.args if (maker := self.made_by(one))]
        sizes = [self.largest(maker, depth - 1) if depth else None for maker in makers]
        if any(self.scope.is_host_array(one) for one in call.args):
            sizes.append(largest_host_array(call.args, self.scope))
        return None if None in sizes else max((size for size in sizes if size is not None), default=None)

    def needless_copy(self) -> _NeedlessCopy:
        """The first array of which a copy could be left out, of which nothing is known where none is seen."""
        for argument in self.call.args:
            maker = self.made_by(argument)
            if maker is not None:
                return _NeedlessCopy(ast.unparse(argument), ast.unparse(maker.func))
        given = [one for one in self.call.args if isinstance(one, ast.Name) and self.scope.is_host_array(one)]
        for loop in host_loops(self.module, self.call):
            for argument in given:
                if argument.id not in stored_names(loop):
                    return _NeedlessCopy(copied_each_iteration=argument.id)
        for argument in given:
            if self._is_used_again(argument):
                return _NeedlessCopy(copied_again=argument.id)
        return _NeedlessCopy()

    def _is_used_again(self, name: ast.Name) -> bool:
        """Whether another call of the same function body copies the same array."""
        if self.function is None:
            return False
        return any(
            other is not self.call
            and isinstance(other.func, ast.Name)
            and other.func.id in self.names
            and any(is_same_value(self.module, name, one) for one in other.args)
            for other in self.module.inside(self.function, ast.Call)
        )


def _record(one: _UniversalCall) -> Record:
    call, module = one.call, one.module
    arrays, loops = one.arrays(), host_loops(module, call)
    timed = any(timing_loop(loop, module) for loop in loops) or is_repeated_by_command(
        module.source.text, call.lineno
    )
    record = Record(
        "universal_call", f"{module.path}:{call.lineno}:{call.col_offset}:universal_call", module.path,
        module.span(call.func), ast.unparse(call.func),
    )  # fmt: skip
    largest, needless = one.largest(call), one.needless_copy()
    record.know(
        "source",
        host_arrays=None if arrays is None else len(arrays),
        host_array_names=listed(arrays or ()),
        returned_array=needless.returned_array,
        returned_by=needless.returned_by,
        copied_each_iteration=needless.copied_each_iteration,
        copied_again=needless.copied_again,
        largest_host_array=largest,
        host_loop_depth=len(loops),
        in_test_or_benchmark=is_test_path(module.path) or timed,
    )
    return record
