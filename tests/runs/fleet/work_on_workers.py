"""What the tests have workers do; they import it, as they do the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from advisor.model.errors import SourceProblem


def noted(folder: str, number: int) -> int:
    """The square of a number; leaves a file for each time that it was asked for."""
    Path(folder, f"{number}-{os.urandom(4).hex()}").touch()
    return number * number


def dies_until(folder: str, times: int) -> str:
    """How often it was asked; the first times its worker is killed over it."""
    asked = len(list(Path(folder).iterdir()))
    if asked < times:
        Path(folder, str(asked)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return f"asked {asked + 1} times"


def waits(file: str) -> int:
    """Starts a process that never ends, and waits for it; its number is written to a file."""
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(command) as process:
        written = Path(f"{file}.new")
        written.write_text(str(process.pid))
        written.replace(file)
        return process.wait()


def fails(path: str) -> None:
    """A file that cannot be analysed."""
    raise SourceProblem(path, 3, "cannot be parsed", 7)


def many_bytes(count: int) -> bytes:
    """Bytes that cannot be packed."""
    return os.urandom(count)


def length(data: bytes) -> int:
    """How many there are."""
    return len(data)


def text_of(place, path: str) -> tuple[str, list[str], str]:
    """The text of a project's file, all its files, and a sentence with the place of the file."""
    with place.opened() as root:
        files = sorted(file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
        (root / path).write_text((text := (root / path).read_text()) + "changed")
        return text, files, place.told(f"{root / path}: no data", root)
