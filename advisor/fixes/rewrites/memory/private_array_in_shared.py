"""Moves a local array that is indexed at run time into shared memory, with a column for each thread."""

# /// fix
# title = "Keep the array in shared memory, with a column for each thread"
# safety = "needs review"
# rules = ["local-array-dynamic-index"]
# needs_kernel = true
# phase = 3
# condition = """
# these files hold every launch of the kernel, none of them has blocks of more threads, and every element is \
# stored to before it is read"""
#
# [parameters]
# # A column for each thread lies in banks of its own when the threads are a multiple of the banks.
# banks = 32
# # More would leave too few blocks on a multiprocessor.
# most_bytes = 32768
# most_shared_bytes = 49152
# ///

from __future__ import annotations

import ast

from advisor.fixes.known_facts import Row
from advisor.fixes.place import Place
from advisor.fixes.support.edits.block_sums import block_sizes, thread_number
from advisor.fixes.support.edits.cuda_name import cuda_text
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.kernel.kernel_body import own_kernel
from advisor.fixes.support.values.declared_arrays import DeclaredArray, declared_array
from advisor.model.findings import Edit
from advisor.program.syntax.literals import written_integer


def edits(place: Place) -> list[Edit] | None:
    """The edits of the declaration and of each use; None where the array is used as a whole, does not fit, or
    where the size of the blocks is not known.
    """
    body, sizes, cuda = own_kernel(place), block_sizes(place), cuda_text(place.module)
    rows = filter(place.is_at, place.rows("array"))
    row = next((one for one in rows if one.values.get("space") == "local"), None)
    if body is None or sizes is None or cuda is None or row is None:
        return None
    declaration = declared_array(body.module, body.function, row.label, "local")
    if declaration is None or not _is_plain(declaration):
        return None
    banks = int(place.parameters["banks"])
    threads = -(-sizes.most // banks) * banks
    if not _fits(place, row, threads):
        return None
    module = body.module
    (thread,) = body.free_names("thread")
    return [
        line_before(module, declaration.line, f"{thread} = {thread_number(cuda, sizes.dimensions)}"),
        module.replaced(declaration.memory, f"{module.code_of(declaration.memory.value)}.shared"),
        _with_length(module, declaration, threads),
        *(_with_column(module, one, thread) for one in declaration.elements),
    ]


def _is_plain(declaration: DeclaredArray) -> bool:
    """Whether the lengths of an array are numbers and names, and the kernel uses it."""
    lengths = declaration.lengths
    plain = all(isinstance(one, ast.Name) or written_integer(one) is not None for one in lengths)
    return plain and bool(declaration.elements)


def _with_length(module: SourceModule, declaration: DeclaredArray, threads: int) -> Edit:
    """The edit that gives the shape of an array one more length."""
    shape = declaration.shape
    if isinstance(shape, ast.Tuple):
        end = module.outer_range(shape.elts[-1])[1]
        return Edit(end, end, f", {threads}")
    return module.replaced(shape, f"({module.code_of(shape)}, {threads})")


def _with_column(module: SourceModule, indices: list[ast.expr], thread: str) -> Edit:
    end = module.outer_range(indices[-1])[1]
    return Edit(end, end, f", {thread}")


def _fits(place: Place, row: Row, threads: int) -> bool:
    """Whether a column of the array for each thread fits beside the kernel's other shared memory."""
    kernel, own = place.kernel_row(), row.values.get("bytes")
    shared = kernel.values.get("shared_bytes") if kernel else None
    if own is None or shared is None:
        return False
    size = float(own) * threads
    most, total = place.parameters["most_bytes"], place.parameters["most_shared_bytes"]
    return size <= float(most) and size + float(shared) <= float(total)
