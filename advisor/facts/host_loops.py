"""The loops of host code around a call, and whether they are there to measure time."""

from __future__ import annotations

import ast

from advisor.facts.module import ModuleSyntax, stored_names
from advisor.facts.tree_nodes import below


def host_loops(module: ModuleSyntax, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops of the enclosing function around a node, innermost first.

    Comprehensions do not count, nor do loops over items that are written out, of which there are few.
    """
    found: list[ast.For | ast.While] = []
    child, parent = node, module.parents.get(node)
    while parent is not None and not isinstance(
        parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    ):
        written_out = isinstance(parent, ast.For) and isinstance(parent.iter, ast.List | ast.Tuple)
        if isinstance(parent, ast.For | ast.While) and child in parent.body and not written_out:
            found.append(parent)
        child, parent = parent, module.parents.get(parent)
    return found


def timing_loop(loop: ast.For | ast.While) -> bool:
    """Whether a loop repeats its body to measure time."""
    for node in below(loop):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name and any(
            clock.rpartition(".")[2] in name.lower()
            for clock in ("perf_counter", "timeit", "timer", "elapsed", "benchmark")
        ):
            return True
    if _repeats(loop) and any(isinstance(one, ast.Call) and _reads_clock(one) for one in below(loop)):
        return True
    if isinstance(loop, ast.For):
        words = {inner.id.lower() for inner in below(loop.iter) if isinstance(inner, ast.Name)}
        return any(
            word in name
            for name in words
            for word in ("warmup", "repeat", "trial", "n_runs", "num_runs", "nruns")
        )
    return False


def _repeats(loop: ast.For | ast.While) -> bool:
    """Whether a loop does the same in each turn: its body never asks how many there were."""
    if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)):
        return False
    counters = stored_names(loop.target)
    return ast.unparse(loop.iter.func) == "range" and not any(
        isinstance(one, ast.Name) and one.id in counters and isinstance(one.ctx, ast.Load)
        for statement in loop.body
        for one in below(statement)
    )


def _reads_clock(call: ast.Call) -> bool:
    return not call.args and ast.unparse(call.func) in ("time", "time.time", "time.time_ns", "time.monotonic")
