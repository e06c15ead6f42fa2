"""When the work of each stream ends on the GPU that is simulated, as far as its times are predicted.

Work of one stream follows one another; that of several streams is taken to overlap entirely. The default
stream waits for the others and they for it, but for those that were created not to block
(https://docs.nvidia.com/cuda/cuda-driver-api/stream-sync-behavior.html). What the host does takes no time.
"""

from __future__ import annotations

import pkgutil
import sys
import time
from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

from advisor.evidence.simulated.driver.executor import LaunchNote
from advisor.evidence.simulated.simt.counts import Statistics
from advisor.model.devices import Device

# Over the bus, from memory of the device to memory of the device, or a fill.
Copy: TypeAlias = Literal["bus", "device", "fill"]
_DEFAULT = 0
_LEFT_OUT = "no time is predicted for {}; elapsed times of events leave it out"


class TimePredictor(Protocol):
    """Predicts how long launches and copies take on the GPU that is simulated."""

    device: Device

    def seen(self, counted: Statistics, note: LaunchNote) -> None:
        """Take note of a launch, whether its time is asked for or not."""

    def launch_ms(self, counted: Statistics, note: LaunchNote, registers: int | None) -> float | None:
        """The time of a launch in ms, None where none is predicted."""

    def copy_ms(self, kind: Copy, size: int) -> float | None:
        """The time of a copy or a fill of so many bytes in ms, None where none is predicted."""


def named_predictor(name: str, device: Device) -> TimePredictor | None:
    """The predictor of a class that is named as `module:class`, for processes; None for an empty name."""
    found: TimePredictor | None = pkgutil.resolve_name(name)(device) if name else None
    return found


class PredictedClock:
    """The streams' clock, in ms. Without a predictor it is the host's clock.

    Nothing is predicted until `start` was called, so that programs without events pay nothing.
    """

    def __init__(self, predictor: TimePredictor | None) -> None:
        self._predictor = predictor
        self._started = False
        self._ends: dict[int, float] = {}
        self._apart: set[int] = set()
        self._host = 0.0
        self._told: set[str] = set()
        self._asked = False
        # What no time is predicted for; it is said once somebody asks for a time.
        self._left_out: dict[str, None] = {}

    def start(self) -> None:
        """Predict the times of what follows: an event was recorded that keeps them."""
        self._started = True

    def add_stream(self, stream: int, blocking: bool) -> None:
        """Know a stream by its number; a blocking one waits for the default stream and holds it up."""
        if not blocking:
            self._apart.add(stream)

    def ready(self, stream: int) -> float:
        """When the work that a stream was given so far ends, and no earlier than the host waited for."""
        if self._predictor is None:
            return time.perf_counter() * 1e3
        ends = [self._host, self._ends.get(stream, 0.0)]
        if stream == _DEFAULT:
            ends += [end for one, end in self._ends.items() if one not in self._apart]
        elif stream not in self._apart:
            ends.append(self._ends.get(_DEFAULT, 0.0))
        return max(ends)

    def launched(
        self, stream: int, counted: Statistics | None, note: LaunchNote, registers: Callable[[], int | None]
    ) -> None:
        """Add a launch to a stream's work."""
        if self._predictor is None or counted is None:
            return
        self._predictor.seen(counted, note)
        if self._started:
            self._add(stream, self._predictor.launch_ms(counted, note, registers()), note.function)

    def copied(self, stream: int, kind: Copy, size: int, waits: bool) -> None:
        """Add a copy or a fill to a stream's work; the host may wait for its end."""
        if self._predictor is None or not self._started:
            return
        self._add(stream, self._predictor.copy_ms(kind, size), "copies to and from the host")
        if waits:
            self.host_waits(self.ready(stream))

    def left_out(self, what: str) -> None:
        """Note that no time is predicted for something that has just been done, and say it once."""
        if self._predictor is not None and self._started:
            self._left_out[what] = None
            if self._asked:
                self._say(_LEFT_OUT.format(what))

    def wait(self, stream: int, until: float) -> None:
        """Let the further work of a stream begin no earlier."""
        self._ends[stream] = max(self.ready(stream), until)

    def host_waits(self, until: float | None = None) -> None:
        """Let all further work begin no earlier, without a time not before all that was given has ended."""
        ends = [self._host, *self._ends.values()] if until is None else [self._host, until]
        self._host = max(ends)

    def tell(self) -> None:
        """Say once whose times the elapsed times of events are, and what they leave out."""
        self._asked = True
        for what in self._left_out:
            self._say(_LEFT_OUT.format(what))
        if self._predictor is not None:
            self._say(f"elapsed times of events are predicted for {self._predictor.device.name}")

    def _add(self, stream: int, milliseconds: float | None, what: str) -> None:
        if milliseconds is None:
            self.left_out(what)
        self._ends[stream] = self.ready(stream) + (milliseconds or 0.0)

    def _say(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            print(f"advisor: {words}.", file=sys.stderr)
