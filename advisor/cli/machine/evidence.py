"""Which sources of evidence this machine can give, from the parts that were found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from advisor.cli.machine.parts import Part
from advisor.model.records import SOURCES, Source

_NEEDS: dict[Source, tuple[str, ...]] = {
    "source": (),
    "compiled": ("numba", "numba-cuda", "NVVM", "nvJitLink", "nvdisasm"),
    "synthesised": ("numba", "numba-cuda", "NVVM"),
    "simulated": ("numba", "numba-cuda"),
    "measured": ("numba", "numba-cuda", "NVVM", "nvJitLink", "GPU"),
}
_PROVIDERS: dict[Source, str] = {
    "source": "advisor.evidence.source",
    "compiled": "advisor.evidence.compiled",
    "synthesised": "advisor.evidence.simulated.synthesis",
    "simulated": "advisor.evidence.simulated.simt",
    "measured": "advisor.evidence.measured",
}
_GIVES: dict[Source, str] = {
    "source": "what the source text shows",
    "compiled": "what the compiler makes of each kernel",
    "synthesised": "what each access does in launches that are made up",
    "simulated": "what each access does when the kernel runs on the CPU",
    "measured": "what the GPU's counters say",
}


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether one source of evidence can be had; `reason` says why not and `remedy` which command helps."""

    source: Source
    available: bool
    gives: str
    reason: str = ""
    remedy: str = ""


def availabilities(parts: Sequence[Part]) -> list[Availability]:
    """One entry for each source of evidence, from the cheapest to the best."""
    found = {part.name: part for part in parts}
    return [_availability(source, [found[name] for name in _NEEDS[source]]) for source in SOURCES]


def _availability(source: Source, needs: Sequence[Part]) -> Availability:
    gives = _GIVES[source]
    if find_spec(_PROVIDERS[source]) is None:
        return Availability(source, False, gives, "this version of the program does not gather it")
    if source == "simulated" and sys.platform != "linux":
        return Availability(source, False, gives, "programs run on the simulated GPU on Linux only")
    missing = [part for part in needs if not part.found]
    if not missing:
        return Availability(source, True, gives)
    # The parts' own causes are told with the parts: of many at once, one sentence says enough.
    names = [part.name for part in missing]
    reason = f"{', '.join(names[:-1])} and {names[-1]} are missing"
    if len(missing) == 1:
        reason = f"{names[0]}: {missing[0].detail}"
    remedies = dict.fromkeys(part.remedy for part in missing if part.remedy)
    return Availability(source, False, gives, reason, " && ".join(remedies))
