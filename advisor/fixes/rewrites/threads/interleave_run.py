"""Lets neighbouring lanes walk neighbouring elements, where each thread walked a run of its own."""

# /// fix
# title = "Let neighbouring threads walk neighbouring elements"
# safety = "needs review"
# rules = ["uncoalesced-access"]
# needs_kernel = true
# condition = """
# the arrays that are stored to overlap no other array, and floating-point sums by atomic additions may come \
# in another order, as those of different threads always do"""
# ///

from __future__ import annotations

from advisor.fixes.place import Place
from advisor.fixes.support.edits.inserted_lines import line_before
from advisor.fixes.support.kernel.kernel_body import KernelBody, own_kernel
from advisor.fixes.support.kernel.thread_runs import ThreadRun, run_around
from advisor.fixes.support.values.independent_iterations import iterations_are_independent
from advisor.model.findings import Edit


def edits(place: Place) -> list[Edit] | None:
    """The edits that make the loop stride over the grid; None where iterations may need each other."""
    body = own_kernel(place)
    if body is None:
        return None
    run = run_around(place, body)
    if run is None or not iterations_are_independent(body, run.loop, run.index):
        return None
    return _edits(body, run)


def _edits(body: KernelBody, run: ThreadRun) -> list[Edit] | None:
    """The edits of a run; the loop keeps its number of iterations, which the compiler often knows."""
    module = body.module
    grid = module.code_of(run.grid)
    size = grid.replace(".grid(", ".gridsize(")
    if run.product is not None:
        return [module.replaced(run.product, f"{grid} + {run.counter} * {size}")]
    start = run.without_start(module)
    if module.on_header_line(run.loop) or start is None:
        return None
    (counter,) = body.free_names("k")
    return [
        module.replaced(run.loop.target, counter),
        module.replaced(run.loop.iter, f"range({module.code_of(run.length)})"),
        line_before(module, run.loop.body[0], f"{run.index} = {grid} + {counter} * {size}"),
        *start,
    ]
