"""Loops of host code that repeat the same work to measure how long it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from advisor.program.syntax.module import ModuleSyntax, stored_names
from advisor.program.syntax.tree_nodes import below

CLOCKS = frozenset({
    "time.time", "time.perf_counter", "time.perf_counter_ns", "time.monotonic", "time.monotonic_ns",
    "time.time_ns", "time.process_time", "time.clock", "timeit.default_timer", "datetime.datetime.now",
    "datetime.datetime.utcnow",
})  # fmt: skip
_EVENTS = frozenset({"numba.cuda.event", "torch.cuda.Event", "cupy.cuda.Event"})
_WAITS = frozenset({"synchronize", "sync", "block_until_ready"})


def timing_loop(loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Return whether a loop repeats its body to measure time.

    Each iteration does the same: none asks for the counter or for what an earlier one left in a name. And a
    clock (or the record of an event) is read in the body, or directly before the loop and after it, with
    nothing but waits for the device in between.
    """
    return module.once(_measures_time, loop)


def _measures_time(module: ModuleSyntax, loop: ast.For | ast.While) -> bool:
    if not (isinstance(loop, ast.For) and does_the_same_again(loop, module)):
        return False
    return _reads_clock(loop.body, module) or (
        _clock_beside(loop, module, -1) and _clock_beside(loop, module, 1)
    )


def does_the_same_again(loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Return whether no iteration of a loop over a range asks for the counter, or for what an earlier one
    left in a name.
    """
    if not isinstance(loop, ast.For):
        return False
    if not (isinstance(loop.iter, ast.Call) and module.dotted(loop.iter.func) == "range"):
        return False
    of_clock: set[str] = set()
    read: set[str] = set()
    # What an iteration leaves to the next is read before it is bound again, as the counter is.
    bound: set[str] = set()
    carried: set[str] = stored_names(loop.target)
    for statement in loop.body:
        nodes = below(statement)
        reads = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        stores = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        timed = _reads_clock([statement], module) or bool(reads & of_clock)
        if timed and isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            # A time that is kept, perhaps under the counter.
            of_clock |= stores
            continue
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            reads |= {statement.target.id}
        read |= reads - bound
        carried |= stores
        bound |= stores
    return not (carried & read) - of_clock


def _clock_beside(loop: ast.For, module: ModuleSyntax, step: int) -> bool:
    """Whether the next statement before (-1) or after (1) the loop reads a clock, waits left out."""
    block = module.block_of(loop)
    at = block.index(loop) if block else 0
    for statement in block[at + 1 :] if step > 0 else block[:at][::-1]:
        if _reads_clock([statement], module):
            return True
        if not _only_waits(statement):
            return False
    return False


def _only_waits(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    name = call.func if isinstance(call, ast.Call) else None
    return isinstance(name, ast.Attribute) and name.attr in _WAITS


def _reads_clock(statements: Sequence[ast.stmt], module: ModuleSyntax) -> bool:
    nodes = (one for statement in statements for one in below(statement))
    return any(_is_clock(one, module) for one in nodes if isinstance(one, ast.Call))


def reads_clock(loop: ast.For | ast.While, module: ModuleSyntax) -> bool:
    """Return whether a loop reads the host's clock."""
    return any(isinstance(one, ast.Call) and module.dotted(one.func) in CLOCKS for one in below(loop))


def _is_clock(call: ast.Call, module: ModuleSyntax) -> bool:
    if module.dotted(call.func) in CLOCKS:
        return True
    recorded = (
        call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "record" else None
    )
    return isinstance(recorded, ast.Name) and _is_event(recorded.id, _around(call, module), module)


def _around(node: ast.AST, module: ModuleSyntax) -> ast.AST:
    return next(iter(module.scopes(node)), module.tree)


def _is_event(name: str, scope: ast.AST, module: ModuleSyntax) -> bool:
    return any(
        isinstance(one.value, ast.Call)
        and module.dotted(one.value.func) in _EVENTS
        and name in _names(one.targets)
        for one in module.inside(scope, ast.Assign)
    )


def _names(targets: Iterable[ast.expr]) -> set[str]:
    return {name for target in targets for name in stored_names(target)}
