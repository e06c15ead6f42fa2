"""Programs run on the simulated GPU, one process for many: before and after a fix, on the same inputs.

As a module this is the client; under `advisor run` it answers requests: pickles of source, function and
arguments.
"""

from __future__ import annotations

import copy
import pickle
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, BinaryIO

_LONGEST_SECONDS = 120.0


class SimulatedRuns:
    """Calls functions of sources whose kernels run on the simulated GPU."""

    def __init__(self, folder: Path) -> None:
        # What it launches is recorded where it lies: not in the checkout.
        program = shutil.copy(__file__, folder)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "advisor", "run", "--quiet", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
        )

    def call(self, source: str, function: str, *arguments: Any) -> Any:
        """What a function of a source returns; when that is None, the arguments as it left them.

        Raises RuntimeError with the error that it raised.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        _send(self._process.stdin, (source, function, arguments))
        if not select.select([self._process.stdout], [], [], _LONGEST_SECONDS)[0]:
            self._process.kill()
            raise RuntimeError(f"no answer:\n{source}")
        answer = _receive(self._process.stdout)
        if answer is None:
            raise RuntimeError(f"the process ended:\n{source}")
        result, error = answer
        if error:
            raise RuntimeError(f"{error}\n{source}")
        return result

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


def _answer(folder: Path, known: dict[str, dict[str, Any]], request: Any) -> tuple[Any, str]:
    source, function, arguments = request
    try:
        if source not in known:
            file = folder / f"program_{len(known)}.py"
            file.write_text(source)
            known[source] = {"__name__": file.stem, "__file__": str(file)}
            exec(compile(source, str(file), "exec"), known[source])
        own = copy.deepcopy(arguments)
        result = known[source][function](*own)
        return (own if result is None else result), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _serve() -> None:
    warnings.simplefilter("ignore")
    known: dict[str, dict[str, Any]] = {}
    # What a program prints is not to lie between the answers.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    with tempfile.TemporaryDirectory() as folder:
        while (request := _receive(sys.stdin.buffer)) is not None:
            _send(answers, _answer(Path(folder), known, request))


if __name__ == "__main__":
    _serve()
