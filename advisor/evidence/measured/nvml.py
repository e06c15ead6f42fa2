"""What NVML (module `pynvml` of nvidia-ml-py) says of a GPU while something runs on it."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, TypeVar

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import EvidenceUnavailable
from advisor.model.machine_code.gpu_extra import REMEDY
from advisor.model.records import Value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Process:
    """A process with work on the GPU and its device memory in bytes, None where NVML does not tell."""

    id: int
    memory: int | None


@dataclass(frozen=True)
class Sample:
    """One look at a GPU; what it does not tell is None.

    `time` is in seconds since the epoch, utilisations are ratios, clocks in Hz, the temperature in degrees
    Celsius, power in watts, memory in bytes. `reasons` say why the clocks are held down.
    """

    time: float
    utilization: float | None
    memory_utilization: float | None
    sm_clock: float | None
    memory_clock: float | None
    reasons: tuple[str, ...] | None
    temperature: float | None
    power: float | None
    memory_used: int | None
    processes: tuple[Process, ...] | None


@dataclass(frozen=True)
class Facts:
    """What does not change: name, driver version, memory in bytes, highest clocks in Hz, power limit in W."""

    name: str
    driver: str
    memory: int | None
    max_sm_clock: float | None
    max_memory_clock: float | None
    power_limit: float | None


@cache
def _reasons() -> tuple[tuple[int, str, str], ...]:
    """Bit, name and cause ("thermal", "power", "none") of each reason for lower clocks."""
    data = tomllib.loads((knowledge_folder() / "profiling.toml").read_text("utf-8"))
    return tuple((one["bit"], one["name"], one["cause"]) for one in data["nvml"]["reasons"])


def clock_reasons(bits: int) -> tuple[str, ...]:
    """The names of the reasons for lower clocks that bits of NVML stand for."""
    return tuple(name for bit, name, _ in _reasons() if bits & bit)


class Nvml:
    """NVML for one GPU, by its index or its UUID (`GPU-…`).

    Raises EvidenceUnavailable, with the reason, where it cannot be used. `module` stands in for `pynvml`.
    """

    def __init__(self, device: int | str = 0, module: Any = None) -> None:
        self._nvml = module if module is not None else _module()
        try:
            self._nvml.nvmlInit()
        except self._nvml.NVMLError as error:
            raise EvidenceUnavailable(*_why(error)) from None
        try:
            self._device = self._handle(device)
        except self._nvml.NVMLError as error:
            self.close()
            raise EvidenceUnavailable(f"NVML does not know GPU {device}: {error}.") from None

    def __enter__(self) -> Nvml:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let NVML go."""
        self._asked(self._nvml.nvmlShutdown)

    def facts(self) -> Facts:
        """The facts of the GPU."""
        nvml, device = self._nvml, self._device
        name = self._asked(lambda: nvml.nvmlDeviceGetName(device))
        driver = self._asked(nvml.nvmlSystemGetDriverVersion)
        memory = self._asked(lambda: nvml.nvmlDeviceGetMemoryInfo(device))
        limit = self._asked(lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(device))
        return Facts(
            name=_text(name) or "a GPU",
            driver=_text(driver) or "unknown",
            memory=None if memory is None else int(memory.total),
            max_sm_clock=self._clock(nvml.nvmlDeviceGetMaxClockInfo, nvml.NVML_CLOCK_SM),
            max_memory_clock=self._clock(nvml.nvmlDeviceGetMaxClockInfo, nvml.NVML_CLOCK_MEM),
            power_limit=None if limit is None else limit / 1e3,
        )

    def sample(self) -> Sample:
        """One look at the GPU; raises EvidenceUnavailable for a GPU that is lost."""
        nvml, device = self._nvml, self._device
        used = self._asked(lambda: nvml.nvmlDeviceGetUtilizationRates(device))
        memory = self._asked(lambda: nvml.nvmlDeviceGetMemoryInfo(device))
        power = self._asked(lambda: nvml.nvmlDeviceGetPowerUsage(device))
        heat = self._asked(lambda: nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU))
        processes = self._asked(lambda: nvml.nvmlDeviceGetComputeRunningProcesses(device))
        return Sample(
            time=time.time(),
            utilization=None if used is None else used.gpu / 100,
            memory_utilization=None if used is None else used.memory / 100,
            sm_clock=self._clock(nvml.nvmlDeviceGetClockInfo, nvml.NVML_CLOCK_SM),
            memory_clock=self._clock(nvml.nvmlDeviceGetClockInfo, nvml.NVML_CLOCK_MEM),
            reasons=self._reasons(),
            temperature=None if heat is None else float(heat),
            power=None if power is None else power / 1e3,
            memory_used=None if memory is None else int(memory.used),
            processes=None
            if processes is None
            else tuple(Process(int(one.pid), _bytes(one.usedGpuMemory)) for one in processes),
        )

    def _handle(self, device: int | str) -> Any:
        if isinstance(device, int):
            return self._nvml.nvmlDeviceGetHandleByIndex(device)
        return self._nvml.nvmlDeviceGetHandleByUUID(device)

    def _clock(self, ask: Callable[[Any, Any], Any], which: Any) -> float | None:
        found = self._asked(lambda: ask(self._device, which))
        return None if found is None else float(found) * 1e6

    def _reasons(self) -> tuple[str, ...] | None:
        """The reasons by name; the function is called otherwise in older versions."""
        names = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
        ask = next((getattr(self._nvml, name) for name in names if hasattr(self._nvml, name)), None)
        bits = self._asked(lambda: ask(self._device)) if ask else None
        return None if bits is None else clock_reasons(bits)

    def _asked(self, ask: Callable[[], _Found]) -> _Found | None:
        """The answer, None where this GPU or user is not given one."""
        try:
            return ask()
        except self._nvml.NVMLError as error:
            if "GpuIsLost" in type(error).__name__:
                raise EvidenceUnavailable(f"The GPU was lost: {error}.") from None
            return None


def _module() -> Any:
    try:
        return importlib.import_module("pynvml")
    except ImportError:
        raise EvidenceUnavailable(
            "NVML cannot be asked: the module pynvml is missing.",
            REMEDY,
        ) from None


def _why(error: Exception) -> tuple[str, str]:
    """What NVML's refusal to start means, and what helps."""
    kind = type(error).__name__
    if "LibraryNotFound" in kind or "DriverNotLoaded" in kind:
        return (
            f"NVML cannot be asked, since no NVIDIA driver is loaded: {error}.",
            "It belongs to the driver; on a machine without a GPU there is none.",
        )
    if "LibRmVersionMismatch" in kind:
        return f"NVML's library and the driver's module have other versions: {error}.", "Restart the machine."
    return f"NVML cannot be asked: {error}.", ""


def _text(found: Any) -> str:
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found or "")


def _bytes(found: Any) -> int | None:
    return int(found) if isinstance(found, int) else None


class Sampler:
    """Looks at a GPU again and again in a thread; `stop` ends that and gives the samples, at least one.

    What ended it early, such as a lost GPU, is in `problem`.
    """

    def __init__(self, nvml: Nvml, interval: float) -> None:
        self.problem = ""
        self._nvml, self._interval = nvml, interval
        self._samples: list[Sample] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="nvml", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self.problem:
            try:
                self._samples.append(self._nvml.sample())
            except EvidenceUnavailable as error:
                self.problem = str(error)
            if self._ended.wait(self._interval):
                return

    def stop(self) -> list[Sample]:
        """The samples in their order."""
        self._ended.set()
        self._thread.join()
        return self._samples


def run_metrics(
    samples: Sequence[Sample], facts: Facts | None = None, own: Collection[int] = ()
) -> dict[str, Value]:
    """Metrics of the entity `run` from samples; `own` are the numbers of the processes that were measured.

    NVML numbers processes as the host does: where none of `own` is seen, as from within a container, one of
    those seen is taken to be it.
    """
    found: dict[str, Value] = {}
    causes = {name: cause for _, name, cause in _reasons()}
    told = [one.reasons for one in samples if one.reasons is not None]
    for cause in ("thermal", "power"):
        if told:
            held = sum(any(causes[reason] == cause for reason in reasons) for reasons in told)
            found[f"{cause}_throttle"] = held / len(told)
    clocks = [one.sm_clock for one in samples if one.sm_clock is not None]
    if clocks and facts is not None and facts.max_sm_clock:
        found["sm_clock_norm"] = min(1.0, sum(clocks) / len(clocks) / facts.max_sm_clock)
    if heat := [one.temperature for one in samples if one.temperature is not None]:
        found["gpu_temperature"] = max(heat)
    if memory := [one.memory_used for one in samples if one.memory_used is not None]:
        found["device_memory_bytes"] = float(max(memory))
        if facts is not None and facts.memory:
            found["device_memory_share"] = min(1.0, max(memory) / facts.memory)
    if seen := [{process.id for process in one.processes} for one in samples if one.processes is not None]:
        hidden = 0 if any(ids & set(own) for ids in seen) or not own else 1
        found["other_processes"] = float(max(max(0, len(ids - set(own)) - hidden) for ids in seen))
    return found
