"""The server in a real Emacs with Eglot, set up as the page for Emacs says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[3]
SCENARIO = Path(__file__).parent / "emacs/kernel.el"
PACKAGES = "/usr/share/emacs/site-lisp/elpa"
ADVISOR = Path(sys.executable).parent / "advisor"


def emacs(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    load = (
        f'(progn (require (quote package)) (push "{PACKAGES}" package-directory-list) (package-initialize))'
    )
    return subprocess.run(
        ["emacs", "--batch", "-q", "--eval", load, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def eglot() -> None:
    if shutil.which("emacs") is None:
        pytest.skip("there is no emacs on the PATH")
    if emacs("--eval", "(require 'eglot)").returncode != 0:
        pytest.skip("this emacs has no Eglot")
    if not ADVISOR.exists():
        pytest.skip("the program advisor is not installed beside this interpreter")


@pytest.mark.usefixtures("eglot")
@pytest.mark.timeout(320)
def test_a_kernel_is_fixed_and_a_rule_broken(workspace: Path) -> None:
    page = (PROGRAM / "docs/editors/emacs.md").read_text("utf-8")
    start = workspace.parent / "init.el"
    start.write_text(re.findall(r"```elisp\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    result = workspace.parent / "seen.json"
    search = f"{ADVISOR.parent}{os.pathsep}{os.environ['PATH']}"
    done = emacs(
        *("-l", str(start), "-l", str(SCENARIO)),
        **{"ADVISOR_ROOT": str(workspace), "ADVISOR_RESULT": str(result), "PATH": search},
        HOME=str(workspace.parent),
    )
    assert result.exists(), done.stderr
    seen = json.loads(result.read_text("utf-8"))
    assert any("[contended-atomic]: Threads of a block update" in text for text in seen["found"])
    assert "Check that the thread's index is inside the array" in seen["titles"]
    assert any("is not a metric of `kernel`" in text for text in seen["broken"])
