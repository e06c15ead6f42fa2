"""Gives each iteration of the loop that a launch's few threads walk a thread of its own, along one more axis.

Lanes lie along the axis whose neighbours use neighbouring elements. A kernel whose only thread walks the loop
gets its first axis.
"""

# /// fix
# title = "Give each iteration of the threads' loop a thread of its own"
# phase = 1
# safety = "needs review"
# rules = ["grid-too-small", "block-too-small", "low-occupancy", "uncoalesced-access"]
# needs_kernel = true
# condition = """
# all launches of the kernel are those that were found; the loop has at least one iteration at each of them, \
# and the axis y of the grid at most 65,535 blocks; the arrays that are stored to overlap no other array, no \
# two threads store to one element, and indices are not negative; floating-point sums by atomic additions \
# may come in another order, as those of different threads always do"""
#
# [parameters]
# # Fewer leave most warp slots of a multiprocessor, and with them the time that loads take, unused.
# threads_per_multiprocessor = 256
# threads_along_the_loop = 128
# most_blocks_along_y = 65535
# ///

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.kernel.assigned_names import around, assigned_in, is_text, only_computes, words_in
from advisor.fixes.support.kernel.block_free_kernel import threads_ask_for_grid_only
from advisor.fixes.support.kernel.grid_indices import grid_indices
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_axes import INDEX_NAMES, cuda_parts
from advisor.fixes.support.kernel.walked_kernel import is_in_loop, walked_kernel
from advisor.fixes.support.launches.launch_sites import LaunchSite, are_all_launches
from advisor.fixes.support.launches.launch_sizes import is_one, is_whole_number
from advisor.fixes.support.values.array_uses import changed_arrays
from advisor.fixes.support.values.independent_iterations import iterations_are_independent
from advisor.model.findings import Edit
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.calls import range_bounds
from advisor.program.syntax.literals import written_integer

_DEEPEST = 6
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}
# What may be asked of a host array as well as of a device array.
_HOST_CALLS = ("len", "int")
_PLAIN = (ast.Name, ast.Constant, ast.BinOp)
_WHOLE = (*_PLAIN, ast.Attribute, ast.Subscript, ast.Call)
# The lane's number in its block, along x.
_LANE = "tid.x"


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of grid and block of all its launches; None where an iteration may need
    another one, where a launch has threads enough, or where it does not tell the length of the loop.
    """
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites or not _has_few_threads(place, sites):
        return None
    body = KernelBody(*kernel)
    if not body.statements or not are_all_launches(*kernel, sites):
        return None
    found = _thread_loop(body)
    if found is None:
        return None
    along = _lanes_lie_along_the_loop(body, found)
    inner = _kernel_edits(body, found, along)
    if inner is None or (place.finding.rule == "uncoalesced-access" and not along):
        return None
    edits = place.in_file(body.module, inner)
    for site in sites:
        launch = _launch_edits(place, site, body, found, along)
        if launch is None:
            return None
        edits += place.in_file(site.module, launch)
    return edits


def _has_few_threads(place: Place, sites: list[LaunchSite]) -> bool:
    """Whether no launch has as many threads as would keep each multiprocessor a little busy."""
    device, kernel = place.facts.device, place.kernel_row()
    count = device.values.get("sm_count") if device is not None else None
    if not isinstance(count, float) or kernel is None:
        return False
    limit = count * float(place.parameters["threads_per_multiprocessor"])
    for site in sites:
        values = site.row.values
        blocks = values.get("blocks", kernel.values.get("grid_blocks"))
        threads = values.get("block_threads", kernel.values.get("block_threads"))
        if not isinstance(blocks, float) or not isinstance(threads, float):
            return False
        if blocks * threads >= min(limit, float(place.parameters["most_blocks_along_y"])):
            return False
    return True


def _kernel_edits(body: KernelBody, found: _ThreadLoop, along: bool) -> list[Edit] | None:
    """The edits that give the thread one more index and put a condition in the place of the loop's head."""
    module, thread = body.module, found.thread
    cuda = thread.cuda if thread is not None else cuda_text(module)
    if cuda is None:
        return None
    begin, end = module.range_of(found.loop)[0], module.outer_range(found.loop.iter)[1]
    least = f"{found.start} <= " if found.start else ""
    head = f"if {least}{found.index} < {module.outer_code_of(found.end)}"
    edits = [
        module.replaced(one, "return")
        for one in module.nodes_in((ast.Continue, ast.Break), found.loop.body)
        if not any(isinstance(outer, ast.For) for outer in around(module, one, found.loop))
    ]
    if thread is None:
        line = f"{found.index} = {cuda}.grid(1){module.line_end}{module.indentation(found.loop)}"
        return [Edit(begin, end, line + head), *edits]
    first, second = (found.index, thread.name) if along else (thread.name, found.index)
    line = f"{first}, {second} = {cuda}.grid(2)"
    return [module.replaced(thread.line, line), Edit(begin, end, head), *edits]


def _launch_edits(
    place: Place, site: LaunchSite, body: KernelBody, found: _ThreadLoop, along: bool
) -> list[Edit] | None:
    """The edits of one launch; None where it does not tell the sizes, or where the loop is short."""
    blocks, threads = _length_along_x(site, site.grid), _length_along_x(site, site.block)
    length = _size_at_launch(site, body, found.end)
    if blocks is None or threads is None or length is None:
        return None
    if length.isdigit() and not _fits(place, int(length), along):
        return None
    lanes = int(float(place.parameters["threads_along_the_loop"]))
    if found.thread is None:
        if site.row.values.get("blocks") != 1 or site.row.values.get("block_threads") != 1:
            return None
        module, more = site.module, _blocks_for(length, lanes)
        return [Edit(*module.outer_range(site.grid), more), Edit(*module.outer_range(site.block), str(lanes))]
    if not along:
        return [_replaced_by_pair(site, site.grid, _bare(blocks), _bare(length))]
    grid = _replaced_by_pair(site, site.grid, _blocks_for(length, lanes), _product_of(blocks, threads))
    return [grid, _replaced_by_pair(site, site.block, str(lanes), "1")]


def _fits(place: Place, length: int, along: bool) -> bool:
    """Whether a loop is long enough for lanes of its own, and short enough for blocks along y."""
    most = float(place.parameters["most_blocks_along_y"])
    return length >= float(place.parameters["threads_along_the_loop"]) and (along or length <= most)


def _length_along_x(site: LaunchSite, size: ast.expr) -> str | None:
    """The text of a grid's or block's size along x; None where it may have other axes. Sums stand in
    brackets.
    """
    module, meant = site.module, site.defined(size)
    if isinstance(size, ast.Tuple):
        first = size.elts[0] if size.elts and all(is_one(site, one) for one in size.elts[1:]) else None
        return None if first is None or isinstance(first, ast.Tuple) else _length_along_x(site, first)
    if isinstance(meant, ast.Tuple):
        # The name of a tuple that is written elsewhere.
        flat = _length_along_x(site, meant) is not None
        return f"{module.code_of(size)}[0]" if flat and isinstance(size, ast.Name) else None
    if not is_whole_number(site, size) or "\n" in module.code_of(size):
        return None
    loose = isinstance(size, ast.BinOp | ast.UnaryOp)
    return f"({module.code_of(size)})" if loose else module.code_of(size)


def _product_of(one: str, other: str) -> str:
    """The text of a product of two sizes, shorter where a number is 1 or both are numbers."""
    if one.isdigit() and other.isdigit():
        return str(int(one) * int(other))
    if "1" in (one, other):
        return _bare(other if one == "1" else one)
    return f"{one} * {other}"


def _blocks_for(size: str, threads: int) -> str:
    """The text of how many blocks of so many threads cover a size."""
    if size.isdigit():
        return str(-(-int(size) // threads))
    return f"({size} + {threads - 1}) // {threads}"


def _bare(text: str) -> str:
    """A text without brackets around it as a whole."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 and text.startswith("(") else text
    return text


def _replaced_by_pair(site: LaunchSite, size: ast.expr, first: str, second: str) -> Edit:
    """The edit that puts a tuple of two in the place of a grid or block."""
    return Edit(*site.module.outer_range(size), f"({first}, {second})")


def _size_at_launch(site: LaunchSite, body: KernelBody, value: ast.expr, depth: int = _DEEPEST) -> str | None:
    """The text, at a launch, of a whole number that a kernel computes from its arguments; None where the
    launch does not tell it. Sums stand in brackets.
    """
    if depth == 0:
        return None
    if written_integer(value) is not None:
        return body.module.code_of(value)
    match value:
        case ast.Name():
            return _named(site, body, value.id, depth)
        case ast.BinOp() if type(value.op) in _SIGNS:
            left = _size_at_launch(site, body, value.left, depth - 1)
            right = _size_at_launch(site, body, value.right, depth - 1)
            return f"({left} {_SIGNS[type(value.op)]} {right})" if left and right else None
        case ast.Attribute(array, "size"):
            text = _array(site, body, array)
            return f"{text}.size" if text else None
        case ast.Subscript(ast.Attribute(array, "shape"), axis):
            number = written_integer(axis)
            return _axis(site, body, array, number) if number is not None else None
        case ast.Call(ast.Name("len"), [array]):
            return _axis(site, body, array, 0)
    return None


def _axis(site: LaunchSite, body: KernelBody, node: ast.expr, axis: int) -> str | None:
    array = _array(site, body, node)
    return f"{array}.shape[{axis}]" if array else None


def _array(site: LaunchSite, body: KernelBody, node: ast.expr) -> str | None:
    """The array of a parameter at a launch, where it is a name or an attribute there."""
    argument = _argument(site, body, node.id) if isinstance(node, ast.Name) else None
    if not isinstance(argument, ast.Name | ast.Attribute) or not only_computes(site.module, argument):
        return None
    return site.module.code_of(argument)


def _argument(site: LaunchSite, body: KernelBody, name: str) -> ast.expr | None:
    """The argument that a launch gives for a parameter that keeps its value."""
    arguments = site.arguments
    if name not in body.parameters or body.module.bindings(name, body.function) or arguments is None:
        return None
    position = body.parameters.index(name)
    return arguments[position] if position < len(arguments) else None


def _named(site: LaunchSite, body: KernelBody, name: str, depth: int) -> str | None:
    """The number of a parameter, of a name that is given its value once, or of a constant of the module."""
    if name in body.parameters:
        argument = _argument(site, body, name)
        return _whole_number(site, argument) if argument is not None else None
    bound = body.module.bindings(name, body.function)
    if not bound:
        return _constant(site, body, name)
    match bound:
        case [ast.Assign([ast.Name()], value)]:
            return _size_at_launch(site, body, value, depth - 1)
        case [ast.Assign([ast.Tuple(parts)], ast.Attribute(array, "shape"))]:
            names = [one.id if isinstance(one, ast.Name) else "" for one in parts]
            starred = any(isinstance(one, ast.Starred) for one in parts)
            return _axis(site, body, array, names.index(name)) if name in names and not starred else None
    return None


def _whole_number(site: LaunchSite, argument: ast.expr) -> str | None:
    """The text of an argument that computes a whole number from names, sizes and numbers."""
    module, text = site.module, site.module.code_of(argument)
    parts = list(module.nodes_in(ast.expr, argument))
    if "\n" in text or not all(isinstance(one, _WHOLE) for one in parts):
        return None
    for part in parts:
        if isinstance(part, ast.Constant) and written_integer(part) is None:
            return None
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            return None
        if isinstance(part, ast.Call) and ast.unparse(part.func) not in _HOST_CALLS:
            return None
    return f"({text})" if isinstance(argument, ast.BinOp) else text


def _constant(site: LaunchSite, body: KernelBody, name: str) -> str | None:
    """The name of a constant of the module that kernel and launch both stand in."""
    module = body.module
    if site.module is not module or body.function not in module.tree.body:
        return None
    match module.bindings(name, None):
        case [ast.Assign([ast.Name()], number)]:
            parts = list(module.nodes_in(ast.expr, number))
            plain = all(isinstance(one, _PLAIN) for one in parts) and not any(
                isinstance(one, ast.Constant) and written_integer(one) is None for one in parts
            )
            return name if plain and not _is_hidden(site, name) else None
    return None


def _is_hidden(site: LaunchSite, name: str) -> bool:
    """Whether a name of the module stands for something else at a launch, or may change."""
    module = site.module
    if any(name in one.names for one in module.nodes(ast.Global)):
        return True
    function = site.function()
    while function is not None:
        if name in parameter_names(function) or module.bindings(name, function):
            return True
        function = module.scope_of(function)
    return False


@dataclass(frozen=True)
class _ThreadNumber:
    """The assignment that gives a thread its number in the grid, the name that it gets, and what the file
    calls numba.cuda.
    """

    line: ast.Assign
    name: str
    cuda: str


@dataclass(frozen=True)
class _ThreadLoop:
    """A loop `for index in range(start, end)` that each thread walks; `thread` is None where the threads have
    no numbers, so that all of them do the same.
    """

    loop: ast.For
    index: str
    start: int
    end: ast.expr
    thread: _ThreadNumber | None


def _thread_loop(body: KernelBody) -> _ThreadLoop | None:
    """The loop that is all that a kernel does beside checks and names, None where there is more.

    Its iterations may have threads of their own, which then do what stands before the loop once more each.
    """
    loop = _only_loop(body, body.statements)
    if loop is None or not isinstance(loop.target, ast.Name):
        return None
    numbers = _thread_numbers(body)
    bounds = _bounds(body, loop)
    index = loop.target.id
    if numbers is None or bounds is None or words_in(body.module, bounds[1]) & assigned_in(body.module, loop):
        return None
    thread = numbers[0] if numbers else None
    if not iterations_are_independent(body, loop, index) or not _may_be_done_again(body, loop, thread):
        return None
    return _ThreadLoop(loop, index, *bounds, thread)


def _thread_numbers(body: KernelBody) -> list[_ThreadNumber] | None:
    """The one number along x that threads have, or none; None where they look at their place otherwise."""
    module = body.module
    if not threads_ask_for_grid_only(module, body.function):
        return None
    asked = [one for one, name in cuda_parts(module, body.function.body) if name in (*INDEX_NAMES, "grid")]
    indices = grid_indices(body)
    if not asked:
        return []
    if len(indices) != 1:
        return None
    ((name, index),) = indices.items()
    alone = isinstance(index.line.targets[0], ast.Name) and index.axis == "x"
    here = all(module.statement_of(one) is index.line for one in asked)
    cuda = asked[0].value if isinstance(asked[0], ast.Attribute) else None
    return [_ThreadNumber(index.line, name, module.code_of(cuda))] if alone and here and cuda else None


def _only_loop(body: KernelBody, lines: Sequence[ast.stmt]) -> ast.For | None:
    """The loop that some statements end with, also under conditions, where those before it only give names
    their values, or let the thread end.
    """
    if not lines or not all(_only_prepares(line) for line in lines[:-1]):
        return None
    last = lines[-1]
    if isinstance(last, ast.For):
        return None if body.module.on_header_line(last) else last
    return _only_loop(body, last.body) if isinstance(last, ast.If) and not last.orelse else None


def _only_prepares(line: ast.stmt) -> bool:
    if isinstance(line, ast.If):
        return all(_only_prepares(one) for one in (*line.body, *line.orelse))
    if isinstance(line, ast.Return):
        return line.value is None
    if isinstance(line, ast.Assign):
        return all(_is_named(one) for one in line.targets)
    if isinstance(line, ast.AugAssign | ast.AnnAssign):
        return _is_named(line.target)
    return isinstance(line, ast.Pass) or is_text(line)


def _is_named(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(isinstance(one, ast.Name) for one in target.elts)
    return isinstance(target, ast.Name)


def _bounds(body: KernelBody, loop: ast.For) -> tuple[int, ast.expr] | None:
    """The first number and the end of `range(end)` and `range(start, end)`, on one line."""
    values = range_bounds(loop)
    if values is None or len(values) > 2:
        return None
    start = values[0] if len(values) == 2 else ast.Constant(0)
    first = written_integer(start)
    if first is None or "\n" in body.module.code_of(loop.iter):
        return None
    return first, values[-1]


def _may_be_done_again(body: KernelBody, loop: ast.For, thread: _ThreadNumber | None) -> bool:
    """Whether threads may do more than once what stands around the loop, and share its iterations.

    Nothing outside of it looks at elements that it changes, no function that is called changes any, and each
    stored element follows the thread, so that it is not one for all.
    """
    facts = walked_kernel(body.module, body.function)
    stores = [one for one in facts.accesses if one.kind != "load"]
    changes = [one.place for one in stores] + [one.place for one in facts.atomics]
    if not all(body.module.scope_of(one.node) is body.function for one in changes):
        return False
    changed = changed_arrays(body, loop)
    outside = [one for one in facts.accesses if not is_in_loop(one.place, loop)]
    added = all(is_in_loop(one.place, loop) for one in facts.atomics)
    if not added or any(one.array.name in changed for one in outside):
        return False
    forms = ([index.form for index in one.indices] for one in stores)
    return thread is None or all(any(_LANE in facts.atoms.depends(one) for one in form) for form in forms)


def _lanes_lie_along_the_loop(body: KernelBody, found: _ThreadLoop) -> bool:
    """Whether neighbouring iterations use neighbouring elements, more than neighbouring threads do.

    What is used in the innermost loops decides.
    """
    votes: dict[int, int] = {}
    for one in walked_kernel(body.module, body.function).accesses:
        counter = next((loop.counter for loop in one.place.loops if loop.node is found.loop), "")
        if counter and one.indices:
            steps = dict(one.indices[-1].form.terms)
            vote = (steps.get((counter,)) == 1) - (steps.get((_LANE,)) == 1)
            depth = len(one.place.loops)
            votes[depth] = votes.get(depth, 0) + vote
    decided = [votes[depth] for depth in sorted(votes, reverse=True) if votes[depth]]
    return not decided or decided[0] > 0
