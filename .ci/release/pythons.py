"""The Pythons that are installed here, and what a report says apart from the last digits of its numbers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

_MINORS = range(10, 15)
_ASKED = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"

Said = list[tuple[str, int, str, str]]


def pythons() -> dict[str, str]:
    """The path of an interpreter for each supported version that is on PATH or that pyenv keeps."""
    found: dict[str, str] = {}
    for minor in _MINORS:
        wanted = f"3.{minor}"
        for path in [shutil.which(f"python{wanted}"), *_kept_by_pyenv(wanted)]:
            if path is not None and _version(path) == wanted:
                found[wanted] = path
                break
    return found


def said(report: dict[str, Any]) -> Said:
    """Place, rule and severity of each finding and problem of a report in JSON.

    Gains are left out: sums of floating-point numbers are compensated in Python 3.12 and later,
    https://docs.python.org/3/library/functions.html#sum, and machine code differs in an instruction or two,
    since bytecode does.
    """
    findings = [(one["path"], one["line"], one["rule"], one["severity"]) for one in report["findings"]]
    errors = [(one["path"], one["line"], one["message"], "error") for one in report["errors"]]
    return sorted([*findings, *errors, *(("", 0, told, "notice") for told in report["notices"])])


def _kept_by_pyenv(wanted: str) -> list[str]:
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return [str(one) for one in sorted(root.glob(f"versions/{wanted}.*/bin/python"))]


def _version(path: str) -> str:
    # A shim of pyenv is on PATH and answers for the versions that are switched on only.
    asked = subprocess.run([path, "-c", _ASKED], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 else ""
