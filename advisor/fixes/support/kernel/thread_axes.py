"""Thread indices in a kernel's text: which axis each follows, and the edits that exchange x and y."""

from __future__ import annotations

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.model.findings import Edit

OTHER = {"x": "y", "y": "x"}
INDEX_NAMES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
GRID_CALLS = frozenset({"grid", "gridsize"})
# What a kernel may ask of numba.cuda without looking at warps or at its place in the grid.
_AXIS_FREE = frozenset({
    "syncthreads", "syncthreads_and", "syncthreads_count", "syncthreads_or", "shared", "local", "const",
    "atomic", "threadfence", "threadfence_block", "threadfence_system", "fma", "cbrt", "popc", "brev", "clz",
    "ffs", "selp", "fp16", "libdevice",
})  # fmt: skip
_LIBRARIES = frozenset({"math", "cmath", "numpy", "numba", "numba.types", "numba.cuda.libdevice"})
_BUILTINS = frozenset({
    "abs", "bool", "complex", "divmod", "enumerate", "float", "int", "len", "max", "min", "pow", "print",
    "range", "round", "sum", "zip",
})  # fmt: skip


def exchanged(module: SourceModule, function: cst.FunctionDef) -> list[Edit] | None:
    """The edits that exchange x and y in a kernel; None where another order of threads might show otherwise.

    That is so for warp intrinsics, indices along z, grids of one or three dimensions, functions that may look
    at thread indices themselves, and forms that are not known here.
    """
    if _has_inner_functions(module, function) or not calls_are_axis_free(module, function):
        return None
    found: list[Edit] = []
    for node, name in _cuda_uses(module, function.body):
        if name in INDEX_NAMES:
            edit = _exchanged_index(module, node)
            if edit is None:
                return None
            found.append(edit)
        elif name in GRID_CALLS:
            pair = _exchanged_grid(module, node)
            if pair is None:
                return None
            found += pair
        elif name not in _AXIS_FREE:
            return None
    return found or None


def cuda_names(module: SourceModule) -> frozenset[str]:
    """The texts that stand for the module numba.cuda in a file."""
    return module.answer(_cuda_names, module.module)


def _cuda_names(module: SourceModule, _: cst.Module) -> frozenset[str]:
    found = {"cuda", "numba.cuda"}
    for line in module.nodes(cst.Import):
        for alias in line.names:
            name = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else ""
            if name and module.written(alias.name) in ("numba", "numba.cuda"):
                found.add(name if module.written(alias.name) == "numba.cuda" else f"{name}.cuda")
    for origin in module.nodes(cst.ImportFrom):
        if origin.module is None or isinstance(origin.names, cst.ImportStar):
            continue
        for alias in origin.names:
            if module.written(origin.module) == "numba" and module.written(alias.name) == "cuda":
                found.add(module.written(alias.asname.name) if alias.asname else "cuda")
    return frozenset(found)


def cuda_attribute(module: SourceModule, node: cst.CSTNode) -> str | None:
    """The name of a part of numba.cuda that an expression is, such as `grid`; None for anything else."""
    if isinstance(node, cst.Attribute) and module.written(node.value) in cuda_names(module):
        return node.attr.value
    return None


def grid_call(module: SourceModule, node: cst.CSTNode, name: str = "grid") -> int | None:
    """The dimensions of `cuda.grid(n)` (or `cuda.gridsize(n)`), None for another expression."""
    if isinstance(node, cst.Call) and cuda_attribute(module, node.func) == name and len(node.args) == 1:
        argument = node.args[0].value
        if isinstance(argument, cst.Integer):
            return int(argument.value)
    return None


def thread_index(module: SourceModule, node: cst.CSTNode) -> tuple[str, str] | None:
    """The name and the axis of an index such as `cuda.threadIdx.x`, None for another expression."""
    if isinstance(node, cst.Attribute) and node.attr.value in ("x", "y", "z"):
        name = cuda_attribute(module, node.value)
        if name in INDEX_NAMES:
            return name, node.attr.value
    return None


def calls_are_axis_free(
    module: SourceModule, function: cst.FunctionDef, above: frozenset[str] = frozenset()
) -> bool:
    """Whether the functions that a function calls are known not to look at thread indices."""
    return all(
        _is_axis_free(module, call.func, above | {function.name.value})
        for call in module.nodes_in(cst.Call, function.body)
    )


def _is_axis_free(module: SourceModule, called: cst.BaseExpression, above: frozenset[str]) -> bool:
    root = called
    while isinstance(root, cst.Attribute):
        if cuda_attribute(module, root) is not None:
            return True
        root = root.value
    if not isinstance(root, cst.Name):
        return False
    bound = module.bindings(root.value, None)
    if not bound:
        return root is called and root.value in _BUILTINS
    if len(bound) != 1:
        return False
    first = bound[0]
    if isinstance(first, cst.Import | cst.ImportFrom):
        return _of_library(module, first)
    if root is called and isinstance(first, cst.FunctionDef) and first.name.value not in above:
        words = {name for _, name in _cuda_uses(module, first.body)}
        return words <= _AXIS_FREE and calls_are_axis_free(module, first, above)
    return False


def _of_library(module: SourceModule, line: cst.Import | cst.ImportFrom) -> bool:
    if isinstance(line, cst.ImportFrom):
        return line.module is not None and not line.relative and module.written(line.module) in _LIBRARIES
    return all(module.written(alias.name) in _LIBRARIES for alias in line.names)


def _cuda_uses(module: SourceModule, body: cst.CSTNode) -> list[tuple[cst.BaseExpression, str]]:
    """The parts of numba.cuda that are named in a body, and everything that is called like an index."""
    found: list[tuple[cst.BaseExpression, str]] = []
    known = cuda_names(module)
    for node in module.nodes_in(cst.Attribute, body):
        if module.written(node.value) in known or node.attr.value in INDEX_NAMES:
            found.append((node, node.attr.value))
    for name in module.nodes_in(cst.Name, body):
        above = module.parent(name)
        if isinstance(above, cst.Attribute) and above.attr is name:
            continue
        called = isinstance(above, cst.Call) and above.func is name
        passed_on = name.value in known and not isinstance(above, cst.Attribute)
        if name.value in INDEX_NAMES or (name.value in GRID_CALLS and called) or passed_on:
            found.append((name, name.value))
    return found


def _exchanged_index(module: SourceModule, node: cst.BaseExpression) -> Edit | None:
    above = module.parent(node)
    if (
        cuda_attribute(module, node) is None
        or not isinstance(above, cst.Attribute)
        or above.value is not node
    ):
        return None
    axis = OTHER.get(above.attr.value)
    return module.replaced(above.attr, axis) if axis else None


def _exchanged_grid(module: SourceModule, node: cst.BaseExpression) -> list[Edit] | None:
    call = module.parent(node)
    if not isinstance(call, cst.Call) or not isinstance(node, cst.Attribute):
        return None
    if grid_call(module, call, node.attr.value) != 2:
        return None
    line = module.parent(call)
    if not isinstance(line, cst.Assign) or line.value is not call or len(line.targets) != 1:
        return None
    target = line.targets[0].target
    return exchanged_pair(module, target) if isinstance(target, cst.Tuple | cst.List) else None


def exchanged_pair(module: SourceModule, pair: cst.Tuple | cst.List) -> list[Edit] | None:
    """The edits that exchange the first two elements of a tuple or list of two, or of three with 1 behind."""
    elements = pair.elements
    if any(isinstance(one, cst.StarredElement) for one in elements) or not is_pair(pair):
        return None
    first, second = elements[0].value, elements[1].value
    one, other = module.code_of(first), module.code_of(second)
    if one == other:
        return []
    return [module.replaced(first, other), module.replaced(second, one)]


def is_pair(value: cst.CSTNode) -> bool:
    """Whether an expression is a tuple or list of two elements, or of three whose last one is 1."""
    if not isinstance(value, cst.Tuple | cst.List):
        return False
    rest = value.elements[2:]
    flat = all(isinstance(one.value, cst.Integer) and one.value.value == "1" for one in rest)
    return len(value.elements) in (2, 3) and flat


def _has_inner_functions(module: SourceModule, function: cst.FunctionDef) -> bool:
    inner = module.nodes_in(cst.FunctionDef, function.body)
    return any(True for _ in inner) or any(True for _ in module.nodes_in(cst.Lambda, function.body))
