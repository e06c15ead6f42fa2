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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.evidence.source.kernel_walk.affine_forms import Form, Monomial, atom, position_along
from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import end_with_comments, has_long_text, indented
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.host.host_loops import inside, with_comments
from advisor.fixes.support.host.same_memory import may_overlap
from advisor.fixes.support.host.source_effects import known_call, parameter_effects
from advisor.fixes.support.kernel.assigned_names import around, assigned_in, value_of, words_in
from advisor.fixes.support.kernel.atomic_adds import updates_of
from advisor.fixes.support.kernel.kernel_body import HIDDEN_FLOW, KernelBody
from advisor.fixes.support.kernel.thread_axes import cuda_attribute
from advisor.fixes.support.kernel.walked_kernel import element_indices, walked_kernel
from advisor.fixes.support.launches.launch_sites import LaunchSite, are_all_launches
from advisor.fixes.support.launches.launch_sizes import AXES, Extent, extents, is_plain_integer
from advisor.fixes.support.values.array_uses import array_elements, is_store
from advisor.fixes.support.values.independent_iterations import values_come_first
from advisor.fixes.support.values.joint_work import threads_meet
from advisor.model.findings import Edit
from advisor.program.effects.callees import Known
from advisor.program.names.visible_names import visible
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer
from advisor.program.syntax.module import root_name
from advisor.program.syntax.statement_places import COMPREHENSIONS

# Expressions that have the same value each time, as long as the names in them have.
_SETTLED = (
    ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Slice, ast.Tuple,
)  # fmt: skip
_NUMBERS = ("abs", "bool", "float", "int", "len", "max", "min", "round")
_LIBRARIES = ("math.", "np.float", "np.int", "np.uint", "numpy.float", "numpy.int", "numpy.uint")
_PAUSES = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, *COMPREHENSIONS)
_LINE_END = r"(?:\r\n|\r|\n)"
_ORDERLESS = ("add", "sub", "max", "min", "and_", "or_", "xor")
# With these a thread leaves more than one step, or the code is not the kernel's own.
_REFUSED: tuple[type[ast.AST], ...] = (*HIDDEN_FLOW, ast.Match, ast.Global, ast.Nonlocal)


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of all its launches; None where a thread may need in one step what another
    one left in the step before.
    """
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites:
        return None
    body = KernelBody(*kernel)
    launches = [one for one in map(_counted_launch, sites) if one is not None]
    if len(launches) != len(sites) or not are_all_launches(*kernel, sites) or not _is_open(body):
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


def _is_open(body: KernelBody) -> bool:
    """Whether the kernel has one decorator `cuda.jit`, which says nothing of its parameters."""
    found = body.function.decorator_list
    if len(found) != 1 or not body.statements:
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
    arrays = _stored_arrays(body, (step,))
    if arrays is None:
        return False
    for launch in launches:
        several = extents(launch.site)
        if several is None or not _stores_own_elements(body, arrays, several):
            return False
        if any(may_overlap(launch.site, body.parameters.index(one)) for one in arrays):
            return False
    return True


def _inner_edits(body: KernelBody, launches: list[_CountedLaunch], counter: ast.arg) -> list[Edit] | None:
    """The edits of the parameter, the loop, and what stands in it."""
    step = counter.arg
    part = _repeated_part(body, step)
    if part is None:
        return None
    names = body.free_names(*_bound_names(launches, step))
    looped = _in_loop(body, part, f"for {step} in range({', '.join(names)}):")
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
    comments = _comments(launch)
    if comments is None or has_long_text(module, *module.range_of(site.call)):
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


def _stored_arrays(body: KernelBody, numbers: Iterable[str] = ()) -> frozenset[str] | None:
    """The array parameters that a kernel stores to; None where that cannot be told of one.

    `numbers` are parameters that are known to be none.
    """
    found = set()
    for position, name in enumerate(body.parameters):
        if name in numbers:
            continue
        effect = parameter_effects(body.module, body.function, position)
        if effect.keeps:
            return None
        if effect.writes:
            found.add(name)
    return frozenset(found)


def _stores_own_elements(body: KernelBody, arrays: Iterable[str], extents: frozenset[Extent]) -> bool:
    """Whether no element of the arrays that a kernel stores to is used by two threads of a launch.

    The indices that tell the threads apart stand at the same positions in all uses of an array. Arrays that
    get nothing but one kind of atomic update, in whatever order, count as well.
    """
    if not all(_stores_to_known(body, node) for node in body.nodes(ast.Subscript)):
        return False
    return all(_only_counts_up(body, one) or _are_own(body, one, extents) for one in arrays)


def _stores_to_known(body: KernelBody, node: ast.Subscript) -> bool:
    """Whether an element that is stored to is one of a parameter, or of an array of the thread alone."""
    owner = root_name(node) or ""
    if not is_store(body.module, node) or owner in body.parameters:
        return True
    arrays = walked_kernel(body.module, body.function).arrays
    own = any(one.name == owner and one.space == "local" for one in arrays)
    return own and value_of(body.module, body.function, owner) is not None


def _only_counts_up(body: KernelBody, array: str) -> bool:
    """Whether an array gets only atomic updates of one kind, whose results nobody looks at."""
    kinds = {one.operation for one in updates_of(body, array)}
    return len(kinds) == 1 and kinds <= set(_ORDERLESS)


def _are_own(body: KernelBody, array: str, extents: frozenset[Extent]) -> bool:
    """Whether the indices that all uses of an array have in common tell all threads apart."""
    uses = array_elements(body.module, body.function.body, array)
    places = [element_indices(body.module, body.function, one) for one in uses or ()]
    if uses is None or any(one is None for one in places):
        return False
    positions = zip(*filter(None, places), strict=False)
    told = [{_told_apart(one) for one in position} for position in positions]
    return extents <= frozenset(part for one in told if len(one) == 1 for parts in one for part in parts)


def _told_apart(index: Form) -> frozenset[Extent]:
    """The parts of a launch whose blocks or threads have different values of an index: the thread's over the
    grid, or whole grids on, its block's, or its own in the block.
    """
    for axis in AXES:
        thread, block = atom(f"tid.{axis}"), atom(f"bid.{axis}")
        if index in (thread, block):
            return frozenset({("block" if index == thread else "grid", axis)})
        grid = {f"bdim.{axis}", f"gdim.{axis}"}
        rest = Form(tuple(term for term in index.terms if not _is_count_of(grid, term[0])))
        if rest == position_along(axis):
            return frozenset({("grid", axis), ("block", axis)})
    return frozenset()


def _is_count_of(parts: set[str], product: Monomial) -> bool:
    """Whether a product is of these parts and of how often loops have run."""
    return parts <= set(product) and all(name.startswith("loop#") for name in set(product) - parts)


def _repeated_part(body: KernelBody, step: str) -> list[ast.stmt] | None:
    """The statements from the first that needs the step, or does more than naming numbers, to the last.

    They lie within checks of the thread's index where these are all that follows. None where a thread needs
    what an earlier step left in a variable, or waits for other threads.
    """
    module, function = body.module, body.function
    if any(True for _ in body.nodes(_REFUSED)) or threads_meet(module, function.body):
        return None
    if any(module.code_of(one.func) == "print" for one in body.nodes(ast.Call)):
        return None
    if step in assigned_in(module, function.body):
        return None
    found = _part(body, body.statements, step)
    return found if found and values_come_first(body, found, step) else None


def _in_loop(body: KernelBody, part: Sequence[ast.stmt], head: str) -> list[Edit] | None:
    """The edits that put statements into a loop whose first line is given; a `return` goes on with the next
    iteration. None where one stands in an inner loop, and where a text runs over several lines.
    """
    module = body.module
    begin = with_comments(module, part[0])
    indent, owner = module.indentation(part[0]), module.parent(part[0])
    if owner is None:
        return None
    end = end_with_comments(module.text, module.range_of(part[-1])[1], module.indentation(owner))
    found = indented(module, begin, end, body.step)
    if not found or found[0].start != begin:
        return None
    found[0] = Edit(begin, begin, f"{indent}{head}{module.line_end}{body.step}")
    for line in part:
        for leave in module.nodes_in(ast.Return, line):
            outer = around(module, leave, body.function)
            if leave.value is not None or any(isinstance(one, ast.For | ast.While) for one in outer):
                return None
            found.append(module.replaced(leave, "continue"))
    return found


def _part(body: KernelBody, lines: Sequence[ast.stmt], step: str) -> list[ast.stmt]:
    for number, line in enumerate(lines):
        if _names_numbers(body, line, step):
            continue
        if isinstance(line, ast.If) and not line.orelse and _is_settled(body, line.test, step):
            if _leaves(line):
                continue
            if number == len(lines) - 1 and not body.module.on_header_line(line.body[0]):
                return _part(body, line.body, step)
        return list(lines[number:])
    return []


def _names_numbers(body: KernelBody, line: ast.stmt, step: str) -> bool:
    """Whether a statement only gives numbers names that they keep, or is the kernel's docstring."""
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
        return True
    if not isinstance(line, ast.Assign) or not _is_settled(body, line.value, step):
        return False
    for target in line.targets:
        plain = isinstance(target, ast.Name | ast.Tuple)
        if not plain or any(True for _ in body.module.nodes_in(ast.Subscript, target)):
            return False
        names = words_in(body.module, target)
        if any(len(body.module.bindings(name, body.function)) != 1 for name in names):
            return False
    return True


def _is_settled(body: KernelBody, value: ast.expr, step: str) -> bool:
    """Whether an expression is the same in each step: it reads no elements of arrays."""
    module = body.module
    if step in words_in(module, value):
        return False
    for one in module.nodes_in(ast.Subscript, value):
        if not (isinstance(one.value, ast.Attribute) and one.value.attr == "shape"):
            return False
    calls = module.nodes_in(ast.Call, value)
    return all(known_call(module, one) in (Known.NUMBERS, Known.QUESTION) for one in calls)


def _leaves(line: ast.If) -> bool:
    inner = line.body[0]
    return isinstance(inner, ast.Return) and inner.value is None
