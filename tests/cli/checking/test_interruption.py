"""Ctrl-C and SIGTERM end each command, and every process that it has started, at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

import advisor as package
from advisor.__main__ import main
from advisor.model.errors import AdvisorError
from advisor.model.processes.interruption import Interrupted, Interruption, uninterrupted, users_own_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and runs the simulated driver")
ROOT = Path(package.__file__).parent.parent
# What the commands do here would take minutes; an idle machine ends them in less than one second.
SECONDS = 20.0
KERNEL = """\
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numba import cuda


@cuda.jit
def kernel(x, steps):
    i = cuda.grid(1)
    if i < x.size:
        for _ in range(steps):
            x[i] = x[i] * x[i // 2] + 1
"""
SLEEPS = """

def workload():
    kernel[1, 32](cuda.to_device(np.ones(32)), 1)
    Path("begun").touch()
    time.sleep(600)
"""


class Command:
    """A command of the program in a group of its own; all processes below it carry a mark."""

    def __init__(self, folder: Path, argv: Sequence[str]) -> None:
        self.mark = f"{folder}-{time.monotonic_ns()}"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ADVISOR_TEST_MARK": self.mark}
        environment["HOME"] = str(folder)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "advisor", *argv],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def wait_until(self, begun: Callable[[], bool]) -> None:
        until = time.monotonic() + 120
        while not begun():
            assert self.process.poll() is None, self.process.communicate()[1]
            assert time.monotonic() < until, "it does not begin"
            time.sleep(0.05)

    def processes(self) -> list[int]:
        """Those that live and carry the mark, also where their parent has ended."""
        return [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and self._is_own(one)]

    def _is_own(self, process: Path) -> bool:
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            return state != "Z" and self.mark.encode() in (process / "environ").read_bytes()
        except OSError:
            return False

    def end(self, number: int, to_group: bool) -> tuple[int, str]:
        """The exit status and what was said, once all processes have ended."""
        (os.killpg if to_group else os.kill)(self.process.pid, number)
        _, said = self.process.communicate(timeout=SECONDS)
        until = time.monotonic() + 2.0
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        assert left == []
        return self.process.returncode, said

    def kill(self) -> None:
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    return tmp_path


@pytest.fixture
def begin(project: Path) -> Iterator[Callable[..., Command]]:
    begun: list[Command] = []

    def start(*argv: str) -> Command:
        begun.append(Command(project, argv))
        return begun[-1]

    yield start
    for command in begun:
        command.kill()


@pytest.fixture(params=[False, True], ids=["the command alone", "its whole group"])
def to_group(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def many_files(project: Path) -> None:
    """Files that workers take long for."""
    lines = [f"        x[i] = x[i + {number}] * steps" for number in range(60)]
    body = KERNEL.split("        for _")[0] + "\n".join(lines)
    text = "\n\n\n".join(body.replace("def kernel", f"def kernel_{number}") for number in range(20))
    for number in range(150):
        (project / f"work_{number}.py").write_text(text)


def test_check_reading_sources(project: Path, begin: Callable[..., Command], to_group: bool) -> None:
    many_files(project)
    command = begin("check", ".", "--evidence", "source", "--no-cache", "--jobs", "2")
    command.wait_until(lambda: len(command.processes()) >= 3)
    assert command.end(signal.SIGINT, to_group) == (130, "Interrupted.\n")


def test_check_in_one_process(project: Path, begin: Callable[..., Command]) -> None:
    many_files(project)
    command = begin("check", ".", "--evidence", "source", "--no-cache", "--jobs", "1")
    time.sleep(3.0)
    assert command.end(signal.SIGINT, False) == (130, "Interrupted.\n")


def test_check_compiling(project: Path, begin: Callable[..., Command], to_group: bool) -> None:
    many_files(project)
    for number in range(3, 150):
        (project / f"work_{number}.py").unlink()
    command = begin("check", ".", "--no-run", "--no-cache", "--jobs", "2")
    command.wait_until(lambda: len(command.processes()) >= 3)
    assert command.end(signal.SIGINT, to_group) == (130, "Interrupted.\n")


@pytest.mark.parametrize(
    "argv",
    [
        ("verify", "--simulate", "--no-cache", "work.py"),
        ("tune", "--no-cache", "work.py::kernel"),
        ("profile", "--simulate", "--no-store", "work.py"),
        ("check", "--no-cache", "work.py"),
    ],
    ids=lambda argv: argv[0],
)
def test_commands_that_run_workloads(
    project: Path, begin: Callable[..., Command], argv: Sequence[str], to_group: bool
) -> None:
    (project / "work.py").write_text(KERNEL + SLEEPS)
    command = begin(*argv)
    command.wait_until(lambda: bool(list(project.rglob("begun"))) or _has_begun_elsewhere(command))
    assert command.end(signal.SIGINT, to_group) == (130, "Interrupted.\n")


def _has_begun_elsewhere(command: Command) -> bool:
    """Whether a workload sleeps whose working folder is a copy."""
    return any((Path(f"/proc/{one}/cwd") / "begun").exists() for one in command.processes())


def test_a_program_with_a_process_of_its_own(
    project: Path, begin: Callable[..., Command], to_group: bool
) -> None:
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True"
    text = f"\nsubprocess.Popen({sleeper})\nPath('begun').touch()\ntime.sleep(600)\n"
    (project / "main.py").write_text(KERNEL + text)
    command = begin("run", "--simulate", "main.py")
    command.wait_until((project / "begun").exists)
    status, said = command.end(signal.SIGINT, to_group)
    assert status == 130
    assert "Interrupted." in said
    assert "Traceback" not in said


def test_a_kernel_that_does_not_end(project: Path, begin: Callable[..., Command]) -> None:
    text = "\nx = cuda.to_device(np.ones(32))\nkernel[1, 32](x, 1)\nPath('begun').touch()\n"
    (project / "main.py").write_text(KERNEL + text + "kernel[1, 32](x, 1 << 60)\n")
    command = begin("run", "--simulate", "main.py")
    command.wait_until((project / "begun").exists)
    time.sleep(1.0)
    status, said = command.end(signal.SIGINT, False)
    assert status == 130
    assert "Interrupted." in said
    assert "Traceback" not in said


def test_a_program_may_handle_it_itself(project: Path, begin: Callable[..., Command]) -> None:
    text = """
try:
    Path("begun").touch()
    time.sleep(600)
except KeyboardInterrupt:
    time.sleep(1.5)
    Path("kept").touch()
"""
    (project / "main.py").write_text(KERNEL + text)
    command = begin("run", "--simulate", "main.py")
    command.wait_until((project / "begun").exists)
    status, _ = command.end(signal.SIGINT, False)
    assert status == 0
    assert (project / "kept").exists()


def test_a_server_that_is_terminated(begin: Callable[..., Command]) -> None:
    command = begin("server")
    time.sleep(3.0)
    status, said = command.end(signal.SIGTERM, False)
    # 1, that of a session without a due end, where the protocol's loop is what is interrupted.
    assert status in (1, 143)
    assert "Traceback" not in said


def test_sigterm_has_its_own_words_and_status(project: Path, begin: Callable[..., Command]) -> None:
    many_files(project)
    command = begin("check", ".", "--evidence", "source", "--no-cache", "--jobs", "2")
    command.wait_until(lambda: len(command.processes()) >= 3)
    assert command.end(signal.SIGTERM, False) == (143, "Terminated.\n")


def test_steps_that_belong_together_are_done_first(monkeypatch: pytest.MonkeyPatch) -> None:
    # The processes below this one belong to other tests.
    ended: list[bool] = []
    monkeypatch.setattr(
        "advisor.model.processes.interruption.end_processes_below", lambda *_: ended.append(True)
    )
    done = []
    with pytest.raises(Interrupted) as raised, Interruption(only_process=False), uninterrupted():
        signal.raise_signal(signal.SIGTERM)
        done.append("all of them")
    assert done == ["all of them"]
    assert ended
    assert raised.value.status == 143


class Drops:
    """Gets a signal where Python drops what is raised."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


@pytest.fixture
def without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    # The processes below this one belong to other tests.
    monkeypatch.setattr("advisor.model.processes.interruption.end_processes_below", lambda *_: None)


@pytest.mark.usefixtures("without_processes")
def test_a_signal_that_python_drops_comes_again(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.unraisablehook
    begin = time.monotonic()
    with pytest.raises(Interrupted) as raised, Interruption(only_process=False):
        Drops()
        time.sleep(SECONDS)
    assert time.monotonic() - begin < SECONDS
    assert raised.value.status == 143
    assert sys.unraisablehook is before
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("without_processes")
@pytest.mark.parametrize(
    "error", [BrokenProcessPool(), BrokenPipeError(), AdvisorError("No process.")], ids=repr
)
def test_what_fails_for_a_signal_is_none_of_the_programs_faults(
    error: Callable[[str], Exception], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def ended(_: Sequence[str]) -> int:
        Drops()
        raise error("No process.")

    monkeypatch.setattr("advisor.cli.run_command", ended)
    assert main([]) == 143
    assert capfd.readouterr().err == "Terminated.\n"


def test_handlers_are_as_they_were_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    seen = []
    monkeypatch.setattr(
        "advisor.cli.run_command", lambda _: seen.append(signal.getsignal(signal.SIGINT)) or 0
    )
    assert main([]) == 0
    assert seen[0] not in before
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


# What a handler written in Python would do must wait until the child runs its next instruction.
FORKS = """
child = os.fork()
if child == 0:
    Path("begun").touch()
    time.sleep(600)
while not Path("begun").exists():
    time.sleep(0.01)
os.kill(child, signal.SIGTERM)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
x = cuda.to_device(np.ones(32))
kernel[1, 32](x, 1)
print(ended, x.copy_to_host()[0])
"""
OWN = "signal.signal(signal.SIGTERM, lambda *_: os._exit(7))\n"


@pytest.mark.parametrize(("before", "status"), [("", -signal.SIGTERM), (OWN, 7)], ids=["default", "its own"])
def test_what_a_program_forks_is_terminated_as_without_advisor(
    project: Path, before: str, status: int
) -> None:
    (project / "main.py").write_text("import os\nimport signal\n" + KERNEL + before + FORKS)
    command = [sys.executable, "-m", "advisor", "run", "--simulate", "main.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(project)}
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{int(status)} 2.0\n"


def test_a_forked_process_tells_nobody_of_its_signals() -> None:
    stopped: list[bool] = []
    with Interruption(only_process=False), users_own_program(lambda: stopped.append(True)):
        if (child := os.fork()) == 0:
            os._exit(signal.set_wakeup_fd(-1) + 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        descriptor = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(descriptor)
        assert descriptor >= 0
    assert stopped == []
