"""The process that runs trials, as the one that asks sees it: requests in, answers out."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from advisor.model.devices import Device
from advisor.model.errors import AdvisorError


class TrialWorker:
    """A process that is started with the first request; `folder` is a temporary one that it may write to.

    `triton` says that kernels of Triton are tried.
    """

    def __init__(self, device: Device, triton: bool = False) -> None:
        self._device, self._triton = device, triton
        self._folder = tempfile.TemporaryDirectory(prefix="advisor-tune-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[str] | None = None

    @property
    def folder(self) -> Path:
        """Where copies and outputs lie."""
        return Path(self._folder.name)

    def ask(self, request: Mapping[str, Any], launch_seconds: float) -> dict[str, Any]:
        """The answer to a request; raises AdvisorError where the process ends without one."""
        process = self._process or self._start(launch_seconds)
        outputs = self.folder / "outputs"
        outputs.mkdir(exist_ok=True)
        places = {"outputs": str(outputs), "answer": str(self.folder / "answer.json")}
        return _talk(process, {**request, **places})

    def _start(self, launch_seconds: float) -> subprocess.Popen[str]:
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "advisor.runs.tuning.trials.trial_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        code = str(self.folder / "code")
        setup = {"device": self._device.id, "seconds": launch_seconds, "code": code, "triton": self._triton}
        ready = _talk(process, setup)
        if ready["problem"]:
            raise AdvisorError(ready["problem"])
        return process

    def close(self) -> None:
        """End the process and the trial that it runs, and remove the folder."""
        process = self._process
        if process is not None:
            _end(process)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        self._folder.cleanup()


def _talk(process: subprocess.Popen[str], request: Mapping[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:
        line = ""
    if not line:
        raise AdvisorError(f"the process for trials ended with status {process.wait()}.")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _end(process: subprocess.Popen[str]) -> None:
    """End the process and the trial that it runs."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
