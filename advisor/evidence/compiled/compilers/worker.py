"""The compiler's process: takes units as length-prefixed JSON on its input, answers each on its output.

It never sees the workspace: started in an empty folder, with a path that holds Python's own and the installed
packages only, and without the Python and Numba settings of the environment.
"""

from __future__ import annotations

import gc
import json
import os
import struct
import sys
import warnings
from typing import Any, BinaryIO

_HEADER = struct.Struct(">I")


def write_message(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message: four bytes of length, most significant first, then UTF-8 JSON."""
    data = json.dumps(message).encode()
    stream.write(_HEADER.pack(len(data)) + data)
    stream.flush()


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message, None when the stream has ended."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    (length,) = _HEADER.unpack(header)
    data = stream.read(length)
    if len(data) < length:
        return None
    message: dict[str, Any] = json.loads(data)
    return message


def begin(path: list[str]) -> None:
    """Serve units until the input ends; `path` is the module path to keep from here on."""
    # Whatever a library prints must not reach the answers.
    answers = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    warnings.simplefilter("ignore")
    # The compilers stay to the end: to search them for garbage, while they are imported and later, would take
    # a third of the time until the first kernel is compiled.
    gc.disable()
    from advisor.evidence.compiled.compilers.compiler import compile_unit
    from advisor.model.errors import EvidenceUnavailable
    from advisor.model.machine_code.gpu_extra import load_compilers

    sys.path[:] = path
    try:
        from cuda.bindings import nvjitlink  # noqa: F401

        load_compilers()
    except EvidenceUnavailable as unavailable:
        write_message(answers, {"unavailable": str(unavailable), "remedy": unavailable.remedy})
        return
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}"[:300]
        write_message(answers, {"unavailable": f"The compiler cannot be loaded ({said})."})
        return
    gc.freeze()
    gc.enable()
    write_message(answers, {"ready": True})
    while (request := read_message(sys.stdin.buffer)) is not None:
        try:
            answer = compile_unit(request)
        except Exception as problem:
            answer = {"failure": f"{type(problem).__name__}: {problem}"[:300]}
        write_message(answers, answer)
