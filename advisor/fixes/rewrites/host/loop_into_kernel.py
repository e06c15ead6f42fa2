"""Does in one launch what a host loop does in many: the loop goes into the kernel."""

# /// fix
# title = "Do the loop inside the kernel"
# phase = 1
# safety = "needs review"
# rules = ["launch-in-host-loop"]
# needs_kernel = true
# condition = """
# no two arrays of a launch overlap, indices stay inside the arrays, and all launches of the kernel are seen \
# here (another one must be changed as well). Sums of floats by atomics may differ in the last bits, as may \
# a product that the compiler now joins with an addition of the next step"""
# ///

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside
from advisor.fixes.support.host.same_memory import may_overlap
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.launches.launch_sites import LaunchSite, launched_by_name, unseen_launches
from advisor.fixes.support.launches.launch_sizes import extents, is_plain_integer
from advisor.fixes.support.values.own_elements import stored_arrays, stores_own_elements
from advisor.fixes.support.values.repeated_part import in_loop, repeated_part
from advisor.model.findings import Edit
from advisor.program.names.visible_names import visible
from advisor.program.syntax.calls import last_name, range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.statement_places import COMPREHENSIONS

# What is asked of a kernel without launching it here.
_CONFIGURED = ("forall", "configure", "specialize", "overloads", "py_func")
# Expressions that have the same value each time, as long as the names in them have.
_SETTLED = (
    ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Slice, ast.Tuple,
)  # fmt: skip
_NUMBERS = ("abs", "bool", "float", "int", "len", "max", "min", "round")
_LIBRARIES = ("math.", "np.float", "np.int", "np.uint", "numpy.float", "numpy.int", "numpy.uint")
_PAUSES = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, *COMPREHENSIONS)
_LINE_END = r"(?:\r\n|\r|\n)"


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of all its launches; None where a thread may need in one step what another
    one left in the step before.
    """
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites:
        return None
    body = KernelBody(*kernel)
    launches = [one for one in map(_counted_launch, sites) if one is not None]
    if len(launches) != len(sites) or not _are_all(body, sites) or not _is_open(body):
        return None
    counter = _parameter(body, launches)
    if counter is None or not _threads_stay_apart(body, launches, counter.arg):
        return None
    inner = _inner_edits(body, launches, counter)
    if inner is None:
        return None
    found = place.in_file(body.module, inner)
    for launch in launches:
        outer = _single_launch(launch)
        if outer is None:
            return None
        found += place.in_file(launch.site.module, outer)
    return sorted(set(found))


def _are_all(body: KernelBody, sites: list[LaunchSite]) -> bool:
    """Whether no other launch of the kernel is to be seen, and each of these is of this one."""
    name = body.function.name
    for module in (body.module, *(site.module for site in sites)):
        if unseen_launches(module, body.function, sites):
            return False
        for node in module.nodes(ast.Attribute):
            if node.attr in _CONFIGURED and last_name(node.value) == name:
                return False
    return all(launched_by_name(site, name) for site in sites)


def _is_open(body: KernelBody) -> bool:
    """Whether the kernel has one decorator `cuda.jit` that says nothing of its parameters, and is no function
    that other code calls.
    """
    found = body.function.decorator_list
    if len(found) != 1 or not body.statements or body.function.name in body.module.called_names:
        return False
    decorator = found[0]
    if not isinstance(decorator, ast.Call):
        return cuda_attribute(body.module, decorator) == "jit"
    named = not decorator.args and all(one.arg not in (None, "signature") for one in decorator.keywords)
    return cuda_attribute(body.module, decorator.func) == "jit" and named


def _parameter(body: KernelBody, launches: list[_CountedLaunch]) -> ast.arg | None:
    """The parameter that gets the counter, where all launches pass it alike."""
    given = body.function.args
    plain = (*given.posonlyargs, *given.args)
    several = given.vararg is not None or given.kwarg is not None or given.kwonlyargs or given.defaults
    forms = {(one.position, len(one.bounds), len(one.site.arguments or ())) for one in launches}
    if several or len(forms) != 1:
        return None
    position, _, count = forms.pop()
    return plain[position] if count == len(plain) and plain[position].annotation is None else None


def _threads_stay_apart(body: KernelBody, launches: list[_CountedLaunch], step: str) -> bool:
    """Whether each thread only touches elements of its own in the arrays that the kernel stores to."""
    arrays = stored_arrays(body, (step,))
    if arrays is None:
        return False
    for launch in launches:
        several = extents(launch.site)
        if several is None or not stores_own_elements(body, arrays, several):
            return False
        if any(may_overlap(launch.site, body.parameters.index(one)) for one in arrays):
            return False
    return True


def _inner_edits(body: KernelBody, launches: list[_CountedLaunch], counter: ast.arg) -> list[Edit] | None:
    """The edits of the parameter, the loop, and what stands in it."""
    step = counter.arg
    part = repeated_part(body, step)
    if part is None:
        return None
    names = body.free_names(*_bound_names(launches, step))
    looped = in_loop(body, part, f"for {step} in range({', '.join(names)}):")
    if looped is None:
        return None
    return [body.module.replaced(counter, ", ".join(names)), *looped]


def _bound_names(launches: list[_CountedLaunch], step: str) -> list[str]:
    """What the bounds are called in the kernel: the count as in the host code, where that names it."""
    count = len(launches[0].bounds)
    if count > 1:
        return [f"{step}_{word}" for word in ("start", "stop", "stride")[:count]]
    written = {launch.site.module.code_of(launch.bounds[0]) for launch in launches}
    name = written.pop() if len(written) == 1 else ""
    plain = name.isidentifier() and not keyword.iskeyword(name) and not name.isupper()
    return [name if plain else f"{step}_count"]


@dataclass(frozen=True)
class _CountedLaunch:
    """`for counter in range(bounds): kernel[grid, block](…, counter, …)`.

    `position` is the counter's place among the arguments, from 0. A start of 0 and a step of 1 are not among
    the `bounds`.
    """

    site: LaunchSite
    loop: ast.For
    position: int
    bounds: tuple[ast.expr, ...]


def _counted_launch(site: LaunchSite) -> _CountedLaunch | None:
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
    return _CountedLaunch(site, loop, positions[0], bounds)


def _single_launch(launch: _CountedLaunch) -> list[Edit] | None:
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
    place = module.outer_range(argument)
    return [Edit(begin, first, head), Edit(*place, passed), *_less_indented(launch)]


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


def _comments(launch: _CountedLaunch) -> list[str] | None:
    """The comments between the loop's head and the launch; None where some stand below the launch."""
    module, call = launch.site.module, launch.site.call
    head = module.outer_range(launch.loop.iter)[1]
    begin, end = module.range_of(call)
    deeper = rf"[^\r\n]*{_LINE_END}(?:[ \t]*{_LINE_END})*{module.indentation(launch.loop)}[ \t]+#"
    if re.compile(deeper).match(module.text, end):
        return None
    return [one.group() for one in re.finditer(r"#[^\r\n]*", module.text[head:begin])]


def _less_indented(launch: _CountedLaunch) -> list[Edit]:
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
