"""Records of tests whose parts are joined so that they always hold or always fail: `n == 2 and n == 3`."""

from __future__ import annotations

import ast
from itertools import combinations
from typing import Literal

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place
from advisor.evidence.source.kernels.bounds.range_tests import range_test_outcome, written_number
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope
from advisor.program.syntax.written_code import as_written

Outcome = Literal["holds", "fails"]
# Functions that give the same number each time.
_SAME_EACH_TIME = frozenset({"abs", "len", "int", "float", "min", "max"})


def joined_test_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each `and` and `or` of the kernel and of the functions that it calls.

    Of a range test in the head of a branch the branch's own record says it.
    """
    found = []
    for function in {id(one.node): one for one in (facts.declaration, *facts.called)}.values():
        for node in below_in_scope(function.node):
            if isinstance(node, ast.BoolOp):
                record = record_at(
                    "test", kernel, Place(function.module, node, (), ()), ast.unparse(node), "test"
                )
                record.know("source", always=_outcome(node, function.module) or "decides")
                found.append(record)
    return found


def _outcome(test: ast.BoolOp, module: ModuleSyntax) -> Outcome | None:
    """What equalities with numbers let a test always do, or a range test outside of the head of a branch."""
    joins_all = isinstance(test.op, ast.And)
    equal: type[ast.cmpop] = ast.Eq if joins_all else ast.NotEq
    asked = [one for value in test.values if (one := _asked(value, equal, module)) is not None]
    if any(a == b and x != y for (a, x), (b, y) in combinations(asked, 2)):
        return "fails" if joins_all else "holds"
    return None if _heads_a_branch(test, module) else _range_outcome(test, module)


def _asked(test: ast.expr, equal: type[ast.cmpop], module: ModuleSyntax) -> tuple[object, float] | None:
    """What a comparison compares with a number, and the number."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], equal):
        return None
    for tested, bound in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
        number = written_number(bound)
        if number is not None and _is_same_each_time(tested, module):
            return as_written(tested), number
    return None


def _range_outcome(test: ast.BoolOp, module: ModuleSyntax) -> Outcome | None:
    return range_test_outcome(test, module) if _is_same_each_time(test, module) else None


def _heads_a_branch(test: ast.BoolOp, module: ModuleSyntax) -> bool:
    node: ast.AST = test
    above = module.parents.get(node)
    while isinstance(above, ast.expr):
        if isinstance(above, ast.IfExp):
            return False
        node, above = above, module.parents.get(above)
    return isinstance(above, ast.If | ast.While) and above.test is node


def _is_same_each_time(node: ast.AST, module: ModuleSyntax) -> bool:
    """Whether a second look at an expression gives the same value: it calls nothing that may draw numbers."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    names = [module.dotted(one.func) or "" for one in calls]
    return all(name in _SAME_EACH_TIME or name.startswith("math.") for name in names)
