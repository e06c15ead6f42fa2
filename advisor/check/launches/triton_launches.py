"""Launches made up for the Triton kernels of a check: what is kept of them, and new answers."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from advisor.check.launches.known_and_new import known_and_new
from advisor.evidence.simulated.synthesis.asking.answers import Answer, AnsweringHere
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.evidence.simulated.synthesis.processes.contained_runs import ContainedRuns, Wanted
from advisor.evidence.simulated.synthesis.result import Synthesis
from advisor.evidence.simulated.synthesis.triton.evidence import add_triton
from advisor.evidence.simulated.synthesis.triton.question import TritonQuestion
from advisor.model.devices import Device
from advisor.model.findings import Report
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.settings.check_options import Progress
from advisor.model.storage.cache import Cache

PROGRAM = "advisor.evidence.simulated.synthesis.triton.synthesise:synthesise"
_TOLD = "running synthesised launches of Triton"


def triton_is_installed() -> bool:
    """Whether Triton's compiler can be had; it is not imported."""
    try:
        return importlib.util.find_spec("triton.backends") is not None
    except (ImportError, ValueError):
        return False


class TritonLaunches:
    """Makes up launches of Triton's kernels, which are compiled and run in the processes of `runs`."""

    def __init__(self, cache: Cache | None, runs: ContainedRuns) -> None:
        self._cache, self._runs = cache, runs

    def evidence(
        self,
        units: Sequence[TritonUnit],
        device: Device,
        report: Report,
        *,
        jobs: int,
        seconds: float | None,
        progress: Progress | None = None,
    ) -> SynthesisedEvidence:
        """What is known of the units, of which new ones are looked at for so many seconds together; without
        any only what is kept.

        Notices of the report say how many are left out, and what keeps launches from being run at all.
        """
        major, minor = device.compute_capability.split(".")
        capability = 10 * int(major) + int(minor)
        found = SynthesisedEvidence()
        for one in units:
            if one.unknown:
                add_triton(found, one, Synthesis(one.kernel, unknown=one.unknown))
        questions = [TritonQuestion(one, capability) for one in units if not one.unknown]
        known = known_and_new(
            questions,
            self._cache,
            lambda new: AnsweringHere(self._answer, min(jobs, len(new))),
            report,
            seconds=seconds,
            progress=progress,
            told=_TOLD,
        )
        for question in questions:
            if (answer := known.get(question.unit.kernel)) is not None:
                add_triton(found, question.unit, answer)
        return found

    def _answer(self, question: TritonQuestion, wanted: Wanted) -> Answer:
        return self._runs.answer(question.request, wanted)
