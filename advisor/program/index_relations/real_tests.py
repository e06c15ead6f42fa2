"""What hangs on real numbers computed for each thread: branches, whether a point lies in a shape, how long a
series runs; and elements that such numbers pick, as colours of a table. They come from positions and from
scalars that nobody states, so that no launch that is made up tells how often a warp is parted, or how far
apart the elements of its lanes lie.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from advisor.program.index_relations.data_dependence import settled
from advisor.program.index_relations.unit_functions import UnitFunction, UnitNames
from advisor.program.syntax.tree_nodes import below

_THREADS = ("numba.cuda.threadIdx.", "numba.cuda.laneid")
_REAL_FUNCTIONS = ("math.", "cmath.", "numpy.", "numba.cuda.libdevice.")
# What makes a whole number of a quotient: `int(i / n)` is a row as `i // n` is.
_WHOLE = ("int", "round", "math.floor", "math.ceil", "math.trunc", "numpy.floor", "numpy.ceil")
_REAL_TYPES = ("float", "complex")
_REAL_NAMES = ("math.pi", "math.e", "math.tau", "math.inf", "numpy.pi", "numpy.e", "numpy.inf")


@dataclass(frozen=True)
class RealTests:
    """The places, path and line, of branches and loops that hang on real numbers and on the thread, and those
    of subscripts whose index does, with the array's name.
    """

    branches: frozenset[tuple[str, int]] = frozenset()
    indices: frozenset[tuple[str, int, str]] = frozenset()


def real_tests(names: UnitNames, types: Sequence[str]) -> RealTests:
    """What hangs on real numbers that are others in each thread, for one typing of the parameters."""
    if names.kernel is None:
        return RealTests()
    parameters = [one.arg for one in (*names.kernel.tree.args.posonlyargs, *names.kernel.tree.args.args)]
    reals = {name for name, text in zip(parameters, types, strict=False) if _is_real(text)}
    computed = {one for each in names.functions.values() for one in _real_numbers(each, names)}
    if not reals and not computed:
        return RealTests()
    real = settled(names, computed, reals)
    branches, indices = real.branches(), real.indices()
    if not branches and not indices:
        return RealTests()
    of_threads = settled(names, _of_threads(names))
    both = of_threads.indices()
    picking = {
        (*function.place(line), node.value.id)
        for node, function in indices.items()
        if node in both and isinstance(node.value, ast.Name)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return RealTests(branches & of_threads.branches(), frozenset(picking))


def _is_real(text: str) -> bool:
    return text.startswith(_REAL_TYPES) and "[" not in text


def _real_numbers(function: UnitFunction, names: UnitNames) -> Iterable[ast.AST]:
    """The expressions of a function that are real numbers whatever they are computed of."""
    for one in below(function.tree):
        if _is_real_constant(one, names):
            yield one
        elif isinstance(one, ast.BinOp):
            if isinstance(one.op, ast.Div) and not _is_made_whole(one, function, names):
                yield one
        elif isinstance(one, ast.Call):
            name = names.dotted(one.func)
            if name not in _WHOLE and name.startswith(_REAL_FUNCTIONS):
                yield one


def _is_real_constant(node: ast.AST, names: UnitNames) -> bool:
    if isinstance(node, ast.Attribute):
        return names.dotted(node) in _REAL_NAMES
    given = names.constant(node.id) if isinstance(node, ast.Name) else node
    return isinstance(given, ast.Constant) and isinstance(given.value, float | complex)


def _is_made_whole(node: ast.AST, function: UnitFunction, names: UnitNames) -> bool:
    around = function.parents.get(node)
    while isinstance(around, ast.expr):
        if isinstance(around, ast.Call) and names.dotted(around.func) in _WHOLE:
            return True
        around = function.parents.get(around)
    return False


def _of_threads(names: UnitNames) -> Set[ast.AST]:
    """The expressions that are others in each thread of a warp."""
    return {
        one
        for function in names.functions.values()
        for one in below(function.tree)
        if (isinstance(one, ast.Call) and names.dotted(one.func) == "numba.cuda.grid")
        or (isinstance(one, ast.Attribute) and names.dotted(one).startswith(_THREADS))
    }
