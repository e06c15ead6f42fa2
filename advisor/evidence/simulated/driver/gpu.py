"""The state of the simulated GPU that all parts of the driver share."""

from __future__ import annotations

import sys
import threading
import traceback
from dataclasses import dataclass, field
from itertools import count

from advisor.evidence.simulated.driver.device_properties import DeviceProperties
from advisor.evidence.simulated.driver.executor import Executor
from advisor.evidence.simulated.driver.predicted_clock import PredictedClock
from advisor.evidence.simulated.driver.results import CallFailed, Result
from advisor.evidence.simulated.simt.launch import PRINT_BYTES

# cuda.h: CU_LIMIT_PRINTF_FIFO_SIZE.
PRINT_LIMIT = 1


@dataclass
class Gpu:
    """One GPU in this process: who runs its kernels, what it is like, when its work ends, and what went
    wrong last.
    """

    executor: Executor
    properties: DeviceProperties
    driver_version: int
    clock: PredictedClock
    lock: threading.RLock = field(default_factory=threading.RLock)
    pending: BaseException | None = None
    initialised: bool = False
    lost_by_fork: bool = False
    # CUlimit and its value, in bytes.
    limits: dict[int, int] = field(default_factory=lambda: {PRINT_LIMIT: PRINT_BYTES})
    _handles: count[int] = field(default_factory=lambda: count(0x1000, 0x10))
    _told: set[str] = field(default_factory=set)

    def after_fork(self) -> None:
        """Refuse CUDA to a process that was forked after cuInit, as a real driver does."""
        self.lost_by_fork = self.initialised
        self.lock = threading.RLock()

    def handle(self) -> int:
        """A new number for a context, stream, event, module or kernel; never 0 and none of CUDA's own."""
        return next(self._handles)

    def report(self, name: str, problem: BaseException) -> None:
        """Keep what was raised within a driver call for whoever called the driver; prints errors of ours."""
        self.pending = problem
        if isinstance(problem, Exception):
            print(f"advisor: {name} failed on the simulated GPU:", file=sys.stderr)
            traceback.print_exception(type(problem), problem, problem.__traceback__)

    def tell_missing(self, name: str) -> None:
        """Say once that the simulated driver lacks a function."""
        self.tell(f"the simulated GPU does not offer {name}.")

    def tell(self, sentence: str) -> None:
        """Say something once."""
        if sentence not in self._told:
            self._told.add(sentence)
            print(f"advisor: {sentence}", file=sys.stderr)

    def take_pending(self) -> BaseException | None:
        """What the last failing call raised; it is forgotten."""
        problem, self.pending = self.pending, None
        return problem


def require(condition: object, result: Result = Result.CUDA_ERROR_INVALID_VALUE) -> None:
    """Raise CallFailed with `result` when the condition is false."""
    if not condition:
        raise CallFailed(result)
