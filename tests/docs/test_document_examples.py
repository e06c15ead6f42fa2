"""Each statement of the source documents is shown by an example that runs as a user would type it.

The commands are typed in `tests/data/documents`. In programs a comment `# hit: rule` stands at each line
where a rule speaks; what `shows` names has to stand in what the command prints.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from program_in_process import run_advisor

from advisor.reports.rule_pages.coverage import CoverageRow, coverage

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = Path("tests/data/documents")
ROWS = [one for one in coverage().rows if one.example]
_HIT = re.compile(r"# hit: ([\w-]+(?:, [\w-]+)*)")
_RULE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
# What these print hangs on the commands before them.
_WITH_HISTORY = ("import", "profile", "report", "budget")
Findings: TypeAlias = "list[dict[str, Any]]"


def commands(row: CoverageRow) -> list[str]:
    return row.example.split("; ")


def programs(command: str) -> list[Path]:
    """The programs of a check without options; those of all rows are checked together, which takes less."""
    words = shlex.split(command)[1:]
    plain = words[0] == "check" and not any(one.startswith("-") for one in words)
    return [Path(one) for one in words[1:]] if plain else []


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the examples in a copy of what they need, with a home of its own."""
    copied = tmp_path_factory.mktemp("examples")
    for part in (EXAMPLES, Path("tests/data/reports"), Path("kernels")):
        shutil.copytree(ROOT / part, copied / part, ignore=shutil.ignore_patterns(".advisor", "__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "USERPROFILE"):
            patch.setenv(name, str(copied))
        yield copied / EXAMPLES


@pytest.fixture(scope="module")
def checked(project: Path) -> Findings:
    """The findings of all programs that a row checks."""
    named = {str(file): None for row in ROWS for one in commands(row) for file in programs(one)}
    content = json.loads(run_advisor(project, "check", "--format", "json", *named).stdout)
    assert not content["errors"], content["errors"]
    found: Findings = content["findings"]
    return found


@pytest.fixture(scope="module")
def printed(project: Path) -> Callable[[str], str]:
    """What an example prints, in a history of its own, without the breaks of lines."""
    of_commands: dict[str, str] = {}
    of_examples: dict[str, str] = {}

    def run_one(command: str) -> str:
        if command.split()[1] in _WITH_HISTORY:
            return _output(project, command)
        if command not in of_commands:
            of_commands[command] = _output(project, command)
        return of_commands[command]

    def run(example: str) -> str:
        if example not in of_examples:
            shutil.rmtree(project / ".advisor", ignore_errors=True)
            of_examples[example] = " ".join("".join(map(run_one, example.split("; "))).split())
        return of_examples[example]

    return run


def _output(project: Path, command: str) -> str:
    program, *argv = shlex.split(command)
    assert program == "advisor"
    done = run_advisor(project, *argv)
    assert done.returncode in (0, 1), (command, done.stderr)
    pages = [argv[place + 1] for place, word in enumerate(argv) if word == "--html"]
    return done.stdout + done.stderr + "".join((project / page).read_text("utf-8") for page in pages)


def hits(file: Path) -> set[tuple[str, int]]:
    """The rules that comments of a program name, with their lines."""
    lines = (ROOT / EXAMPLES / file).read_text("utf-8").splitlines()
    return {
        (rule, number)
        for number, line in enumerate(lines, 1)
        for found in _HIT.findall(line)
        for rule in found.split(", ")
    }


def places(findings: Findings) -> set[tuple[str, int]]:
    """Rule and line of each place of findings."""
    return {(one["rule"], place["line"]) for one in findings for place in (one, *one.get("places", ()))}


@pytest.mark.parametrize("row", ROWS, ids=lambda one: one.id)
def test_an_example_shows_its_statement(
    row: CoverageRow, printed: Callable[[str], str], request: pytest.FixtureRequest
) -> None:
    files = [file for one in commands(row) for file in programs(one)]
    checked: Findings = request.getfixturevalue("checked") if files else []
    others = [one for one in commands(row) if not programs(one)]
    said, named = [printed("; ".join(others))] if others else [], set[str]()
    for file in files:
        own = [one for one in checked if Path(one["path"]) == file]
        expected = hits(file)
        assert expected <= places(own), (file, expected - places(own))
        named |= {rule for rule, _ in expected}
        said += [json.dumps(one, ensure_ascii=False) for one in own]
    output = " ".join(said)
    for text in row.shows:
        shown = text in named or f"[{text}]" in output if _RULE.fullmatch(text) else text in output
        assert shown, (text, output)


def test_each_row_has_an_example_that_shows_something() -> None:
    for row in coverage().rows:
        assert row.example, row.id
        assert row.shows, row.id


def test_each_rule_of_a_row_is_shown() -> None:
    missing = {
        row.id: rules
        for row in coverage().rows
        if not row.limit and (rules := sorted(set(row.covered.get("rules", ())) - set(row.shows)))
    }
    assert missing == {}


def test_each_example_serves_a_row() -> None:
    named = " ".join(row.example for row in ROWS)
    folders = [ROOT / EXAMPLES / letter.lower() for letter in coverage().documents]
    folders.append(ROOT / EXAMPLES / "t_reports")
    files = [file for folder in folders for file in folder.rglob("*.*") if "__pycache__" not in file.parts]
    assert files
    assert [one.name for one in files if one.relative_to(ROOT / EXAMPLES).as_posix() not in named] == []
