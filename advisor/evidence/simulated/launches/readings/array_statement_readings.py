"""What statements let an array library do in their latest run, told at the statements as they stand now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import fields

from advisor.evidence.simulated.launches.recording.statement_text import Statement, statements
from advisor.evidence.simulated.launches.store import ArrayStatementRow, StatementCounts
from advisor.model.records import LineReading, Record
from advisor.model.text.syntax_trees import syntax_tree

# Of one evaluation the most counts, of the others the sum.
_MOST = frozenset({"intermediates", "elementwise", "elements"})


def array_statement_records(
    path: str, text: str, recorded: str, rows: Sequence[ArrayStatementRow], assumption: str
) -> Iterator[Record]:
    """Records of the statements of one file, `recorded` in a run under another name; `rows` are all of the
    run.

    A statement whose text has changed since is left out; of equal ones the nearest is meant.
    """
    whole = _together([one.counts for one in rows])
    standing: dict[str, list[Statement]] = {}
    for one in dict.fromkeys(statements(text).values()):
        standing.setdefault(one.text_hash, []).append(one)
    if not standing:
        return
    found: dict[Statement, list[StatementCounts]] = {}
    for row in rows:
        if row.path == recorded and row.text_hash in standing:
            here = min(standing[row.text_hash], key=lambda one: abs(one.span.line - row.line))
            found.setdefault(here, []).append(row.counts)
    functions = _functions(text)
    groups: dict[int, list[StatementCounts]] = {}
    for one, counts in found.items():
        groups.setdefault(functions.get(one.span.line, 0), []).extend(counts)
    for one, counts in sorted(found.items(), key=lambda item: item[0].span.line):
        function = _together(groups[functions.get(one.span.line, 0)])
        key = f"{path}:{one.span.line}:array_statement"
        record = Record("array_statement", key, path, one.span, "statement")
        record.know("simulated", (assumption,), **_readings(_together(counts), function, whole))
        yield record


def counted_lines(statement: Record) -> Iterator[LineReading]:
    """What the source's records at the lines of a statement learn: that operations or reads were counted."""
    reads, launches = statement.value("reads"), statement.value("launches")
    numbers = {"synchronisation": reads, "transfer": reads, "expression": launches}
    for line in range(statement.span.line, statement.span.end_line + 1):
        for entity, number in numbers.items():
            if number:
                yield LineReading(entity, "", statement.path, line, "", "", "", {"counted": True})


def _readings(
    counts: StatementCounts, function: StatementCounts, whole: StatementCounts
) -> dict[str, float | None]:
    return {
        "evaluations": counts.evaluations,
        "launches": counts.launches,
        "elementwise": counts.elementwise,
        "intermediates": counts.intermediates,
        "elements": counts.elements,
        "intermediate_share": _share(counts.intermediate_bytes, counts.elementwise_bytes),
        "bytes_share": _share(counts.bytes, whole.bytes),
        "function_bytes_share": _share(function.bytes, whole.bytes),
        "function_launches_share": _share(function.launches, whole.launches),
        "reads": counts.reads,
        "launches_for_each_read": _share(counts.launches_before_reads, counts.reads),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _together(counts: Sequence[StatementCounts]) -> StatementCounts:
    found = StatementCounts()
    for one in fields(StatementCounts):
        values = [getattr(each, one.name) for each in counts]
        setattr(found, one.name, max(values, default=0) if one.name in _MOST else sum(values))
    return found


def _functions(text: str) -> dict[int, int]:
    """The line of the `def` of the innermost function around each line that is in one."""
    found: dict[int, int] = {}
    for node in ast.walk(syntax_tree(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update(dict.fromkeys(range(node.body[0].lineno, (node.end_lineno or 0) + 1), node.lineno))
    return found
