"""Sets estimated machine instructions beside those that the assembler makes, of published and own kernels.

    python benchmarks/published/machine_instructions.py

The estimate is that of `advisor/evidence/simulated/simt/machine_code`, from the PTX alone. The machine code
is nvJitLink's for compute capability 8.0, read with nvdisasm, without subroutines for divisions that are
seldom called; loops are kept from being unrolled, so that both sides count each loop once. Prints Markdown.
"""

from __future__ import annotations

import importlib
import math
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

_LABEL = re.compile(r"^(\$L__BB\w+:)$", re.MULTILINE)
_CAPABILITY = (8, 0)


def main() -> None:
    """Print the table."""
    print("| kernel | machine code | by instruction | in context |\n|---|---:|---:|---:|")
    rows: list[tuple[int, int, int]] = []
    for name, (ptx, kernel) in _kernels().items():
        rows.append((_machine_code(ptx), *_estimates(ptx, kernel)))
        print(f"| {name} | {' | '.join(map(str, rows[-1]))} |")
    print()
    for place, what in ((1, "by instruction"), (2, "in context")):
        print(f"{what}: {_said([row[place] / row[0] for row in rows])}")


def _said(ratios: Sequence[float]) -> str:
    error = statistics.median(math.exp(abs(math.log(one))) - 1.0 for one in ratios)
    mean = statistics.geometric_mean(ratios)
    return f"geometric mean {mean:.2f} of the machine code, median error {error * 100:.0f}%"


def _kernels() -> dict[str, tuple[str, str]]:
    """The PTX and the name of each kernel, by a name to print."""
    from published_kernels import WORKLOADS
    from simulated_gpu import machine

    from advisor.evidence.simulated.launches.simt_executor import Limits

    executor, _ = machine()
    executor._limits = Limits(sample_lanes=1)
    found: dict[tuple[str, str], str] = {}
    for workload, make in WORKLOADS.items():
        for name, (kernel, grid, block, arguments) in make().items():
            before = set(executor._kernels)
            kernel[grid, block](*arguments)
            found.update(dict.fromkeys(set(executor._kernels) - before, f"{workload} {name}"))
    for name, run in _workloads():
        before = set(executor._kernels)
        run()
        found.update(dict.fromkeys(set(executor._kernels) - before, name))
    return {name: key for key, name in found.items()}


def _workloads() -> Iterator[tuple[str, Any]]:
    from kernels.workload import Workload

    for file in sorted((HERE.parents[1] / "kernels").glob("*.py")):
        module = importlib.import_module(f"kernels.{file.stem}")
        for one in [value for value in vars(module).values() if isinstance(value, Workload)]:
            inputs = one.make_inputs("reduced")
            yield f"{one.name} first", lambda one=one, inputs=inputs: one.run_first(inputs)
            yield f"{one.name} improved", lambda one=one, inputs=inputs: one.run_improved(inputs)


def _machine_code(ptx: str) -> int:
    """The instructions of a kernel's machine code."""
    from advisor.evidence.compiled.instructions.disassembly import disassemble
    from advisor.evidence.compiled.instructions.sass import is_own, read_sass
    from advisor.evidence.compiled.toolchain import nvdisasm
    from advisor.model.machine_code.nvjitlink import assemble

    cubin, _ = assemble(_LABEL.sub(r'\1\n.pragma "nounroll";', ptx), _CAPABILITY, None)
    text = disassemble(nvdisasm() or "nvdisasm", cubin, 60.0, ("-c",))
    return sum(one.opcode != "NOP" and not is_own(one.function) for one in read_sass(text))


def _estimates(ptx: str, name: str) -> tuple[int, int]:
    """The instructions estimated one by one, and in their context."""
    from advisor.evidence.simulated.simt.instruction_costs import cost_of
    from advisor.evidence.simulated.simt.machine_code.slots import machine_slots
    from advisor.evidence.simulated.simt.ptx.inlining import inlined
    from advisor.evidence.simulated.simt.ptx.ptx_reader import known_module

    module = known_module(ptx)
    function = inlined(module, module.functions[name])
    return sum(cost_of(item).slots for item in function.instructions), sum(machine_slots(function))


if __name__ == "__main__":
    main()
