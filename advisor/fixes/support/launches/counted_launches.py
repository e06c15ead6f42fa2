"""Host loops that do nothing but launch a kernel with the loop's counter as an argument."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.launches.launch_sites import LaunchSite
from advisor.fixes.support.launches.launch_sizes import is_plain_integer
from advisor.model.findings import Edit
from advisor.program.names.visible_names import visible
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.statement_places import COMPREHENSIONS

# Expressions that have the same value each time, as long as the names in them have.
_SETTLED = (
    ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Slice, ast.Tuple,
)  # fmt: skip
_NUMBERS = ("abs", "bool", "float", "int", "len", "max", "min", "round")
_LIBRARIES = ("math.", "np.float", "np.int", "np.uint", "numpy.float", "numpy.int", "numpy.uint")
_PAUSES = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, *COMPREHENSIONS)
_LINE_END = r"(?:\r\n|\r|\n)"


@dataclass(frozen=True)
class CountedLaunch:
    """`for counter in range(bounds): kernel[grid, block](…, counter, …)`.

    `position` is the counter's place among the arguments, from 0. A start of 0 and a step of 1 are not among
    the `bounds`.
    """

    site: LaunchSite
    loop: ast.For
    position: int
    bounds: tuple[ast.expr, ...]


def counted_launch(site: LaunchSite) -> CountedLaunch | None:
    """The loop around a launch that is all it does; None where anything else than the counter changes."""
    module, loop, arguments = site.module, _loop(site), site.arguments
    if loop is None or not isinstance(loop.target, ast.Name) or arguments is None:
        return None
    counter, bounds = loop.target.id, _bounds(site, loop)
    positions = [number for number, one in enumerate(arguments) if _is_name(one, counter)]
    if bounds is None or len(positions) != 1 or not _only_counts(site, loop, counter):
        return None
    others = [one for one in arguments if not _is_name(one, counter)]
    settled = (*others, *site.configuration, site.subscript.value)
    if not all(_stays(module, one, counter) for one in settled):
        return None
    return CountedLaunch(site, loop, positions[0], bounds)


def single_launch(launch: CountedLaunch) -> list[Edit] | None:
    """The edits that take the loop away and pass its bounds in the place of the counter.

    None where comments stand below the launch, which may be about the loop.
    """
    site, module, loop = launch.site, launch.site.module, launch.loop
    begin, first = module.range_of(loop)[0], module.range_of(site.call)[0]
    texts = map(module.range_of, module.nodes_in((ast.Constant, ast.JoinedStr), site.call))
    if any(module.line_of(a) != module.line_of(b) for a, b in texts):
        return None
    comments = _comments(launch)
    if comments is None:
        return None
    head = "".join(f"{one}{module.line_end}{module.indentation(loop)}" for one in comments)
    argument = site.call.args[launch.position]
    passed = ", ".join(_as_integer(site, one) for one in launch.bounds)
    return [Edit(begin, first, head), module.replaced(argument, passed), *_less_indented(launch)]


def _loop(site: LaunchSite) -> ast.For | None:
    """The `for` whose only statement is the launch."""
    module = site.module
    line = module.parent(site.call)
    loop = module.parent(line) if isinstance(line, ast.Expr) else None
    if not isinstance(loop, ast.For) or loop.body != [line] or loop.orelse:
        return None
    return None if module.is_parenthesized(site.call) else loop


def _bounds(site: LaunchSite, loop: ast.For) -> tuple[ast.expr, ...] | None:
    module, bounds = site.module, range_bounds(loop)
    if bounds is None or any(True for _ in module.nodes_in(_PAUSES, loop.iter)):
        return None
    function = site.function()
    if module.bindings("range", None) or (function is not None and module.bindings("range", function)):
        return None
    if len(bounds) == 3 and written_integer(bounds[2]) == 1:
        bounds = bounds[:2]
    if len(bounds) == 2 and written_integer(bounds[0]) == 0:
        bounds = bounds[1:]
    return tuple(bounds)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _only_counts(site: LaunchSite, loop: ast.For, counter: str) -> bool:
    """Whether nothing outside of a loop reads what it gives its counter."""
    module = site.module
    declared: list[ast.Global | ast.Nonlocal] = [*module.nodes(ast.Global), *module.nodes(ast.Nonlocal)]
    if any(counter in one.names for one in declared):
        return False
    for node in module.names.get(counter, ()):
        is_read = not isinstance(node.ctx, ast.Store) or isinstance(module.parent(node), ast.AugAssign)
        if is_read and not inside(module, node, loop):
            seen = visible(module.syntax, counter, node)
            if seen is not None and loop in seen.definitions:
                return False
    return True


def _stays(module: SourceModule, expression: ast.expr, counter: str) -> bool:
    """Whether an expression has the same value, and does nothing, in each iteration."""
    for node in module.nodes_in(ast.expr, expression):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called not in _NUMBERS and not called.startswith(_LIBRARIES):
                return False
        elif not isinstance(node, _SETTLED) or _is_name(node, counter):
            return False
    return True


def _comments(launch: CountedLaunch) -> list[str] | None:
    """The comments between the loop's head and the launch; None where some stand below the launch."""
    module, call = launch.site.module, launch.site.call
    head = module.outer_range(launch.loop.iter)[1]
    begin, end = module.range_of(call)
    deeper = rf"[^\r\n]*{_LINE_END}(?:[ \t]*{_LINE_END})*{module.indentation(launch.loop)}[ \t]+#"
    if re.compile(deeper).match(module.text, end):
        return None
    return [one.group() for one in re.finditer(r"#[^\r\n]*", module.text[head:begin])]


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


def _as_integer(site: LaunchSite, bound: ast.expr) -> str:
    """The text of a bound as a plain number; `range` takes all that can be an index, kernels do not."""
    code = site.module.code_of(bound)
    return code if is_plain_integer(site, bound) else f"int({code})"
