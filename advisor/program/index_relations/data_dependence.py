"""The branches that hang on what arrays hold: data flow from the places that read arrays, through names,
calls and what is assigned under such a branch.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from advisor.program.index_relations.unit_functions import UnitFunction, UnitNames, loads_below
from advisor.program.syntax.assigned_values import value_given
from advisor.program.syntax.bound_names import bound_names
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.tree_nodes import below, below_in_scope

_REGIONS = (ast.If, ast.For, ast.While)
_EXITS = (ast.Break, ast.Return, ast.Raise)
# Each round settles what flows forward; further ones are for what loops and callers carry back.
_MOST_ROUNDS = 40
# Functions of these are made of branches themselves, and so is a power.
_MATHEMATICS = ("math.", "cmath.", "numpy.", "numba.cuda.libdevice.")

_Key = tuple[ast.AST, str]


def data_branches(
    names: UnitNames, reads: Set[ast.AST], parameters: Set[str] = frozenset()
) -> frozenset[tuple[str, int]]:
    """The places, path and line, of branches and loops that hang on what arrays hold; `reads` are the
    expressions that give it, and loops over arrays, `parameters` those of the kernel that do.
    """
    return settled(names, reads, parameters).branches()


def settled(names: UnitNames, reads: Set[ast.AST], parameters: Set[str] = frozenset()) -> UnitFlow:
    """What hangs on the values of the expressions `reads` and of those parameters of the kernel."""
    flow = UnitFlow({name: _FunctionFlow(one, names, reads) for name, one in names.functions.items()})
    if names.kernel is not None:
        flow.functions[names.kernel.text.name].parameters |= parameters
    flow.settle()
    return flow


@dataclass(frozen=True, slots=True)
class _Uses:
    """What an expression hangs on: what an array holds, definitions, parameters and functions called."""

    reads: bool
    definitions: tuple[tuple[ast.AST, str, ast.Name], ...]
    parameters: tuple[str, ...]
    called: tuple[str, ...]


@dataclass
class _FunctionFlow:
    function: UnitFunction
    names: UnitNames
    reads: Set[ast.AST]
    data: set[_Key] = field(default_factory=set)
    regions: set[ast.AST] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    returns: bool = False

    def __post_init__(self) -> None:
        nodes = below_in_scope(self.function.tree)
        self._definitions = [
            (one, name, self._uses(self._given(one, name))) for one in nodes for name in bound_names(one)
        ]
        self._definitions.sort(
            key=lambda one: (getattr(one[0], "lineno", 0), getattr(one[0], "col_offset", 0))
        )
        self._tests = [(one, self._uses(_tested(one))) for one in nodes if isinstance(one, _REGIONS)]
        self._exits = [(one, self._loop_left(one)) for one in nodes if isinstance(one, _EXITS)]
        self._returned = [
            (one, self._uses([one.value]))
            for one in nodes
            if isinstance(one, ast.Return) and one.value is not None
        ]
        self._indices = [(one, self._uses([one.slice])) for one in nodes if isinstance(one, ast.Subscript)]
        self._branches = [(one, self._uses(parts)) for one in nodes if (parts := self._branching(one))]
        self.calls = [
            (
                one,
                [self._uses([part]) for part in one.args],
                {k.arg: self._uses([k.value]) for k in one.keywords},
            )
            for one in nodes
            if isinstance(one, ast.Call)
            and isinstance(one.func, ast.Name)
            and one.func.id in self.names.functions
        ]

    # -- what hangs on what --------------------------------------------------------------------------------
    def _given(self, definition: ast.AST, name: str) -> list[ast.AST]:
        """The expressions that a definition makes a name's value of."""
        if isinstance(definition, ast.For):
            # Of a loop over an array the elements are data, not how often it runs.
            return [definition] if definition in self.reads else [definition.iter]
        if isinstance(definition, ast.AugAssign):
            return [definition.value, definition.target]
        given = value_given(definition, name)
        return [given] if given is not None else []

    def _uses(self, parts: Iterable[ast.AST]) -> _Uses:
        reads = False
        called: set[str] = set()
        definitions: list[tuple[ast.AST, str, ast.Name]] = []
        parameters: set[str] = set()
        for part in parts:
            # Of a loop over an array itself, not what is in its block.
            for one in below(part) if not isinstance(part, ast.For) else [part]:
                reads = reads or one in self.reads
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
                    called.add(one.func.id)
            named = (
                []
                if isinstance(part, ast.For)
                else loads_below(part) + ([part] if isinstance(part, ast.Name) else [])
            )
            for name in named:
                for definition in self.function.reaching.reaching(name.id, name) or ():
                    if isinstance(definition, ast.AST):
                        definitions.append((definition, name.id, name))
                    else:
                        parameters.add(name.id)
        return _Uses(
            reads, tuple(dict.fromkeys(definitions)), tuple(sorted(parameters)), tuple(sorted(called))
        )

    def _branching(self, node: ast.AST) -> list[ast.AST]:
        """The expressions that decide at a node which way is taken."""
        if isinstance(node, ast.BoolOp):
            return list(node.values[:-1])
        if isinstance(node, ast.IfExp | ast.Assert):
            return [node.test]
        if isinstance(node, ast.comprehension):
            return [node.iter, *node.ifs]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return [node.left, node.right]
        if isinstance(node, ast.Call) and self.names.dotted(node.func).startswith(_MATHEMATICS):
            return list(node.args)
        if isinstance(node, ast.Call) and last_name(node.func) in ("min", "max"):
            return list(node.args)
        return []

    def _loop_left(self, node: ast.AST) -> ast.AST | None:
        """The innermost loop that a jump leaves."""
        around = self.function.parents.get(node)
        while around is not None and not isinstance(around, ast.For | ast.While):
            around = self.function.parents.get(around)
        return around

    def _around(self, node: ast.AST) -> set[ast.AST]:
        """The branches and loops whose blocks a node lies in."""
        found: set[ast.AST] = set()
        inner, around = node, self.function.parents.get(node)
        while around is not None:
            if isinstance(around, _REGIONS) and inner is not _head(around):
                found.add(around)
            inner, around = around, self.function.parents.get(around)
        return found

    # -- the flow ------------------------------------------------------------------------------------------
    def hangs(self, uses: _Uses, unit: UnitFlow) -> bool:
        """Whether an expression hangs on what arrays hold."""
        if uses.reads or any(name in self.parameters for name in uses.parameters):
            return True
        if any(name in unit.functions and unit.functions[name].returns for name in uses.called):
            return True
        return any(
            (one, name) in self.data or self._under_data(one, at) for one, name, at in uses.definitions
        )

    def _under_data(self, definition: ast.AST, use: ast.AST) -> bool:
        """Whether a definition runs under a branch on data that the use is not under as well."""
        if not self.regions:
            return False
        inside = (self._around(definition) | {definition}) & self.regions
        return bool(inside - self._around(use)) if inside else False

    def round(self, unit: UnitFlow) -> bool:
        """Take one round; whether something was found."""
        before = len(self.data), len(self.regions), self.returns
        for one, name, uses in self._definitions:
            if (one, name) not in self.data and self.hangs(uses, unit):
                self.data.add((one, name))
        for region, uses in self._tests:
            if region not in self.regions and self.hangs(uses, unit):
                self.regions.add(region)
        for jump, loop in self._exits:
            # A loop that is left under a branch on data runs as often as the data say.
            if (
                loop is not None
                and loop not in self.regions
                and (self._around(jump) - self._around(loop) - {loop}) & self.regions
            ):
                self.regions.add(loop)
        self.returns = self.returns or any(
            self.hangs(uses, unit) or bool(self._around(one) & self.regions) for one, uses in self._returned
        )
        return before != (len(self.data), len(self.regions), self.returns)

    def branch_lines(self, unit: UnitFlow) -> set[int]:
        """The lines of the branches that hang on data."""
        found: set[int] = set()
        for region in self.regions:
            assert isinstance(region, _REGIONS)
            head = _head(region)
            found.update(range(region.lineno, (head.end_lineno or region.lineno) + 1))
        for one, uses in self._branches:
            if self.hangs(uses, unit):
                first = getattr(one, "lineno", None)
                if first is not None:
                    found.update(range(first, (getattr(one, "end_lineno", None) or first) + 1))
        return found

    def subscripts(self, unit: UnitFlow) -> set[ast.Subscript]:
        """The subscripts whose index hangs on data."""
        return {one for one, uses in self._indices if self.hangs(uses, unit)}


@dataclass
class UnitFlow:
    """What hangs on data in a kernel and the functions that it calls, once it has settled."""

    functions: dict[str, _FunctionFlow]

    def branches(self) -> frozenset[tuple[str, int]]:
        """The places, path and line, of branches and loops that hang on data."""
        return frozenset(
            one.function.place(line) for one in self.functions.values() for line in one.branch_lines(self)
        )

    def indices(self) -> dict[ast.Subscript, UnitFunction]:
        """The subscripts whose index hangs on data, each with its function."""
        return {node: one.function for one in self.functions.values() for node in one.subscripts(self)}

    def settle(self) -> None:
        """Let all that hangs on data be found, across functions."""
        for _ in range(_MOST_ROUNDS):
            changed = False
            for one in self.functions.values():
                changed = one.round(self) or changed
                changed = self._arguments(one) or changed
            if not changed:
                return

    def _arguments(self, caller: _FunctionFlow) -> bool:
        """Mark the parameters of functions that are given data; whether one is new."""
        changed: dict[str, set[str]] = defaultdict(set)
        for call, given, named in caller.calls:
            assert isinstance(call.func, ast.Name)
            callee = self.functions[call.func.id]
            arguments = callee.function.tree.args
            names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
            pairs = [
                *zip(names, given, strict=False),
                *((k, uses) for k, uses in named.items() if k is not None),
            ]
            for name, uses in pairs:
                if name not in callee.parameters and caller.hangs(uses, self):
                    changed[call.func.id].add(name)
        for function, found in changed.items():
            self.functions[function].parameters |= found
        return bool(changed)


def _head(region: ast.If | ast.For | ast.While) -> ast.expr:
    return region.iter if isinstance(region, ast.For) else region.test


def _tested(region: ast.If | ast.For | ast.While) -> list[ast.AST]:
    return [_head(region)]
