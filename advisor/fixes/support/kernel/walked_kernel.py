"""The walk through a kernel, as the text of a fix has it: the forms of the indices that it uses."""

from __future__ import annotations

import ast
from pathlib import Path

from advisor.evidence.source.kernel_walk.affine_forms import Form
from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.evidence.source.kernel_walk.walk import kernel_facts
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode
from advisor.program.syntax.statement_places import TRIES

# The walk goes past these: it does not know what they do to names.
_NOT_FOLLOWED = (*TRIES, ast.Match, ast.NamedExpr)


def walked_kernel(module: SourceModule, function: FunctionNode) -> KernelFacts:
    """What the walk through a kernel finds; functions of other files are not known to it."""
    return module.answer(_walked, function)


def _walked(module: SourceModule, function: FunctionNode) -> KernelFacts:
    # Without a file nothing is read beside the text.
    workspace = Workspace(Path())
    return kernel_facts(Declaration(module.syntax, function), workspace, Resolver(workspace).resolve)


def element_indices(
    module: SourceModule, function: FunctionNode, element: ast.AST | None
) -> list[Form] | None:
    """The forms of an element's indices; None for what is no element that the walk meets just once."""
    if any(True for _ in module.nodes_in(_NOT_FOLLOWED, function.body)):
        return None
    found = [one for one in walked_kernel(module, function).accesses if one.place.node is element]
    indices = found[0].indices if len(found) == 1 and not found[0].whole else ()
    return None if not indices or any(one.is_slice for one in indices) else [one.form for one in indices]
