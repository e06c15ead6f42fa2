"""The units of a module: its Triton kernels, each with launches that are made up for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.launches.launches import TritonLaunch, find_triton_launches
from advisor.evidence.source.triton.units.plans import NotPlanned, planned
from advisor.evidence.source.triton.units.unit_text import NotSelfContained, unit_functions
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.model.machine_code.triton_unit import TritonFunctionText, TritonUnit
from advisor.program.kernels.declarations import called_names
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax


def triton_units(module: ModuleSyntax, workspace: Workspace) -> list[TritonUnit]:
    """The units of the kernels in a module, in order of lines, then of those that it launches from others.

    A function that others call and that nothing here launches is none.
    """
    reader = TritonReader(workspace)
    launches: dict[str, list[TritonLaunch]] = {}
    for one in find_triton_launches(module, reader):
        launches.setdefault(one.kernel.key, []).append(one)
    functions = reader.functions(module)
    elsewhere = {some[0].kernel.key: some[0].kernel for some in launches.values()}
    functions += [one for key, one in elsewhere.items() if one.module is not module]
    called = frozenset[str]().union(*(called_names(one) for one in module.functions if one.decorator_list))
    return [
        _unit(one, launches.get(one.key, []), reader)
        for one in functions
        if one.key in launches or one.name not in called | module.elsewhere.called
    ]


def chosen_units(units: Iterable[TritonUnit], paths: Collection[str]) -> list[TritonUnit]:
    """One unit for each kernel in some files: one that follows a launch, where a module has one."""
    found: dict[str, TritonUnit] = {}
    for one in units:
        before = found.get(one.kernel)
        if one.path in paths and (before is None or (one.plans and not (before.plans and before.where))):
            found[one.kernel] = one
    return list(found.values())


def _unit(kernel: TritonFunction, launches: list[TritonLaunch], reader: TritonReader) -> TritonUnit:
    node, module = kernel.node, kernel.module
    unknown, found = "", None
    functions: tuple[TritonFunctionText, ...] = ()
    try:
        functions = unit_functions(kernel, reader)
        found = planned(kernel, launches, reader)
    except (NotSelfContained, NotPlanned) as problem:
        unknown = str(problem)
    except RecursionError:
        unknown = "The kernel is nested too deeply."
    return TritonUnit(
        kernel.key, module.path, kernel.name, node.lineno, functions, kernel.parameters,
        found.plans if found else (), found.where if found else "", found.assumptions if found else (),
        found.types if found else ("fp32", "fp16"), unknown,
    )  # fmt: skip
