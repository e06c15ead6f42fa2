"""The block of comments at the top of a fix's module: what is read, and what a mistake in it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.fixes import fix_data, known_fixes
from advisor.fixes.fix_data import FixData, read_fix
from advisor.model.errors import SourceProblem

BLOCK = """\
# /// fix
# title = "Write it shorter"
# safety = "safe"
# rules = ["long-words", "long-lines"]
# condition = "always"
# ///
"""


@pytest.fixture
def module(tmp_path: Path):
    """The module of a fix with a block that was changed by replacing a text, or with other text instead."""

    def write(old: str = "", new: str = "", text: str = BLOCK) -> Path:
        assert old in text
        file = tmp_path / "write_it_shorter.py"
        block = text.replace(old, new)
        file.write_text(f'"""Writes a word shorter."""\n\n{block}\n\ndef edits(place):\n    return None\n')
        return file

    return write


def test_a_fix_is_called_as_its_file(module):
    rules = ("long-words", "long-lines")
    assert read_fix(module()) == FixData("write-it-shorter", "Write it shorter", "safe", rules, "always")


def test_what_may_be_said_besides(module):
    more = "# phase = 1\n# needs_kernel = true\n#\n# [parameters]\n# # A comment.\n# letters = 12\n# ///\n"
    fix = read_fix(module("# ///\n", more))
    assert (fix.phase, fix.needs_kernel, fix.parameters) == (1, True, {"letters": 12})


def test_a_condition_runs_over_several_lines(module):
    fix = read_fix(module('"always"', '"""\n# the word is long, \\\n#   and nobody minds"""'))
    assert fix.condition == "the word is long, and nobody minds"


def test_other_blocks_and_other_comments_do_not_count(module):
    other = '# /// script\n# dependencies = []\n# ///\n\n# title = "Another"\n\n' + BLOCK
    assert read_fix(module(text=other)).title == "Write it shorter"


def test_carriage_returns_do_not_count(module):
    file = module()
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert read_fix(file).condition == "always"


def test_nothing_is_run(module):
    file = module()
    file.write_text(file.read_text() + "raise SystemExit\n")
    assert read_fix(file).safety == "safe"


# A text of the module, what stands in its place, the line of the mistake (the block begins in line 3), and
# how the sentence begins.
MISTAKES = {
    "no block": (BLOCK, "", 1, "has no block `# /// fix` below its docstring that says what the fix is"),
    "a second one": ("# ///\n", f"# ///\n\n{BLOCK}", 10, "is a second block `# /// fix`."),
    "no end": (
        '"always"\n# ///\n', '"always"\n', 3,
        "begins a block without an end: lines that begin with `# `, then `# ///`.",
    ),
    "a gap": (
        "# rules", "\n# rules", 3, "begins a block without an end: lines that begin with `# `, then `# ///`."
    ),
    "no space": (
        "# rules", "#rules", 3, "begins a block without an end: lines that begin with `# `, then `# ///`."
    ),
    "an open text": ('"safe"', '"safe', 5, "is not TOML: "),
    "a key twice": ("# rules", '# title = "Again"\n# rules', 6, "is not TOML: "),
    "an open list": ('"long-lines"]\n# condition = "always"', '"long-lines"', 6, "is not TOML: "),
    "an unknown key": (
        "# title", "# titel", 4,
        "`titel` is no key of a fix, which are title, safety, rules, condition, parameters, phase, "
        "needs_kernel. Did you mean `title`?",
    ),
    "no title": ('# title = "Write it shorter"\n', "", 3, "`title` is missing or empty."),
    "an empty condition": ('"always"', '""', 7, "`condition` is missing or empty."),
    "no rules": ('["long-words", "long-lines"]', "[]", 6, "`rules` is missing or empty."),
    "a rule alone": ('["long-words", "long-lines"]', '"long-words"', 6, "`rules` must be a list of rules."),
    "a number as rule": ('"long-lines"]', "2]", 6, "`rules` must be a list of rules."),
    "another safety": ('"safe"', '"sound"', 5, "`safety` must be one of safe, needs review, display only."),
    "no phase": ("# ///\n", "# phase = true\n# ///\n", 8, "`phase` must be a whole number."),
    "no table": ("# ///\n", "# parameters = 3\n# ///\n", 8, "`parameters` must be a table."),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_names_file_and_line(module, name):
    old, new, line, sentence = MISTAKES[name]
    file = module(old, new)
    with pytest.raises(SourceProblem) as caught:
        read_fix(file)
    said = str(caught.value)
    assert said.startswith(f"{file.as_posix()}:{line}: {sentence}") and said.endswith((".", "?"))


def test_the_regular_expression_is_that_of_pep_723():
    published = r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$"
    assert fix_data._BLOCK.pattern == published


def test_every_block_stands_right_below_the_docstring():
    folder = Path(fix_data.__file__).parent / "rewrites"
    files = [file for file in sorted(folder.glob("*/*.py")) if file.stem != "__init__"]
    assert len(files) == len(known_fixes())
    for file in files:
        assert re.match(r'"""[^"]+"""\n\n# /// fix\n(#.*\n)+# ///\n\n', file.read_text("utf-8")), file


def test_to_list_the_fixes_none_is_imported():
    code = (
        "import sys; from advisor.fixes import known_fixes; known_fixes()\n"
        "print([one for one in sys.modules if one.startswith('advisor.fixes.')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert found.stdout == "['advisor.fixes.fix_data']\n"
