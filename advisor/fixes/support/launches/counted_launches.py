"""Host loops that do nothing but launch a kernel with the loop's counter as an argument."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.host_uses import belongs, is_variable
from advisor.fixes.support.kernel.assigned_names import words_in
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.launches.launch_sizes import is_plain_integer
from advisor.model.findings import Edit

# Expressions that have the same value each time, as long as the names in them have.
_SETTLED: tuple[type[cst.CSTNode], ...] = (
    cst.Name, cst.Integer, cst.Float, cst.Attribute, cst.BinaryOperation, cst.UnaryOperation, cst.Subscript,
    cst.Tuple,
)  # fmt: skip
_NUMBERS = ("abs", "bool", "float", "int", "len", "max", "min", "round")
_LIBRARIES = ("math.", "np.float", "np.int", "np.uint", "numpy.float", "numpy.int", "numpy.uint")
_PAUSES: tuple[type[cst.CSTNode], ...] = (cst.NamedExpr, cst.Await, cst.Yield, cst.Lambda, cst.BaseComp)


@dataclass(frozen=True)
class CountedLaunch:
    """`for counter in range(bounds): kernel[grid, block](…, counter, …)`.

    `position` is the counter's place among the arguments, from 0. A start of 0 and a step of 1 are not among
    the `bounds`.
    """

    site: LaunchSite
    loop: cst.For
    position: int
    bounds: tuple[cst.BaseExpression, ...]


def counted_launch(site: LaunchSite) -> CountedLaunch | None:
    """The loop around a launch that is all it does; None where anything else than the counter changes."""
    module, loop = site.module, _loop(site)
    if loop is None or not isinstance(loop.target, cst.Name) or site.arguments is None:
        return None
    counter, bounds = loop.target.value, _bounds(site, loop)
    positions = [number for number, one in enumerate(site.arguments) if _is_name(one, counter)]
    if bounds is None or len(positions) != 1 or not _only_counts(site, loop, counter):
        return None
    others = [one for one in site.arguments if not _is_name(one, counter)]
    others += [one.slice.value for one in site.subscript.slice if isinstance(one.slice, cst.Index)]
    if not all(_stays(module, one, counter) for one in (*others, site.subscript.value)):
        return None
    return CountedLaunch(site, loop, positions[0], bounds)


def single_launch(launch: CountedLaunch) -> list[Edit] | None:
    """The edits that take the loop away and pass its bounds in the place of the counter.

    None where comments stand below the launch, which may be about the loop.
    """
    site, module, loop = launch.site, launch.site.module, launch.loop
    begin, first = module.range_of(loop)[0], module.range_of(site.call)[0]
    if any(module.line_of(a) != module.line_of(b) for a, b in map(module.range_of, _texts(site))):
        return None
    comments = _comments(loop)
    if comments is None:
        return None
    head = "".join(f"{one}{module.line_end}{module.indentation(loop)}" for one in comments)
    argument = site.call.args[launch.position].value
    passed = ", ".join(_as_integer(site, one) for one in launch.bounds)
    return [Edit(begin, first, head), module.replaced(argument, passed), *_less_indented(launch)]


def _loop(site: LaunchSite) -> cst.For | None:
    """The `for` whose only statement is the launch."""
    module = site.module
    expression = module.parent(site.call)
    line = module.parent(expression) if isinstance(expression, cst.Expr) else None
    if not isinstance(line, cst.SimpleStatementLine | cst.SimpleStatementSuite) or len(line.body) != 1:
        return None
    block = module.parent(line) if isinstance(line, cst.SimpleStatementLine) else line
    loop = module.parent(block) if isinstance(block, cst.BaseSuite) and len(block.body) == 1 else None
    if not isinstance(loop, cst.For) or loop.orelse is not None or loop.asynchronous is not None:
        return None
    return loop if not site.call.lpar else None


def _bounds(site: LaunchSite, loop: cst.For) -> tuple[cst.BaseExpression, ...] | None:
    call, module = loop.iter, site.module
    if not isinstance(call, cst.Call) or module.written(call.func) != "range" or not call.args:
        return None
    function = site.function()
    if module.bindings("range", None) or (function is not None and module.bindings("range", function)):
        return None
    plain = len(call.args) <= 3 and not any(one.keyword or one.star for one in call.args)
    if not plain or any(True for kind in _PAUSES for _ in module.nodes_in(kind, call)):
        return None
    bounds = [one.value for one in call.args]
    if len(bounds) == 3 and module.written(bounds[2]) == "1":
        bounds.pop()
    if len(bounds) == 2 and module.written(bounds[0]) == "0":
        bounds.pop(0)
    return tuple(bounds)


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _only_counts(site: LaunchSite, loop: cst.For, counter: str) -> bool:
    """Whether nothing else reads the counter of a loop: each other use is of another loop's counter."""
    module, scope = site.module, site.function()
    for node in module.nodes(cst.Name):
        if node.value != counter or inside(module, node, loop) or not is_variable(module, node):
            continue
        if belongs(module, node, scope) and not _is_counter_of_another(module, node):
            return False
    return True


def _is_counter_of_another(module: SourceModule, node: cst.Name) -> bool:
    above = module.parent(node)
    while above is not None and not isinstance(above, cst.FunctionDef):
        counts = isinstance(above, cst.For) and _is_name(above.target, node.value)
        behind = isinstance(above, cst.For) and inside(module, node, above.iter)
        if (counts and not behind) or (isinstance(above, cst.BaseComp) and _binds(module, above, node.value)):
            return True
        above = module.parent(above)
    return False


def _binds(module: SourceModule, node: cst.BaseComp, name: str) -> bool:
    return any(name in words_in(module, one.target) for one in module.nodes_in(cst.CompFor, node))


def _stays(module: SourceModule, expression: cst.BaseExpression, counter: str) -> bool:
    """Whether an expression has the same value, and does nothing, in each iteration."""
    if counter in words_in(module, expression):
        return False
    for node in module.nodes_in(cst.BaseExpression, expression):  # type: ignore[type-abstract]
        if isinstance(node, cst.Call):
            called = module.written(node.func)
            if called not in _NUMBERS and not called.startswith(_LIBRARIES):
                return False
        elif not isinstance(node, _SETTLED):
            return False
    return True


def _texts(site: LaunchSite) -> list[cst.BaseString]:
    return list(site.module.nodes_in(cst.BaseString, site.call))  # type: ignore[type-abstract]


def _comments(loop: cst.For) -> list[str] | None:
    """The comments between the loop's head and the launch; None where some stand below the launch."""
    block = loop.body
    if not isinstance(block, cst.IndentedBlock):
        return []
    if any(line.comment for line in block.footer):
        return None
    first = block.body[0]
    above = first.leading_lines if isinstance(first, cst.SimpleStatementLine) else ()
    lines: tuple[cst.TrailingWhitespace | cst.EmptyLine, ...] = (block.header, *above)
    return [line.comment.value for line in lines if line.comment is not None]


def _less_indented(launch: CountedLaunch) -> list[Edit]:
    """The edits that take the loop's indentation from the further lines of the launch."""
    module, call = launch.site.module, launch.site.call
    outer = module.indentation(launch.loop)
    inner = module.indentation(call)
    begin, end = module.range_of(call)
    found = []
    for number in range(module.line_of(begin) + 1, module.line_of(end) + 1):
        start = module.offset(number, 0)
        if module.text.startswith(inner, start) and len(inner) > len(outer):
            found.append(Edit(start + len(outer), start + len(inner), ""))
    return found


def _as_integer(site: LaunchSite, bound: cst.BaseExpression) -> str:
    """The text of a bound as a plain number; `range` takes all that can be an index, kernels do not."""
    code = site.module.code_of(bound)
    return code if is_plain_integer(site, bound) else f"int({code})"
