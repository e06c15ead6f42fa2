"""Compiled evidence in a process that is kept, so that a changed kernel costs no more than itself."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from advisor.evidence.compiled import (
    CompiledEvidence,
    CompiledKernel,
    Target,
    compile_units,
    records,
    rejection_records,
)
from advisor.evidence.compiled.compile_requests import compile_request
from advisor.evidence.compiled.compilers.worker_pool import WorkerStock
from advisor.evidence.compiled.kernel_codes import KernelCodes
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import Device
from advisor.model.findings import Problem, Report
from advisor.model.records import Record
from advisor.model.settings.check_options import Progress
from advisor.model.storage.cache import Cache, user_cache_folder
from advisor.model.storage.memo import Memo

_SECONDS = 20.0
_MOST_KERNELS = 2_000
_MOST_PROCESSES = 2
# Somebody waits for what is known already, so a long list of kernels is not compiled in one go.
_KERNELS_A_TIME = 4
_SECONDS_A_TIME = 2.0


class KernelCompiler:
    """Compiles kernels in processes of its own, which may crash or be killed, and keeps what they gave.

    `complete` turns false where a question was not answered in full and more is to be had by asking again.
    A kernel that cost a process its life is not tried again until its text is another. Code to execute that
    comes along is left in `codes`.
    """

    def __init__(self, codes: KernelCodes | None = None, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._stock = WorkerStock()
        self._kept = _KeptKernels(user_cache_folder())
        self._codes = codes
        self._lost: dict[str, str] = {}
        self.complete = True
        self._untold: list[str] = []
        self._seen: set[str] = set()

    def losses(self) -> list[str]:
        """What has cost a process its life since this was last asked."""
        told, self._untold = self._untold, []
        return told

    def records(
        self,
        units: Sequence[CompilationUnit],
        device: Device,
        report: Report,
        progress: Progress | None,
    ) -> list[Record]:
        """The records of compiled kernels; what went wrong is added to the report."""
        target = Target.parse(device.compute_capability)
        digests = {unit.kernel: _digest(unit, target) for unit in units}
        report.problems += [
            _problem(unit, self._lost[digest])
            for unit in units
            if (digest := digests[unit.kernel]) in self._lost
        ]
        wanted = [unit for unit in units if digests[unit.kernel] not in self._lost]
        by_kernel: dict[str, CompiledKernel] = {}
        rejected: list[Record] = []
        until = time.monotonic() + _SECONDS_A_TIME
        fresh = {digest for digest in digests.values() if digest not in self._seen}
        step = _KERNELS_A_TIME if len(fresh) > _KERNELS_A_TIME else max(len(wanted), 1)
        for at in range(0, len(wanted), step):
            if time.monotonic() > until:
                self.complete = False
                break
            evidence = self._compiled(wanted[at : at + step], target, progress)
            by_kernel |= evidence.by_kernel
            rejected += [
                record for unit in wanted[at : at + step] for record in rejection_records(unit, evidence)
            ]
            self._seen |= {digests[unit.kernel] for unit in wanted[at : at + step]}
            for kernel, problem in evidence.lost.items():
                self._lost[digests[kernel]] = problem.message
                self._untold.append(f"{problem.path}:{problem.line}: {problem.message}")
            report.problems += [Problem(item.path, item.line, item.message) for item in evidence.problems]
            if evidence.unavailable is not None:
                report.notices.append(f"{evidence.unavailable} {evidence.unavailable.remedy}".strip())
                break
        found = [
            record
            for unit in units
            if (compiled := by_kernel.get(unit.kernel)) is not None
            for record in records(unit, compiled)
        ]
        return [*found, *rejected]

    def _compiled(
        self, units: Sequence[CompilationUnit], target: Target, progress: Progress | None
    ) -> CompiledEvidence:
        jobs = min(max((os.cpu_count() or 1) // 2, 1), _MOST_PROCESSES)
        return compile_units(
            units,
            target,
            cache=self._kept,
            timeout=self._seconds,
            jobs=jobs,
            progress=progress,
            stock=self._stock,
            codes=self._codes,
            other_typings=False,
        )

    def rest(self) -> None:
        """End the processes that nobody uses; the next kernel starts one again."""
        self._stock.empty()

    def close(self) -> None:
        """End all processes."""
        self._stock.close()


class _KeptKernels(Cache):
    """The user's own store of compiled kernels with the latest of them in memory."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__((folder or Path()) / "editor", _MOST_KERNELS)
        self._on_disk = folder is not None
        self._latest = Memo[str, Any](_MOST_KERNELS)

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        wanted = list(keys)
        found = {key: known for key in wanted if (known := self._latest.find(key, None)) is not None}
        missing = [key for key in wanted if key not in found]
        if missing and self._on_disk:
            found |= self._remember(super().get_many(missing))
        return found

    def put_many(self, values: Mapping[str, Any]) -> None:
        self._remember(values)
        if self._on_disk:
            super().put_many(values)

    def _remember(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return {key: self._latest.keep(key, None, value) for key, value in values.items()}


def _digest(unit: CompilationUnit, target: Target) -> str:
    return hashlib.sha256(json.dumps(compile_request(unit, target), sort_keys=True).encode()).hexdigest()


def _problem(unit: CompilationUnit, message: str) -> Problem:
    kernel = next(function for function in unit.functions if not function.device)
    return Problem(kernel.path, kernel.line, message)
