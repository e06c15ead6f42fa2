"""Calls of a coding agent with any arguments: an answer or a refusal, and no option that it made up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from advisor_command import contents
from bounds import bounded, search, seeds
from effort import NIGHTLY
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from program_in_process import run_advisor

from advisor.cli.mcp_server.commands import Commands, Finished, Limits
from advisor.cli.mcp_server.consent import ConsentToRun
from advisor.cli.mcp_server.server import build_server
from advisor.cli.mcp_server.serving import Serving
from advisor.cli.mcp_server.workspace import Workspace

_KERNEL = "from numba import cuda\n\n\n@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[i] = a[i] ** 0.5\n"
_OPTIONS = (
    "--format",
    "--device=",
    "--select=",
    "--no-run",
    "--base-folder=",
    "--format=markdown",
    "--write",
)
_TEXTS = st.one_of(
    st.sampled_from([
        "", ".", "..", "k.py", "k.py::k", "./k.py", "/etc/passwd", "../outside.py", "link.py", "--write",
        "--output=x", "-v", "slow-power", "memory", "a\0b", "k.py::k\n--write", "\x1b[31m", "x" * 5000, "~",
        "$(touch x)",
        "a100-80gb", "h100*", "*", ";", "k.py\u202e", "\ud800", "file:///etc/passwd", "k.py::", "::k", "nul",
    ]),
    st.text(max_size=12),
)  # fmt: skip
_VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), _TEXTS
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)),
    max_leaves=6,
)
_EDIT = st.fixed_dictionaries(
    {}, optional={"path": _TEXTS, "old": _TEXTS, "text": _TEXTS, "start": _VALUES, "end": _VALUES}
)
_OF_FORM: dict[str, st.SearchStrategy[Any]] = {
    "paths": st.lists(_TEXTS, max_size=3), "select": st.lists(_TEXTS, max_size=2), "device": _TEXTS,
    "name": _TEXTS, "rule": _TEXTS, "kernel": _TEXTS, "words": _TEXTS, "most": st.integers(-3, 300),
    "edits": st.lists(_EDIT, max_size=2), "run_code": st.booleans(), "program": _TEXTS, "base": _TEXTS,
}  # fmt: skip
_ARGUMENTS = st.fixed_dictionaries(
    {}, optional={name: st.one_of(form, _VALUES) for name, form in _OF_FORM.items()}
)
_CALLS = st.tuples(
    st.sampled_from(["check", "explain", "what_if", "rules", "simulate", "verify", "nothing"]), _ARGUMENTS
)


class CommandsHere(Commands):
    """Commands in this process, with what they were; none that would run code is expected."""

    def __init__(self) -> None:
        super().__init__(Limits(60.0, 1 << 32))
        self.asked: list[Sequence[str]] = []

    async def run(self, arguments: Sequence[str], folder: Path) -> Finished:
        self.asked.append(arguments)
        done = run_advisor(folder, *arguments)
        return Finished(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agent")
    (folder / "outside.py").write_text(_KERNEL)
    inside = folder / "project"
    (inside / ".git").mkdir(parents=True)
    (inside / "k.py").write_text(_KERNEL)
    (inside / "advisor.toml").write_text('evidence = "source"\nsynthesis = false\n')
    (inside / "link.py").symlink_to("../outside.py")
    return inside


def _files(project: Path) -> tuple[dict[str, str], list[str], bytes]:
    """What may not change: the project without `.advisor`, and what is around it."""
    around = sorted(path.name for path in project.parent.iterdir())
    return contents(project), around, (project.parent / "outside.py").read_bytes()


def called(project: Path, tool: str, arguments: dict[str, Any]) -> None:
    """Assert what holds of any call where nobody consented to running code."""
    commands = CommandsHere()
    state = Serving(Workspace(project), commands, ConsentToRun(False))

    async def talk() -> Any:
        async with Client(build_server(state)) as client:
            try:
                return await client.call_tool(tool, arguments)
            except (ValueError, TypeError, UnicodeError):
                return None  # the client itself sends no such text

    before = _files(project)
    with bounded():
        result = asyncio.run(talk())
    assert _files(project) == before
    if result is not None:
        text = "".join(getattr(one, "text", "") for one in result.content)
        assert "Traceback" not in text and "fault of the program" not in text, text
    for asked in commands.asked:
        assert asked[0] in ("check", "explain", "diff", "metrics", "rules"), asked
        for one in asked:
            assert not one.startswith("-") or one.startswith(_OPTIONS[:-1]), asked
        assert asked[0] in ("metrics", "rules") or "--no-run" in asked or "--format=markdown" in asked, asked


@pytest.mark.timeout(7200 if NIGHTLY else 300)
def test_any_call_is_answered_or_refused(project: Path) -> None:
    @search(25)
    @given(_CALLS)
    def any_call(call: tuple[str, dict[str, Any]]) -> None:
        called(project, *call)

    any_call()


@pytest.mark.parametrize("seed", seeds("tools"), ids=lambda file: file.name)
def test_calls_that_were_bad_once(project: Path, seed: Path) -> None:
    for tool, arguments in json.loads(seed.read_text("utf-8")):
        called(project, tool, arguments)
