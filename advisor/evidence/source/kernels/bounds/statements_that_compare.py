"""Records of statements of a kernel that do nothing: comparisons whose result nobody looks at."""

from __future__ import annotations

import ast

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record
from advisor.program.syntax.tree_nodes import below_in_scope


def statement_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each such statement of the kernel and of the functions that it calls."""
    found = []
    functions = {id(one.node): one for one in (facts.declaration, *facts.called)}
    for function in functions.values():
        for statement in below_in_scope(function.node):
            if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Compare):
                continue
            compared = statement.value
            place = Place(function.module, statement, (), ())
            record = record_at("statement", kernel, place, ast.unparse(compared.left), "comparison")
            assigns = isinstance(compared.left, ast.Name | ast.Subscript) and _asks_for_equality(compared)
            record.know("source", only_compares=True, like_assignment=assigns)
            found.append(record)
    return found


def _asks_for_equality(compared: ast.Compare) -> bool:
    return len(compared.ops) == 1 and isinstance(compared.ops[0], ast.Eq)
