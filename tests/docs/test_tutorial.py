"""The tutorial, run from its first line to its last in an empty folder, as it is written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from advisor_command import PROGRAM, AdvisorCommand
from environments import make_environment

TUTORIAL = Path(__file__).parents[2] / "docs/tutorial.md"
# A block of commands, of expected output, of a file, or of changes in a file.
_BLOCK = re.compile(
    r"^(?:(?P<edited>In )?`(?P<name>[^`\n]+)`:\n\n|<!-- exit status (?P<status>\d) -->\n)?"
    r"```(?P<kind>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
# Built and installed without a network: with what this environment has.
_OFFLINE = ("--no-index", "--no-deps", "--no-build-isolation", "--no-compile", "--no-cache-dir")


@dataclass
class Reader:
    """Somebody who does what the tutorial says; `printed` is what the last commands said."""

    folder: Path
    advisor: AdvisorCommand
    printed: str = ""

    def follow(self, block: re.Match[str]) -> None:
        if block["name"] and block["edited"]:
            self.edit(self.folder / block["name"], block["text"])
        elif block["name"]:
            file = self.folder / block["name"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], "utf-8")
        elif block["kind"] == "console":
            assert self.printed == "", "the tutorial does not show what the commands before print"
            self.printed, status = "", 0
            for line in block["text"].splitlines():
                status = self.run(shlex.split(line))
            assert status == int(block["status"] or 0), self.printed

    def edit(self, file: Path, difference: str) -> None:
        """Put the lines with a blank or `+` where those with a blank or `-` stand."""
        lines = difference.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        text = file.read_text("utf-8")
        assert text.count(before) == 1, f"{file}: {before}"
        file.write_text(text.replace(before, after), "utf-8")

    def run(self, words: list[str]) -> int:
        program, *rest = words
        if program == "cd":
            self.folder = (self.folder / rest[0]).resolve(strict=True)
            return 0
        if program == "mkdir":
            (self.folder / rest[0]).mkdir()
            return 0
        if words[:3] == ["python3", "-m", "venv"]:
            make_environment(self.folder / rest[2], with_pip=True)
            return 0
        if program == ".venv/bin/pip":
            return self.install(rest)
        command = self.advisor
        if program == ".venv/bin/advisor":
            python = str(self.folder / ".venv/bin/python")
            command = AdvisorCommand(self.advisor.home, python, program=None)
        else:
            assert program == "advisor", program
        outcome = command(*rest, cwd=self.folder)
        assert outcome.status in (0, 1), outcome.err
        assert "error" not in outcome.err, outcome.err
        # The folder of packages is named after the Python.
        self.printed += re.sub(r"/python3\.\d+/", "/python3.11/", outcome.out.decode())
        return outcome.status

    def install(self, arguments: list[str]) -> int:
        python = self.folder / ".venv/bin/python"
        done = subprocess.run(
            [str(python), "-m", "pip", *arguments, *_OFFLINE],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        self.printed += done.stdout
        return done.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="the tutorial is written for a POSIX shell")
def test_the_tutorial_does_what_it_says(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("hatchling")
    if not (PROGRAM / "pyproject.toml").exists():
        pytest.skip("only a checkout can be installed")
    (tmp_path / "home").mkdir()
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "kernel-advisor").symlink_to(PROGRAM, target_is_directory=True)
    reader = Reader(desk, AdvisorCommand(tmp_path / "home"))
    document = TUTORIAL.read_text("utf-8")
    renewed, end = "", 0
    for block in _BLOCK.finditer(document):
        if block["kind"] != "text":
            reader.follow(block)
            continue
        printed, reader.printed = reader.printed, ""
        renewed += document[end : block.start("text")] + printed
        end = block.end("text")
        if not request.config.getoption("--renew-golden"):
            assert printed == block["text"], "pytest tests/docs --renew-golden -p no:xdist writes it"
    assert reader.printed == "", "the tutorial does not show what the last commands print"
    if request.config.getoption("--renew-golden"):
        TUTORIAL.write_text(renewed + document[end:], "utf-8")
