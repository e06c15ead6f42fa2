"""What a contained process may be made to do: stands in for the machine, by the kernel's name."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

from advisor.evidence.simulated.synthesis.request import Request
from advisor.evidence.simulated.synthesis.result import Synthesis


def obey(request: Request) -> Synthesis:
    """What the function of the kernel's name says, `what:argument`."""
    what, _, argument = request.kernel.partition(":")
    told = globals()[what](argument)
    return Synthesis(request.kernel, assumptions=tuple(map(str, told or ())))


_prepared: list[tuple[int, Path | None]] = []


def prepare(folder: Path | None) -> None:
    _prepared.append((os.getpid(), folder))


def prepared(argument: str) -> list[object]:
    """Where and with what folder it was got ready, and whether that was this process."""
    ((process, folder),) = _prepared
    return [process, folder, process == os.getpid()]


def surroundings(argument: str) -> list[object]:
    own = [name for name in os.environ if name != "LC_CTYPE"]
    open_now = sorted(int(one.name) for one in Path("/proc/self/fd").iterdir())
    return [own, list(Path.cwd().iterdir()), sys.argv, open_now[:4]]


def modules(argument: str) -> list[object]:
    return sorted(sys.modules)


def endless(argument: str) -> NoReturn:
    while True:
        pass


def asleep(argument: str) -> None:
    time.sleep(1000)


def memory(argument: str) -> None:
    len(bytearray(int(argument)))


def write(argument: str) -> None:
    Path(argument).write_text("escaped")


def remove(argument: str) -> None:
    Path(argument).unlink()


def prints(argument: str) -> None:
    for _ in range(int(argument)):
        os.write(1, b"x" * (1 << 16))
        os.write(2, b"x" * (1 << 16))


def flood(argument: str) -> NoReturn:
    """Sends to the one who asks without an end."""
    connection = 3
    while True:
        os.write(connection, b"x" * (1 << 16))


def lies(argument: str) -> NoReturn:
    os.write(3, argument.encode())
    os._exit(0)


def dies(argument: str) -> None:
    signal.raise_signal(int(argument))


def starts(argument: str) -> None:
    """Starts a process that would outlive this one."""
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(30); {argument!r}"])


def forks(argument: str) -> None:
    os.fork()


def kills(argument: str) -> None:
    os.kill(int(argument), signal.SIGTERM)


def threads(argument: str) -> list[object]:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append("ran"))
    thread.start()
    thread.join()
    return found


def connects(argument: str) -> None:
    socket.create_connection(("127.0.0.1", int(argument)), 1.0)
