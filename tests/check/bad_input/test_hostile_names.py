"""Names of files from anybody: none moves a cursor, ends a line, or becomes a tag or an option."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

FAST = ("--evidence", "source", "--no-cache")
NAMES = [
    "new\nline.py",
    "esc\x1b[31m\x1b]0;title\x07.py",
    "c1\x9b2J.py",
    "<script>alert(1)<!--.py",
    "a|b`c``d*_e_[x](y).py",
    "bidi\u202eyp.py",
    "::error::%0A.py",
    "%s{0}$(touch x).py",
    "--unsafe-fixes.py",
]
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMATS = ["short", "text", "concise", "markdown", "github", "junit", "json", "sarif", "gitlab", "json-lines"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")


@pytest.fixture(scope="module")
def outputs(advise: AdvisorCommand, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each format makes of a kernel in each file, and of a file that is no Python."""
    workspace = tmp_path_factory.mktemp("names")
    (workspace / ".git").mkdir()
    for number, name in enumerate(NAMES):
        # Different kernels: equal findings would be told together.
        text = (
            f"from numba import cuda\n\n\n@cuda.jit\ndef kernel(a):\n    a[{number}] = a[{number}] ** 0.5\n"
        )
        (workspace / name).write_text(text)
    (workspace / "bad\x1b[31m<b>.py").write_text("def (\n")
    found = {}
    for form in FORMATS:
        done = advise("check", *FAST, "--format", form, cwd=workspace)
        assert done.status == 2, done.err
        found[form] = done.out.decode("utf-8")
    assert sorted(path.name for path in workspace.iterdir() if path.name != ".git") == sorted(
        [*NAMES, "bad\x1b[31m<b>.py"]
    )
    return found


@pytest.mark.parametrize("form", ["short", "text", "concise", "markdown", "github"])
def test_no_terminal_obeys_a_name(outputs: dict[str, str], form: str) -> None:
    found = OBEYED.search(outputs[form])
    assert found is None, outputs[form][max(0, found.start() - 80) : found.end() + 20]


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "json-lines"])
def test_what_programs_read_has_escapes(outputs: dict[str, str], form: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f]", outputs[form])
    for part in outputs[form].splitlines() if form == "json-lines" else [outputs[form]]:
        json.loads(part)


def test_places_of_sarif_are_uris(outputs: dict[str, str]) -> None:
    uris = re.findall(r'"uri": "([^"]*)"', outputs["sarif"])
    assert any("%3Cscript%3E" in uri for uri in uris)
    assert all(re.fullmatch(r"[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]*", uri) for uri in uris), uris


def test_in_markdown_a_name_stands_in_code(outputs: dict[str, str]) -> None:
    text = re.sub(r"^(`{3,})[^`\n]*\n.*?^\1$", "", outputs["markdown"], flags=re.DOTALL | re.MULTILINE)
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "kernel" in text
    assert "<script" not in outside and "<b>" not in outside and "](y)" not in outside, outside


def test_a_name_is_no_command_of_a_workflow(outputs: dict[str, str]) -> None:
    commands = [line for line in outputs["github"].splitlines() if line.startswith("::")]
    assert commands
    assert all(re.match(r"::(?:error|warning|notice) file=", line) for line in commands)
    properties = [line.split("::")[1] for line in commands]
    assert all("title=" not in part.split(",title=")[0] for part in properties)


def test_a_name_is_no_tag_of_a_test_report(outputs: dict[str, str]) -> None:
    tree = ElementTree.fromstring(outputs["junit"])
    assert {node.tag for node in tree.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "error"}


def test_a_name_is_no_option(advise: AdvisorCommand, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "--unsafe-fixes.py"
    file.write_text("from numba import cuda\n\n\n@cuda.jit\ndef kernel(a):\n    a[0] = a[0] ** 0.5\n")
    before = file.read_bytes()
    assert advise("check", *FAST, cwd=tmp_path).status in (0, 1)
    assert file.read_bytes() == before
