"""A run with tests that do not end comes to its end, and runs every other test once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
_CONFTEST = """\
from time_limits import TimeLimits
from whole_files import WholeFiles


def pytest_configure(config):
    config.pluginmanager.register(TimeLimits())


def pytest_xdist_make_scheduler(config, log):
    return WholeFiles(config, log)
"""
# Each leaves a process that would hold the pipes open; the second waits where no handler of a signal runs.
_TESTS = """\
import ctypes
import os
import subprocess
import sys
import time

SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]
earlier = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])


def forked():
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)


def test_before():
    pass


def test_a_wait_for_a_process():
    forked()
    subprocess.run(SLEEPS, capture_output=True)


def test_what_was_there_before_lives():
    assert earlier.poll() is None


def test_native_code():
    forked()
    lock = ctypes.create_string_buffer(256)
    library = ctypes.CDLL(None)
    while True:
        library.pthread_mutex_lock(lock)


def test_after():
    earlier.kill()
    earlier.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the processes of a test are found in /proc")
def test_a_test_without_end_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(_CONFTEST)
    (tmp_path / "test_hanging.py").write_text(_TESTS)
    plugins = ["-p", "xdist", "-p", "pytest_timeout", "-p", "no:cacheprovider", "-c", os.devnull]
    limits = ["--timeout", "6", "--timeout-method", "thread", "-n", "1", "--rootdir", str(tmp_path)]
    command = [sys.executable, "-m", "pytest", "-rA", *plugins, *limits, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(_HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    ended = re.findall(r"^(PASSED|FAILED) test_hanging\.py::(\w+)", done.stdout, re.MULTILINE)
    assert sorted((name, how) for how, name in ended) == [
        ("test_a_wait_for_a_process", "FAILED"),
        ("test_after", "PASSED"),
        ("test_before", "PASSED"),
        ("test_native_code", "FAILED"),
        ("test_what_was_there_before_lives", "PASSED"),
    ], done.stdout
    assert "No end after 4.5 s. Processes of the test, now killed:" in done.stdout
    assert "import time; time.sleep(600)" in done.stdout
    assert "crashed while running 'test_hanging.py::test_native_code'" in done.stdout
