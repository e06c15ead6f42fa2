"""Numba's own CUDA simulator as an oracle, in a process of its own: its environment is fixed at import.

As a module this is the client; run as a program it answers requests: a length, then that many bytes of a
pickle of (source, kernel's name, grid, block, arrays); the answer is a pickle of the arrays or of an error's
text.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

_LONGEST_SECONDS = 120.0


class NumbaSimulator:
    """Runs kernels given as source on Numba's simulator; an answer that takes two minutes is an error."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        )

    def launch(self, source: str, name: str, grid: Any, block: Any, arrays: list[np.ndarray]) -> None:
        """Run the kernel; the arrays hold what it wrote. Raises RuntimeError with the simulator's error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        _send(self._process.stdin, (source, name, grid, block, arrays))
        if not select.select([self._process.stdout], [], [], _LONGEST_SECONDS)[0]:
            self._process.kill()
            raise RuntimeError(f"the simulator does not answer:\n{source}")
        answer = _receive(self._process.stdout)
        if answer is None:
            raise RuntimeError(f"the simulator ended:\n{source}")
        if isinstance(answer, str):
            raise RuntimeError(answer)
        for array, result in zip(arrays, answer, strict=True):
            array[...] = result

    def close(self) -> None:
        """End the process."""
        try:
            self._process.communicate(timeout=30)
        finally:
            self._process.kill()


def _send(stream: BinaryIO, value: Any) -> None:
    content = pickle.dumps(value)
    stream.write(struct.pack("<q", len(content)) + content)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    head = stream.read(8)
    return pickle.loads(stream.read(struct.unpack("<q", head)[0])) if len(head) == 8 else None


def module_of(source: str, folder: Path) -> dict[str, Any]:
    """The names that a source defines; it is written to a file, where Numba looks for its lines."""
    file = folder / f"kernel_{abs(hash(source))}.py"
    file.write_text(source)
    space: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(source, str(file), "exec"), space)
    return space


def _serve() -> None:
    with tempfile.TemporaryDirectory() as folder:
        while (request := _receive(sys.stdin.buffer)) is not None:
            source, name, grid, block, arrays = request
            try:
                with np.errstate(all="ignore"):
                    module_of(source, Path(folder))[name][grid, block](*arrays)
                _send(sys.stdout.buffer, arrays)
            except Exception as error:
                _send(sys.stdout.buffer, f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    _serve()
