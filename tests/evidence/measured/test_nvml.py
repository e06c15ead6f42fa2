"""What NVML says of a GPU, through a module object that answers as pynvml does."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.evidence.measured.nvml import Facts, Nvml, Process, Sample, Sampler, run_metrics
from advisor.model.errors import EvidenceUnavailable


class NVMLError(Exception):
    pass


class NVMLError_NotSupported(NVMLError):
    pass


class NVMLError_GpuIsLost(NVMLError):
    pass


class NVMLError_LibraryNotFound(NVMLError):
    pass


class NVMLError_InvalidArgument(NVMLError):
    pass


class FakeNvml(SimpleNamespace):
    """One GPU with index 0 and UUID GPU-1, at 70 degrees, its clocks held down by power."""

    NVMLError = NVMLError
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    def __init__(self, **answers: Any) -> None:
        super().__init__(closed=0, answers=answers)

    def _answer(self, name: str, usual: Any) -> Any:
        given = self.answers.get(name, usual)
        if isinstance(given, Exception):
            raise given
        return given

    def nvmlInit(self) -> None:
        self._answer("init", None)

    def nvmlShutdown(self) -> None:
        self.closed += 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> str:
        if index != 0:
            raise NVMLError_InvalidArgument("Invalid Argument")
        return "gpu"

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:
        if uuid != "GPU-1":
            raise NVMLError_InvalidArgument("Invalid Argument")
        return "gpu"

    def nvmlDeviceGetName(self, device: str) -> Any:
        return self._answer("name", b"NVIDIA H200")

    def nvmlSystemGetDriverVersion(self) -> Any:
        return self._answer("driver", "580.65.06")

    def nvmlDeviceGetMemoryInfo(self, device: str) -> Any:
        return self._answer("memory", SimpleNamespace(total=1000, used=400))

    def nvmlDeviceGetEnforcedPowerLimit(self, device: str) -> Any:
        return self._answer("limit", 700_000)

    def nvmlDeviceGetMaxClockInfo(self, device: str, which: int) -> Any:
        return self._answer("max_clock", {1: 2000, 2: 3200}[which])

    def nvmlDeviceGetClockInfo(self, device: str, which: int) -> Any:
        return self._answer("clock", {1: 1500, 2: 3200}[which])

    def nvmlDeviceGetUtilizationRates(self, device: str) -> Any:
        return self._answer("used", SimpleNamespace(gpu=93, memory=40))

    def nvmlDeviceGetPowerUsage(self, device: str) -> Any:
        return self._answer("power", 650_500)

    def nvmlDeviceGetTemperature(self, device: str, which: int) -> Any:
        return self._answer("heat", 70)

    def nvmlDeviceGetComputeRunningProcesses(self, device: str) -> Any:
        usual = [SimpleNamespace(pid=12, usedGpuMemory=300), SimpleNamespace(pid=13, usedGpuMemory=None)]
        return self._answer("processes", usual)

    def nvmlDeviceGetCurrentClocksEventReasons(self, device: str) -> Any:
        return self._answer("reasons", 0x4)


def sample(**more: Any) -> Sample:
    usual: dict[str, Any] = {
        "time": 0.0, "utilization": 0.5, "memory_utilization": 0.5, "sm_clock": 1.5e9, "memory_clock": 3.2e9,
        "reasons": (), "temperature": 60.0, "power": 300.0, "memory_used": 100, "processes": (),
    }  # fmt: skip
    return Sample(**usual | more)


def test_facts_and_a_sample() -> None:
    with Nvml(module=FakeNvml()) as nvml:
        assert nvml.facts() == Facts("NVIDIA H200", "580.65.06", 1000, 2e9, 3.2e9, 700.0)
        seen = nvml.sample()
    assert (seen.utilization, seen.memory_utilization) == (0.93, 0.4)
    assert (seen.sm_clock, seen.memory_clock, seen.temperature, seen.power) == (1.5e9, 3.2e9, 70.0, 650.5)
    assert (seen.reasons, seen.memory_used) == (("software power cap",), 400)
    assert seen.processes == (Process(12, 300), Process(13, None))


def test_it_is_let_go() -> None:
    module = FakeNvml()
    with Nvml("GPU-1", module):
        pass
    assert module.closed == 1


def test_what_a_gpu_does_not_tell_is_unknown() -> None:
    names = ("used", "memory", "power", "heat", "processes", "reasons", "clock", "max_clock", "limit")
    module = FakeNvml(**{name: NVMLError_NotSupported("Not Supported") for name in names})
    nvml = Nvml(module=module)
    seen = nvml.sample()
    assert seen == sample(
        time=seen.time, utilization=None, memory_utilization=None, sm_clock=None, memory_clock=None,
        reasons=None, temperature=None, power=None, memory_used=None, processes=None,
    )  # fmt: skip
    assert nvml.facts() == Facts("NVIDIA H200", "580.65.06", None, None, None, None)
    assert run_metrics([seen], nvml.facts()) == {}


def test_older_modules_call_the_reasons_otherwise() -> None:
    class Older(FakeNvml):
        nvmlDeviceGetCurrentClocksEventReasons = property()

        def nvmlDeviceGetCurrentClocksThrottleReasons(self, device: str) -> int:
            return 0x60

    seen = Nvml(module=Older()).sample()
    assert seen.reasons == ("software thermal slowdown", "hardware thermal slowdown")


def test_no_driver_is_told_with_what_it_means() -> None:
    module = FakeNvml(init=NVMLError_LibraryNotFound("NVML Shared Library Not Found"))
    with pytest.raises(EvidenceUnavailable, match="no NVIDIA driver is loaded"):
        Nvml(module=module)


def test_a_gpu_that_is_not_there() -> None:
    module = FakeNvml()
    with pytest.raises(EvidenceUnavailable, match="does not know GPU 4"):
        Nvml(4, module)
    assert module.closed == 1


def test_the_sampler_samples_until_it_is_stopped() -> None:
    sampler = Sampler(Nvml(module=FakeNvml()), 0.001)
    deadline = time.monotonic() + 30
    while len(sampler._samples) < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    found = sampler.stop()
    assert len(found) >= 3
    assert not sampler.problem


def test_a_lost_gpu_ends_the_sampling_and_keeps_what_was_seen() -> None:
    module = FakeNvml()
    sampler = Sampler(Nvml(module=module), 0.001)
    module.answers["heat"] = NVMLError_GpuIsLost("GPU is lost")
    deadline = time.monotonic() + 30
    while not sampler.problem and time.monotonic() < deadline:
        time.sleep(0.001)
    sampler.stop()
    assert "The GPU was lost" in sampler.problem


def test_metrics_of_samples() -> None:
    facts = Facts("H200", "580", 1000, 2e9, None, None)
    found = run_metrics(
        [
            sample(reasons=("hardware thermal slowdown", "idle"), temperature=88.0),
            sample(reasons=("software power cap",), memory_used=900),
            sample(reasons=("application clocks",), sm_clock=0.9e9),
            sample(reasons=("sync boost",)),
        ],
        facts,
    )
    assert found == {
        "thermal_throttle": 0.25, "power_throttle": 0.25, "gpu_temperature": 88.0,
        "device_memory_bytes": 900.0, "device_memory_share": 0.9,
        "sm_clock_norm": pytest.approx((1.5 * 3 + 0.9) / 4 / 2), "other_processes": 0.0,
    }  # fmt: skip


def test_other_processes_are_those_that_are_not_measured() -> None:
    both = (Process(1, None), Process(2, None))
    assert (
        run_metrics([sample(processes=both[:1]), sample(processes=both)], None, [1])["other_processes"] == 1.0
    )
    assert run_metrics([sample(processes=both[:1])], None, [1])["other_processes"] == 0.0
    # In a container one's own process has another number there.
    assert run_metrics([sample(processes=both[:1])], None, [77])["other_processes"] == 0.0
    assert run_metrics([sample(processes=both)], None, [77])["other_processes"] == 1.0
    # Nothing of one's own runs: both are others.
    assert run_metrics([sample(processes=both)])["other_processes"] == 2.0
