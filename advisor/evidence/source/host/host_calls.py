"""Copies, waits and allocations in host code, with the host loops around them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.evidence.source.host.copies.copied_values import (
    data_names,
    filled_for_copy,
    is_plain,
    only_asks,
)
from advisor.program.effects.device_functions import Resolver
from advisor.program.kernels.declarations import cuda_member
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.timing_loops import timing_loop
from advisor.program.names.scope_bindings import values_at
from advisor.program.syntax.module import ModuleSyntax, names_in
from advisor.program.syntax.tree_nodes import below

_ALLOCATIONS = frozenset(
    {"device_array", "device_array_like", "mapped_array", "managed_array", "pinned_array"}
)


@dataclass(frozen=True)
class HostCall:
    """One call that moves data, waits or allocates. `entity` is transfer, synchronisation or allocation."""

    module: ModuleSyntax
    node: ast.Call
    entity: str
    call: str
    direction: str | None
    loops: int
    timed: bool
    invariant: bool | None

    @property
    def created(self) -> ast.Call | None:
        """The call that makes an array of the host for nothing but this copy, and fills it."""
        to_device = self.direction == "to_device" and bool(self.node.args)
        return filled_for_copy(self.node.args[0], self.module) if to_device else None


def find_host_calls(module: ModuleSyntax, resolver: Resolver) -> list[HostCall]:
    """The host calls of a module, in order of lines; what stands inside kernels does not count."""
    kernels = {declaration.node for declaration in resolver.declarations(module)}
    found = []
    for call in module.calls:
        named = _named(call, module, resolver)
        if named is None or any(scope in kernels for scope in module.scopes(call)):
            continue
        entity, name, direction = named
        loops = host_loops(module, call)
        invariant = _invariant(call, loops[0], module) if loops and entity == "transfer" else None
        timed = any(timing_loop(loop, module) for loop in loops)
        found.append(HostCall(module, call, entity, name, direction, len(loops), timed, invariant))
    return found


def _named(call: ast.Call, module: ModuleSyntax, resolver: Resolver) -> tuple[str, str, str | None] | None:
    if isinstance(call.func, ast.Attribute):
        name = call.func.attr
        if name == "copy_to_host":
            return "transfer", name, "to_host"
        if name == "copy_to_device":
            return "transfer", name, "to_device"
        if name in ("to_device", "synchronize") or name in _ALLOCATIONS:
            dotted = module.dotted(call.func)
            member = cuda_member(resolver.workspace.library_name(dotted, module)) if dotted else None
            if member == "to_device":
                return "transfer", f"cuda.{name}", "to_device"
            if member == "synchronize":
                return "synchronisation", f"cuda.{name}", None
            if name == "synchronize" and _is_of_context(call.func, module, resolver):
                return "synchronisation", "current_context().synchronize", None
            if name == "synchronize" and _is_of_stream(call.func, module, resolver):
                return "synchronisation", "stream.synchronize", None
            if member in _ALLOCATIONS:
                return "allocation", f"cuda.{name}", None
    return None


def _is_of_context(function: ast.Attribute, module: ModuleSyntax, resolver: Resolver) -> bool:
    """Whether a method is that of `cuda.current_context()`, which waits for all streams."""
    owner = function.value
    dotted = (isinstance(owner, ast.Call) and module.dotted(owner.func)) or ""
    return cuda_member(resolver.workspace.library_name(dotted, module)) == "current_context"


def _is_of_stream(function: ast.Attribute, module: ModuleSyntax, resolver: Resolver) -> bool:
    """Whether a method is one of a stream that `cuda.stream()` made in the same function."""
    values = values_at(module, function.value) if isinstance(function.value, ast.Name) else []
    made = [module.dotted(one.func) if isinstance(one, ast.Call) else None for one in values]
    members = [one and cuda_member(resolver.workspace.library_name(one, module)) for one in made]
    return bool(members) and all(one == "stream" for one in members)


def _invariant(call: ast.Call, loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Whether what is copied does not change in the loop: none of its names is bound or written there."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "copy_to_host":
        return False
    read = {name for item in call.args for name in data_names(item, module)}
    if not read or not all(is_plain(item, module) for item in call.args):
        return False
    # A function or kernel that gets an array may write to it.
    calls = (inner for inner in module.inside(loop, ast.Call) if inner is not call)
    made = {inner for item in call.args for inner in below(item)}
    others = (inner for inner in calls if inner not in made and not only_asks(inner, module))
    given = {name for inner in others for item in inner.args for name in names_in(item)}
    return not read & (module.changed_names(loop) | given)
