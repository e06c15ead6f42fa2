"""The runtime of compiled kernels: all routines as loaded code, once for a process."""

from __future__ import annotations

import threading

from advisor.cache import Cache
from advisor.simt.vector import (
    arithmetic_routines,
    atomic_routines,
    cache_routines,
    checking_routines,
    driver_routines,
    fast_routines,
    generic_routines,
    memory_routines,
    shared_routines,
    transcendental_routines,
)
from advisor.simt.vector.objects import Loaded, load, object_code
from advisor.simt.vector.routines import ROUTINES, write_module
from advisor.simt.vector.stored_code import stored_code

ROUTINE_MODULES = (
    arithmetic_routines, atomic_routines, cache_routines, checking_routines, driver_routines, fast_routines,
    generic_routines, memory_routines, shared_routines, transcendental_routines,
)  # fmt: skip
_LOCK = threading.Lock()
_loaded: list[Loaded] = []


def runtime(cache: Cache | None = None) -> Loaded:
    """The loaded routines by name."""
    with _LOCK:
        if not _loaded:
            code, _ = stored_code(cache, "runtime", _translated, _unchanged, _unchanged)
            _loaded.append(load("runtime", code, sorted(ROUTINES), {}))
        return _loaded[0]


def _translated() -> tuple[bytes, None]:
    return object_code(write_module()), None


def _unchanged(facts: None) -> None:
    return facts
