"""How often host code comes to a place: loops around it, and whether every iteration does."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from advisor.evidence.source.host.data_flow.device_names import asks_for_gpu
from advisor.evidence.source.test_paths import documents, is_test_path
from advisor.program.launches.host_loops import host_loops
from advisor.program.launches.timing_loops import timing_loop
from advisor.program.syntax.module import ModuleSyntax, names_in
from advisor.program.syntax.tree_nodes import below

Loop = ast.For | ast.While
_NOW_AND_THEN = (
    "print", "log", "debug", "verbose", "save", "every", "interval", "freq", "first", "last", "step_", "best",
    "epoch", "warmup", "profil", "check", "display", "show", "plot", "report",
)  # fmt: skip
_LIBRARIES = ("torch", "cupy", "numpy")
_LEAVES = (ast.Return, ast.Break, ast.Raise)


@dataclass(frozen=True)
class LoopContext:
    """The host loops around a place, innermost first.

    `every_iteration` is whether each iteration of the innermost loop comes there, None where a condition
    decides that of which the source says nothing. `timed` is whether a loop repeats its body to measure it,
    or the file is a test or a benchmark.
    """

    loops: tuple[Loop, ...]
    every_iteration: bool | None
    timed: bool


def loop_context(module: ModuleSyntax, node: ast.AST) -> LoopContext:
    """The loops around a node of host code."""
    loops = tuple(host_loops(module, node))
    timed = (
        is_test_path(module.path)
        or any(timing_loop(loop, module) for loop in loops)
        or (_in_test(module, node) and not documents(module.path))
    )
    if not loops:
        return LoopContext((), None, timed)
    return LoopContext(loops, _every_iteration(module, node, loops[0]), timed)


def _in_test(module: ModuleSyntax, node: ast.AST) -> bool:
    """Whether a function around a node is a test or a benchmark by its name."""
    names = [getattr(scope, "name", "").lower() for scope in module.scopes(node)]
    return any(name.startswith(("test_", "bench", "test")) or "benchmark" in name for name in names)


def _every_iteration(module: ModuleSyntax, node: ast.AST, loop: Loop) -> bool | None:
    if len(module.inside(loop, ast.For)) + len(module.inside(loop, ast.While)) > 1:
        # Beside a loop of its own, what happens once for all of its iterations does not count.
        return False
    verdict: bool | None = True
    child, parent = node, module.parents.get(node)
    while parent is not None and parent is not loop:
        if isinstance(parent, ast.ExceptHandler):
            return False
        if isinstance(parent, ast.If) and child is not parent.test:
            block = parent.body if child in parent.body else parent.orelse
            if isinstance(block[-1], _LEAVES) or _now_and_then(parent.test):
                return False
            if not asks_for_gpu(parent.test):
                verdict = None
        if isinstance(parent, ast.IfExp | ast.BoolOp):
            verdict = None
        if _left_behind(child, module):
            return False
        child, parent = parent, module.parents.get(parent)
    return False if _left_behind(child, module) else verdict


def _left_behind(child: ast.AST, module: ModuleSyntax) -> bool:
    """Whether a statement behind a child of a block leaves the loop."""
    if not isinstance(child, ast.stmt):
        return False
    block = module.block_of(child)
    return any(_leaves(one) for one in block[block.index(child) :]) if block else False


def _leaves(statement: ast.stmt) -> bool:
    """Whether a statement leaves the loop wherever it ends well."""
    if isinstance(statement, ast.Try | ast.With):
        return any(_leaves(one) for one in statement.body)
    return isinstance(statement, _LEAVES)


def _now_and_then(test: ast.expr) -> bool:
    for node in below(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return True
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name and any(word in name.lower() for word in _NOW_AND_THEN):
            return True
    return False


def is_reusable(module: ModuleSyntax, call: ast.Call) -> bool | None:
    """Whether what a call in a loop allocates has the same size in each iteration, and nothing keeps it for
    longer; None where it is handed to code that the source does not show.
    """
    loop = host_loops(module, call)[0]
    given = set[str]().union(*(names_in(one) for one in (*call.args, *call.keywords)))
    if given & module.changed_names(loop):
        return False
    kept = is_kept(module, call, loop)
    return None if kept is None else not kept


def is_kept(module: ModuleSyntax, node: ast.Call, loop: Loop) -> bool | None:
    """Whether what a call in a loop gives outlives its iteration: appended, yielded, returned or stored.

    None where it is handed to code that the source does not show.
    """
    parent = module.parents.get(node)
    if not isinstance(parent, ast.Assign) or not all(isinstance(one, ast.Name) for one in parent.targets):
        return None
    names = {one.id for one in parent.targets if isinstance(one, ast.Name)}
    verdict: bool | None = False
    read = [one for name in names for one in module.loads(name, loop)]
    for one in read:
        use = module.parents.get(one)
        if isinstance(use, ast.Return | ast.Yield | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.Starred):
            return True
        if isinstance(use, ast.Assign):
            return True
        if isinstance(use, ast.Call) and one in use.args and not isinstance(use.func, ast.Subscript):
            if isinstance(use.func, ast.Attribute) and use.func.attr in ("append", "extend", "add", "put"):
                return True
            if _root(use, module) not in _LIBRARIES:
                verdict = None
        elif isinstance(use, ast.keyword):
            call = module.parents.get(use)
            if not isinstance(call, ast.Call) or _root(call, module) not in _LIBRARIES:
                verdict = None
    scope = module.scope_of(node)
    everywhere = [one for name in names for one in module.loads(name, scope)] if scope is not None else []
    outlives = not set(read).issuperset(everywhere)
    return True if outlives else verdict


def _root(call: ast.Call, module: ModuleSyntax) -> str:
    return (module.dotted(call.func) or "").split(".")[0]
