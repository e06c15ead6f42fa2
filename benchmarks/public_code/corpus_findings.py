"""Checks a folder of repositories and counts the findings of each rule for a hundred kernels.

    python benchmarks/public_code/corpus_findings.py FOLDER --commits LIST.json           the table
    python benchmarks/public_code/corpus_findings.py FOLDER --commits LIST.json --write   docs/benchmarks
    python benchmarks/public_code/corpus_findings.py FOLDER --commits LIST.json --sample 60 --seed WORD \
        --without tests/data/judged/judged_findings*.json                          places to judge, by chance

FOLDER holds one checkout for each repository, as OWNER+NAME. LIST.json names each with its commit. Nothing
of the repositories is run; --cluster has the work done by a cluster, as that of `advisor check` does. Reports
are kept under --reports, and not made again. What says the same of
several lines of a kernel counts once, at the first of them, as it is shown. A sample takes places in the
order of the SHA-256 of "WORD:repository:path:cell:line:rule", a line with several findings once, none that a
list of --without has judged.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "corpus.md"
_LIMIT_S = 1800


@dataclass(frozen=True)
class Checked:
    """The report on one repository: seconds it took, how it ended, and what it says."""

    repo: str
    commit: str
    seconds: float
    ending: str
    report: dict[str, Any]

    @property
    def kernels(self) -> int:
        """The kernels of the repository."""
        return int(self.report.get("summary", {}).get("kernels", 0))

    @property
    def findings(self) -> list[dict[str, Any]]:
        """All findings; what says the same of several lines of a kernel counts once, as it is shown."""
        told: dict[tuple[Any, ...], dict[str, Any]] = {}
        for one in self.report.get("findings", []):
            told.setdefault(
                tuple(one.get(name) for name in ("rule", "path", "kernel", "severity", "message")), one
            )
        return list(told.values())


def main() -> int:
    """0 when every check ended as it should."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=Path, required=True)
    parser.add_argument("--reports", type=Path, default=Path("corpus-reports"))
    parser.add_argument("--evidence", default="compiled", choices=("source", "compiled", "simulated"))
    parser.add_argument("--cluster", default="", help="as for advisor check")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", default="")
    parser.add_argument("--without", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    rows = json.loads(options.commits.read_text("utf-8"))
    checked = [_check(row["repo"], row["commit"], options) for row in rows]
    checked = [one for one in checked if one is not None]
    if options.sample:
        print(json.dumps(_sampled(checked, options), indent=1))
        return 0
    page = _page(checked, options.evidence)
    print(page)
    if options.write:
        _PAGE.write_text(page, "utf-8")
    return 0 if all(one.ending == "ended" for one in checked) else 1


def _check(repo: str, commit: str, options: argparse.Namespace) -> Checked | None:
    """The kept report on a repository, or a new one; None where the folder lacks it."""
    name = repo.replace("/", "+")
    kept = options.reports / f"{name}.{options.evidence}.json"
    if not kept.exists():
        root = options.folder / name
        if not root.exists():
            print(f"{repo} is not below {options.folder}.", file=sys.stderr)
            return None
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_run(root, options.evidence, options.cluster)), "utf-8")
    found = json.loads(kept.read_text("utf-8"))
    return Checked(repo, commit, found["seconds"], found["ending"], found["report"])


def _run(root: Path, evidence: str, cluster: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "advisor", "check", "--isolated", "--no-run", "--evidence", evidence]
    command += ["--cluster", cluster] if cluster else []
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, "--format", "json", "--jobs", "2", "."],
            cwd=root, capture_output=True, text=True, timeout=_LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"seconds": _LIMIT_S, "ending": "ran out of time", "report": {}}
    seconds = time.perf_counter() - began
    try:
        return {"seconds": seconds, "ending": "ended", "report": json.loads(done.stdout)}
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        return {"seconds": seconds, "ending": f"crashed: {last[0]}", "report": {}}


def _sampled(checked: list[Checked], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Findings at warning level or above, drawn by chance from all that nobody has judged."""
    judged = {_place(row) for path in options.without for row in json.loads(path.read_text("utf-8"))}
    found: dict[tuple[Any, ...], tuple[str, dict[str, Any]]] = {}
    for one in checked:
        for finding in one.findings:
            row = {"repository": one.repo, "commit": one.commit, **finding}
            if finding["severity"] == "info" or _place(row) in judged:
                continue
            name = ":".join(map(str, (options.seed, *_place(row), finding["rule"])))
            drawn = (hashlib.sha256(name.encode()).hexdigest(), row)
            found[_place(row)] = min(found.get(_place(row), drawn), drawn, key=lambda pair: pair[0])
    return [row for _, row in sorted(found.values(), key=lambda pair: pair[0])[: options.sample]]


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["repository"], row["path"], row.get("cell"), row["line"]


def _page(checked: list[Checked], evidence: str) -> str:
    kernels = sum(one.kernels for one in checked)
    counts: Counter[tuple[str, str]] = Counter(
        (f["rule"], "loud" if f["severity"] in ("warning", "error") else "info")
        for one in checked
        for f in one.findings
    )
    places = {
        rule: len({(one.repo, f.get("kernel")) for one in checked for f in one.findings if f["rule"] == rule})
        for rule, _ in counts
    }
    repositories = {
        rule: sum(any(f["rule"] == rule for f in one.findings) for one in checked) for rule, _ in counts
    }
    loud = sum(count for (_, level), count in counts.items() if level == "loud")
    lines = [
        "# Findings in public code",
        "",
        "`python benchmarks/public_code/corpus_findings.py FOLDER --commits LIST.json` with"
        f" {evidence} evidence, without running any of the code: {kernels} kernels in"
        f" {len(checked)} repositories,"
        f" {sum(counts.values())} findings, {loud} of them warnings or errors. What says the same of several"
        " lines of a kernel counts once. Seconds are those of this run, which takes machine code that an"
        " earlier one kept.",
        "",
        "| rule | warnings for 100 kernels | info findings for 100 kernels | kernels and launches"
        " | repositories |",
        "|---|---:|---:|---:|---:|",
    ]
    for rule in sorted(places, key=lambda rule: (-counts[rule, "loud"], -counts[rule, "info"], rule)):
        per = [100 * counts[rule, level] / max(kernels, 1) for level in ("loud", "info")]
        lines.append(f"| `{rule}` | {per[0]:.1f} | {per[1]:.1f} | {places[rule]} | {repositories[rule]} |")
    lines += [
        "",
        "| repository | commit | kernels | warnings | info findings | seconds | |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for one in checked:
        loud = sum(f["severity"] in ("warning", "error") for f in one.findings)
        quiet = len(one.findings) - loud
        lines.append(
            f"| {one.repo} | `{one.commit[:12]}` | {one.kernels} | {loud} | {quiet} |"
            f" {one.seconds:.0f} | {one.ending} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
