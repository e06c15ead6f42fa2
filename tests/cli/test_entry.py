"""The program as a process: versions, faults, pipes and terminals of other people."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import advisor as package
from advisor.cli import command_names

ROOT = Path(package.__file__).parent.parent
LIGHT = "import sys; sys.argv = ['advisor', *sys.argv[1:]]; from advisor.__main__ import main; code = main()"


def program(*argv: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("environment", {})}
    return subprocess.run(
        [sys.executable, "-m", "advisor", *argv], env=environment, timeout=60, check=False, **options
    )


def test_version(advisor: Callable[..., Any]) -> None:
    outcome = advisor("--version")
    assert (outcome.status, outcome.out) == (0, f"advisor {package.__version__}\n")


def test_the_version_needs_no_heavy_import() -> None:
    code = (
        LIGHT
        + "; heavy = {'numpy', 'numba', 'rich', 'lark', 'pygls'} & set(sys.modules)"
        + "; sys.exit(str(heavy or ''))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stderr.strip() == ""


CHECKED = LIGHT + "; print(*sorted(sys.modules), file=sys.stderr); sys.exit(code)"


def modules_of_a_check(folder: Path, text: str) -> set[str]:
    """The modules that are loaded after a check of a text with source evidence."""
    file = folder / "kernels.py"
    file.write_text(text)
    command = [sys.executable, "-c", CHECKED, "check", file.name, "--evidence", "source", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "user")}
    for _ in range(2):  # the first check parses the rules, and keeps them for the next
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode in (0, 1), done.stderr
    return set(done.stderr.split())


def test_a_check_of_one_file_loads_nothing_that_it_has_no_use_for(tmp_path: Path) -> None:
    """What is listed takes longer to import than a small file takes to check."""
    text = (
        "from numba import cuda\n\n\n"
        "@cuda.jit\ndef scale(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] *= 2\n"
    )
    loaded = modules_of_a_check(tmp_path, text)
    assert "advisor.evidence.source.kernel_walk.walk" in loaded
    unused = {
        "numba", "lark", "rich", "jinja2", "pygls", "subprocess",
        "concurrent.futures", "multiprocessing", "importlib.metadata", "email",
        "advisor.evidence.source.triton.evidence", "advisor.program.compilation_units.closure",
        "advisor.fixes.writing",
    }  # fmt: skip
    if sys.version_info < (3, 11):
        unused.remove("subprocess")  # `platform` imports it there
    assert sorted(loaded & unused) == []


def test_a_check_of_triton_loads_its_evidence(tmp_path: Path) -> None:
    loaded = modules_of_a_check(tmp_path, "import triton\n\n\n@triton.jit\ndef k(a):\n    pass\n")
    assert "advisor.evidence.source.triton.evidence" in loaded


def test_help_lists_every_command_with_its_summary(advisor: Callable[..., Any]) -> None:
    outcome = advisor("--help")
    assert outcome.status == 0
    assert set(command_names()) >= {"check", "explain", "rules", "metrics", "devices", "doctor", "server"}
    for name in command_names():
        assert f"\n    {name} " in outcome.out
        assert advisor(name, "--help").status == 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["chekc"], "Did you mean `check`?"),
        (["--nonsense"], "advisor: error: "),
    ],
)
def test_wrong_use(advisor: Callable[..., Any], argv: list[str], message: str) -> None:
    outcome = advisor(*argv)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_without_a_command_there_is_the_help_and_status_2(advisor: Callable[..., Any]) -> None:
    outcome = advisor()
    assert (outcome.status, outcome.out, outcome.err) == (2, advisor("--help").out, "")


def test_a_fault_of_the_program_shows_a_traceback_and_asks_for_a_report(
    advisor: Callable[..., Any], fake_check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("inner")

    monkeypatch.setattr("advisor.check.pipeline.check_with_tables", fail)
    outcome = advisor("check")
    assert outcome.status == 2
    assert "ZeroDivisionError: inner" in outcome.err
    assert "Please report it with the command and the traceback above." in outcome.err


def test_an_interrupt_ends_quietly_with_130(
    advisor: Callable[..., Any], fake_check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("advisor.check.pipeline.check_with_tables", interrupt)
    outcome = advisor("check")
    assert (outcome.status, outcome.out, outcome.err) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise on Windows")
def test_a_reader_that_leaves_early_is_no_fault() -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = program("devices", "--verbose", stdout=write, stderr=subprocess.PIPE)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="no shell that closes a stream")
def test_a_closed_stdout_is_no_fault() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'"{sys.executable}" -m advisor devices >&-'],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said_in_one_line() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = program("devices", stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        2,
        b"advisor: error: the output cannot be written: No space left on device\n",
    )


def test_a_terminal_that_knows_only_ascii_is_no_fault(tmp_path: Path) -> None:
    done = program(
        "check",
        "größe.py",
        cwd=tmp_path,
        environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert done.stderr == b"advisor: error: gr\\xf6\\xdfe.py: no such file or folder\n"
