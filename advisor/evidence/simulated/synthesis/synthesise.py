"""Makes up launches of a kernel, runs them, and tells what they agree about. No workspace code is run."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from advisor.evidence.simulated.launches.readings.line_readings import Move
from advisor.evidence.simulated.simt.machine import Kernel, compile_kernel
from advisor.evidence.simulated.simt.ptx.inlining import inlined
from advisor.evidence.simulated.simt.ptx.ptx_reader import PtxError, known_module
from advisor.evidence.simulated.simt.unsupported import Unsupported
from advisor.evidence.simulated.simt.vector.runtime import runtime
from advisor.evidence.simulated.synthesis.agreement import ACTIVE, Look, agreed_lines, agreed_values
from advisor.evidence.simulated.synthesis.arguments import NotMade
from advisor.evidence.simulated.synthesis.attempts import Attempt, Attempts, bytes_of
from advisor.evidence.simulated.synthesis.block_work import block_work
from advisor.evidence.simulated.synthesis.request import Request
from advisor.evidence.simulated.synthesis.result import MadeLaunch, Synthesis
from advisor.evidence.simulated.synthesis.sizes import Variant, variants_of
from advisor.evidence.simulated.synthesis.trial import shared_aliases
from advisor.model.machine_code.kernel_code import KernelCode
from advisor.model.storage.cache import Cache, code_store

# The launches that tell of edges are small: all of them have the time of so many others.
_EDGES_WEIGH = 2
_ITEM = re.compile(r"\.(\d+)")
_UNIT_FILE = re.compile(r"unit-function-(\d+)\.py$")


def prepare(folder: Path | None) -> None:
    """Load what every kernel calls. `folder` keeps its code and must be the user's own, for what is read from
    there is executed.
    """
    runtime(code_store(folder) if folder is not None else None)


def synthesise(request: Request, cache: Cache | None = None) -> Synthesis:
    """What launches that are made up tell of a kernel; `unknown` says why they tell nothing.

    `cache` keeps translated kernels and must be the user's own, for what is read from it is executed.
    """
    try:
        return _synthesised(request, cache)
    except NotMade as problem:
        return Synthesis(request.kernel, unknown=str(problem))
    except (Unsupported, PtxError) as problem:
        return Synthesis(request.kernel, unknown=f"The simulated GPU does not run the kernel: {problem}.")
    except MemoryError:
        return Synthesis(
            request.kernel,
            unknown="Launches of the kernel that were made up need more memory than the limit.",
        )


def _synthesised(request: Request, cache: Cache | None) -> Synthesis:
    if not request.codes:
        raise NotMade("The kernel is not compiled.")
    all_variants = variants_of(request)
    variants = [one for one in all_variants if not one.is_of_edges]
    of_edges = [one for one in all_variants if one.is_of_edges]
    kernels = [_translated(code, request, cache) for code in request.codes]
    aliases = [shared_aliases(one, kernels[0]) for one in kernels]
    attempts = Attempts(request, time.process_time() + request.limits.seconds, len(variants) + _EDGES_WEIGH)
    made: list[Attempt] = []
    for one in tuple(variants):
        attempt = attempts.settled(kernels[one.code], one, aliases[one.code])
        if one.usual is not None and not attempt.trial.clean:
            variants.remove(one)  # a block that the kernel is not made for
            continue
        made.append(attempt)
        if not attempt.trial.ended:
            break  # all others must come to their end
    launches = tuple(_made_launch(request, *pair) for pair in zip(variants, made, strict=False))
    unknown = _why_nothing(made)
    if unknown:
        return Synthesis(request.kernel, launches, unknown=unknown)
    attempts.left = len(of_edges)
    edges = [attempts.settled(kernels[one.code], one, aliases[one.code]) for one in of_edges]
    trials, at_edges = [one.trial for one in made], [one.trial for one in edges]
    taken = request.codes[0].types
    looks = [
        Look(one.sizes != "odd" and not one.usual and request.codes[one.code].types == taken, bool(one.code))
        for one in variants
    ]
    doubtful = frozenset[str]().union(*(one.doubtful for one in made))
    lines = agreed_lines(request.kernel, trials, looks, at_edges, doubtful, request.relations, _move(request))
    here = {path for path, _ in request.places}
    names = {slot.name: shown_name(slot.name) for code in request.codes for slot in code.slots}
    return Synthesis(
        request.kernel,
        launches,
        tuple(replace(one, array=names.get(one.array, one.array)) for one in lines if one.path in here),
        {} if doubtful else agreed_values(trials),
        _assumptions(request, made),
        edges=tuple(_made_launch(request, *pair) for pair in zip(of_edges, edges, strict=True)),
        work=() if doubtful else _work_of_blocks(request, variants, made),
    )


def _translated(code: KernelCode, request: Request, cache: Cache | None) -> Kernel:
    module = known_module(code.ptx)
    if code.entry not in module.functions:
        raise NotMade(f"The PTX has no kernel {code.entry}.")
    count, most = len(inlined(module, module.functions[code.entry]).instructions), request.limits.instructions
    if count > most:
        raise NotMade(f"The kernel has {count:,} PTX instructions; up to {most:,} are translated.")
    try:
        return compile_kernel(module, code.entry, cache)
    except ValueError as problem:
        # Code that nothing reaches may branch to labels that the compiler has left out.
        raise NotMade(f"The simulated GPU does not run the kernel: {problem}.") from None


def _why_nothing(made: list[Attempt]) -> str:
    """A sentence where nothing can be told, empty where something can."""
    if not all(one.trial.ended for one in made):
        return "Launches of the kernel that were made up did not come to their end within the limits."
    if not any(one.trial.counted.warp_instructions for one in made):
        return "Launches of the kernel that were made up executed nothing."
    if not any(one.trial.clean for one in made):
        return "In all launches of the kernel that were made up accesses left their arrays."
    return ""


def _made_launch(request: Request, variant: Variant, made: Attempt) -> MadeLaunch:
    return MadeLaunch(
        variant.name, made.sizes.grid, made.sizes.block, made.sizes.shapes, made.sizes.scalars,
        request.codes[variant.code].types, made.trial.ended, made.trial.out_of_bounds, made.trial.active,
    )  # fmt: skip


def _work_of_blocks(
    request: Request, variants: Sequence[Variant], made: Sequence[Attempt]
) -> tuple[dict[str, float], ...]:
    """What a mean block of each launch asks for; empty unless all launches are clean and fill their warps."""
    if not all(one.trial.clean and one.trial.active >= ACTIVE for one in made):
        return ()
    # Time is that of the block that is taken; small ones would be those of another kernel.
    asked = [(one, attempt) for one, attempt in zip(variants, made, strict=True) if one.usual is None]
    scalars = {slot.name for slot in request.codes[0].slots if slot.kind == "scalar"}
    by_data = frozenset(
        extent.array
        for name, extents in request.relations.index_of.items()
        if name not in scalars
        for extent in extents
    )
    return tuple(
        block_work(attempt.trial, bytes_of(attempt.sizes.shapes, request.codes[one.code]), by_data)
        for one, attempt in asked
    )


def _move(request: Request) -> Move:
    """What gives the place in the source of a line of a unit's function."""

    def moved(path: str, line: int) -> tuple[str, int]:
        found = _UNIT_FILE.search(path)
        number = int(found[1]) if found else len(request.places)
        if found and not line:
            return "", 0  # code of the function that belongs to none of its lines
        if number >= len(request.places):
            return path, line
        place, first = request.places[number]
        return place, first + line - 1

    return moved


def shown_name(slot: str) -> str:
    """The name of a parameter, or of an item of one, as recorded launches have it: `pair[0]` of `pair.0`."""
    return _ITEM.sub(r"[\1]", slot)


def _assumptions(request: Request, made: list[Attempt]) -> tuple[str, ...]:
    """What all values rest on besides the launches themselves, in full sentences."""
    loose = [slot.name for slot in request.codes[0].slots if slot.layout == "A" and slot.ndim]
    lie = (
        (f"The elements of {' and '.join(loose)} are taken to lie side by side, row by row.",)
        if loose
        else ()
    )
    said = [sentence for one in made for sentence in one.sizes.assumptions]
    return tuple(dict.fromkeys((*request.codes[0].assumptions, *said, *lie)))
