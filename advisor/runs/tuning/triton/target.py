"""The Triton kernel whose configurations are ranked: its place, its constants, what launches it."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.check.pipeline import gather
from advisor.evidence.metrics.tables import Table
from advisor.evidence.simulated.launches.workloads import WorkloadFunction, find_workloads
from advisor.model.errors import AdvisorError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.workspace_files import workspace_files
from advisor.model.text.source_text import read_source
from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.syntax.calls import last_name
from advisor.runs.verification.recorded_programs import RecordedProgram, RecordedPrograms


@dataclass(frozen=True)
class TritonTarget:
    """A Triton kernel, by its file from the working directory, and what runs it.

    `constants` are its parameters that are `tl.constexpr`, `tuned` says that it stands below
    `@triton.autotune`. It is launched by `workloads` of its file or of those that launch it, or by a recorded
    `program`.
    """

    path: str
    kernel: str
    line: int
    constants: tuple[str, ...]
    tuned: bool
    workloads: tuple[WorkloadFunction, ...]
    program: RecordedProgram | None


def triton_target(path: Path, kernel: str, options: CheckOptions) -> TritonTarget | None:
    """The Triton kernel called `kernel` in a file, None where the file has none of this name.

    Raises AdvisorError where nothing is known that launches it.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links
    shown = os.path.relpath(path, options.root).replace(os.sep, "/")
    text = read_source(path, shown).text
    if "triton" not in text:
        return None
    files = _naming_files(path, kernel, options.root)
    tables, _, _ = gather([path, *files], options)
    table = tables.get("triton_kernel")
    row = _row(table, shown, kernel)
    if table is None or row is None:
        return None
    line = table.spans[row].line
    workloads = _workloads([shown, *(os.path.relpath(file, options.root) for file in files)], options.root)
    program = None if workloads else _program(kernel, path, options)
    return TritonTarget(
        path=shown,
        kernel=kernel,
        line=line,
        constants=_constants(text, line, kernel),
        tuned=bool(_value(table, "tuned", row)),
        workloads=workloads,
        program=program,
    )


def _row(table: Table | None, path: str, kernel: str) -> int | None:
    if table is None:
        return None
    found = [
        row
        for row, (label, file) in enumerate(zip(table.labels, table.paths, strict=True))
        if file == path and label == kernel
    ]
    return found[0] if len(found) == 1 else None


def _value(table: Table, name: str, row: int) -> float:
    column = table.columns.get(name)
    return float(column.values[row]) if column is not None and column.source(row) is not None else 0.0


def _naming_files(path: Path, kernel: str, root: Path) -> list[Path]:
    """The other files of the workspace that name the kernel and so may launch it."""
    name = kernel.rpartition(".")[2].encode()
    return [file for file in workspace_files([path], root) if file != path and name in _bytes(file)]


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _workloads(paths: Sequence[str], root: Path) -> tuple[WorkloadFunction, ...]:
    """The workloads of the first of the files that has any."""
    for path in paths:
        found = find_workloads(path, read_source(root / path, path).text)
        if found:
            return tuple(found)
    return ()


def _program(kernel: str, path: Path, options: CheckOptions) -> RecordedProgram:
    """The recorded program that launches the kernel; raises AdvisorError where there is none."""
    root = options.settings.root
    own = os.path.relpath(path, root).replace(os.sep, "/")
    found = RecordedPrograms(root).launching(kernel, [own])
    if isinstance(found, RecordedProgram):
        return found
    reason = f" {found[0].upper()}{found[1:]}." if found else ""
    raise AdvisorError(
        f"nothing is known that launches {kernel}: write a function `def workload():` beside it that calls "
        f"it with data of the usual size, or record a program with `advisor run`.{reason}"
    )


def _constants(text: str, line: int, kernel: str) -> tuple[str, ...]:
    """The parameters that are annotated as `tl.constexpr`."""
    name = kernel.rpartition(".")[2]
    nodes = ast.walk(syntax_tree(text))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name]
    nearest = min(functions, key=lambda one: abs(one.lineno - line), default=None)
    return tuple(_constexpr(nearest)) if nearest is not None else ()


def _constexpr(function: ast.FunctionDef) -> Iterable[str]:
    given = function.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        if one.annotation is not None and last_name(one.annotation) == "constexpr":
            yield one.arg
