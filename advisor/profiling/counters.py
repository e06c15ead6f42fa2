"""Hardware counters of a workload: Nsight Compute, run around a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import AdvisorError
from advisor.history.fingerprint import KernelIdentity
from advisor.profiling.identities import identity_of
from advisor.profiling.numbers import profiling_numbers
from advisor.records import Value

if TYPE_CHECKING:
    from advisor.measured.reports.report import Launches

_NO_PERMISSION = "ERR_NVGPUCTRPERM"
_MOST_WORDS = 300


@dataclass(frozen=True)
class Counters:
    """The metrics that counters gave by kernel and shape; `problem` says why there are none."""

    metrics: Mapping[KernelIdentity, Mapping[str, Value]] = field(default_factory=dict)
    version: str = ""
    problem: str = ""


def find_ncu(given: str = "") -> str | None:
    """The path of Nsight Compute: the one that was given, else the one on PATH, None where there is none."""
    return shutil.which(given or "ncu")


def count(
    ncu: str, root: Path, path: str, name: str, simulate: str = "", seconds: float | None = None
) -> Counters:
    """The counters of one run of a workload. With `simulate`, the id of a device, the process runs on the
    SIMT machine, which has no counters of its own: it shows that everything around them works.
    """
    numbers = profiling_numbers()
    with tempfile.TemporaryDirectory(prefix="advisor-counters-") as text:
        folder = Path(text)
        report, answer = folder / "counters.csv", folder / "answer.json"
        request = folder / "request.json"
        asked = {
            "root": str(root), "path": path, "name": name, "answer": str(answer), "simulate": simulate,
            "cache": True, "most_events": numbers.most_events,
        }  # fmt: skip
        request.write_text(json.dumps(asked), encoding="utf-8")
        command = [
            ncu, "--csv", "--page", "raw", "--print-units", "base", "--set", "full",
            "--clock-control", "none", "--profile-from-start", "off",
            "--launch-count", str(numbers.counted_launches), "--log-file", str(report),
            sys.executable, "-m", "advisor.profiling.counted_run", str(request),
        ]  # fmt: skip
        try:
            ended = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=numbers.counting_seconds if seconds is None else seconds,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except subprocess.TimeoutExpired as error:
            return Counters(problem=f"Nsight Compute did not end within {error.timeout:g} s.")
        except OSError as error:
            return Counters(problem=f"{ncu} cannot be started: {error.strerror or error}.")
        return _read(report, answer, ended)


def _read(report: Path, answer: Path, ended: subprocess.CompletedProcess[str]) -> Counters:
    said = "\n".join([ended.stdout, ended.stderr, _text(report)])
    if _NO_PERMISSION in said:
        return Counters(problem=_EXPLAINED)
    known = json.loads(_text(answer) or "{}")
    if known.get("problem"):
        return Counters(problem=f"The workload failed under Nsight Compute: {known['problem']}")
    if ended.returncode != 0 or not known:
        return Counters(problem=f"Nsight Compute ended with status {ended.returncode}: {_last_words(said)}")
    from advisor.measured.reports import read_report

    try:
        found = read_report(report)
    except AdvisorError as error:
        return Counters(problem=f"What Nsight Compute printed cannot be read: {error}")
    return Counters(_by_identity(found.launches, known["kernels"], known["order"]))


# https://developer.nvidia.com/ERR_NVGPUCTRPERM
_EXPLAINED = (
    "This user may not read the GPU's performance counters (ERR_NVGPUCTRPERM). An administrator allows it "
    "with `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a file below /etc/modprobe.d and a "
    "restart; in a container it takes the capability SYS_ADMIN "
    "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)."
)


def _by_identity(
    launches: Sequence[Launches], kernels: Sequence[Mapping[str, Any]], order: Sequence[int]
) -> dict[KernelIdentity, dict[str, Value]]:
    """Metrics by kernel and shape; Nsight Compute prints the function's name mangled."""
    from advisor.measured.reports.kernel_names import readable

    found: dict[KernelIdentity, dict[str, Value]] = {}
    for number in dict.fromkeys(order):
        who = identity_of(kernels[number])
        function = who.name.rpartition(".")[2]
        for one in launches:
            if readable(one.name).name.rpartition(".")[2] != function:
                continue
            if one.grid not in (who.grid, None) or one.block not in (who.block, None):
                continue
            found[who] = _of_a_launch(one)
    return found


def _of_a_launch(launches: Launches) -> dict[str, Value]:
    """The metrics of a mean launch; a text that differs between launches is the first's."""
    from advisor.measured.reports.mapping import mapped

    found: dict[str, list[Value]] = {}
    for values in launches.values:
        for name, value in mapped("ncu", "kernel", values).metrics.items():
            found.setdefault(name, []).append(value)
    return {name: _mean(values) for name, values in found.items()}


def _mean(values: Sequence[Value]) -> Value:
    numbers = [float(one) for one in values if not isinstance(one, str)]
    return sum(numbers) / len(numbers) if len(numbers) == len(values) else values[0]


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def _last_words(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "==ERROR==" in line]
    return (errors or lines or ["it said nothing"])[-1][:_MOST_WORDS]
