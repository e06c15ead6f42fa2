"""Prints where launches that are made up differ from those of a workload's own sizes, as JSON.

    true_and_made_up.py NAME

Of the workload it knows the kernels' code and blocks, as a check does of a program that launches them.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.driver import device_properties, install
from advisor.evidence.simulated.launches.outcome import Outcome
from advisor.evidence.simulated.launches.readings.line_readings import line_readings
from advisor.evidence.simulated.launches.simt_executor import Limits as LaunchLimits
from advisor.evidence.simulated.launches.simt_executor import SimtExecutor
from advisor.evidence.simulated.synthesis.request import KnownLaunch, Limits, Request
from advisor.evidence.simulated.synthesis.synthesise import synthesise
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import find_device
from advisor.model.machine_code.kernel_code import KernelCode, ParameterSlot
from advisor.program.compilation_units.closure import compilation_unit
from advisor.program.index_relations.index_relations import index_relations
from advisor.program.kernels.declarations import find_declarations
from advisor.program.names.workspace import Workspace

ROOT = Path(__file__).resolve().parents[4]
WITHIN = 0.1


class Watched(SimtExecutor):
    """Runs launches, in parts of their grids, and keeps the PTX of each."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[str, str, Outcome]] = {}
        self._ptx = ("", "")
        limits = LaunchLimits(threads=1, detailed_lanes=0, sample_lanes=400_000)
        super().__init__(find_device("A100"), self._keep, limits)

    def launch(self, ptx: str, kernel: str, *rest: Any) -> Any:
        self._ptx = (ptx, kernel)
        return super().launch(ptx, kernel, *rest)

    def _keep(self, outcome: Outcome) -> None:
        self.seen.setdefault(outcome.note.function, (*self._ptx, outcome))


def unit_of(path: str, kernel: str) -> CompilationUnit:
    """The unit of a kernel in a file."""
    workspace = Workspace(ROOT)
    module = workspace.module(Path(path))
    assert module is not None
    declaration = next(one for one in find_declarations(module, workspace) if one.name == kernel)
    return compilation_unit(declaration, workspace, lambda one: find_declarations(one, workspace))


def request_of(ptx: str, entry: str, outcome: Outcome) -> Request:
    """What is asked about a kernel of which the source states the types and the block."""
    note = outcome.note
    slots = tuple(
        ParameterSlot(one.name, "array", one.dtype, len(one.shape), "C")
        if one.shape is not None
        else ParameterSlot(one.name, "scalar", one.type)
        for one in note.arguments
    )
    types = tuple(
        f"{one.dtype}[{', '.join([':'] * (slot.ndim - 1) + ['::1'])}]" if slot.kind == "array" else one.type
        for one, slot in zip(note.arguments, slots, strict=True)
    )
    code = KernelCode(note.function, ptx, entry, slots, types)
    relations = index_relations(unit_of(str(note.file), note.function), types)
    branches = frozenset((str(ROOT / path), line) for path, line in relations.data_branches)
    launch = KnownLaunch(block=note.block)
    limits = Limits(60.0, 1 << 31, 20_000)
    relations = replace(relations, data_branches=branches)
    return Request(note.function, (code,), relations, launch, ((str(note.file), 1),), limits)


def differences(ptx: str, entry: str, outcome: Outcome) -> tuple[int, list[str]]:
    """How many values of accesses are published, and those that are not the true launch's."""
    found = synthesise(request_of(ptx, entry, outcome))
    assert not found.unknown, found.unknown
    assert outcome.statistics is not None
    readings = line_readings(found.kernel, outcome.statistics, (), lambda path, line: (path, line), ())
    true = {(one.entity, one.path, one.line, one.array, one.kind): one for one in readings}
    published, wrong = 0, []
    for line in found.lines:
        reading = true.get((line.entity, line.path, line.line, line.array, line.kind))
        for metric, value in line.values.items():
            seen = reading.values.get(metric) if reading is not None else None
            if line.entity == "branch" or seen is None or value is None:
                continue
            published += 1
            least, most = float(value), line.most.get(metric, float(value))
            if not least * (1 - WITHIN) <= float(seen) <= most * (1 + WITHIN):
                place = f"{found.kernel}:{line.line} {line.array} {line.kind}"
                wrong.append(f"{place} {metric}: {least:g} to {most:g}, not {float(seen):g}")
    return published, wrong


def main(name: str) -> None:
    warnings.simplefilter("ignore")
    machine = Watched()
    install(machine, device_properties(find_device("A100")))
    workload = importlib.import_module(f"kernels.{name}").WORKLOAD
    for run in (workload.run_first, workload.run_improved):
        run(workload.make_inputs("full"))
    print(json.dumps({name: differences(*one) for name, one in machine.seen.items()}))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(*sys.argv[1:])
