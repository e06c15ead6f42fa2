"""Hardware counters of a workload: Nsight Compute, run around a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.model.errors import AdvisorError
from advisor.model.history.fingerprint import KernelIdentity, LineMetrics
from advisor.model.records import Value
from advisor.runs.profiling.numbers import profiling_numbers
from advisor.runs.profiling.worker.identities import identity_of

if TYPE_CHECKING:
    from advisor.evidence.measured.reports.report import ImportedReport, Launches

_NO_PERMISSION = "ERR_NVGPUCTRPERM"
_MOST_WORDS = 300


Key = tuple[str, KernelIdentity]


@dataclass(frozen=True)
class Counters:
    """What counters gave for each workload, kernel and shape: metrics of a mean launch, and of source lines.

    `problem` says why there are none. `raw` has the tool's own names, with value and unit.
    """

    metrics: Mapping[Key, Mapping[str, Value]] = field(default_factory=dict)
    lines: Mapping[Key, tuple[LineMetrics, ...]] = field(default_factory=dict)
    raw: Mapping[Key, Mapping[str, tuple[float | str, str]]] = field(default_factory=dict)
    problem: str = ""


def find_ncu(given: str = "") -> str | None:
    """The path of Nsight Compute: the one that was given, else the one on PATH, None where there is none."""
    return shutil.which(given or "ncu")


def count(
    ncu: str,
    root: Path,
    path: str,
    names: Sequence[str],
    simulate: str = "",
    seconds: float | None = None,
    most: int | None = None,
) -> Counters:
    """The counters of one run of each of a file's workloads, of `most` launches at most.

    With `simulate`, the id of a device, the process runs on the SIMT machine, which has no counters of its
    own: it shows that everything around them works.
    """
    numbers = profiling_numbers()
    with tempfile.TemporaryDirectory(prefix="advisor-counters-") as text:
        folder = Path(text)
        report, answer, request = folder / "counters", folder / "answer.json", folder / "request.json"
        asked = {
            "root": str(root), "path": path, "names": list(names), "answer": str(answer),
            "simulate": simulate, "cache": True, "most_events": numbers.most_events,
        }  # fmt: skip
        request.write_text(json.dumps(asked), encoding="utf-8")
        command = [
            ncu, "-o", str(report), "-f", "--set", "full", "--import-source", "yes",
            "--clock-control", "none", "--profile-from-start", "off",
            "--launch-count", str(numbers.counted_launches if most is None else most),
            sys.executable, "-m", "advisor.runs.profiling.gpu.counted_run", str(request),
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
        return _read(report.with_suffix(".ncu-rep"), answer, ended, Path(ncu).parent, root)


def _read(
    report: Path, answer: Path, ended: subprocess.CompletedProcess[str], programs: Path, root: Path
) -> Counters:
    said = f"{ended.stdout}\n{ended.stderr}"
    if _NO_PERMISSION in said:
        return Counters(problem=_EXPLAINED)
    known = json.loads(_text(answer) or "{}")
    if known.get("problem"):
        return Counters(problem=f"The workload failed under Nsight Compute: {known['problem']}")
    if ended.returncode != 0 or not known:
        return Counters(problem=f"Nsight Compute ended with status {ended.returncode}: {_last_words(said)}")
    if not report.is_file():
        return Counters(problem=f"Nsight Compute wrote no report: {_last_words(said)}")
    from advisor.evidence.measured.reports import read_report

    try:
        with _first_on_path(programs):
            found = read_report(report)
    except AdvisorError as error:
        return Counters(problem=f"What Nsight Compute wrote cannot be read: {error}")
    return _by_kernel(found, known["kernels"], known["order"], root)


@contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    """Within it programs are looked for in a folder first: the report is read by what wrote it."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(folder.absolute()), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


# https://developer.nvidia.com/ERR_NVGPUCTRPERM
_EXPLAINED = (
    "This user may not read the GPU's performance counters (ERR_NVGPUCTRPERM). An administrator allows it "
    "with `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a file below /etc/modprobe.d and a "
    "restart; in a container it takes the capability SYS_ADMIN "
    "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)."
)


def _by_kernel(
    report: ImportedReport, kernels: Sequence[Mapping[str, Any]], order: Sequence[Sequence[Any]], root: Path
) -> Counters:
    """What a report says of each kernel. Launches of one kernel and shape stand there in their order, so the
    first of them are those of the first workload, and so on.
    """
    from advisor.evidence.measured.reports.mapping import mapped

    metrics: dict[Key, dict[str, list[Value]]] = {}
    raw: dict[Key, dict[str, tuple[float | str, str]]] = {}
    seen: Counter[KernelIdentity] = Counter()
    for name, number in order:
        who = identity_of(kernels[number])
        launches = _launches_of(report, who)
        at, seen[who] = seen[who], seen[who] + 1
        if launches is None or at >= len(launches.values):
            continue
        values = launches.values[at]
        for metric, value in mapped("ncu", "kernel", values).metrics.items():
            metrics.setdefault((name, who), {}).setdefault(metric, []).append(value)
        raw.setdefault((name, who), {known: (one.value, one.unit) for known, one in values.items()})
    means = {key: {name: _mean(each) for name, each in found.items()} for key, found in metrics.items()}
    return Counters(means, {key: _lines_of(report, key, set(means), root) for key in means}, raw)


def _launches_of(report: ImportedReport, who: KernelIdentity) -> Launches | None:
    """The launches of a kernel with one shape; the report has the function's name mangled."""
    for one in report.launches:
        shapes = one.grid in (who.grid, None) and one.block in (who.block, None)
        if shapes and _is_called(one.name, who):
            return one
    return None


def _is_called(reported: str, who: KernelIdentity) -> bool:
    from advisor.evidence.measured.reports.kernel_names import readable

    return readable(reported).name.rpartition(".")[2] == who.name.rpartition(".")[2]


def _lines_of(report: ImportedReport, key: Key, keys: Collection[Key], root: Path) -> tuple[LineMetrics, ...]:
    """The lines of a kernel that was launched in one way only: the page of lines tells no shape."""
    from advisor.evidence.measured.reports.mapping import mapped

    who = key[1]
    if sum(other.name == who.name for _, other in keys) > 1:
        return ()
    found = []
    for one in report.lines:
        metrics = mapped("ncu", "line", one.values).metrics if _is_called(one.kernel, who) else {}
        if metrics:
            found.append(LineMetrics(_relative(one.path, root), one.line, "line", metrics))
    return tuple(found)


def _relative(path: str, root: Path) -> str:
    try:
        return Path(path).resolve().relative_to(root.resolve()).as_posix()
    except (ValueError, OSError):
        return path


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
