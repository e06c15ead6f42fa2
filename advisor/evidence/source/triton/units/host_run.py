"""Walks through host code up to a launch, with sizes that are made up: nothing of it is run.

Only what a launch needs is understood: numbers, shapes, strides and types of arrays, and small functions of
the workspace. All else is a value that nothing tells.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from advisor.evidence.source.triton.names import TritonNames
from advisor.evidence.source.triton.units.host_calls import Calls, Refused, Returned
from advisor.evidence.source.triton.units.host_values import Host, Nothing, Sizes
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_MOST_STEPS = 4_000


class Reached(Exception):
    """The walk has come to the launch."""


class HostRun(Calls):
    """One walk; `env` has the values of names at the place that it has come to."""

    def __init__(
        self,
        module: ModuleSyntax,
        workspace: Workspace,
        names: TritonNames,
        sizes: Sizes,
        launch: ast.Call | None = None,
        depth: int = 3,
    ) -> None:
        super().__init__(module, workspace, names, sizes, depth)
        self._launch = launch
        self._around = set[int]()
        node: ast.AST | None = launch
        while node is not None:
            self._around.add(id(node))
            node = module.parents.get(node)
        self._steps = 0
        self.passed_over: list[str] = []

    def up_to_launch(self, function: FunctionNode | None) -> None:
        """Walk through a function, or the module's own statements, until the launch.

        Raises Refused where the program does not take the sizes.
        """
        if function is None:
            body: list[ast.stmt] = self.module.tree.body
            self.look_ahead(self.module.tree)
        else:
            body = function.body
            self.look_ahead(function)
            self.bind_parameters(function, {})
        try:
            self.statements(body)
        except (Reached, Returned):
            return

    def run(self, function: FunctionNode, given: Mapping[str, Host]) -> Host:
        """The value that a function returns for some arguments."""
        self.look_ahead(function)
        self.bind_parameters(function, given)
        try:
            self.statements(function.body)
        except Returned as returned:
            return returned.value
        return None

    def bind_parameters(self, function: FunctionNode, given: Mapping[str, Host]) -> None:
        """Give the parameters of a function their values: given ones, defaults, or none that is known."""
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args]
        last = [one.arg for one in every[len(every) - len(arguments.defaults) :]]
        defaults = dict(zip(last, arguments.defaults, strict=True))
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            if default is not None:
                defaults[one.arg] = default
        for one in (*every, *arguments.kwonlyargs):
            written = ast.unparse(one.annotation) if one.annotation is not None else ""
            if one.arg in given:
                self.env[one.arg] = given[one.arg]
            elif one.arg in defaults:
                value = self.value(defaults[one.arg])
                # An array that may be left out is handed over where a kernel takes one.
                known = value is not None or "Tensor" not in written
                self.env[one.arg] = value if known else Nothing(one.arg, written)
            else:
                self.env[one.arg] = Nothing(one.arg, written)

    def statements(self, body: list[ast.stmt]) -> None:
        """Walk through statements in order."""
        for statement in body:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise Refused("host code that is too long")
            if statement_is_launch(statement, self._launch):
                raise Reached
            method = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if method is not None:
                method(statement)

    def _do_assign(self, statement: ast.Assign) -> None:
        value = self.value(statement.value)
        for target in statement.targets:
            self.bind(target, value)

    def _do_annassign(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.bind(statement.target, self.value(statement.value))

    def _do_augassign(self, statement: ast.AugAssign) -> None:
        if isinstance(statement.target, ast.Name):
            load = ast.Name(statement.target.id, ast.Load())
            self.env[statement.target.id] = self.value(ast.BinOp(load, statement.op, statement.value))

    def _do_expr(self, statement: ast.Expr) -> None:
        self.value(statement.value)

    def _do_return(self, statement: ast.Return) -> None:
        raise Returned(self.value(statement.value) if statement.value is not None else None)

    def _do_functiondef(self, statement: ast.FunctionDef) -> None:
        self.env[statement.name] = statement

    def _do_raise(self, _statement: ast.Raise) -> None:
        raise Refused("an error is raised")

    def _do_assert(self, statement: ast.Assert) -> None:
        if self.truth(statement.test) is False:
            self._refuse(f"asserts `{ast.unparse(statement.test)}`")

    def _do_with(self, statement: ast.With) -> None:
        self.statements(statement.body)

    def _do_try(self, statement: ast.Try) -> None:
        self.statements(statement.body)

    def _do_if(self, statement: ast.If) -> None:
        known = self.truth(statement.test)
        inside = [body for body in (statement.body, statement.orelse) if self._holds_launch(body)]
        if inside:
            self.statements(inside[0])
        elif known is None or (known and self._guards_unknown(statement)):
            self._either(statement)
        elif known and isinstance(statement.body[0], ast.Raise):
            self._refuse(f"ends where `{ast.unparse(statement.test)}`")
        else:
            self.statements(statement.body if known else statement.orelse)

    def _refuse(self, words: str) -> None:
        """End the walk where the program does not take the sizes, or note that this is passed over."""
        if not self.sizes.lenient:
            raise Refused(f"it {words}")
        self.passed_over.append(words)

    def _guards_unknown(self, statement: ast.If) -> bool:
        """Whether an error is raised for an array of which nothing tells how many axes it has."""
        raises = any(isinstance(one, ast.Raise) for one in statement.body)
        return raises and any(
            isinstance(one, ast.Name) and self.is_open(one.id) for one in ast.walk(statement.test)
        )

    def _either(self, statement: ast.If) -> None:
        """Walk through the side that goes on, the first of two."""
        for body in (statement.body, statement.orelse):
            before = dict(self.env)
            try:
                self.statements(body)
                return
            except (Refused, Returned):
                self.env = before

    def _do_for(self, statement: ast.For) -> None:
        value = self.value(statement.iter)
        first: Host = Nothing(ast.unparse(statement.target))
        if isinstance(value, tuple):
            first = value[0] if value else first
        elif isinstance(value, range):
            first = value[0] if len(value) else 0
        self.bind(statement.target, first)
        self.statements(statement.body)

    def _do_while(self, statement: ast.While) -> None:
        self.statements(statement.body)

    def _holds_launch(self, body: list[ast.stmt]) -> bool:
        return any(id(one) in self._around for one in body)

    def bind(self, target: ast.expr, value: Host) -> None:
        """Give a name, or each of several, a value."""
        if isinstance(target, ast.Name):
            self.env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            items = value if isinstance(value, tuple) and len(value) == len(target.elts) else None
            for number, one in enumerate(target.elts):
                self.bind(one, items[number] if items else Nothing(ast.unparse(one)))
        elif isinstance(target, ast.Attribute):
            self.env[ast.unparse(target)] = value

    def fresh(self, module: ModuleSyntax) -> HostRun:
        """A walk through a function that is called."""
        return HostRun(module, self.workspace, self.names, self.sizes, depth=self.depth - 1)


def statement_is_launch(statement: ast.stmt, launch: ast.Call | None) -> bool:
    """Whether a statement of its own kind holds the launch, not one with statements inside."""
    if launch is None or hasattr(statement, "body"):
        return False
    return any(one is launch for one in ast.walk(statement))
