"""What `torch.cuda` answers on the simulated GPU, and what it says it cannot do."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch

from advisor.evidence.simulated.driver.api.buffers import Buffers
from advisor.evidence.simulated.driver.gpu import Gpu

_DEFAULT_STREAM = 0
_NOT_HERE = "{what} is not available on the simulated GPU of `advisor run`{why}."
_REFUSED = {
    "graph": "", "make_graphed_callables": "", "CUDAGraph": "", "graph_pool_handle": "",
    "memory_snapshot": "", "ipc_collect": "", "jiterator": "",
}  # fmt: skip
# What does nothing, or answers with nothing.
_QUIET = (
    "init", "empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated", "set_device",
    "set_per_process_memory_fraction", "reset_accumulated_memory_stats", "set_sync_debug_mode",
)  # fmt: skip


class Event:
    """A `torch.cuda.Event`: elapsed times are predicted for the device, without what operators take."""

    clock: Any

    def __init__(self, *_: Any, **__: Any) -> None:
        self._at = 0.0

    def record(self, _stream: Any = None) -> None:
        """Note the time."""
        self.clock.start()
        self._at = self.clock.ready(_DEFAULT_STREAM)

    def synchronize(self) -> None:
        """Wait for the event."""
        self.clock.host_waits(self._at)

    def wait(self, _stream: Any = None) -> None:
        """Let a stream wait: all run in one."""

    def query(self) -> bool:
        """That all before it is done."""
        return True

    def elapsed_time(self, end: Event) -> float:
        """The ms from this event to another one."""
        self.clock.tell()
        return end._at - self._at


class Stream:
    """A `torch.cuda.Stream`: all are the default stream."""

    cuda_stream = _DEFAULT_STREAM
    stream_id, device_index, device_type = 0, 0, 1
    device = torch.device("cuda", 0)

    clock: Any

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def synchronize(self) -> None:
        """Wait for its work."""
        self.clock.host_waits()

    def wait_stream(self, _stream: Any) -> None:
        """Wait for another stream: all are one."""

    wait_event = wait_stream

    def record_event(self, event: Any = None) -> Any:
        """An event that is recorded now."""
        event = event or torch.cuda.Event()
        event.record()
        return event

    def query(self) -> bool:
        """That all is done."""
        return True

    def is_capturing(self) -> bool:
        """That no graph is made."""
        return False

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Within:
    """A context that changes nothing: there is one device, and one stream."""

    def __init__(self, *_: Any) -> None:
        pass

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


_GENERATOR: Any = torch.Generator


class _AnyGenerator(type(_GENERATOR)):  # type: ignore[misc]
    """All generators are instances."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, _GENERATOR)


class Generator(_GENERATOR, metaclass=_AnyGenerator):
    """A generator of the host's: random numbers are those of the CPU."""

    def __new__(cls, *_: Any, **__: Any) -> Generator:
        """Ignore the device."""
        made: Generator = super().__new__(cls, "cpu")
        return made

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


def answer(gpu: Gpu, buffers: Buffers) -> None:
    """Let `torch.cuda` speak of the simulated GPU; what it cannot do is said at the line that asks for it."""
    cuda = torch.cuda
    clock, device = gpu.clock, gpu.properties

    def used(*_: Any) -> int:
        return buffers.total_bytes - buffers.free_bytes

    capability = tuple(device.capability)
    Event.clock = Stream.clock = clock
    stream = Stream()
    known: dict[str, Any] = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_name": lambda *_: device.device.name,
        "get_device_capability": lambda *_: capability,
        "get_device_properties": lambda *_: _properties(gpu, buffers),
        "get_arch_list": lambda: [f"sm_{capability[0]}{capability[1]}"],
        "is_bf16_supported": lambda *_, **__: capability >= (8, 0),
        "mem_get_info": lambda *_: (buffers.free_bytes, buffers.total_bytes),
        "synchronize": lambda *_: clock.host_waits(),
        "Event": Event,
        "Stream": Stream,
        "current_stream": lambda *_: stream,
        "default_stream": lambda *_: stream,
        "stream": Within,
        "set_stream": lambda _=None: None,
        "device": Within,
        "device_of": Within,
        # `torch.manual_seed` calls them too.
        "manual_seed": _seed,
        "manual_seed_all": _seed,
        "seed": lambda: int(torch.default_generator.seed()),
        "initial_seed": lambda: int(torch.default_generator.initial_seed()),
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": lambda state, *_: torch.set_rng_state(state.cpu()),
        "is_current_stream_capturing": lambda: False,
        "memory_summary": lambda *_, **__: f"{used():,} bytes of the simulated GPU are in use.",
        "_lazy_init": _refuse("This part of torch.cuda"),
    }
    known |= dict.fromkeys(("memory_allocated", "max_memory_allocated", "memory_reserved",
                            "max_memory_reserved"), used)  # fmt: skip
    known |= {name: lambda *_, **__: None for name in _QUIET}
    known |= {name: _refuse(f"torch.cuda.{name}") for name in _REFUSED}
    for name, function in known.items():
        if hasattr(cuda, name):
            setattr(cuda, name, function)
    accelerator = getattr(torch, "accelerator", None)
    for name in ("is_available", "device_count", "synchronize", "current_stream") if accelerator else ():
        setattr(accelerator, name, known[name])
    for name in ("current_device_index", "current_device_idx") if accelerator else ():
        setattr(accelerator, name, known["current_device"])
    if accelerator:
        accelerator.current_accelerator = lambda *_, **__: torch.device("cuda")
    _change_the_rest()


def _change_the_rest() -> None:
    """What names the GPU outside of `torch.cuda`."""
    # The CUDA runtime in PyTorch finds no GPU that it knows how to ask, and says so once.
    warnings.filterwarnings("ignore", "CUDA initialization: ")
    torch.Generator = Generator
    compiled = torch.compile
    torch.compile = _refuse("torch.compile", ": operators run as they are")
    torch.compile.__doc__ = compiled.__doc__
    autocast_enter: Any = torch.autocast.__enter__

    def enter(self: Any) -> Any:
        if self.device == "cuda" and self._enabled:
            _say("autocast computes in float32 here, the results are more exact than on a GPU")
        return autocast_enter(self)

    torch.autocast.__enter__ = enter


def _seed(seed: int) -> None:
    torch.default_generator.manual_seed(int(seed))


def _properties(gpu: Gpu, buffers: Buffers) -> Any:
    limit, (major, minor) = gpu.properties.limit, gpu.properties.capability
    return types.SimpleNamespace(
        name=gpu.properties.device.name,
        major=major,
        minor=minor,
        total_memory=buffers.total_bytes,
        multi_processor_count=limit("MULTIPROCESSOR_COUNT"),
        max_threads_per_multi_processor=limit("MAX_THREADS_PER_MULTIPROCESSOR"),
        warp_size=32,
        shared_memory_per_block=limit("MAX_SHARED_MEMORY_PER_BLOCK"),
        shared_memory_per_block_optin=limit("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        regs_per_multiprocessor=limit("MAX_REGISTERS_PER_MULTIPROCESSOR"),
    )


def _refuse(what: str, why: str = "") -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(_NOT_HERE.format(what=what, why=why))

    return refuse


_said: set[str] = set()


def _say(words: str) -> None:
    if words not in _said:
        _said.add(words)
        print(f"advisor: {words}.", file=sys.stderr)
