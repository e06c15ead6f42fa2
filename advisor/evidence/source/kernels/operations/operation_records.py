"""Records of a kernel's costly operations, and which of them threads repeat that could share the result."""

from __future__ import annotations

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, OperationUse
from advisor.evidence.source.kernels.operations.compared_quotients import only_compared
from advisor.evidence.source.kernels.operations.recomputed_functions import inner_iterations, is_recomputed
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record

_THREADS = ("tid.x", "tid.y", "tid.z")
_COSTLY = frozenset({"call", "power", "true_divide"})


def operation_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each power, division and call of a costly function."""
    repeated = repeated_work(facts)
    found = []
    for operation in facts.operations:
        if operation.constant_operands:
            continue
        record = record_at("operation", kernel, operation.place, operation.name, operation.operator)
        innermost = operation.place.loops[-1].counter if operation.place.loops else None
        record.know(
            "source",
            operator=operation.operator,
            name=operation.name,
            exponent=operation.operands.exponent,
            same_exponent=_unless_unknown(operation.operands.same_exponent, facts),
            divisor=operation.operands.divisor,
            integer_operands=operation.operands.integers,
            loop_depth=len(operation.place.loops),
            lane_dependent=any(name in operation.depends for name in _THREADS),
            feeds_index=operation.result in facts.index_atoms if operation.result else None,
            truncated=operation.truncated,
            only_compared=only_compared(operation),
            base=operation.operands.base,
            wraps=operation.operands.wraps,
            repeated_work=repeated.get(id(operation)),
            loop_invariant=None if innermost is None else innermost not in operation.depends,
            recomputed=is_recomputed(operation, facts),
            inner_iterations=inner_iterations(operation, facts),
            same_for_all_threads=_unless_unknown(not _axes(operation), facts),
        )
        found.append(record)
    return found


def _unless_unknown(same: bool | None, facts: KernelFacts) -> bool | None:
    """Whether all threads have the same value; not known where a function may give the thread's position."""
    return None if same and facts.calls_unknown else same


def repeated_work(facts: KernelFacts) -> dict[int, float]:
    """How many costly operations a statement has that follow some of the grid's axes but not all, by the id
    of the last of them: threads along the other axes repeat each.
    """
    used = frozenset(facts.thread_dimensions)
    if len(used) < 2:
        return {}
    statements: dict[int, list[OperationUse]] = {}
    for operation in facts.operations:
        if operation.operator in _COSTLY and not _is_cheap(operation):
            statement = operation.place.module.statement_of(operation.place.node)
            statements.setdefault(id(statement), []).append(operation)
    found = {}
    for operations in statements.values():
        axes = frozenset().union(*(_axes(one) for one in operations))
        if axes and axes < used:
            found[id(operations[-1])] = float(len(operations))
    return found


def _is_cheap(operation: OperationUse) -> bool:
    """Whether an operation is folded, or a few multiplications."""
    return (
        operation.constant_operands
        or operation.operands.exponent == "integer literal"
        or (operation.operator == "true_divide" and operation.operands.divisor != "runtime")
    )


def _axes(operation: OperationUse) -> frozenset[str]:
    return frozenset(name[-1] for name in operation.depends if name.startswith(("tid.", "bid.")))
