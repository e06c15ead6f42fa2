"""Builds the release from a clean tree, and prints a line for each item of its checklist: ok or failed.

Run by `make release`. Archives, the bill of materials (CycloneDX) and the list of licences go to dist/.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from release.archives import difference, wanted
from release.pythons import pythons, said
from release.versions import disagreement, versions

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
# What pip fetches for a minimal install; what lies on the disk is printed beside it.
MOST_FETCHED_MB = 60
_PROGRAMS = ["build", "hatchling", "twine", "cyclonedx-bom"]
SAMPLE = """\
from numba import cuda


@cuda.jit
def power(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] ** 0.5
"""


class Failed(Exception):
    """An item that does not hold, and why."""


class Checklist:
    """The items, in their order; each returns what its line says, or raises Failed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tools = folder / "tools"
        self._minimal = folder / "minimal"

    def items(self) -> list[tuple[str, Callable[[], str]]]:
        """The name of each item and what looks at it."""
        return [
            ("the tree is committed", self.tree),
            ("versions agree", self.versions),
            ("sdist and wheel are built", self.built),
            ("metadata is what registries take", self.metadata),
            ("the wheel has the program and nothing else", self.contents),
            ("the wheel installs", self.installed),
            (f"a minimal install fetches less than {MOST_FETCHED_MB} MB", self.size),
            ("the program answers", self.answers),
            ("every Python that is here says the same of kernels/", self.pythons),
            ("every part has a licence", self.licences),
            ("the bill of materials is written", self.bill),
        ]

    def tree(self) -> str:
        """The commit that is released."""
        if changed := run("git", "status", "--porcelain").splitlines():
            raise Failed(f"{len(changed)} changes, the first: {changed[0]}")
        return run("git", "rev-parse", "--short", "HEAD").strip()

    def versions(self) -> str:
        """The version that all state."""
        if told := disagreement(ROOT):
            raise Failed(told)
        return versions(ROOT)["pyproject.toml"]

    def built(self) -> str:
        """The archives and their sizes; programs of the checklist are installed first."""
        environment(self._tools, *_PROGRAMS)
        shutil.rmtree(DIST, ignore_errors=True)
        run(executable(self._tools, "python"), "-m", "build", "--outdir", str(DIST), str(ROOT))
        archives = [*DIST.glob("*.tar.gz"), *DIST.glob("*.whl")]
        if len(archives) != 2:
            raise Failed(f"{len(archives)} archives")
        return ", ".join(f"{one.name} {megabytes(one.stat().st_size)}" for one in archives)

    def metadata(self) -> str:
        """What twine says of both archives."""
        run(executable(self._tools, "twine"), "check", "--strict", *map(str, DIST.iterdir()))
        return "twine check --strict"

    def contents(self) -> str:
        """The number of files."""
        names = wanted(ROOT, run("git", "ls-files").splitlines())
        if told := difference(self._wheel(), names):
            raise Failed(told)
        with zipfile.ZipFile(self._wheel()) as archive:
            return f"{len(archive.namelist())} files, no tests"

    def installed(self) -> str:
        """The versions in a new environment that has the wheel and what it needs."""
        environment(self._minimal, str(self._wheel()))
        run(executable(self._minimal, "pip"), "check")
        return ", ".join(f"{one['name']} {one['version']}" for one in self._materials())

    def size(self) -> str:
        """Bytes fetched and bytes on the disk."""
        fetched = self._folder / "fetched"
        run(executable(self._minimal, "pip"), "download", "-q", "-d", str(fetched), str(self._wheel()))
        load = sum(one.stat().st_size for one in fetched.iterdir())
        parts = sorted(self._materials(), key=lambda one: -int(one["bytes"]))
        whole = sum(int(one["bytes"]) for one in parts)
        largest = ", ".join(f"{one['name']} {megabytes(int(one['bytes']))}" for one in parts[:3])
        told = f"{megabytes(load)} fetched, {megabytes(whole)} on the disk ({largest})"
        if load > MOST_FETCHED_MB * 1e6:
            raise Failed(told)
        return told

    def answers(self) -> str:
        """`advisor --version`, a check of a sample and `advisor doctor`, in a folder of their own."""
        advisor = executable(self._minimal, "advisor")
        folder = self._folder / "sample"
        folder.mkdir()
        (folder / "sample.py").write_text(SAMPLE, "utf-8")
        said = run(advisor, "--version", cwd=folder).strip()
        if said != f"advisor {versions(ROOT)['pyproject.toml']}":
            raise Failed(said)
        checked = run(advisor, "check", "--format", "json", "sample.py", cwd=folder, status=1)
        rules = {one["rule"] for one in json.loads(checked)["findings"]}
        if "slow-power" not in rules:
            raise Failed(f"the sample's fault is not found, only {sorted(rules)}")
        evidence = json.loads(run(advisor, "doctor", "--format", "json", cwd=folder))["evidence"]
        if not evidence[0]["available"]:
            raise Failed(f"doctor: {evidence[0]}")
        return f"{said}; {len(rules)} rules speak of the sample; doctor has source evidence"

    def pythons(self) -> str:
        """The versions that were tried; the extra `gpu` is installed for each, with the newest packages."""
        folder = self._folder / "pythons"
        shutil.copytree(ROOT / "kernels", folder / "kernels")
        told = {}
        for version, python in pythons().items():
            own = self._folder / f"python{version}"
            environment(own, f"kernel-advisor[gpu] @ {self._wheel().as_uri()}", python=python)
            check = (executable(own, "advisor"), "check", "--no-cache", "--format", "json", "kernels")
            told[version] = said(json.loads(run(*check, cwd=folder, status=1)))
        if not told:
            raise Failed("none of 3.10 to 3.14 is here")
        first, *others = told
        for other in others:
            if different := sorted(set(told[first]) ^ set(told[other])):
                raise Failed(
                    f"{first} and {other} differ in {len(different)} lines, the first: {different[0]}"
                )
        return f"{', '.join(told)}: {len(told[first])} findings"

    def licences(self) -> str:
        """The licences; their list goes to dist/licences.txt."""
        parts = self._materials()
        lines = [f"{one['name']} {one['version']}: {one['licence'] or 'unknown'}\n" for one in parts]
        (DIST / "licences.txt").write_text("".join(lines), "utf-8")
        if unknown := [str(one["name"]) for one in parts if not one["licence"]]:
            raise Failed(f"unknown: {', '.join(unknown)}")
        return ", ".join(sorted({str(one["licence"]) for one in parts}))

    def bill(self) -> str:
        """The number of components in dist/sbom.cdx.json."""
        file = DIST / "sbom.cdx.json"
        python = executable(self._minimal, "python")
        project = ("--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible")
        run(executable(self._tools, "cyclonedx-py"), "environment", *project, "-o", str(file), python)
        parts = json.loads(file.read_text("utf-8"))
        return f"CycloneDX {parts['specVersion']}, {len(parts['components'])} components"

    def _wheel(self) -> Path:
        wheels = list(DIST.glob("*.whl"))
        if not wheels:
            raise Failed("there is no wheel")
        return wheels[0]

    def _materials(self) -> list[dict[str, str | int]]:
        script = Path(__file__).with_name("bill_of_materials.py")
        found: list[dict[str, str | int]] = json.loads(run(executable(self._minimal, "python"), str(script)))
        return found


def environment(folder: Path, *wanted: str, python: str = sys.executable) -> None:
    """Make an environment of an interpreter with the packages `wanted`."""
    run(python, "-m", "venv", str(folder))
    run(executable(folder, "pip"), "install", "-q", *wanted)


def executable(folder: Path, name: str) -> str:
    """The path of a program in an environment."""
    return str(folder / ("Scripts" if os.name == "nt" else "bin") / name)


def megabytes(size: int) -> str:
    """Bytes as text, in units of a million."""
    return f"{size / 1e6:.1f} MB"


def run(*command: str, cwd: Path = ROOT, status: int = 0) -> str:
    """What a command prints; raises Failed where it ends with another status."""
    # The clone's own packages must not stand in for what the wheel lacks.
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != status:
        last = (done.stderr.strip() or done.stdout.strip() or "nothing was printed").splitlines()[-1]
        raise Failed(f"{Path(command[0]).name} {command[1]}: status {done.returncode}: {last}")
    return done.stdout


def main() -> int:
    """0 where every item holds, else 1."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, look in Checklist(Path(folder)).items():
            try:
                word, told = "ok", look()
            except Failed as reason:
                word, told, failed = "failed", str(reason), failed + 1
            print(f"{word:<6}  {name}: {told}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
