"""Writes the float constants of a kernel's line as float32, and those that its variables start with."""

# /// fix
# title = "Write the constants as float32"
# safety = "needs review"
# rules = ["float64-promotion"]
# condition = "the data is float32; results are rounded to float32 at each step"
#
# [parameters]
# # 32 lanes of 4 bytes lie in 4 sectors of 32 bytes.
# float32_sectors = 4
# ///

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.imported_names import name_of
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.argument_arrays import argument_array, number_type
from advisor.fixes.support.host.source_effects import positional_parameters
from advisor.fixes.support.kernel.assigned_names import value_written, words_in
from advisor.fixes.support.kernel.walked_kernel import called_functions
from advisor.fixes.support.launches.launch_sites import LaunchSite, launch_site
from advisor.fixes.support.values.integer_names import value_kinds
from advisor.model.findings import Edit
from advisor.program.effects.use_analysis import ValueKinds
from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import FunctionNode

_CONVERSIONS = ("float", "int", "uint", "array")
_Bindings = Mapping[str, list[ast.AST]]
_WIDE = ("float64", "complex128")
_STATED = re.compile(r"\b(float64|double|complex128|f8|c16)\b")
_DEEPEST = 8
_DOUBLE_CALLS = ("float", "float64", "double")
_NEVER = ("int32", "int64", "uint32", "uint64", "float64")
_WIDE_BYTES = 8.0
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)


def edits(place: Place) -> list[Edit] | None:
    """An edit for each float constant in the lines of the finding, and for the constant that a variable which
    is assigned there starts with.

    None where there is none or no NumPy, and where a launch passes arrays of double precision. Constants
    that meet integers or float64 stay, since the result is float64 all the same, and so do sums that are
    subtracted from each other.
    """
    module = place.module
    numpy = name_of(module, "numpy")
    function = place.function()
    if numpy is None or function is None or _gets_double_precision(place, module, function):
        return None
    lines = range(place.span.line, place.span.end_line + 1)
    starts = _start_values(module, function, lines)
    double = module.answer(_subtracted_sums, function)
    wide = _NeverFloat32(place, module, function, double)
    found = []
    for node in filter(_is_float, module.nodes_in(ast.Constant, function.body)):
        here = module.line_of(module.range_of(node)[0]) in lines and _counts(module, node)
        if (here or node in starts) and not _meets_wide(module, function, node, wide):
            found.append(module.replaced(node, f"{numpy}.float32({module.code_of(node)})"))
    return found or None


def _is_float(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is float


def _start_values(module: SourceModule, function: ast.FunctionDef, lines: Collection[int]) -> set[ast.expr]:
    """The constants assigned elsewhere in the function to names that a line adds to: `total = 0.0`."""
    body = function.body
    inside: list[ast.Assign | ast.AugAssign] = list(module.nodes_in(ast.Assign, body))
    inside += module.nodes_in(ast.AugAssign, body)
    names = {
        name
        for node in inside
        if node.lineno in lines
        for name in [_target(node)]
        if name is not None and _reads(module, node, name)
    }
    return {
        node.value
        for node in inside
        if isinstance(node, ast.Assign) and _is_float(node.value) and _target(node) in names
    }


def _target(node: ast.Assign | ast.AugAssign) -> str | None:
    target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _reads(module: SourceModule, node: ast.Assign | ast.AugAssign, name: str) -> bool:
    """Whether the new value depends on the old one."""
    return isinstance(node, ast.AugAssign) or name in words_in(module, node.value)


def _meets_wide(
    module: SourceModule, function: ast.FunctionDef, node: ast.Constant, wide: _NeverFloat32
) -> bool:
    """Whether a constant is computed with, or its variable also gets, what is never float32."""
    value: ast.AST = node
    above = module.parent(node)
    while isinstance(above, ast.UnaryOp):
        value, above = above, module.parent(above)
    if isinstance(above, ast.BinOp):
        return wide.holds(above.right if value is above.left else above.left)
    if isinstance(above, ast.Compare):
        return wide.holds(above.comparators[0] if value is above.left else above.left)
    name = _target(above) if isinstance(above, ast.Assign) else None
    if name is None:
        return False
    return wide.holds(ast.Name(name, ast.Load())) or any(
        isinstance(one, ast.Assign | ast.AugAssign) and one is not above and wide.holds(one.value)
        for one in module.bindings(name, function)
    )


def _counts(module: SourceModule, node: ast.Constant) -> bool:
    """Whether a constant takes part in arithmetic: not as an exponent, and not converted already."""
    parent = module.parent(node)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow):
        return parent.right is not node
    call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
    converted = isinstance(call, ast.Call) and called_name(call).startswith(_CONVERSIONS)
    return not converted


def _subtracted_sums(module: SourceModule, function: FunctionNode) -> frozenset[str]:
    """The names that add up values from a float constant on, where a difference is taken of what was computed
    from such names on both of its sides, as in a variance from two sums.

    What is left is small beside the sums, so that the digits which float32 cuts off are many of its own.
    """
    bound = {name: module.bindings(name, function) for name in words_in(module, function.body)}
    sums = _origins(module, {name: lines for name, lines in bound.items() if lines})
    found: set[str] = set()
    for node in module.nodes_in(ast.BinOp, function.body):
        if isinstance(node.op, ast.Sub):
            left, right = (_of(module, side, sums) for side in (node.left, node.right))
            if left and right:
                found |= left | right
    return frozenset(found)


def _origins(module: SourceModule, bound: _Bindings) -> dict[str, set[str]]:
    """The sums that each name is computed from."""
    found = {name: {name} if _is_sum(module, name, lines) else set() for name, lines in bound.items()}
    changed = True
    while changed:
        changed = False
        for name, lines in bound.items():
            before = len(found[name])
            for line in lines:
                value = line.value if isinstance(line, ast.AugAssign) else value_written(module, line, name)
                found[name] |= _of(module, value, found) if value is not None else set()
            changed = changed or len(found[name]) > before
    return found


def _is_sum(module: SourceModule, name: str, lines: list[ast.AST]) -> bool:
    """Whether a name starts with a float constant and is added to, or computed from itself."""
    values = [value_written(module, line, name) for line in lines]
    again = any(
        isinstance(line, ast.AugAssign) or (value is not None and name in words_in(module, value))
        for line, value in zip(lines, values, strict=True)
    )
    return again and any(isinstance(value, ast.Constant) and type(value.value) is float for value in values)


def _of(module: SourceModule, node: ast.AST, sums: Mapping[str, set[str]]) -> set[str]:
    return {one for name in words_in(module, node) for one in sums.get(name, ())}


def _gets_double_precision(place: Place, module: SourceModule, function: FunctionNode) -> bool:
    """Whether one of the launches of a kernel, or of the kernels that call a device function, passes arrays
    of double precision, or a signature says so.
    """
    if any(_STATED.search(module.code_of(one)) for one in function.decorator_list):
        return True
    for row, kernel in _launches_around(place, function):
        found = place.function_of(kernel) if kernel is not None else None
        if found is None or not _reaches(*found, function):
            continue
        if any(_STATED.search(found[0].code_of(one)) for one in found[1].decorator_list):
            return True
        if _passes_double(place, row):
            return True
    return False


def _launches_around(place: Place, function: FunctionNode) -> Iterator[tuple[Row, Row | None]]:
    """The launches of the kernels in a function's file and in those that may import it."""
    for path in (place.finding.path, *place.modules.naming(function.name)):
        yield from place.facts.launches_from(path)


def _reaches(module: SourceModule, kernel: FunctionNode, function: FunctionNode) -> bool:
    """Whether a kernel is the function, or may call it, through functions of its file or by an import."""
    called = (kernel, *called_functions(module, kernel))
    return kernel is function or any(function.name in words_in(module, one.body) for one in called)


def _passes_double(place: Place, row: Row) -> bool:
    module = place.modules.get(row.path)
    site: LaunchSite | None = launch_site(module, row) if module is not None else None
    if site is None or site.arguments is None:
        return False
    return any(argument_array(site, position).dtype in _WIDE for position in range(len(site.arguments)))


@dataclass(frozen=True)
class _KindsWith:
    """Asks for the kinds of a function's values where some of its names are `given` as what they are."""

    given: frozenset[str]

    def __call__(self, module: SourceModule, function: FunctionNode) -> ValueKinds:
        return value_kinds(module, function, self.given)


class _NeverFloat32:
    """Tells of expressions of a kernel or device function whether they are never float32, whatever its data:
    integers, float64, and what they meet. `double` are names that stay float64.

    Numba computes float32 with an integer of 32 or 64 bits, and so with any whole number that is written in
    the source, in float64 (NumPy's rules for the types of results).
    """

    def __init__(
        self, place: Place, module: SourceModule, function: FunctionNode, double: frozenset[str]
    ) -> None:
        kernel = place.kernel()
        is_kernel = kernel is not None and kernel[1] is function
        sites = (place.launches() or []) if is_kernel else []
        given = {
            name
            for position, name in enumerate(positional_parameters(function))
            if sites
            and not module.bindings(name, function)
            and all(number_type(site, position) in _NEVER for site in sites)
        }
        self._kinds = module.answer(_KindsWith(frozenset(given)), function)
        self._never = double | given
        self._wide = _wide_arrays(place) if is_kernel else frozenset()
        self._module = module

    def holds(self, node: ast.expr, depth: int = _DEEPEST) -> bool:
        """Whether an expression is an integer of 32 bits or more, or float64; float constants are neither."""
        if depth == 0:
            return False
        if isinstance(node, ast.UnaryOp):
            return self.holds(node.operand, depth)
        if isinstance(node, ast.BinOp):
            right = isinstance(node.op, _ARITHMETIC) and self.holds(node.right, depth - 1)
            return right or self.holds(node.left, depth - 1)
        if isinstance(node, ast.Name):
            bound = self._kinds.locals.bound.get(node.id, ())
            known = node.id in self._never or node.id in self._kinds.locals.counted
            return known or any(self.holds(value, depth - 1) for value in bound)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return node.value.id in self._wide or self._kinds.is_integer(node)
        if isinstance(node, ast.Call) and self._module.code_of(node.func).startswith("math."):
            return self._kinds.is_integer(node) or any(self.holds(one, depth - 1) for one in node.args)
        converted = isinstance(node, ast.Call) and called_name(node) in _DOUBLE_CALLS
        return converted or self._kinds.is_integer(node)


def _wide_arrays(place: Place) -> frozenset[str]:
    """The arrays whose elements take 8 bytes or more: the host code says so, or in a run neighbouring
    elements for all lanes of a warp lay in more sectors than those of float32 do.
    """
    narrow = float(place.parameters["float32_sectors"])
    found = set()
    for row in place.rows("access"):
        size, sectors = row.values.get("itemsize"), row.values.get("ideal_sectors_per_request")
        wide = isinstance(size, float) and size >= _WIDE_BYTES
        if wide or (isinstance(sectors, float) and sectors > narrow):
            found.add(str(row.values.get("array")))
    return frozenset(found)
