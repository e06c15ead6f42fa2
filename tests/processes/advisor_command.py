"""Runs `advisor` as its users do: a process of its own, in a folder of theirs."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forked_programs import start_advisor
from launches_made_up import without_made_up_launches
from program_in_process import run_advisor

import advisor

PROGRAM = Path(advisor.__file__).resolve().parents[1]
_LONGEST_SECONDS = 300
# What the installed command does. Unlike `python -m` it leaves the working folder off the module path.
_SCRIPT = "import sys\nfrom advisor.__main__ import main\n\nsys.exit(main())\n"


@dataclass(frozen=True)
class Outcome:
    """What a run left: exit status, standard output byte by byte, and what it said to people."""

    status: int
    out: bytes
    err: str

    @property
    def report(self) -> dict[str, Any]:
        assert self.status in (0, 1, 2), self.err
        assert self.out, self.err
        content: dict[str, Any] = json.loads(self.out)
        return content

    @property
    def findings(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.report["findings"]
        return found

    @property
    def errors(self) -> list[tuple[str, int, str]]:
        return [(error["path"], error["line"], error["message"]) for error in self.report["errors"]]

    @property
    def places(self) -> set[tuple[str, str, int]]:
        """Rule, path and line of each place of each finding."""
        return {
            (finding["rule"], place["path"], place["line"])
            for finding in self.findings
            for place in (finding, *finding.get("places", ()))
        }

    @property
    def rules(self) -> set[str]:
        return {finding["rule"] for finding in self.findings}


@dataclass(frozen=True)
class AdvisorCommand:
    """The command of a user with a home folder; `python` is the interpreter of an environment.

    The user's caches lie in the home folder unless `caches` is another one, which several may share.

    Each run has a process of its own. It is forked, with the program's modules imported, unless another
    interpreter or an environment is asked for or `forked` is false. With `synthesis` launches are made up.
    """

    home: Path
    python: str = sys.executable
    program: Path | None = PROGRAM
    forked: bool = True
    caches: Path | None = None
    synthesis: bool = False

    def __call__(self, *argv: str, cwd: Path, environment: Mapping[str, str] | None = None) -> Outcome:
        if not self.synthesis:
            argv = tuple(without_made_up_launches(argv))
        own = self.python != sys.executable or self.program != PROGRAM or environment is not None
        if self.forked and not own:
            process = start_advisor(*argv, cwd=cwd, env=self._environment())
            out, err = process.communicate(timeout=_LONGEST_SECONDS)
            return Outcome(process.wait(), out, err.decode("utf-8", "replace"))
        script = self.home / "advisor-command.py"
        if not script.exists():
            script.write_text(_SCRIPT)
        done = subprocess.run(
            [self.python, str(script), *argv],
            cwd=cwd,
            env=self._environment() | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LONGEST_SECONDS,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def check(self, *argv: str, cwd: Path) -> Outcome:
        """The JSON report on `argv`."""
        return self("check", "--format", "json", *argv, cwd=cwd)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        path = {"PYTHONPATH": str(self.program)} if self.program else {}
        # Python's own bytecode files are no concern of these tests, and would lie in folders they compare.
        caches = str(self.caches or self.home / "cache")
        home = {"HOME": str(self.home), "USERPROFILE": str(self.home), "PYTHONDONTWRITEBYTECODE": "1"}
        return kept | path | home | {"XDG_CACHE_HOME": caches, "LOCALAPPDATA": caches}


@dataclass(frozen=True)
class AdvisorHere:
    """The command in the test's own process: for what a process of its own would not change.

    `advisor run` makes the process that it runs in one with a simulated GPU, so it has another. With
    `synthesis` launches are made up.
    """

    program: AdvisorCommand | None = None
    synthesis: bool = False

    def __call__(self, *argv: str, cwd: Path) -> Outcome:
        if argv[0] == "run":
            assert self.program is not None
            return self.program(*argv, cwd=cwd)
        done = run_advisor(cwd, *argv, synthesis=self.synthesis)
        return Outcome(done.returncode, done.stdout.encode(), done.stderr)

    def check(self, *argv: str, cwd: Path) -> Outcome:
        """The JSON report on `argv`."""
        return self("check", "--format", "json", *argv, cwd=cwd)


def contents(folder: Path) -> dict[str, str]:
    """What lies below `folder`: digests of files and targets of links. `.advisor` is the program's."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == ".advisor":
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            stat = path.stat()
            data = path.read_bytes() if os.access(path, os.R_OK) else b""
            found[name] = f"{hashlib.sha256(data).hexdigest()} {stat.st_mode:o} {stat.st_mtime_ns}"
        else:
            found[name] = "folder"
    return found
