"""The nine first versions with the advised fixes applied mechanically, beside the versions improved by hand.

    python benchmarks/fixed_workloads.py [--verified] [--device a100-80gb] [workload …]

`advisor check --fix --unsafe-fixes` is repeated on a copy of `kernels/` until it changes nothing; with
`--verified` `advisor verify --write` takes its place, which writes only what makes a kernel faster. Then the
first version as it was, with the fixes, and the version improved by hand run on the simulated GPU: the
results of the first two are compared, and the predicted times of all three make the table.
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from advisor.evidence.simulated.launches.workloads import WorkloadFunction
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.runs.verification.comparison import compare
from advisor.runs.verification.numbers import verification_numbers
from advisor.runs.verification.trial import Trial, trial
from advisor.runs.verification.verdicts import agreement_in_words

ROOT = Path(__file__).resolve().parents[1]
_MOST_ROUNDS = 6
_PROBE = """\
from kernels.{module} import WORKLOAD


def workload():
    return WORKLOAD.run_{version}(WORKLOAD.make_inputs())
"""


@dataclass(frozen=True)
class Row:
    """The predicted times of a workload's versions in ms, and how the fixed version's results agree."""

    name: str
    first: float
    fixed: float
    improved: float
    outputs: str

    @property
    def way(self) -> float:
        """The part of the way to the improved version, by the logarithms of the times."""
        return math.log(self.first / self.fixed) / math.log(self.first / self.improved)


def fixed_copy(folder: Path, names: list[str], verified: bool) -> tuple[Path, int]:
    """A copy of the workloads with all fixes applied, and how many rounds that took."""
    project = folder / "fixed"
    shutil.copytree(ROOT / "kernels", project / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (project / "pyproject.toml").write_text("[tool.advisor]\n")
    files = [f"kernels/{name}.py" for name in names]
    fix = ["check", "--fix", "--unsafe-fixes", "--exit-zero", "--quiet"]
    command = [sys.executable, "-m", "advisor", *(["verify", "--write", "--simulate"] if verified else fix)]
    texts: list[str] = []
    for number in range(_MOST_ROUNDS):
        now = [(project / file).read_text() for file in files]
        if now == texts:
            return project, number
        texts = now
        subprocess.run([*command, *files], cwd=project, check=True, stdout=subprocess.DEVNULL, timeout=1200)
    raise SystemExit(f"the fixes still change something after {_MOST_ROUNDS} rounds")


def run(project: Path, module: str, version: str, device: str) -> Trial:
    """The trial of one version; its results are what it returns."""
    options = CheckOptions(device, project, "simulated", settings=load_config(project / "kernels"))
    probe = f"probe_{module}_{version}.py"
    workload = WorkloadFunction(probe, "workload", 4)
    texts = {probe: _PROBE.format(module=module, version=version)}
    kernels = f"kernels/{module}.py"
    found = trial([workload], texts | {kernels: (project / kernels).read_text()}, options)
    if found.problem:
        raise SystemExit(f"{module}, {version} version: {found.problem}")
    return found


def time_of(found: Trial) -> float:
    """The predicted time of all launches in ms."""
    times = [
        kernel.predicted_ms * float(kernel.metrics["launches"])
        for kernel in found.kernels.values()
        if "launches" in kernel.metrics and kernel.predicted_ms is not None
    ]
    return sum(times)


def row(project: Path, name: str, device: str) -> Row:
    """The row of one workload."""
    first, fixed = run(ROOT, name, "first", device), run(project, name, "first", device)
    improved = run(ROOT, name, "improved", device)
    comparison = compare(first.outputs, fixed.outputs, verification_numbers().tolerance)
    agreement = comparison.detail if comparison.agreement == "different" else agreement_in_words(comparison)
    return Row(name, time_of(first), time_of(fixed), time_of(improved), agreement)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="a100-80gb")
    parser.add_argument("--verified", action="store_true", help="write only fixes that are predicted to help")
    parser.add_argument("--keep", type=Path, help="keep the copy with the fixes in this folder")
    parser.add_argument("workloads", nargs="*")
    args = parser.parse_args()
    every = [
        file.stem for file in (ROOT / "kernels").glob("*.py") if file.stem not in ("__init__", "workload")
    ]
    names = args.workloads or sorted(every)
    with tempfile.TemporaryDirectory() as folder:
        project, rounds = fixed_copy(args.keep or Path(folder), names, args.verified)
        rows = [row(project, name, args.device) for name in names]
    print(f"{rounds} rounds until nothing changed; device {args.device}\n")
    print("| workload | first | with fixes | by hand | fixes | by hand | of the way | results |")
    print("|---|---|---|---|---|---|---|---|")
    for one in rows:
        print(
            f"| {one.name} | {one.first:.4g} ms | {one.fixed:.4g} ms | {one.improved:.4g} ms "
            f"| {one.first / one.fixed:.2f} x | {one.first / one.improved:.2f} x | {one.way:.0%} "
            f"| {one.outputs} |"
        )
    means = [math.exp(sum(map(math.log, values)) / len(rows)) for values in _ratios(rows)]
    print(f"\nGeometric means: {means[0]:.2f} x with the fixes, {means[1]:.2f} x by hand.")


def _ratios(rows: list[Row]) -> tuple[list[float], list[float]]:
    return [one.first / one.fixed for one in rows], [one.first / one.improved for one in rows]


if __name__ == "__main__":
    main()
