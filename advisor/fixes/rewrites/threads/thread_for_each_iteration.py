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

from advisor.fixes.place import Place
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.assigned_names import around, only_computes
from advisor.fixes.support.kernel.kernel_body import KernelBody
from advisor.fixes.support.kernel.thread_loop import ThreadLoop, lanes_lie_along_the_loop, thread_loop
from advisor.fixes.support.launches.launch_sites import LaunchSite, launched_by_name, unseen_launches
from advisor.fixes.support.launches.launch_sizes import is_one, is_whole_number
from advisor.model.findings import Edit
from advisor.program.names.scope_names import parameter_names
from advisor.program.syntax.calls import called_name, last_name
from advisor.program.syntax.literals import written_integer

_DEEPEST = 6
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//"}
# What may be asked of a host array as well as of a device array.
_HOST_CALLS = ("len", "int")
_PLAIN = (ast.Name, ast.Constant, ast.BinOp)
_WHOLE = (*_PLAIN, ast.Attribute, ast.Subscript, ast.Call)


def edits(place: Place) -> list[Edit] | None:
    """The edits of the kernel and of grid and block of all its launches; None where an iteration may need
    another one, where a launch has threads enough, or where it does not tell the length of the loop.
    """
    kernel, sites = place.kernel(), place.launches()
    if kernel is None or not sites or not _has_few_threads(place, sites):
        return None
    body = KernelBody(*kernel)
    name = body.function.name
    if not body.statements or not _are_all(body, name, sites):
        return None
    found = thread_loop(body)
    if found is None:
        return None
    along = lanes_lie_along_the_loop(body, found)
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


def _are_all(body: KernelBody, name: str, sites: list[LaunchSite]) -> bool:
    """Whether the launches are all of this kernel, as far as the files say."""
    modules = [body.module, *(site.module for site in sites)]
    if any(unseen_launches(one, body.function, sites) or _is_asked(one, name) for one in modules):
        return False
    return all(launched_by_name(site, name) for site in sites)


def _is_asked(module: SourceModule, name: str) -> bool:
    """Whether a file launches or builds a kernel by one of its methods, such as `forall`."""
    owners = (last_name(one.value) for one in module.nodes(ast.Attribute))
    return name in owners or name in map(called_name, module.nodes(ast.Call))


def _kernel_edits(body: KernelBody, found: ThreadLoop, along: bool) -> list[Edit] | None:
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
    place: Place, site: LaunchSite, body: KernelBody, found: ThreadLoop, along: bool
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
