"""`advisor` with its arguments in this process: what it prints and how it ends, without the start of another.

For tests of what a command does. What has to do with processes (signals, streams, environments) has one of
its own.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from launches_made_up import without_made_up_launches

from advisor.__main__ import main


def run_advisor(folder: Path, *argv: str, synthesis: bool = False) -> subprocess.CompletedProcess[str]:
    """What `advisor` printed, with `folder` as its working folder, and its exit status."""
    given = argv if synthesis else without_made_up_launches(argv)
    out, err = io.StringIO(), io.StringIO()
    with _inside(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(given)
        except SystemExit as ended:
            assert ended.code is None or isinstance(ended.code, int), ended.code
            status = ended.code or 0
    return subprocess.CompletedProcess(["advisor", *argv], status, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
