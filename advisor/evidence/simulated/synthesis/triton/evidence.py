"""What launches that were made up tell of Triton's kernels, as records and readings of lines."""

from __future__ import annotations

from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence, launch_sentence
from advisor.evidence.simulated.synthesis.result import MadeLaunch, Synthesis
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.records import Record
from advisor.model.text.source_text import Span

_WARP = 32
_NAMED = 8


def add_triton(found: SynthesisedEvidence, unit: TritonUnit, synthesis: Synthesis) -> None:
    """Add what is known of one kernel of Triton."""
    record = Record("triton_kernel", unit.kernel, unit.path, Span(unit.line), unit.name)
    found.add_record(record, launch_in_words(synthesis, unit.where), synthesis)


def launch_in_words(synthesis: Synthesis, where: str) -> str:
    """The first launch that was made up and how many agree, as a sentence; empty where there was none."""
    if not synthesis.launches:
        return ""
    made = synthesis.launches[0]
    pattern = f" [from {where}]" if where else ""
    return launch_sentence(synthesis, f"{_warps(made)}{pattern}{_numbers(made)}")


def _warps(made: MadeLaunch) -> str:
    warps = made.block[0] // _WARP
    return "1 warp" if warps == 1 else f"{warps} warps"


def _numbers(made: MadeLaunch) -> str:
    """The values of the first parameters, types before them."""
    types = "/".join(dict.fromkeys(made.types))
    named = [f"{name}={value:g}" for name, value in list(made.scalars.items())[:_NAMED]]
    more = [", …"] if len(made.scalars) > _NAMED else []
    return f", {', '.join([types, *named])}{''.join(more)}"
