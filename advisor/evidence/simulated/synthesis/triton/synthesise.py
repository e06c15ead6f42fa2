"""Makes up launches of a Triton kernel, compiles and runs them, and tells what they agree about.

It runs in a contained process. Nothing of the workspace is imported; the text of the kernel is compiled.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.evidence.simulated.driver.triton.kernel_code import LIBRARY
from advisor.evidence.simulated.driver.triton.program_lines import with_program_lines
from advisor.evidence.simulated.simt.machine import Kernel, compile_kernel
from advisor.evidence.simulated.simt.ptx.inlining import inlined
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, known_module
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.runtime import runtime
from advisor.evidence.simulated.synthesis.arguments import NotMade
from advisor.evidence.simulated.synthesis.result import MadeLaunch, Synthesis
from advisor.evidence.simulated.synthesis.trial import Trial
from advisor.evidence.simulated.synthesis.triton.agreement import Shown, agreed_lines, agreed_values
from advisor.evidence.simulated.synthesis.triton.compiling import Compiled, compiled, jit_functions
from advisor.evidence.simulated.synthesis.triton.launches import launched
from advisor.evidence.simulated.synthesis.triton.places import function_at
from advisor.evidence.simulated.synthesis.triton.request import TritonRequest
from advisor.model.machine_code.nvjitlink import LinkFailure, assemble
from advisor.model.machine_code.triton_unit import TritonPlan
from advisor.model.storage.cache import code_store

# What code for later ones may need and the machine does not execute.
_OLDER = 80
_OTHER_TYPES = "other types"
_ROWS = (
    "Sectors of a request are those of rows at multiples of 16 elements; others are moved in smaller pieces, "
    "with as few sectors in vain."
)


def prepare(folder: Path | None) -> None:
    """Load what every kernel calls; `folder` keeps its code and must be the user's own."""
    from cuda.bindings import nvjitlink

    nvjitlink.version()
    runtime(code_store(folder) if folder is not None else None)


def synthesise(request: TritonRequest) -> Synthesis:
    """What launches that are made up tell of a kernel; `unknown` says why they tell nothing."""
    try:
        return _synthesised(request)
    except NotMade as problem:
        return Synthesis(request.kernel, unknown=f"{str(problem).rstrip('.')}.")
    except (Unsupported, PtxError) as problem:
        return Synthesis(request.kernel, unknown=f"The simulated GPU does not run the kernel: {problem}.")


def _synthesised(request: TritonRequest) -> Synthesis:
    unit, end = request.unit, time.process_time() + request.limits.seconds
    builds = _builds(request, jit_functions(unit)[0])
    shown: list[Shown] = []
    launches: list[MadeLaunch] = []
    for number, build in enumerate(builds):
        share = (end - time.process_time()) / (len(builds) - number)
        trial = launched(unit, build.plan, build.code, build.machine, share, request.limits.memory_bytes)
        if not trial.ended:
            raise NotMade(
                "Launches of the kernel that were made up did not come to their end within the limits."
            )
        shown.append(Shown(trial, _of_code(build), build.plan.varies))
        launches.append(_made_launch(build, trial))
    if not any(one.trial.counted.warp_instructions for one in shown):
        raise NotMade("Launches of the kernel that were made up executed nothing.")
    agreed = agreed_lines(request.kernel, shown, lambda path, line: (path, line))
    return Synthesis(
        request.kernel,
        tuple(launches),
        tuple(one for one in agreed.lines if function_at(one.path) is not None),
        agreed_values(shown),
        (*_assumptions(request, builds), *((_ROWS,) if agreed.rows_assumed else ())),
    )


@dataclass(frozen=True)
class _Build:
    """A plan with its code, what the machine makes of that, and what it was compiled for."""

    plan: TritonPlan
    code: Compiled
    machine: Kernel
    target: int


def _builds(request: TritonRequest, kernel: object) -> list[_Build]:
    """The plans that Triton compiles; with other types too, where nothing tells some.

    Plans of other configurations and launches, and those of other types, may be none that the kernel is made
    for. Raises NotMade where the first is none with either type.
    """
    plans, types = list(request.unit.plans), list(request.unit.types)
    if not plans[0].assumed:
        types = types[:1]
    try:
        first = _build(request, kernel, plans[0])
    except NotMade:
        if len(types) < 2:
            raise
        plans = [replace(one.with_types(one.variant, types[1]), varies=one.varies) for one in plans]
        types = []
        first = _build(request, kernel, plans[0])
    found = [first]
    others = plans[1:]
    if len(types) > 1:
        others.append(plans[0].with_types(_OTHER_TYPES, types[1]))
    for plan in others:
        try:
            found.append(_build(request, kernel, plan))
        except NotMade:
            continue
    return found


def _assumptions(request: TritonRequest, builds: Sequence[_Build]) -> tuple[str, ...]:
    """What all values rest on besides the launches themselves, in full sentences."""
    first = builds[0].plan
    found = list(request.unit.assumptions)
    kinds = {kind for name, kind, _ in first.pointers if name in first.assumed}
    if kinds - {"i64"}:
        alone = any(one.plan.variant == _OTHER_TYPES for one in builds)
        also = "" if alone else ", the only type tried that Triton compiles the kernel for"
        found.append(
            f"The elements of {', '.join(first.assumed)} are taken to be {' or '.join(sorted(kinds))}{also}."
        )
    if request.capability > _OLDER and any(one.target == _OLDER for one in builds):
        found.append(
            f"The launches ran code for sm_{_OLDER}, for the machine does not execute all that is made "
            "for the device."
        )
    return tuple(dict.fromkeys(found))


def _build(request: TritonRequest, kernel: object, plan: TritonPlan) -> _Build:
    """The code of a plan and what the machine makes of it; that of an older device where it needs that."""
    try:
        code = compiled(request.unit, kernel, plan, request.capability)
        return _Build(plan, code, _translated(code, request), request.capability)
    except Unsupported:
        if request.capability <= _OLDER:
            raise
    code = compiled(request.unit, kernel, plan, _OLDER)
    return _Build(plan, code, _translated(code, request), _OLDER)


def _translated(code: Compiled, request: TritonRequest) -> Kernel:
    module = known_module(with_program_lines(code.ptx, LIBRARY))
    count, most = len(inlined(module, module.functions[code.name]).instructions), request.limits.instructions
    if count > most:
        raise NotMade(f"The kernel has {count:,} PTX instructions; up to {most:,} are translated.")
    return compile_kernel(module, code.name, None)


def _of_code(build: _Build) -> dict[str, float]:
    """What the code of a plan needs: registers, spilled bytes, shared memory, warps."""
    code = build.code
    found = {
        "warps": float(code.warps),
        "shared_bytes": float(code.shared),
        "block_threads": 32.0 * code.warps,
    }
    try:
        _, needs = assemble(code.ptx, divmod(build.target, 10), None)
    except LinkFailure:
        return found
    return found | {
        "registers": float(needs.registers),
        "spill_store_bytes": float(needs.spill_store_bytes),
        "spill_load_bytes": float(needs.spill_load_bytes),
    }


def _made_launch(build: _Build, trial: Trial) -> MadeLaunch:
    plan, code = build.plan, build.code
    numbers = {name: float(value) for name, value in plan.constants if isinstance(value, int | float)}
    scalars = {name: float(value) for name, value in plan.scalars}
    return MadeLaunch(
        plan.variant, plan.grid, (32 * code.warps, 1, 1), {}, scalars | numbers,
        tuple(f"*{kind}" for _, kind, _ in plan.pointers), trial.ended, trial.out_of_bounds, trial.active,
    )  # fmt: skip
