"""The walk through a kernel, as the text of a fix has it: the forms of its expressions and indices."""

from __future__ import annotations

import ast
from pathlib import Path

from advisor.evidence.source.kernel_walk.affine_forms import Atoms, Form
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place, Scalar, Value, View
from advisor.evidence.source.kernel_walk.walk import KernelWalk
from advisor.evidence.source.kernel_walk.walk_state import Resolve
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import assigned_in
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.statement_places import COMPREHENSIONS, DEFINITIONS, TRIES

# The walk goes past these: it does not know what they do.
_NOT_FOLLOWED: tuple[type[ast.AST], ...] = (
    *TRIES, ast.Match, ast.NamedExpr, ast.Lambda, *COMPREHENSIONS, *DEFINITIONS,
)  # fmt: skip
# What is never negative: how often a loop has run, the indices of threads and blocks, and their numbers.
_SIZES = ("bdim.", "gdim.")
_COUNTS = ("loop#", "tid.", "bid.", *_SIZES)


class _Recording(KernelWalk):
    """Keeps the value of each expression; None for one that is met with different values."""

    def __init__(self, facts: KernelFacts, workspace: Workspace, resolve: Resolve) -> None:
        super().__init__(facts, workspace, resolve)
        self.values: dict[ast.expr, Value | None] = {}
        self.called: list[FunctionNode] = []

    def value(self, node: ast.expr) -> Value:
        """The meaning of an expression, which is kept."""
        found = super().value(node)
        self.values[node] = found if self.values.setdefault(node, found) == found else None
        return found

    def run_function(self, device: Declaration, bound: dict[str, Value]) -> Value:
        """The value that a device function returns, which is kept."""
        self.called.append(device.node)
        return super().run_function(device, bound)


def walked_kernel(module: SourceModule, function: FunctionNode) -> KernelFacts:
    """What the walk through a kernel finds; functions of other files are not known to it."""
    return module.answer(_walk, function).facts


def called_functions(module: SourceModule, function: FunctionNode) -> list[FunctionNode]:
    """The functions that a kernel calls, and those that these call."""
    return module.answer(_walk, function).called


def is_followed(module: SourceModule, function: FunctionNode) -> bool:
    """Whether the walk follows every statement of a kernel and of the functions that it calls, and knows all
    of these.
    """
    facts = walked_kernel(module, function)
    everything = (function, *called_functions(module, function))
    return facts.complete and not facts.calls_unknown and all(_is_followed(module, one) for one in everything)


def _is_followed(module: SourceModule, function: FunctionNode) -> bool:
    given = assigned_in(module, function)
    named = (_called(one) in given for one in module.nodes_in(ast.Call, function.body))
    return not any(named) and not any(True for _ in module.nodes_in(_NOT_FOLLOWED, function.body))


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def value_at(module: SourceModule, function: FunctionNode, node: ast.expr) -> Value | None:
    """What an expression of a kernel is where it stands; None where that is not one for all times."""
    if any(True for _ in module.nodes_in(_NOT_FOLLOWED, function.body)):
        return None
    return module.answer(_walk, function).values.get(node)


def _walk(module: SourceModule, function: FunctionNode) -> _Recording:
    # Without a file nothing is read beside the text.
    workspace = Workspace(Path())
    declaration = Declaration(module.syntax, function)
    walk = _Recording(KernelFacts(declaration), workspace, Resolver(workspace).resolve)
    walk.run_kernel()
    return walk


def element_indices(
    module: SourceModule, function: FunctionNode, element: ast.AST | None
) -> list[Form] | None:
    """The forms of an element's indices; None for what is no element that the walk meets just once."""
    if any(True for _ in module.nodes_in(_NOT_FOLLOWED, function.body)):
        return None
    found = [one for one in walked_kernel(module, function).accesses if one.place.node is element]
    indices = found[0].indices if len(found) == 1 and not found[0].whole else ()
    return None if not indices or any(one.is_slice for one in indices) else [one.form for one in indices]


def is_one_for_all(form: Form, atoms: Atoms) -> bool:
    """Whether a form has the same value in all threads of a grid of any size, being made of parameters, sizes
    of arrays and numbers.
    """
    own = any(name.startswith(("tid.", "bid.", "bdim.", "gdim.")) for name in form.atoms())
    return not own and not atoms.depends(form) and not atoms.loaded(form)


def has_one_value(module: SourceModule, function: FunctionNode, node: ast.expr) -> bool:
    """Whether an expression of a kernel is a number that is one for all threads, or an array."""
    value = value_at(module, function, node)
    if isinstance(value, Scalar):
        return is_one_for_all(value.form, walked_kernel(module, function).atoms)
    return isinstance(value, View) and not value.prefix


def is_positive(form: Form) -> bool:
    """Whether a form is more than zero in all threads of each launch: numbers and sizes of the launch, and
    whatever is never negative added to them.
    """
    sizes = [all(name.startswith(_SIZES) for name in monomial) for monomial, _ in form.terms]
    return any(sizes) and all(
        factor > 0 and all(name.startswith(_COUNTS) for name in monomial) for monomial, factor in form.terms
    )


def is_in_loop(place: Place, loop: ast.For) -> bool:
    """Whether a place of the walk lies in a loop."""
    return any(one.node is loop for one in place.loops)
