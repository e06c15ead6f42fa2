"""What is tuned: a kernel, its launches, the workloads that reach it, the numbers that can be changed."""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.check.pipeline import gather
from advisor.evidence.metrics.tables import Table
from advisor.evidence.simulated.launches.workloads import WorkloadFunction, find_workloads
from advisor.fixes.known_facts import Row
from advisor.fixes.place import Modules
from advisor.fixes.support.edits.source_module import SourceModule
from advisor.fixes.support.launches.launch_sites import LaunchSite, launch_site
from advisor.model.errors import AdvisorError, SourceProblem, UsageError
from advisor.model.records import Value
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.selectors import suggestion
from advisor.model.settings.workspace_files import workspace_files
from advisor.model.text.source_text import SourceText, read_source
from advisor.model.text.syntax_trees import syntax_tree
from advisor.program.syntax.module import FunctionNode
from advisor.runs.tuning.slots.block_slots import BlockSlots, block_slots, grid_slots
from advisor.runs.tuning.slots.numbers_in_source import AnySlot, RegisterSlot, Slot
from advisor.runs.tuning.slots.register_slot import register_slot
from advisor.runs.tuning.slots.tile_slots import tile_slots

_GRID_STRIDE = ("gridsize", "gridDim")
_BLOCK_METRICS = ("block_x", "block_y", "block_z")


@dataclass(frozen=True)
class Target:
    """A kernel to be tuned. `texts` are the files that an edit may touch, by path from the working directory;
    `slots` the numbers that can be changed, `tiles` those that are neither the block nor a limit of
    registers; `notes` say what cannot be changed, and why.
    """

    path: str
    kernel: str
    line: int
    texts: dict[str, str]
    workloads: tuple[WorkloadFunction, ...]
    block: BlockSlots
    tiles: tuple[Slot, ...]
    registers: RegisterSlot | None
    notes: tuple[str, ...]

    @property
    def slots(self) -> tuple[AnySlot, ...]:
        """All numbers that can be changed, each once."""
        found: dict[str, AnySlot] = {slot.name: slot for slot in (*self.block.axes, *self.tiles)}
        if self.registers is not None:
            found[self.registers.name] = self.registers
        return tuple(found.values())


def find_target(path: Path, kernel: str, options: CheckOptions) -> Target:
    """The kernel called `kernel` in a file, with all that a search has to know.

    Raises UsageError for a kernel that the file does not have, SourceProblem for a file that cannot be
    parsed, and AdvisorError where no workload is found or launches contradict each other.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links
    shown = _shown(path, options.root)
    _check_syntax(read_source(path, shown))
    tables, _, _ = gather([path, *_launching_files(path, kernel, options.root)], options)
    number = _kernel_number(tables.get("kernel"), shown, kernel)
    kernels, launches = tables["kernel"], tables.get("launch")
    span = kernels.spans[number]
    rows = _launch_rows(launches, number) if launches is not None else []
    notes = [
        f"{row.path}:{row.span.line} launches it too; as a test it is left as it is."
        for row in rows
        if row.values.get("in_test_or_benchmark")
    ]
    rows = [row for row in rows if not row.values.get("in_test_or_benchmark")]
    _check_agreement(kernel, rows)
    texts = _texts([shown, *(row.path for row in rows)], options.root)
    modules = Modules(texts)
    module, function = _function(modules, shown, span.line, span.column)
    sites = [_site(modules, row) for row in rows]
    paths, any_grid = [row.path for row in rows], _is_grid_stride(module, function)
    block = _block(sites, paths, any_grid)
    if block.reason:
        notes.append(f"The block is not searched: {block.reason}.")
    read = [site for site in sites if site is not None]
    tiles = tile_slots(module, shown, function, read)
    if any_grid and len(read) == len(sites):
        tiles += grid_slots(read, paths)
    own_spots = {spot for slot in block.axes for spot in slot.spots}
    return Target(
        path=shown,
        kernel=kernel,
        line=span.line,
        texts=texts,
        workloads=_workloads(kernel, texts),
        block=block,
        tiles=tuple(slot for slot in tiles if not own_spots & set(slot.spots)),
        registers=register_slot(module, shown, function),
        notes=tuple(notes),
    )


def _check_syntax(source: SourceText) -> None:
    """Raise SourceProblem for a text that is no Python."""
    try:
        syntax_tree(source.text)
    except SyntaxError as error:
        raise SourceProblem(source.path, error.lineno or 1, f"cannot be parsed: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise SourceProblem(source.path, 1, f"cannot be parsed: {error}") from None


def _launching_files(path: Path, kernel: str, root: Path) -> list[Path]:
    """The other files of the workspace that name the kernel and so may launch it."""
    name = kernel.rpartition(".")[2].encode()
    found = []
    for file in workspace_files([path], root):
        with contextlib.suppress(OSError):
            if name in file.read_bytes():
                found.append(file)
    return found


def _shown(path: Path, root: Path) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


def _kernel_number(kernels: Table | None, path: str, name: str) -> int:
    here = [n for n, at in enumerate(kernels.paths) if at == path] if kernels is not None else []
    if kernels is None or not here:
        raise UsageError(f"{path} has no kernel.")
    labels = [_qualified_name(kernels.keys[number]) for number in here]
    found = [number for number, label in zip(here, labels, strict=True) if label == name]
    if len(found) > 1:
        raise UsageError(f"{path} has {len(found)} kernels called {name}.")
    if not found:
        listed = ", ".join(labels)
        raise UsageError(f"{path} has no kernel `{name}`.{suggestion(name, labels)} Its kernels: {listed}.")
    return found[0]


def _qualified_name(key: str) -> str:
    """The qualified name in a kernel's key (see `kernel_key`)."""
    return key.partition("::")[2].rpartition("@")[0]


def _launch_rows(launches: Table, kernel: int) -> list[Row]:
    found = []
    for number in range(len(launches)):
        if launches.owners[number] != kernel:
            continue
        values: dict[str, Value] = {}
        for metric in (*_BLOCK_METRICS, "in_test_or_benchmark"):
            column = launches.columns.get(metric)
            if column is not None and column.source(number) is not None:
                values[metric] = float(column.values[number])
        found.append(Row(launches.labels[number], launches.paths[number], launches.spans[number], values))
    return found


def _check_agreement(kernel: str, rows: Sequence[Row]) -> None:
    """Raise AdvisorError where two launches are known to have other blocks."""
    places: dict[tuple[Value | None, ...], str] = {}
    for row in rows:
        block = tuple(row.values.get(metric) for metric in _BLOCK_METRICS)
        if None not in block:
            places.setdefault(block, f"{row.path}:{row.span.line} with {_product(block)}")
    if len(places) > 1:
        raise AdvisorError(
            f"{kernel} is launched with blocks that contradict each other: {', '.join(places.values())}. "
            "One block for all launches is needed to search for a better one."
        )


def _product(block: Iterable[Value | None]) -> str:
    threads = [f"{one:.0f}" for one in block if isinstance(one, float)]
    while len(threads) > 1 and threads[-1] == "1":
        threads.pop()
    return " x ".join(threads)


def _texts(paths: Iterable[str], root: Path) -> dict[str, str]:
    return {path: read_source(root / path, path).text for path in dict.fromkeys(paths)}


def _function(modules: Modules, path: str, line: int, column: int) -> tuple[SourceModule, FunctionNode]:
    module = modules.get(path)
    function = module.function_around(module.offset(line, column - 1)) if module is not None else None
    if module is None or function is None:
        raise SourceProblem(path, line, "cannot be parsed")
    return module, function


def _site(modules: Modules, row: Row) -> LaunchSite | None:
    module = modules.get(row.path)
    return launch_site(module, row) if module is not None else None


def _is_grid_stride(module: SourceModule, kernel: FunctionNode) -> bool:
    """Whether the kernel asks how large the grid is, as loops do that cover their data with any grid."""
    return any(one.attr in _GRID_STRIDE for one in module.nodes_in(ast.Attribute, kernel))


def _block(sites: Sequence[LaunchSite | None], paths: Sequence[str], grid_stride: bool) -> BlockSlots:
    read = [site for site in sites if site is not None]
    if len(read) < len(sites):
        return BlockSlots((), (), "one of its launches is not written as kernel[grid, block](…)")
    return block_slots(read, paths, grid_stride)


def _workloads(kernel: str, texts: dict[str, str]) -> tuple[WorkloadFunction, ...]:
    """The workloads of the kernel's file, else those of the files that launch it."""
    for path, text in texts.items():
        found = find_workloads(path, text)
        if found:
            return tuple(found)
    first = next(iter(texts))
    raise AdvisorError(
        f"{first} has no workload that launches {kernel}. Write a function `def workload():` there that "
        "calls it with data of the usual size."
    )
