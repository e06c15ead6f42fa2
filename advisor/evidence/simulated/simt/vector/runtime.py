"""The runtime of compiled kernels: all routines as loaded code, once for a process."""

from __future__ import annotations

import threading

from advisor.evidence.simulated.simt.vector.objects import Loaded, load, object_code
from advisor.evidence.simulated.simt.vector.routines import (
    arithmetic,
    atomic,
    cache,
    checking,
    driver,
    fast,
    generic,
    global_races,
    memory,
    shared,
    transcendental,
)
from advisor.evidence.simulated.simt.vector.routines.builder import ROUTINES, write_module
from advisor.evidence.simulated.simt.vector.stored_code import stored_code
from advisor.evidence.simulated.simt.vector.tensor import (
    barrier_phases,
    box_requests,
    boxes,
    copies,
    group_operands,
    rows,
)
from advisor.model.storage.cache import Cache

ROUTINE_MODULES = (
    arithmetic, atomic, barrier_phases, box_requests, boxes, cache, checking, copies, driver, fast,
    generic, global_races, group_operands, memory, rows, shared, transcendental,
)  # fmt: skip
_LOCK = threading.Lock()
_loaded: list[Loaded] = []


def runtime(cache: Cache | None = None) -> Loaded:
    """The loaded routines by name. Translating them takes a second, so `cache` keeps them.

    They are a part of this program, as its bytecode is, and no result of anything: where the user wants no
    results stored, they still may be.
    """
    with _LOCK:
        if not _loaded:
            code, _ = stored_code(cache, "runtime", _translated, _unchanged, _unchanged)
            _loaded.append(load("runtime", code, sorted(ROUTINES), {}))
        return _loaded[0]


def _translated() -> tuple[bytes, None]:
    return object_code(write_module(), optimised=True), None


def _unchanged(facts: None) -> None:
    return facts
