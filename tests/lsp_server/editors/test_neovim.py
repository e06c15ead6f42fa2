"""The server in a real Neovim, as its user sees it: the one on the PATH, and others in .editors."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parents[3]
SCENARIOS = Path(__file__).parent / "neovim"
ADVISOR = Path(sys.executable).parent / "advisor"
_FETCHED = sorted(PROGRAM.glob(".editors/neovim-*/nvim"))


def _neovims() -> list[Any]:
    found = shutil.which("nvim")
    missing = pytest.mark.skipif(found is None, reason="there is no nvim on the PATH")
    here = pytest.param(found, id="path", marks=missing)
    return [here, *(pytest.param(str(file), id=file.parent.name) for file in _FETCHED)]


@pytest.fixture(params=_neovims())
def neovim(request: pytest.FixtureRequest) -> str:
    """The program."""
    return str(request.param)


def version(neovim: str) -> tuple[int, int]:
    """The first two numbers of the version."""
    done = subprocess.run([neovim, "--version"], capture_output=True, text=True, check=True, timeout=60)
    major, minor = done.stdout.splitlines()[0].removeprefix("NVIM v").split(".")[:2]
    return int(major), int(minor)


def see(neovim: str, scenario: str, workspace: Path, start: str = "NONE") -> dict[str, Any]:
    """What a scenario saw, with a file of configuration that Neovim starts with."""
    result = workspace.parent / "seen.json"
    home = workspace.parent / "home"
    home.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")},
        "ADVISOR_PYTHON": sys.executable,
        "ADVISOR_ROOT": str(workspace),
        "ADVISOR_RESULT": str(result),
        "PYTHONPATH": str(PROGRAM),
        "PATH": f"{ADVISOR.parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [neovim, "--headless", "-u", start, "-n", "-c", f"luafile {SCENARIOS / scenario}"]
    done = subprocess.run(
        command, cwd=workspace, env=environment, capture_output=True, text=True, check=False, timeout=400
    )
    assert result.exists(), done.stderr
    found: dict[str, Any] = json.loads(result.read_text("utf-8"))
    assert "failed" not in found, "\n".join([found["failed"], *found["log"]])
    seen: dict[str, Any] = found["seen"]
    return seen


@pytest.mark.timeout(420)
def test_a_kernel_is_read_and_fixed(neovim: str, workspace: Path) -> None:
    file = workspace / "kernels/dot_product.py"
    before = file.read_text("utf-8")
    seen = see(neovim, "kernel.lua", workspace)

    found = {(item["line"], item["code"]) for item in seen["all"]}
    assert {(26, "contended-atomic"), (26, "unchecked-index"), (64, "block-not-warp-multiple")} <= found
    # The launch in the file divides the elements among blocks.
    assert seen["finding"]["severity"] == "WARN"
    assert seen["finding"]["text"] == "a[i]"
    assert "right only while the grid fits" in seen["finding"]["message"]
    assert "unchecked-index" in seen["hover"]
    assert any("Check that the thread's index is inside the array" in title for title in seen["titles"])
    assert any("Ignore unchecked-index here" in title for title in seen["titles"])
    assert seen["fixed"] == ["    if i < a.shape[0]:", "        cuda.atomic.add(out, 0, a[i] * b[i])"]
    assert seen["undone"] == ["    cuda.atomic.add(out, 0, a[i] * b[i])"]
    assert [item["line"] for item in seen["broken"]] == [26]
    assert file.read_text("utf-8") == before


@pytest.mark.timeout(420)
def test_a_rule_file_is_broken_and_fixed(neovim: str, workspace: Path) -> None:
    seen = see(neovim, "rules.lua", workspace)
    assert "registers" in seen["hover"]
    assert not seen["before"]
    assert (seen["broken"]["line"], seen["broken"]["code"]) == (6, "E201")
    assert "`registerz` is not a metric of `kernel`" in seen["broken"]["message"]


@pytest.mark.timeout(420)
def test_numbers_stand_where_they_are_read(neovim: str, workspace: Path) -> None:
    if version(neovim) < (0, 10):
        pytest.skip("Neovim shows inlay hints since 0.10")
    seen = see(neovim, "numbers.lua", workspace)
    hints = {(item["line"], item["label"]) for item in seen["hints"]}
    assert {(36, "16 sectors/request, ideal 2"), (37, "16 sectors/request, ideal 4")} <= hints
    lenses = [(item["line"], item["title"]) for item in seen["lenses"]]
    first = [title for line, title in lenses if line < 40]
    assert any("registers" in title and "occupancy" in title for title in first)
    assert len({line for line, _ in lenses}) == 2  # the two kernels


@pytest.mark.timeout(420)
@pytest.mark.skipif(not ADVISOR.exists(), reason="advisor is not installed beside this interpreter")
def test_the_configuration_of_the_set_up_page(neovim: str, workspace: Path) -> None:
    if version(neovim) < (0, 8):
        pytest.skip("the page is for Neovim 0.8 and newer")
    page = (PROGRAM / "docs/editors/neovim.md").read_text("utf-8")
    newest, older = re.findall(r"```lua\n(.*?)```", page, re.DOTALL)
    start = workspace.parent / "init.lua"
    start.write_text(newest if version(neovim) >= (0, 11) else older, encoding="utf-8")
    seen = see(neovim, "set_up.lua", workspace, str(start))
    assert "unchecked-index" in seen["kernel"]
    assert seen["rules"] == "E201"
