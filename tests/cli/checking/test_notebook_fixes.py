"""`advisor check --fix` and `--diff` on notebooks: only the source of the fixed cell changes."""

import difflib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from notebook_files import DIVERGENT, HEAD, code, notebook, places, text_of

Run = Callable[..., Any]

GUARDLESS = "@cuda.jit\ndef double(a, b):\n    i = cuda.grid(1)\n    a[i] = b[i] * 2"
GUARDED = "    if i < a.shape[0]:"
DEBUG = (
    "@cuda.jit(debug=True, opt=False)\ndef f(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1"
)
OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["größe\n", "\u2028"]}


@pytest.fixture
def fix(advisor: Run, project: Path) -> Run:
    def run(*argv: str) -> Any:
        return advisor(
            "check", "--evidence", "source", "--no-cache", "--format", "concise", "--unsafe-fixes", *argv
        )

    return run


def changed_lines(before: bytes, after: bytes) -> list[str]:
    lines = difflib.ndiff(before.decode().splitlines(), after.decode().splitlines())
    return [line for line in lines if line[:2] in ("+ ", "- ")]


STORED = {
    "as Jupyter writes it": lambda content: text_of(content).encode(),
    "without a line end": lambda content: text_of(content).encode().rstrip(),
    "in one line": lambda content: json.dumps(content, separators=(",", ":")).encode(),
    "with tabs and CRLF": lambda content: json.dumps(content, indent="\t").replace("\n", "\r\n").encode(),
    "with a byte order mark": lambda content: text_of(content).encode("utf-8-sig"),
    "in ASCII": lambda content: json.dumps(content, indent=2, sort_keys=True).encode(),
}


@pytest.mark.parametrize("way", STORED)
def test_only_the_source_of_the_cell_changes(fix: Run, put: Run, way: str) -> None:
    file = put(HEAD)
    cells = (HEAD, code(f'%%time\ns = "größe \\" \\t"\n{DEBUG}', outputs=[OUTPUT]), "!ls  # ünï\nx = 1")
    content = notebook(*cells, zeta=1.50, alpha={"b": 1e5, "a": []})
    before = STORED[way](content)
    file.write_bytes(before)
    assert "Fixed 1 finding." in fix("--fix").out
    after = file.read_bytes()
    assert after != before
    assert after == before.replace(b"@cuda.jit(debug=True, opt=False)", b"@cuda.jit")


def test_a_source_that_is_one_string_stays_one(fix: Run, put: Run) -> None:
    file = put(HEAD, {**code(""), "source": f"{DEBUG}\n# größe"})
    before = file.read_bytes()
    fix("--fix")
    assert file.read_bytes() == before.replace(b"(debug=True, opt=False)", b"")


def test_lines_that_come_stand_like_their_neighbours(fix: Run, put: Run) -> None:
    file = put(HEAD, GUARDLESS)
    before = file.read_bytes()
    fix("--fix")
    assert sorted(changed_lines(before, file.read_bytes())) == [
        '+     "        a[i] = b[i] * 2"',
        f'+     "{GUARDED}\\n",',
        '-     "    a[i] = b[i] * 2"',
    ]
    assert "".join(json.loads(file.read_bytes())["cells"][1]["source"]).endswith("        a[i] = b[i] * 2")


def test_the_difference_names_the_cell(fix: Run, put: Run) -> None:
    file = put("x = 1", HEAD, DEBUG, "y = 2")
    before = file.read_bytes()
    outcome = fix("--diff")
    assert outcome.out.splitlines()[:4] == [
        "--- a/n.ipynb:cell 3",
        "+++ b/n.ipynb:cell 3",
        "@@ -1,4 +1,4 @@",
        "-@cuda.jit(debug=True, opt=False)",
    ]
    assert outcome.status == 1
    assert file.read_bytes() == before


def test_without_anything_to_fix_nothing_is_written(fix: Run, put: Run) -> None:
    file = put(HEAD, DEBUG.replace("(debug=True, opt=False)", ""))
    before = file.stat().st_mtime_ns
    assert "Fixed 0 findings." in fix("--fix").out
    assert fix("--diff").out == ""
    assert file.stat().st_mtime_ns == before


def test_a_notebook_that_is_read_only_is_left_with_a_notice(fix: Run, put: Run) -> None:
    file = put(HEAD, DEBUG)
    before = file.read_bytes()
    file.chmod(0o444)
    said = fix("--fix").out
    assert "n.ipynb is left as it is: it is read-only." in said
    assert file.read_bytes() == before


def test_a_line_that_cannot_be_told_from_what_the_program_writes_is_left(fix: Run, put: Run) -> None:
    file = put(HEAD, f"{DEBUG}\nx = 1  #ipython: y\n")
    before = file.read_bytes()
    assert "cell 2 has lines that cannot be written back" in fix("--fix").out
    assert file.read_bytes() == before


def test_a_module_and_a_notebook_are_fixed_together(fix: Run, put: Run, project: Path) -> None:
    file = put(HEAD, DEBUG)
    module = project / "m.py"
    module.write_text(f"from numba import cuda\n\n\n{DEBUG}\n")
    assert "Fixed 2 findings." in fix("--fix").out
    assert b"debug" not in file.read_bytes() + module.read_bytes()


def test_what_cannot_be_fixed_is_still_found(fix: Run, put: Run, report: Run) -> None:
    put(HEAD, DEBUG, DIVERGENT)
    fix("--fix")
    found = report()
    assert places(found, "debug-build") == []
    assert places(found) == [("n.ipynb", 3, 5)]


def test_a_notebook_with_a_broken_cell_is_left_as_it_is(fix: Run, put: Run, report: Run) -> None:
    put(HEAD, DEBUG, "oops (", DIVERGENT)
    fix("--fix")
    found = report()
    assert places(found, "debug-build") != []
    assert not [fix for finding in found["findings"] for fix in finding["fixes"] if "edits" in fix]


def test_the_report_gives_edits_by_cell_and_offset(put: Run, report: Run) -> None:
    source = f"!ls\n%timeit -n 3 print(1)\n{DEBUG}"
    put(HEAD, source)
    (found,) = [one for one in report()["findings"] if one["rule"] == "debug-build"]
    (fix,) = [fix for fix in found["fixes"] if "edits" in fix]
    text = source
    for edit in sorted(fix["edits"], key=lambda one: -one["start"]):
        assert edit["cell"] == 2
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    assert text == source.replace("(debug=True, opt=False)", "")
