"""Analyses one file at a time: its host side, then its kernels."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from advisor.evidence.source.host.evidence import host_side_records
from advisor.evidence.source.host.host_calls import find_host_calls
from advisor.evidence.source.host.universal_functions import universal_call_records
from advisor.evidence.source.kernel_walk.walk import Shown, kernel_facts
from advisor.evidence.source.kernels.kernel_records import kernel_records
from advisor.evidence.source.made_in_function import made_in_function
from advisor.evidence.source.other_files.factory_callers import factories_around
from advisor.model.compilation_unit import CompilationUnit, StatedLaunch
from advisor.model.errors import SourceProblem
from advisor.model.findings import Problem
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.records import Record
from advisor.model.text.notebooks import is_notebook
from advisor.model.text.notebooks.joined_text import cells_of
from advisor.model.text.source_text import SourceText, read_source
from advisor.model.text.syntax_recovery import SyntaxFault
from advisor.program.arrays.host_evaluator import HostValues
from advisor.program.arrays.host_values import Order
from advisor.program.arrays.launch_arguments import Extents, Given, orders_elsewhere
from advisor.program.arrays.stated_types import stated_arrays
from advisor.program.effects.device_functions import Resolver
from advisor.program.effects.same_arguments import same_arguments
from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.jit_expressions import Use
from advisor.program.launches.block_shape import BlockShape
from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.launches.launches import Launch, find_launches
from advisor.program.launches.unrecognised import JitUses, jit_uses, unseen_launches
from advisor.program.names.read_names import names_read_at
from advisor.program.names.workspace import Workspace
from advisor.program.resolution.compile_time import CompileTime
from advisor.program.resolution.factory_calls import Callers
from advisor.program.resolution.resolution import Names
from advisor.program.resolution.signatures import stated_typings
from advisor.program.syntax.file_modules import FileModules, read_modules
from advisor.program.syntax.module import NOWHERE, FunctionNode, ModuleSyntax, NamesElsewhere

Launched = Mapping[str, LaunchedAs]


@dataclass(frozen=True)
class LaunchSeen:
    """What a kernel needs of one launch; `kernels` are the keys of those that it may launch, None while only
    a name is known.
    """

    kernels: tuple[str, ...] | None
    name: str
    block: BlockShape | None
    rounded_axes: frozenset[str]
    types: tuple[str | None, ...]
    extents: tuple[Extents | None, ...] = ()
    orders: tuple[Order, ...] = ()
    given: tuple[Given, ...] = ()
    same: tuple[bool, ...] = ()
    stated: StatedLaunch | None = None
    cuts_data: bool = False


@dataclass
class FileHost:
    """The host side of one file: records of launches and host calls, and what links them to kernels.

    `text` is the file's when it has any such record or problem, or lines that are not read. `unread` are the
    lines of functions of which a part could not be read. `uses` are the places of `cuda.jit` in the file, and
    `known_uses` those anywhere that functions of it are compiled by; `unseen_launches` are lines and names of
    launches of what is imported from elsewhere. `factories` are the names of functions that make kernels by
    their parameters.
    """

    path: str
    records: list[Record] = field(default_factory=list)
    kernels: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    launches: list[LaunchSeen] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    text: str = ""
    unread: frozenset[int] = frozenset()
    uses: list[Use] = field(default_factory=list)
    known_uses: set[Use] = field(default_factory=set)
    unseen_launches: list[tuple[int, str]] = field(default_factory=list)
    factories: frozenset[str] = frozenset()


@dataclass
class FileKernels:
    """The kernels of one file: their records, the units to compile, and its text when it holds any.

    `bodies` are the texts of other files that hold functions which this one compiles.
    """

    path: str
    text: str = ""
    records: list[Record] = field(default_factory=list)
    units: list[CompilationUnit] = field(default_factory=list)
    triton_units: list[TritonUnit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    bodies: dict[str, str] = field(default_factory=dict)


def faults_of(module: ModuleSyntax) -> list[Problem]:
    """What cannot be read of a module, each place as a problem: statements, and cells of a notebook."""
    path = module.path
    cells = cells_of(module.source.text).left_out() if is_notebook(path) else []
    return [
        *(Problem(path, line, cause, column) for line, column, cause in cells),
        *faults_as_problems(path, module.faults),
    ]


def faults_as_problems(path: str, faults: Iterable[SyntaxFault]) -> list[Problem]:
    """A problem for each fault of syntax in a file."""
    return [Problem(path, fault.line, fault.message, fault.column) for fault in faults]


def _lines_of(node: FunctionNode) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _triton_records(module: ModuleSyntax, workspace: Workspace) -> list[Record]:
    if not module.mentions("triton"):
        return []
    from advisor.evidence.source.triton.evidence import (
        triton_records,  # files of Numba alone need not wait for it
    )

    return triton_records(module, workspace)


def _triton_units(module: ModuleSyntax, workspace: Workspace) -> list[TritonUnit]:
    if not module.mentions("triton"):
        return []
    from advisor.evidence.source.triton.evidence import is_for_gpus
    from advisor.evidence.source.triton.units.units import triton_units

    return triton_units(module, workspace) if is_for_gpus(module.path) else []


def _order(record: Record) -> tuple[int, int]:
    return (0, 0) if record.entity == "launch" else (record.span.line, record.span.column)


class FileAnalyser:
    """Analyses files one at a time; modules that several files import are parsed once."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root)
        self.resolver = Resolver(self.workspace)
        self.host_values = HostValues(self.workspace)
        self._launches: dict[str, list[Launch]] = {}
        self._modules: dict[str, FileModules] = {}
        self._hosted: set[str] = set()

    def host(
        self,
        file: Path,
        source: SourceText | None = None,
        elsewhere: NamesElsewhere = NOWHERE,
        *,
        with_records: bool = True,
    ) -> FileHost:
        """The host side of a file; what cannot be read or parsed of it gives problems.

        `elsewhere` are names in those parts of the file that its text leaves out. Without records it is what
        the file has to say of the kernels of others.
        """
        self._hosted.add(str(file))
        path = self.workspace.report_path(file)
        result = FileHost(source.path if source else path)
        self._launches[str(file)] = []
        try:
            text = source or read_source(file, path)
            modules = self._modules[str(file)] = read_modules(text, str(file))
            modules.own.elsewhere = elsewhere
        except SourceProblem as problem:
            result.problems.append(Problem(problem.path, problem.line, problem.message, problem.column))
            self.workspace.leave_out(file)
            return result
        result.unread = modules.own.source.unread
        self.workspace.add(modules.own)
        self.workspace.add_written(file, modules.written)
        for module in modules.every:
            launches = self._add_launches(module, result)
            if with_records:
                self._add_records(module, launches, result)
        # Launches first, then all others by their places, as a text says them part by part.
        result.records.sort(key=_order)
        if result.records or result.problems or result.unread:
            result.text = text.text
        return result

    def _add_launches(self, module: ModuleSyntax, result: FileHost) -> list[Launch]:
        """Add the kernels of one module of a file, and its launches, which are returned."""
        result.problems += faults_of(module)
        launches = self._find_launches(module)
        self._launches[module.file] += launches
        result.kernels += [(kernel.key, kernel.names) for kernel in self.kernels_of(module)]
        result.factories |= factories_around(self.resolver.declarations(module))
        uses = self.jit_uses_in(module)
        result.uses += uses.found
        result.known_uses |= {use for _, places in uses.known for use in places}
        unseen = unseen_launches(module, launches, self.workspace)
        result.unseen_launches += [(launch.node.lineno, launch.name) for launch in unseen]
        result.launches += [
            LaunchSeen(
                launch.kernel_keys,
                launch.name,
                launch.block_shape,
                launch.rounded_axes,
                launch.argument_types,
                launch.argument_extents,
                launch.argument_orders,
                launch.given_arrays,
                same_arguments(launch.arguments),
                launch.stated,
                launch.cuts_data,
            )
            for launch in launches
        ]
        return launches

    def _add_records(self, module: ModuleSyntax, launches: list[Launch], result: FileHost) -> None:
        """Add the records of the host side of one module, whose launches are known."""
        calls = find_host_calls(module, self.resolver)
        result.records += host_side_records(module, self.resolver, launches, calls, self.host_values)
        result.records += universal_call_records(module, self.host_values)
        result.records += _triton_records(module, self.workspace)

    def names_read(self, file: Path, source: SourceText | None = None) -> frozenset[str]:
        """The names that a file reads; none of one that cannot be read."""
        modules = self._modules.get(str(file))
        if modules is None:
            try:
                text = source or read_source(file, self.workspace.report_path(file))
                modules = read_modules(text, str(file))
            except SourceProblem:
                return frozenset()
        return frozenset(
            name for module in modules.every for node in ast.walk(module.tree) for name in names_read_at(node)
        )

    def array_code(self, file: Path) -> FileHost:
        """The host side of a file that names no Numba: what it does with torch and cupy."""
        result = FileHost(self.workspace.report_path(file))
        try:
            text = read_source(file, result.path)
            modules = read_modules(text, str(file))
        except SourceProblem as problem:
            result.problems.append(Problem(problem.path, problem.line, problem.message, problem.column))
            return result
        result.unread = modules.own.source.unread
        for module in modules.every:
            result.problems += faults_of(module)
            result.records += host_side_records(module, self.resolver, [], [], self.host_values)
        if result.records or result.problems:
            result.text = text.text
        return result

    def kernels(
        self, file: Path, launched: Launched, with_units: bool, callers: Callers | None = None
    ) -> FileKernels:
        """The kernels of a file, as they are launched; `callers` are files that call what makes kernels."""
        if str(file) not in self._hosted:
            self.host(file)
        modules = self._modules.get(str(file))
        if modules is None:
            return FileKernels(self.workspace.report_path(file))
        result = FileKernels(modules.own.path)
        for module in modules.every:
            for kernel in self.kernels_of(module):
                if kernel.module.path == result.path:
                    result.text = module.text
                else:
                    result.bodies[kernel.module.path] = kernel.module.text
                self.add_kernel(kernel, launched.get(kernel.key, LaunchedAs()), with_units, result, callers)
            if with_units:
                result.triton_units += _triton_units(module, self.workspace)
        if self._launches.get(str(file)) and not result.text:
            result.text = modules.own.text
        return result

    def add_kernel(
        self,
        kernel: Declaration,
        how: LaunchedAs,
        with_units: bool,
        result: FileKernels,
        callers: Callers | None = None,
    ) -> None:
        """Add what is known of one kernel to the result of its file."""
        module = kernel.module
        made = made_in_function(kernel, self.launches_in(module))
        try:
            stated = stated_typings(kernel, Names(self.workspace, self.resolver.declarations))
            stated_types, stated_orders = stated_arrays(stated, kernel.parameters)
            types = how.types_of(kernel.parameters)
            extents = how.extents_of(kernel.parameters)
            orders = (
                how.orders_of(kernel.parameters) if how.orders else orders_elsewhere(kernel, self.workspace)
            )
            shown = Shown(
                {**types, **stated_types},
                extents,
                {**orders, **stated_orders},
                how.given_of(kernel.parameters),
                how.same_of(kernel.parameters),
            )
            resolve = partial(self.resolver.resolve, time=CompileTime(module, kernel.node, None))
            facts = kernel_facts(kernel, self.workspace, resolve, shown)
            result.records += kernel_records(facts, how, made)
        except RecursionError:
            said = f"kernel `{kernel.name}` is nested too deeply to be analysed"
            result.problems.append(Problem(module.path, kernel.node.lineno, said))
            return
        if with_units and module.source.unread.isdisjoint(_lines_of(kernel.node)):
            from advisor.program.compilation_units.closure import (
                compilation_unit,  # of no use to source evidence
            )

            launchers = [self.workspace.root / path for path in dict.fromkeys(one.path for one in how.stated)]
            launches = [one.node for one in self.launches_in(module) if one.kernel is kernel]
            unit = compilation_unit(
                kernel, self.workspace, self.resolver.declarations, types, callers, launchers, launches,
                {name for name, order in orders.items() if order == "C"},
            )  # fmt: skip
            of_any_order = tuple(name for name, order in orders.items() if order in ("F", "unknown"))
            result.units.append(replace(unit, launches=tuple(how.stated), of_any_order=of_any_order))

    def _find_launches(self, module: ModuleSyntax) -> list[Launch]:
        """The launches of a module; those of Triton look alike, and say other things of blocks."""
        found = find_launches(module, self.resolver, self.host_values)
        if module.mentions("triton") and not module.mentions("numba"):
            return [launch for launch in found if launch.kernel is not None]
        return found

    def launches_in(self, module: ModuleSyntax) -> list[Launch]:
        """The launches in a module that `host` has seen."""
        return self._launches.get(module.file, [])

    def jit_uses_in(self, module: ModuleSyntax) -> JitUses:
        """The uses of `cuda.jit` in a module."""
        return jit_uses(module, self.resolver.declarations(module), self.workspace)

    def kernels_of(self, module: ModuleSyntax) -> list[Declaration]:
        """The kernels of a module in order of lines, those that it makes of another one's functions too."""
        return [declaration for declaration in self.resolver.declarations(module) if not declaration.device]
