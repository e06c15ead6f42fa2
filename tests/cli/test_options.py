"""An option means the same in every command; `-q` is quiet; what takes long says that it works."""

from __future__ import annotations

import argparse
import io
import pty
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor.cli import build_parser, command_names
from advisor.cli.checking.progress import TerminalProgress

# What a command's own words say beside what all have in common.
_OWN_WORDS = {
    "--device": "(see `advisor devices`)",
    "--fail-level": "the least severity that makes exit status 1 (default: ",
    "--verbose": "more: ",
    "-v": "more: ",
}
# The same idea, of which each command writes or checks something of its own.
_OF_THE_COMMAND = {"--format", "--diff", "--check", "--fix", "--write", "--run", "--seconds", "--set"}
_QUIET_BY_NATURE = {"server"}


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    def below(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
        actions = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
        for action in actions:
            for one in action.choices.values():
                yield from below(one)
        if not actions:
            yield parser.prog.removeprefix("advisor "), parser

    yield from below(build_parser(command_names()))


def options() -> dict[str, dict[str, argparse.Action]]:
    """By the name of an option its declaration in each command."""
    found: dict[str, dict[str, argparse.Action]] = defaultdict(dict)
    for command, parser in parsers():
        for action in parser._actions:
            for name in action.option_strings:
                found[name][command] = action
    return found


OPTIONS = options()


@pytest.mark.parametrize("name", sorted(set(OPTIONS) - _OF_THE_COMMAND))
def test_an_option_means_the_same_everywhere(name: str) -> None:
    """Its value is written, read and described alike."""
    declared = OPTIONS[name].values()
    assert len({(type(one), one.metavar, one.type, one.nargs) for one in declared}) == 1
    choices = {tuple(one.choices) for one in declared if one.choices}
    assert len(choices) <= 1
    words = {one.help or "" for one in declared}
    if shared := _OWN_WORDS.get(name):
        assert all(shared in one for one in words)
    else:
        assert len(words) == 1, words


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_option_is_described(name: str) -> None:
    for command, action in OPTIONS[name].items():
        assert action.help, command
        takes_value = action.nargs != 0 and not action.choices
        assert not takes_value or action.metavar, command


def test_showing_changes_nothing_wherever_there_is_diff() -> None:
    for command, action in OPTIONS["--diff"].items():
        assert "change nothing" in (action.help or ""), command


def test_every_command_can_be_quiet() -> None:
    commands = {command for command, _ in parsers()}
    assert set(OPTIONS["-q"]) == set(OPTIONS["--quiet"]) == commands - _QUIET_BY_NATURE | {"server"}


def test_formats_begin_with_the_default() -> None:
    for command, action in OPTIONS["--format"].items():
        assert f"{action.default} (default)" in (action.help or ""), command


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
@pytest.mark.parametrize("command", ["check", "verify"])
def test_a_number_of_processes_is_one_or_more(advisor: Callable[..., Any], command: str, jobs: str) -> None:
    outcome = advisor(command, f"--jobs={jobs}")
    assert outcome.status == 2
    assert f"'{jobs}' is not a number of processes (1 or more)" in outcome.err


KERNEL = """\
from numba import cuda


@cuda.jit
def scale(a, factor):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * factor
"""
COUNTERS = """"ID","Kernel Name","Block Size","Grid Size","Device","CC","gpu__time_duration.sum"
"","","","","","","ns"
"0","scale","(64, 1, 1)","(4, 1, 1)","NVIDIA A100-SXM4-80GB","8.0","2000"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.advisor]\n")
    (tmp_path / "kernels.py").write_text(KERNEL)
    (tmp_path / "counters.csv").write_text(COUNTERS)
    (tmp_path / "budgets.toml").write_text('[budgets]\nscale = "1 ms"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


# What only counts, notices or says where something was kept.
_ASIDE = re.compile(
    r"^(Found|No findings|Verified|There is no fix|Kept as|note:|\d+ (limit|remark|rule|metric)|No verdict)",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    "argv",
    [
        ("check", "kernels.py", "--evidence", "source"),
        ("verify", "kernels.py", "--no-programs", "--simulate", "--select", "float64-promotion"),
        ("import", "counters.csv"),
        ("budget",),
        ("rules", "test", "block-too-small"),
        ("rules", "lint", "block-too-small"),
        ("rules", "diff", "kernels.py", "--set", "block-too-small=off"),
    ],
    ids=" ".join,
)
def test_quiet_leaves_results_only(advisor: Callable[..., Any], project: Path, argv: tuple[str, ...]) -> None:
    if argv == ("budget",):
        assert advisor("import", "counters.csv").status == 0
    loud, quiet = advisor(*argv), advisor(*argv, "-q")
    assert quiet.status == loud.status, quiet.err
    assert _ASIDE.search(loud.out), loud.out
    assert not _ASIDE.search(quiet.out), quiet.out
    assert quiet.err == ""


@pytest.mark.parametrize("command", ["check", "verify", "import"])
def test_selecting_rules_replaces_the_projects_choice_everywhere(
    project: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that the project ignores and the command line selects is selected."""
    from advisor.cli.options import selected
    from advisor.model.settings.config import load_config

    (project / "pyproject.toml").write_text('[tool.advisor]\nignore = ["block-too-small"]\n')
    target = "counters.csv" if command == "import" else "kernels.py"
    config = load_config(project)
    args = build_parser([command]).parse_args([command, target, "--select", "block-too-small,launch"])
    assert selected(args, config) == (("block-too-small", "launch"), (), ())
    args = build_parser([command]).parse_args([command, target, "--ignore", "launch"])
    assert selected(args, config) == ((), (), ("block-too-small", "launch"))


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("check", "empty"), "no Python files in this folder"),
        (("check", "broken.py"), "syntax error"),
        (("verify", "empty"), "no Python files in this folder"),
        (("verify", "broken.py"), "syntax error"),
        (("profile", "empty"), "no Python files in this folder"),
        (("profile", "broken.py"), "broken.py:1:14: syntax error"),
        (("profile", "kernels.py"), "no workload"),
        (("tune", "kernels.py::absent"), "absent"),
        (("explain", "kernels.py::absent"), "absent"),
        (("rules", "why", "block-too-small", "kernels.py::absent"), "absent"),
        (("rules", "diff", "empty"), "no Python files in this folder"),
        (("rules", "diff", "plain.py", "--set", "block-too-small=off"), "there is no kernel in these files"),
        (("report",), "no history"),
        (("import", "plain.py"), "none of the reports"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_where_nothing_could_be_checked_the_status_is_2_and_says_why(
    advisor: Callable[..., Any], project: Path, argv: tuple[str, ...], reason: str
) -> None:
    (project / "empty").mkdir()
    (project / "broken.py").write_text("def workload(:\n")
    (project / "plain.py").write_text("x = 1\n")
    outcome = advisor(*argv)
    assert outcome.status == 2, outcome
    assert reason in outcome.out + outcome.err


WAITS = """\
import sys, time
from advisor.cli.checking.progress import TerminalProgress
with TerminalProgress(len(sys.argv) > 1):
    time.sleep(2.0)
"""


def on_a_terminal(*argv: str) -> str:
    """What a process writes to a terminal that is its standard error."""
    import os

    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", WAITS, *argv], stderr=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        written += piece
    process.communicate(timeout=60)
    assert process.returncode == 0
    os.close(ours)
    return written.decode("utf-8", "replace")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_what_takes_long_says_that_it_works() -> None:
    assert "working" in on_a_terminal()
    assert on_a_terminal("quiet") == ""


def test_no_progress_where_standard_error_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    with TerminalProgress() as progress:
        time.sleep(1.2)
        progress("reading", 1, 2)
    assert shown.getvalue() == ""
