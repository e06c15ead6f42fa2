"""Launches made up for an editor's kernels, in contained processes that end when the text changes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol, TypeVar

from advisor.check.launches.synthesised_launches import SynthesisedLaunches
from advisor.check.launches.triton_launches import PROGRAM, TritonLaunches, triton_is_installed
from advisor.evidence.compiled.compilers.worker_pool import WorkerStock
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.evidence.simulated.synthesis.asking.answers import Kernel
from advisor.evidence.simulated.synthesis.evidence import SynthesisedEvidence
from advisor.evidence.simulated.synthesis.processes.contained_runs import ContainedRuns
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import Device
from advisor.model.findings import Report
from advisor.model.machine_code.triton_unit import TritonUnit
from advisor.model.settings.check_options import Progress
from advisor.model.storage.cache import Cache, user_cache_folder, user_code_folder

_COMPILE_SECONDS = 20.0
_MOST_PROCESSES = 2
# After so long what is known by then is shown, and the rest is looked at again.
_SECONDS_A_TIME = 20.0

Unit = TypeVar("Unit", bound=Kernel, contravariant=True)


class MadeUpLaunches(Protocol[Unit]):
    """Makes up launches of kernels, of Numba or of Triton."""

    def evidence(
        self,
        units: Sequence[Unit],
        device: Device,
        report: Report,
        *,
        jobs: int,
        seconds: float | None,
        progress: Progress | None = None,
    ) -> SynthesisedEvidence:
        """What is known of the units; new ones are looked at for so many seconds, none without."""


class KernelLauncher:
    """Makes up launches of kernels and keeps what they told in the user's own cache; runs nothing of theirs.

    `complete` turns false where kernels were left out and more is to be had by asking again.
    """

    def __init__(self, codes: KernelCodes) -> None:
        folder = user_cache_folder()
        own = folder / "editor" if folder is not None else None
        # What needs another typing is compiled once more: the numbers of machine code do not wait for that.
        self._codes = codes
        self._cache = Cache(own) if own is not None else None
        self._runs, self._stock = ContainedRuns(store=user_code_folder()), WorkerStock()
        self._runs_of_triton = ContainedRuns(PROGRAM, store=user_code_folder())
        self._left_out = dict[type, frozenset[str]]()
        self.complete = True

    def evidence(
        self, units: Sequence[CompilationUnit], device: Device, progress: Progress | None, *, runs: bool
    ) -> SynthesisedEvidence:
        """What is known of the units; no launch is run unless it `runs`."""
        launches = SynthesisedLaunches(self._codes, self._cache, self._runs, self._stock, _COMPILE_SECONDS)
        return self._evidence(launches, units, device, progress, runs)

    def evidence_of_triton(
        self, units: Sequence[TritonUnit], device: Device, progress: Progress | None, *, runs: bool
    ) -> SynthesisedEvidence:
        """What is known of kernels of Triton; no launch is run unless it `runs`."""
        if not triton_is_installed():
            return SynthesisedEvidence()
        launches = TritonLaunches(self._cache, self._runs_of_triton)
        return self._evidence(launches, units, device, progress, runs)

    def _evidence(
        self,
        launches: MadeUpLaunches[Unit],
        units: Sequence[Unit],
        device: Device,
        progress: Progress | None,
        runs: bool,
    ) -> SynthesisedEvidence:
        jobs = min(max((os.cpu_count() or 1) // 2, 1), _MOST_PROCESSES)
        seconds = _SECONDS_A_TIME if runs else None
        # What could not be run is no message to who writes a text.
        report = Report(device.name)
        found = launches.evidence(units, device, report, jobs=jobs, seconds=seconds, progress=progress)
        left_out = frozenset(unit.kernel for unit in units) - found.by_kernel.keys() if runs else frozenset()
        # The same ones would be left out again.
        if left_out and left_out != self._left_out.get(type(launches)):
            self.complete = False
        self._left_out[type(launches)] = left_out
        return found

    def rest(self) -> None:
        """End the processes that nobody uses; the next kernel starts one again."""
        self._runs.rest()
        self._runs_of_triton.rest()
        self._stock.empty()

    def close(self) -> None:
        """End all processes."""
        self._runs.close()
        self._runs_of_triton.close()
        self._stock.close()
