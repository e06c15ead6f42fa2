"""What happens in a contained process: a request is read, its launches run, the answer is written."""

from __future__ import annotations

import importlib
import os
import pickle
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from advisor.evidence.simulated.synthesis.processes.containment import Allowance, contain
from advisor.evidence.simulated.synthesis.processes.messages import to_bytes
from advisor.evidence.simulated.synthesis.result import Synthesis

LENGTH = struct.Struct("=q")
# An answer is so much larger than any kernel's lines need.
MOST_BYTES = 8 << 20


def ready(program: str, store: str) -> Callable[[Any], Synthesis]:
    """The function that a program's name (module:function) stands for, with its module's `prepare` done."""
    module, _, name = program.partition(":")
    found = importlib.import_module(module)
    prepare = getattr(found, "prepare", None)
    if prepare is not None:
        prepare(Path(store) if store else None)
    function: Callable[[Any], Synthesis] = getattr(found, name)
    return function


def work(connection: int, function: Callable[[Any], Synthesis], allowance: Allowance) -> None:
    """Answer one request that comes by the connection, then end this process."""
    connection = contain(connection, allowance)
    # The request comes from the process that started this one. No other way is open into here.
    _answer(connection, pickle.loads(_read(connection)), function, allowance)


def work_alone() -> None:
    """Answer the request on standard input, as the command line says: folder, program, memory, seconds,
    store.
    """
    allowance = Allowance(int(sys.argv[3]), int(sys.argv[4]))
    function = ready(sys.argv[2], sys.argv[5])
    text = _read(0)
    connection = contain(os.dup(1), allowance)
    _answer(connection, pickle.loads(text), function, allowance)


def _answer(
    connection: int, request: Any, function: Callable[[Any], Synthesis], allowance: Allowance
) -> None:
    try:
        answer = function(request)
    except MemoryError:
        answer = Synthesis(request.kernel, unknown=out_of_memory(allowance))
    except RecursionError:
        answer = Synthesis(request.kernel, unknown="The kernel is nested too deeply to be run here.")
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        answer = Synthesis(request.kernel, unknown=f"Running the kernel failed ({said}).")
    _write(connection, to_bytes(answer))
    os._exit(0)


def out_of_memory(allowance: Allowance) -> str:
    """The sentence for a kernel that needs more than it is given."""
    return f"Running the kernel takes more than {allowance.memory_bytes / (1 << 30):.1f} GB of memory."


def _read(connection: int) -> bytes:
    length = LENGTH.unpack(_exactly(connection, LENGTH.size))[0]
    return _exactly(connection, length)


def _exactly(connection: int, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        part = os.read(connection, min(size - len(found), 1 << 20))
        if not part:
            os._exit(1)
        found += part
    return bytes(found)


def _write(connection: int, text: bytes) -> None:
    left = memoryview(text)
    while left:
        left = left[os.write(connection, left) :]
