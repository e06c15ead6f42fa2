"""The records of Triton in one module: its kernels with what stands in them, its launches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from advisor.evidence.source.triton.kernels.kernel_records import is_elementwise, triton_kernel_records
from advisor.evidence.source.triton.launches.launch_records import launch_records
from advisor.evidence.source.triton.launches.launches import TritonLaunch, find_triton_launches
from advisor.evidence.source.triton.record_making import record_at
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.model.records import Record
from advisor.program.kernels.declarations import called_names, launched_in
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax

# Accelerators whose dialects of Triton have other limits than that for GPUs.
_OTHER_HARDWARE = frozenset({
    "ascend", "npu", "cambricon", "mlu", "kunlunxin", "tsingmicro", "enflame", "gcu", "aipu",
    "spacemit", "sunrise",
})  # fmt: skip
_MAKES = frozenset({"empty_like", "empty", "zeros_like", "zeros", "cdiv", "numel", "next_power_of_2"})


def triton_records(module: ModuleSyntax, workspace: Workspace) -> list[Record]:
    """The records of a module that names Triton, in order of lines; none of any other.

    What belongs to a place depends on nothing but what its top-level statement names, so that a text of
    which only some statements are known says the same of them.
    """
    if not module.mentions("triton") or not is_for_gpus(module.path):
        return []
    reader = TritonReader(workspace)
    if not reader.names(module).used and not module.imports:
        return []
    functions = [one for one in reader.functions(module) if not _is_refused(one.node, module)]
    called, launched = _called(module), launched_in(module.calls) | module.elsewhere.launched
    found: list[Record] = []
    for function in functions:
        calls = function.name in called
        launches = True if function.name in launched else False if calls else None
        found += triton_kernel_records(reader.notes(function), launches, calls)
    found += _host_records(module, reader)
    found.sort(key=lambda one: (one.span.line, one.span.column))
    return found


def is_for_gpus(path: str) -> bool:
    """Whether a file lies in no folder named after an accelerator that is no GPU."""
    words = {word for part in path.lower().split("/")[:-1] for word in re.split(r"[^a-z]+", part)}
    return words.isdisjoint(_OTHER_HARDWARE)


def _is_refused(node: ast.AST, module: ModuleSyntax) -> bool:
    """Whether a test that wants an error holds a kernel or a launch: what is wrong there is meant."""
    tests = [one for one in module.scopes(node) if isinstance(one, ast.FunctionDef) and one is not node]
    return any(
        isinstance(inner, ast.With)
        and any(
            isinstance(item.context_expr, ast.Call)
            and ast.unparse(item.context_expr.func) in ("pytest.raises", "raises", "self.assertRaises")
            for item in inner.items
        )
        for one in tests
        for inner in ast.walk(one)
    )


def _called(module: ModuleSyntax) -> frozenset[str]:
    """The names that functions with decorators call, as parts of a text tell them of each other."""
    found = [called_names(one) for one in module.functions if one.decorator_list]
    return module.elsewhere.called.union(*found)


def _host_records(module: ModuleSyntax, reader: TritonReader) -> Iterator[Record]:
    launches = [one for one in find_triton_launches(module, reader) if not _is_refused(one.node, module)]
    for launch in launches:
        yield from launch_records(launch, reader)
    for pair in find_pairs(module, launches, reader):
        yield record_at(
            module,
            "triton_pair",
            pair.second.node.func,
            pair.second.kernel.name,
            None,
            {
                "first": pair.first.kernel.name,
                "second": pair.second.kernel.name,
                "array": pair.array,
                "same_grid": pair.same_grid,
                "in_test_or_benchmark": bool(pair.second.context and pair.second.context.timed),
            },
        )


@dataclass(frozen=True)
class LaunchPair:
    """Two launches, the second of which loads what the first stores; `array` is the host's name for it."""

    first: TritonLaunch
    second: TritonLaunch = field(repr=False)
    array: str
    same_grid: bool


def find_pairs(
    module: ModuleSyntax, launches: Sequence[TritonLaunch], reader: TritonReader
) -> Iterator[LaunchPair]:
    """The pairs of launches of elementwise kernels that follow each other in one block of statements."""
    statements = {
        id(parent): one for one in launches if isinstance(parent := module.parents.get(one.node), ast.Expr)
    }
    seen = set[int]()
    for launch in launches:
        statement = module.parents.get(launch.node)
        block = module.block_of(statement) if isinstance(statement, ast.Expr) else []
        if not block or id(block) in seen:
            continue
        seen.add(id(block))
        yield from _pairs(block, statements, reader)


def _pairs(
    block: list[ast.stmt], launches: dict[int, TritonLaunch], reader: TritonReader
) -> Iterator[LaunchPair]:
    before: TritonLaunch | None = None
    for statement in block:
        launch = launches.get(id(statement))
        if launch is None:
            before = before if _only_prepares(statement) else None
            continue
        if not is_elementwise(reader.notes(launch.kernel)):
            before = None
            continue
        array = _handed_on(before, launch, reader) if before is not None else None
        if before is not None and array is not None:
            yield LaunchPair(before, launch, array, before.grid_text == launch.grid_text)
        before = launch


def _only_prepares(statement: ast.stmt) -> bool:
    """Whether a statement between two launches does no more than to make arrays and sizes."""
    if not isinstance(statement, ast.Assign):
        return False
    return all(
        isinstance(one.func, ast.Attribute) and one.func.attr in _MAKES
        for one in ast.walk(statement)
        if isinstance(one, ast.Call)
    )


def _handed_on(first: TritonLaunch, second: TritonLaunch, reader: TritonReader) -> str | None:
    """The array that the first kernel stores and the second loads."""
    stored = {one.address.pointer for one in reader.notes(first.kernel).accesses if one.kind == "store"}
    loaded = {one.address.pointer for one in reader.notes(second.kernel).accesses if one.kind == "load"}
    given = {ast.unparse(node) for name, node in first.given.items() if name in stored}
    for name, node in second.given.items():
        if name in loaded and isinstance(node, ast.Name) and node.id in given:
            return node.id
    return None
