"""Who a kernel is: the hash of its text, the tools, the commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

from advisor.evidence.simulated.launches.function_text import definition, hash_at
from advisor.model.history.identity import functions, git_state, toolchain

_TEXT = """\
from numba import cuda

@cuda.jit
def add(a, b):
    b[0] = a[0]

class Model:
    def make(self):
        @cuda.jit
        def inner(a):
            a[0] = 1
        return inner

    async def wait(self):
        pass
"""


def test_functions_have_their_qualified_names_and_lines() -> None:
    assert [(one.name, one.line) for one in functions(_TEXT)] == [
        ("add", 4), ("Model.make", 8), ("Model.make.inner", 10), ("Model.wait", 14),
    ]  # fmt: skip


def test_the_hash_is_that_of_the_record_of_launches() -> None:
    for one in functions(_TEXT):
        assert one.source_hash == hash_at(_TEXT, one.line)
    assert definition(_TEXT, 3) == (4, functions(_TEXT)[0].source_hash)


def test_the_hash_changes_with_the_text_and_not_with_the_place() -> None:
    moved = functions("\n\n" + _TEXT)
    assert [one.source_hash for one in moved] == [one.source_hash for one in functions(_TEXT)]
    changed = functions(_TEXT.replace("a[0] = 1", "a[0] = 2"))
    same = [
        one.source_hash == other.source_hash for one, other in zip(functions(_TEXT), changed, strict=True)
    ]
    assert same == [True, False, False, True]


def test_a_file_that_does_not_parse_has_no_functions() -> None:
    assert functions("def (") == ()


def test_the_toolchain_names_what_compiles() -> None:
    found = toolchain({"driver": "580.65"})
    assert found["driver"] == "580.65"
    assert {"advisor", "python", "numba", "numba-cuda", "numpy"} <= set(found)


def test_the_commit_and_whether_files_differ(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *settings, *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    assert git_state(tmp_path / "nowhere") == (None, None)
    git("init", "-q")
    assert git_state(tmp_path) == (None, None)
    (tmp_path / "k.py").write_text("a = 1\n")
    git("add", "k.py")
    git("commit", "-qm", "first")
    (tmp_path / "new.py").write_text("")
    commit = git("rev-parse", "HEAD").strip()
    assert git_state(tmp_path) == (commit, False)
    (tmp_path / "k.py").write_text("a = 2\n")
    assert git_state(tmp_path) == (commit, True)
