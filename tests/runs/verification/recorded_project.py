"""A project whose program was recorded, and what tests of running it again need."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import program_in_process
import pytest
from forked_programs import start_advisor

import advisor
import advisor.fixes
from advisor.fixes import FixData
from advisor.model.findings import Edit
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config

PROGRAM = Path(advisor.__file__).resolve().parents[1]
KERNEL = '''\
"""A kernel with a power."""
from numba import cuda


@cuda.jit
def cube(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] ** 3.0
'''
HEAD = """\
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numba import cuda

from k import cube


def launch(n, a=None):
    a = np.linspace(0, 2, n, dtype=np.float32) if a is None else a
    out = cuda.device_array(n, np.float32)
    cube[(n + 255) // 256, 256](cuda.to_device(a), out)
    return out.copy_to_host()


"""
LAUNCH = "launch(int(sys.argv[1]))\n"
ARGUMENTS = ("100000", "two words")
NAME = "advisor run main.py 100000 'two words'"


def run_advisor(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    if argv[0] != "run":
        return program_in_process.run_advisor(folder, *argv)
    process = start_advisor(*argv, cwd=folder, env={**os.environ, "PYTHONPATH": str(PROGRAM)})
    out, err = (stream.decode() for stream in process.communicate(timeout=200))
    return subprocess.CompletedProcess(["advisor", *argv], process.wait(), out, err)


def write(project: Path, body: str, name: str = "main.py") -> None:
    (project / name).write_text(HEAD + textwrap.dedent(body))


def options(folder: Path, cache: Path) -> CheckOptions:
    return CheckOptions(
        "a100-80gb",
        folder,
        "simulated",
        select=("slow-power",),
        settings=load_config(folder),
        cache_folder=cache,
        workspace_files=(),
    )


def replacing(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """The only fix there is puts one text in the place of another."""

    def edits(place):
        at = place.module.text.find(old)
        return [Edit(at, at + len(old), new)] if at >= 0 else None

    module = types.ModuleType("advisor.fixes.replacing")
    module.edits = edits
    monkeypatch.setitem(sys.modules, "advisor.fixes.replacing", module)
    monkeypatch.setattr(
        "advisor.fixes.writing.module_name", lambda name: f"advisor.fixes.{name.replace('-', '_')}"
    )
    fix = FixData("replacing", "Replace it", "needs review", ("slow-power",), "a test")
    monkeypatch.setattr(advisor.fixes, "known_fixes", lambda: (fix,))


def files(folder: Path) -> dict[str, bytes]:
    """The files of a project without those that the advisor keeps."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".advisor" not in path.parts
    }


def change(project: Path, statement: str) -> None:
    connection = sqlite3.connect(project / ".advisor" / "launches.sqlite")
    connection.execute(statement)
    connection.commit()
    connection.close()
