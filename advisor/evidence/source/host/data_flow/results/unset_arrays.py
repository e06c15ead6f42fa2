"""Arrays that host code allocates without a first value, and that a kernel then adds to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import Array, KernelFacts
from advisor.evidence.source.kernel_walk.walk import WalkedKernels, all_uses_are_followed
from advisor.program.effects.array_effects import UNKNOWN, Effects
from advisor.program.kernels.declarations import cuda_member
from advisor.program.launches.launches import Launch
from advisor.program.names.scope_bindings import Binding, bound_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_OF_CUDA = frozenset({
    "device_array", "device_array_like", "pinned_array", "pinned_array_like", "mapped_array",
    "mapped_array_like", "managed_array",
})  # fmt: skip
_OF_OTHERS = frozenset({"empty", "empty_like"})
_LIBRARIES = ("numpy", "cupy", "torch")
# Atomic operations that give an element a value without looking at the one that it had.
_SETTING = frozenset({"exch"})
_OF_ITS_SHAPE = frozenset({
    "shape", "size", "dtype", "ndim", "nbytes", "itemsize", "strides", "device", "flags", "numel",
    "element_size", "dim", "is_cuda", "alloc_size", "stride", "is_contiguous",
})  # fmt: skip
_ASKING = frozenset({
    "len", "zeros_like", "ones_like", "empty_like", "full_like", "device_array_like", "pinned_array_like",
    "mapped_array_like",
})  # fmt: skip
_SETTING_METHODS = frozenset(
    {"copy_to_device", "fill", "fill_", "zero_", "copy_", "set", "normal_", "uniform_"}
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_CHOICES = (ast.If, ast.Try, ast.Match, ast.IfExp, ast.BoolOp)


def added_to_unset(
    launch: Launch, launches: Sequence[Launch], walked: WalkedKernels
) -> Iterator[tuple[str, ast.Call]]:
    """The arrays of a launch, by name and with the call that allocates each, that nothing has given a value
    by then, and of which the kernel changes elements by what they held and sets none. Not those whose sums
    nobody looks at before they are set: such a launch compiles the kernel, or warms the device up.
    `launches` are those of the module.
    """
    if launch.kernel is None or launch.in_helper or _spreads(launch.node):
        return
    given = list(zip(launch.kernel.parameters, launch.node.args, strict=False))
    for parameter, argument in given:
        if not isinstance(argument, ast.Name):
            continue
        binding = _allocation(argument, launch.module, walked.resolver.workspace)
        if binding is None or not isinstance(binding.value, ast.Call):
            continue
        once = sum(isinstance(one, ast.Name) and one.id == argument.id for _, one in given) == 1
        if not once or not _only_adds(parameter, launch, walked) or _may_be_set(argument, binding, launch):
            continue
        if _Results(launches, walked).are_looked_at(argument, launch):
            yield argument.id, binding.value


def _spreads(call: ast.Call) -> bool:
    return any(isinstance(one, ast.Starred) for one in call.args)


def _allocation(name: ast.Name, module: ModuleSyntax, workspace: Workspace) -> Binding | None:
    """What bound a name, where that is one statement of the same function and allocates memory as it is."""
    bound = bound_at(module, name)
    if len(bound) != 1 or bound[0] is None:
        return None
    value = bound[0].value
    if not isinstance(value, ast.Call) or bound[0].part is not None:
        return None
    if module.scope_of(bound[0].node) is not module.scope_of(name):
        return None
    return bound[0] if _allocates_only(value, module, workspace) else None


def _allocates_only(call: ast.Call, module: ModuleSyntax, workspace: Workspace) -> bool:
    dotted = module.dotted(call.func)
    if dotted is None:
        return False
    dotted = workspace.library_name(dotted, module)
    if cuda_member(dotted) in _OF_CUDA:
        return True
    library, _, function = dotted.rpartition(".")
    return library in _LIBRARIES and function in _OF_OTHERS


def _only_adds(parameter: str, launch: Launch, walked: WalkedKernels) -> bool:
    """Whether a kernel changes elements of an array by what they held, and gives none a value of its own."""
    assert launch.kernel is not None
    facts = walked.facts(launch.kernel)
    array = next((one for one in facts.arrays if one.parameter and one.name == parameter), None)
    if array is None or not all_uses_are_followed(array, facts, walked.resolver.resolve):
        return False
    return _changes(array, facts)


def _changes(array: Array, facts: KernelFacts) -> bool:
    accesses = [one for one in facts.accesses if one.array is array]
    atomics = [one for one in facts.atomics if one.array is array]
    if any(one.kind == "store" for one in accesses) or any(one.operation in _SETTING for one in atomics):
        return False
    return bool(atomics) or any(one.kind == "update" for one in accesses)


def _may_be_set(argument: ast.Name, binding: Binding, launch: Launch) -> bool:
    """Whether something may give an array a value between its allocation and the first launch."""
    module = launch.module
    scope = module.scope_of(argument) or module.tree
    for use in module.loads(argument.id, scope):
        if binding not in bound_at(module, use) or use in below(launch.node):
            continue
        if not _is_harmless(use, module) and _may_come_before(use, binding, launch):
            return True
    return False


class _Results:
    """What becomes of the arrays that the launches of a module fill."""

    def __init__(self, launches: Sequence[Launch], walked: WalkedKernels) -> None:
        self._by_call = {one.node: one for one in launches}
        self._effects = walked.resolver.array_effects
        self._asked: set[tuple[ast.Call, str]] = set()

    def are_looked_at(self, argument: ast.Name, launch: Launch) -> bool:
        """Whether the host looks at what a launch leaves in an array before it is set again, or at what other
        kernels make of it. A kernel that changes the array leaves that open.
        """
        module = launch.module
        bound = bound_at(module, argument)
        if len(bound) != 1 or bound[0] is None:
            return True
        if (launch.node, argument.id) in self._asked:
            return False
        self._asked.add((launch.node, argument.id))
        place = launch.node.end_lineno or 0, launch.node.end_col_offset or 0
        uses = module.loads(argument.id, module.scope_of(argument) or module.tree)
        behind = (one for one in uses if (one.lineno, one.col_offset) >= place)
        for use in sorted(behind, key=lambda one: (one.lineno, one.col_offset)):
            if bound[0] not in bound_at(module, use) or _asks_for_its_shape(use, module):
                continue
            other = self._launch_with(use, module)
            if other is None:
                return not _is_set_here(use, module)
            done = self._done_with(other, use)
            if done.writes and not done.reads:
                return False
            if done.reads and not done.writes and self._is_used(other):
                return True
        return False

    def _launch_with(self, use: ast.Name, module: ModuleSyntax) -> Launch | None:
        call = module.parents.get(use)
        return self._by_call.get(call) if isinstance(call, ast.Call) else None

    def _done_with(self, launch: Launch, argument: ast.expr) -> Effects:
        """What the kernel of a launch does with an array that it is given, anything where it is not known."""
        position = launch.node.args.index(argument) if argument in launch.node.args else None
        if launch.kernel is None or position is None or position >= len(launch.kernel.parameters):
            return UNKNOWN
        kernel = launch.kernel
        return self._effects.of(kernel.module, kernel.node, kernel.parameters[position])

    def _is_used(self, launch: Launch) -> bool:
        """Whether somebody looks at an array that a launch writes to; an array without a name counts."""
        written = [one for one in launch.node.args if self._done_with(launch, one).writes]
        return any(not isinstance(one, ast.Name) or self.are_looked_at(one, launch) for one in written)


def _is_set_here(use: ast.Name, module: ModuleSyntax) -> bool:
    parent = module.parents.get(use)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _SETTING_METHODS
    return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)


def _is_harmless(use: ast.Name, module: ModuleSyntax) -> bool:
    parent = module.parents.get(use)
    copied = isinstance(parent, ast.Attribute) and parent.attr == "copy_to_host"
    return copied or _asks_for_its_shape(use, module)


def _asks_for_its_shape(use: ast.Name, module: ModuleSyntax) -> bool:
    parent = module.parents.get(use)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _OF_ITS_SHAPE
    return isinstance(parent, ast.Call) and called_name(parent) in _ASKING


def _may_come_before(use: ast.Name, binding: Binding, launch: Launch) -> bool:
    """Whether a use may run before the first launch: it stands before it, in a function of its own, or behind
    it in a loop which may leave the launch out in its first iteration.
    """
    module = launch.module
    if module.scope_of(use) is not module.scope_of(launch.node):
        return True
    if (use.lineno, use.col_offset) < (launch.node.lineno, launch.node.col_offset):
        return True
    around = list(_between(launch.node, binding.node, module))
    loops = [one for one in around if isinstance(one, _LOOPS)]
    if not loops:
        return False
    left_out = any(isinstance(one, _CHOICES) for one in around[: around.index(loops[-1])])
    return left_out and use in below(loops[-1])


def _between(node: ast.AST, binding: ast.AST, module: ModuleSyntax) -> Iterator[ast.AST]:
    """The nodes around one node, from inside out, that do not hold a statement as well."""
    held = set()
    outer: ast.AST | None = binding
    while outer is not None:
        held.add(outer)
        outer = module.parents.get(outer)
    around = module.parents.get(node)
    while around is not None and around not in held:
        yield around
        around = module.parents.get(around)
