"""What the use of a kernel's parameters tells of them: pointers, indices, steps from row to row, sizes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.walk.notes import KernelNotes
from advisor.program.syntax.tree_nodes import dotted_root

_ACCESSES = frozenset({"load", "store"})
_COUNTING = frozenset({"cdiv", "range", "static_range", "min", "minimum", "swizzle2d"})


@dataclass(frozen=True)
class Use:
    """The parameters of a kernel by their use.

    `pointers` are what loads, stores and atomic operations start from; `indices` those of them whose elements
    are places in others. `inner` are steps between neighbouring lanes, `outer` those from row to row, `sizes`
    what masks, loops and extents compare with. Of those that are known in compilation the `tested` are only
    looked at as conditions, and the `counted` are divided by or counted to.
    """

    pointers: frozenset[str]
    indices: frozenset[str]
    inner: frozenset[str]
    outer: frozenset[str]
    sizes: frozenset[str]
    tested: frozenset[str]
    counted: frozenset[str]
    products: bool

    def is_whole(self, name: str) -> bool:
        """Whether a scalar is a whole number by its use."""
        return name in self.inner | self.outer | self.sizes


def use_of(notes: KernelNotes) -> Use:
    """What the walk through a kernel tells of its parameters."""
    function = notes.function
    parameters = frozenset(function.parameters)
    addresses = [*(one.address for one in notes.accesses), *(one.address for one in notes.atomics)]
    pointers = frozenset(one.pointer for one in addresses if one.pointer is not None) & parameters
    inner, outer = set[str](), set[str]()
    for address in addresses:
        lanes, others, side_by_side = set[str](), set[str](), False
        for monomial, _ in address.form.terms:
            steps = parameters.intersection(monomial) - pointers - function.constants()
            of_lanes = any(name.startswith("arange") for name in monomial)
            side_by_side |= of_lanes and not steps
            if len(monomial) > 1:
                (lanes if of_lanes else others).update(steps)
        last = None if side_by_side else max(lanes, key=function.parameters.index, default=None)
        inner |= {last} if last is not None else set()
        outer |= (lanes | others) - {last}
    compared = set[str]()
    for access in notes.accesses:
        if access.mask is not None:
            compared |= notes.atoms.depends(access.mask.form)
    for loop in notes.loops:
        if loop.last is not None:
            compared |= notes.atoms.depends(loop.last.form)
    sizes = (compared | notes.limits | _counted(function)) & parameters - pointers - function.constants()
    return Use(
        pointers, _indices(function, pointers), frozenset(inner - outer), frozenset(outer), frozenset(sizes),
        _tested(function),
        frozenset(_counted(function)) & function.constants(),
        bool(notes.dots),
    )  # fmt: skip


def _tested(function: TritonFunction) -> frozenset[str]:
    """The constants that stand in the kernel as conditions alone."""
    conditions = set[int]()
    for node in ast.walk(function.node):
        if isinstance(node, ast.If | ast.IfExp):
            conditions |= {id(one) for one in _parts(node.test)}
    names = [one for one in ast.walk(function.node) if isinstance(one, ast.Name)]
    found = {one.id for one in names if id(one) in conditions}
    return frozenset(found - {one.id for one in names if id(one) not in conditions}) & function.constants()


def _parts(test: ast.expr) -> list[ast.expr]:
    """A condition and what it joins by `and`, `or` and `not`."""
    if isinstance(test, ast.BoolOp):
        return [one for part in test.values for one in _parts(part)]
    return _parts(test.operand) if isinstance(test, ast.UnaryOp) else [test]


def _counted(function: TritonFunction) -> set[str]:
    """The parameters that are divided as whole numbers are, and those that nothing reads."""
    read, found = set[str](), set[str]()
    for node in ast.walk(function.node):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _COUNTING:
            parts = [*node.args, *(one.value for one in node.keywords)]
        found |= {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)}
        if isinstance(node, ast.Name):
            read.add(node.id)
    return found | {one for one in function.parameters if one not in read}


def _indices(function: TritonFunction, pointers: frozenset[str]) -> frozenset[str]:
    """The pointers of which loaded values stand in the address of another access, directly or by a name."""
    roots = {name: name for name in pointers}
    loaded: dict[str, str] = {}
    found = set[str]()
    for node in ast.walk(function.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            root = next(
                (one.id for one in ast.walk(value) if isinstance(one, ast.Name) and one.id in roots), None
            )
            if (pointer := _loaded_from(value, roots)) is not None:
                loaded[name] = pointer
            elif root is not None and isinstance(value, ast.BinOp):
                roots[name] = roots[root]
    for node in ast.walk(function.node):
        if not isinstance(node, ast.Call) or not _is_access(node) or not node.args:
            continue
        for one in ast.walk(node.args[0]):
            if isinstance(one, ast.Name) and one.id in loaded:
                found.add(loaded[one.id])
            elif isinstance(one, ast.Call) and (pointer := _loaded_from(one, roots)) is not None:
                found.add(pointer)
    return frozenset(found)


def _is_access(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr in _ACCESSES


def _loaded_from(value: ast.expr, roots: dict[str, str]) -> str | None:
    """The pointer that `tl.load(…)`, perhaps with `.to(…)` behind it, loads from."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "to":
        value = value.func.value
    if not isinstance(value, ast.Call) or not _is_access(value) or not value.args:
        return None
    root = dotted_root(value.func) if isinstance(value.func, ast.Attribute) else None
    if root is None:
        return None
    names = [one.id for one in ast.walk(value.args[0]) if isinstance(one, ast.Name) and one.id in roots]
    return roots[names[0]] if names else None
