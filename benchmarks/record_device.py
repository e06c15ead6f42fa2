"""Records what a GPU does with the reference workloads and the micro-kernels, for those without that GPU.

    python benchmarks/record_device.py [--write] [--ncu PATH] [--minutes 9] [--only TEXT]
    python benchmarks/record_device.py --simulate [--device a100-80gb] [--output FILE]

On a GPU every kernel is timed by CUDA events, and Nsight Compute reads its counters where it is there and
permitted. It takes only what a GPU machine has: numba, numba-cuda, numpy, nvidia-ml-py and `ncu`, and this
repository. `--write` writes `tests/data/devices/<gpu>.json`, with the versions of tools and driver; without
it the recording goes to standard output. Tests compare the simulated metrics with every recording there is.

Without a GPU it says so. `--simulate` runs the same program on the SIMT machine: its times are predicted,
and the file says that nothing was measured. `--try-driver` puts the SIMT machine's driver in the GPU's place,
which tries the way of measuring; such times are this machine's, and `--write` refuses them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from advisor.evidence.measured.nvml import Nvml, Sampler, run_metrics  # noqa: E402
from advisor.evidence.simulated.launches.recording.gpu_launches import gpu_name  # noqa: E402
from advisor.evidence.simulated.launches.workloads import find_workloads  # noqa: E402
from advisor.model.devices import Device, find_device  # noqa: E402
from advisor.model.errors import AdvisorError, EvidenceUnavailable, UsageError  # noqa: E402
from advisor.model.history.fingerprint import Fingerprint  # noqa: E402
from advisor.model.history.identity import git_state, toolchain  # noqa: E402
from advisor.runs.profiling.gpu.counters import Counters, count, find_ncu  # noqa: E402
from advisor.runs.profiling.gpu.measured_workload import Amount, measure, measured_fingerprints  # noqa: E402
from advisor.runs.profiling.worker.process import RunFailed, WorkerProcess  # noqa: E402

FOLDER = ROOT / "tests" / "data" / "devices"
MICRO = "benchmarks/micro_kernels.py"
_FORMAT = 1
_AMOUNT = Amount(warm_ups=3, iterations=20, seconds=2.0)
_RUN_SECONDS = 60.0


@dataclass
class Recording:
    """What is recorded: an entry for each workload, kernel and shape; notes of what could not be had."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    nvml: dict[str, Any] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)


def plan(only: str) -> Iterator[tuple[str, list[str]]]:
    """The files with what is run in each; `only` picks names that contain a text."""
    for file in sorted((ROOT / "kernels").glob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        names = [one.name for one in find_workloads(path, file.read_text("utf-8"))]
        if names := [name for name in names if only in f"{path}::{name}"]:
            yield path, names
    text = (ROOT / MICRO).read_text("utf-8")
    if names := [name for name in micro_names(text) if only in f"{MICRO}::{name}"]:
        yield MICRO, names


def micro_names(text: str) -> list[str]:
    """The names of the micro-kernels' entries, in order."""
    namespace: dict[str, Any] = {"__name__": "micro_kernels"}
    exec(compile(text, MICRO, "exec"), namespace)
    return list(namespace["ENTRIES"])


def entry(path: str, name: str, one: Fingerprint, counters: Counters | None = None) -> dict[str, Any]:
    """The JSON of one kernel with one shape in one workload."""
    who = asdict(one.identity)
    timing = asdict(one.timing) if one.timing else None
    if timing:
        timing.pop("samples")
    key = (name, one.identity)
    counted = counters or Counters()
    lines = counted.lines.get(key) or one.lines
    return {
        "path": path, "workload": name, "kernel": who.pop("name"), "launches": one.launches, "timing": timing,
        "line": one.line, **{f"kernel_{part}" if part == "path" else part: who[part] for part in who},
        "metrics": {**counted.metrics.get(key, {}), **one.metrics},
        "lines": [[each.path, each.line, each.entity, dict(each.metrics)] for each in lines],
        "counters": {known: list(value) for known, value in counted.raw.get(key, {}).items()},
    }  # fmt: skip


def record(only: str, device: Device | None, ncu: str | None, ends: float, simulate: str) -> Recording:
    """The recording of the GPU; what was recorded when the time ends is in it."""
    found = Recording()
    nvml, sampler, own = _nvml(found), None, set()
    if nvml is not None:
        sampler = Sampler(nvml, 0.05)
    timed: list[tuple[str, list[tuple[str, Fingerprint]]]] = []
    for path, names in plan(only):
        timed.append((path, []))
        try:
            with WorkerProcess(ROOT, path, _RUN_SECONDS, simulate) as worker:
                found.tools["cuda_of_driver"] = worker.gpu()["cuda_of_driver"]
                own.add(worker.process_id)
                for name in names:
                    if time.monotonic() > ends:
                        found.notes.append(f"{path}::{name} was left out: the time was over.")
                        continue
                    timed[-1][1].extend((name, one) for one in _measured(found, worker, path, name, device))
        except RunFailed as error:
            found.notes.append(f"{path}: {error}")
    if nvml is not None and sampler is not None:
        samples = sampler.stop()
        found.nvml = {"facts": asdict(nvml.facts()), "metrics": run_metrics(samples, nvml.facts(), own)}
        nvml.close()
    for path, those in timed:
        names = list(dict.fromkeys(name for name, _ in those))
        counters = _counters(found, ncu, path, names, ends, simulate)
        found.entries += [entry(path, name, one, counters) for name, one in those]
    return found


def _measured(
    found: Recording, worker: WorkerProcess, path: str, name: str, device: Device | None
) -> list[Fingerprint]:
    seen = measure(worker, name, _AMOUNT)
    if seen.problem:
        found.notes.append(f"{path}::{name}: {seen.problem}")
    if not seen.iterations:
        return []
    return measured_fingerprints(seen.iterations, worker.kernels, device, lambda _: {})


def _counters(
    found: Recording, ncu: str | None, path: str, names: Sequence[str], ends: float, simulate: str
) -> Counters | None:
    left = ends - time.monotonic()
    if ncu is None or not names:
        return None
    if left < 5.0:
        found.notes.append(f"{path}: the time was over before its counters.")
        return None
    counted = count(ncu, ROOT, path, names, simulate, left, most=10_000)
    if counted.problem:
        found.notes.append(f"{path}: {counted.problem}")
    return counted


def _nvml(found: Recording) -> Nvml | None:
    try:
        nvml = Nvml()
    except EvidenceUnavailable as error:
        found.notes.append(f"{error} {error.remedy}".strip())
        return None
    found.tools["driver"] = nvml.facts().driver
    return nvml


def simulated(only: str, device: Device) -> Recording:
    """The same program on the SIMT machine, with predicted times."""
    from advisor.model.settings.check_options import CheckOptions
    from advisor.model.settings.config import load_config
    from advisor.runs.profiling.compiled_facts import CompiledFacts
    from advisor.runs.profiling.predicted_workload import predict

    options = CheckOptions(
        device.id, ROOT, settings=load_config(ROOT), cache_folder=ROOT / ".advisor" / "cache"
    )
    found, compiled = Recording(), CompiledFacts(options)
    for path, names in plan(only):
        for name in names:
            prediction = predict(path, name, device, options, compiled)
            found.entries += [entry(path, name, one) for one in prediction.fingerprints]
            found.notes += [f"{path}::{name}: {prediction.problem}"] if prediction.problem else []
            found.notes += [note for note in prediction.notes if note not in found.notes]
    return found


def as_json(recording: Recording, device: str, executed_on: str) -> str:
    """The recording as text: one entry a line, so that differences can be read."""
    commit, dirty = git_state(ROOT)
    head = {
        "version": _FORMAT, "device": device, "executed_on": executed_on,
        "basis": "predicted" if executed_on == "simt" else "measured",
        "recorded": time.strftime("%Y-%m-%d", time.gmtime()), "commit": commit, "dirty": dirty,
        "toolchain": toolchain(recording.tools), "nvml": recording.nvml, "notes": recording.notes,
    }  # fmt: skip
    lines = [json.dumps(one, separators=(",", ":")) for one in recording.entries]
    return json.dumps(head, indent=1)[:-2] + ',\n "entries": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


def _ncu_version(ncu: str) -> str:
    try:
        ended = subprocess.run([ncu, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    match = re.search(r"Version ([\d.]+)", ended.stdout)
    return match[1] if match else "unknown"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--write", action="store_true", help="write tests/data/devices/<gpu>.json")
    parser.add_argument("--output", type=Path, help="write the recording to this file")
    parser.add_argument("--ncu", default="", help="Nsight Compute (default: the one on PATH)")
    parser.add_argument("--no-counters", action="store_true", help="times only")
    parser.add_argument("--minutes", type=float, default=9.0, help="when to end with what there is")
    parser.add_argument("--only", default="", help="record what has this text in `path::name`")
    parser.add_argument(
        "--simulate", action="store_true", help="run on the SIMT machine, with predicted times"
    )
    parser.add_argument("--try-driver", action="store_true", help="try the way of measuring without a GPU")
    parser.add_argument("--device", default="a100-80gb", help="the device to simulate")
    return parser.parse_args()


def main() -> int:
    """0 when there is a recording, 2 where there is no GPU to record."""
    args, gpu = _arguments(), gpu_name()
    if args.write and (args.simulate or args.try_driver):
        print("record_device: --write is for recordings of GPUs; --output writes others.", file=sys.stderr)
        return 2
    if not gpu and not (args.simulate or args.try_driver):
        print("record_device: there is no GPU here; --simulate runs it on the SIMT machine.", file=sys.stderr)
        return 2
    try:
        if args.simulate:
            device = find_device(args.device)
            text = as_json(simulated(args.only, device), device.id, "simt")
            target = args.output
        else:
            target, text = _recorded(args, gpu)
    except AdvisorError as error:
        print(f"record_device: {error}", file=sys.stderr)
        return 2
    if target is None:
        print(text, end="")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        print(f"record_device: {target} written, {len(text) >> 10} KiB.", file=sys.stderr)
    return 0


def _recorded(args: argparse.Namespace, gpu: str) -> tuple[Path | None, str]:
    """Where a recording goes, and its text."""
    ends = time.monotonic() + args.minutes * 60.0
    simulate = find_device(args.device).id if args.try_driver else ""
    try:
        device: Device | None = find_device(simulate or gpu)
    except UsageError:
        device = None
    ncu = None if args.no_counters else find_ncu(args.ncu)
    found = record(args.only, device, ncu, ends, simulate)
    if ncu is None:
        found.notes.append("There are no counters: Nsight Compute was not there, or not asked for.")
    else:
        found.tools["ncu"] = _ncu_version(ncu)
    name = device.id if device else re.sub(r"[^a-z0-9]+", "-", gpu.casefold()).strip("-")
    text = as_json(found, name, "simt" if simulate else gpu)
    return (FOLDER / f"{name}.json" if args.write else args.output), text


if __name__ == "__main__":
    sys.exit(main())
