"""The walk through a kernel, as the text of a fix has it: the forms of the indices that it uses."""

from __future__ import annotations

from pathlib import Path

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts
from advisor.evidence.source.kernel_walk.walk import kernel_facts
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode


def walked_kernel(module: SourceModule, function: FunctionNode) -> KernelFacts:
    """What the walk through a kernel finds; functions of other files are not known to it."""
    return module.answer(_walked, function)


def _walked(module: SourceModule, function: FunctionNode) -> KernelFacts:
    # Without a file nothing is read beside the text.
    workspace = Workspace(Path())
    return kernel_facts(Declaration(module.syntax, function), workspace, Resolver(workspace).resolve)
