"""An analysis that is kept from edit to edit says what a new one says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kept_analyses import content

from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.evidence.source.incremental_analysis import IncrementalAnalysis
from advisor.evidence.source.module_parts import split, split_again
from advisor.model.text.source_text import SourceText

KERNELS = sorted((Path(__file__).parents[4] / "kernels").glob("*_*.py"))

TEXT = """\
from numba import cuda

SIZE = 4


@cuda.jit(device=True)
def twice(x):
    return x * SIZE


@cuda.jit
def scale(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = twice(a[i, j])


@cuda.jit
def other(out):
    i = cuda.grid(1)
    out[i] = 1.0


def main(a, out):
    scale[(8, 8), (16, 16)](a, out)
    other[8, 128](out)
"""


def check(
    kept: IncrementalAnalysis, folder: Path, text: str, neighbours: tuple[Path, ...] = ()
) -> SourceEvidence:
    source = SourceText("k.py", text)
    found = kept.analyse(source, neighbours)
    assert found is not None
    anew = analyse([], folder, workspace_files=neighbours, stdin=(folder / "k.py", source))
    assert content(found) == content(anew)
    assert (found.problems, found.texts, found.unread) == (anew.problems, anew.texts, anew.unread)
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SIZE = 4", "SIZE = 4.0"),
        ("SIZE = 4", "# moved\n\n\nSIZE = 4"),
        ("    return x * SIZE", "    return x + 1"),
        ("    return x * SIZE", "    y = x"),
        ("(16, 16)", "(256, 1)"),
        ("(16, 16)", "(SIZE, SIZE)"),
        ("    other[8, 128](out)\n", ""),
        ("    other[8, 128](out)\n", "    other[8, 128](out)\n\n\ndef other(out):\n    pass\n"),
        ("def main(a, out):", "def main(a, out, scale):"),
        ("@cuda.jit\ndef other", "def other"),
        ("@cuda.jit\ndef other", "@cuda.jit\ndef another"),
        ("from numba import cuda", "import numba.cuda as cuda"),
        ("a[i, j])", "a[j, i])"),
        ("out[i] = 1.0", "twice(i)\n    scale(out, out)\n    out[i] = 1.0"),
        (
            "\n\ndef main",
            "\n\nfast = cuda.jit(fastmath=True)\n\n\n@fast\ndef third(out):\n    out[0] = 1\n\n\ndef main",
        ),
        ("\n\ndef main", "\n\ndef plain(out):\n    out[0] = 1\n\n\nk = cuda.jit(plain)\n\n\ndef main"),
    ],
)
def test_one_edit_and_back(tmp_path, before, after):
    assert before in TEXT
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    check(kept, tmp_path, TEXT)
    check(kept, tmp_path, TEXT.replace(before, after))
    check(kept, tmp_path, TEXT)


def test_what_an_edit_does_not_reach_is_not_analysed_again(tmp_path, monkeypatch):
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    check(kept, tmp_path, TEXT)
    read: list[str] = []
    host = type(kept._analyser).host

    def noted(self, file, source=None, *rest, **how):
        read.append(source.text)
        return host(self, file, source, *rest, **how)

    monkeypatch.setattr(type(kept._analyser), "host", noted)
    kept.analyse(SourceText("k.py", TEXT.replace("out[i] = 1.0", "out[i] = 2.0")))
    assert "def other" in read[0]
    read.clear()
    kept.analyse(SourceText("k.py", "\n" + TEXT.replace("out[i] = 1.0", "out[i] = 2.0")))
    # The first statement has another line before it now; all that names `cuda` rests on it.
    kept.analyse(
        SourceText(
            "k.py", "\n" + TEXT.replace("out[i] = 1.0", "out[i] = 2.0") + "\n\ndef late():\n    pass\n"
        )
    )
    assert not any("def scale" in text for text in read[1:])


def test_of_a_text_that_does_not_parse_the_intact_functions_are_analysed(tmp_path):
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    check(kept, tmp_path, TEXT)
    broken = check(kept, tmp_path, TEXT.replace("out[i] = 1.0", "out[i = 1.0"))
    (problem,) = broken.problems
    assert (problem.line, problem.column) == (21, 8)
    assert problem.message == "syntax error: '[' was never closed"
    assert broken.unread == {"k.py": frozenset(range(18, 22))}
    check(kept, tmp_path, TEXT.replace("out[i] = 1.0", "out[i] = 1"))


def test_a_launch_in_another_file_counts_and_a_change_of_it_too(tmp_path):
    text = TEXT.replace("    other[8, 128](out)\n", "")
    other = tmp_path / "launcher.py"
    other.write_text("from numba import cuda\nfrom k import other\n\nother[4, 64](out)\n", encoding="utf-8")
    (tmp_path / "k.py").write_text(text, encoding="utf-8")
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    check(kept, tmp_path, text, (other,))
    check(kept, tmp_path, "# first\n" + text, (other,))
    other.write_text("from numba import cuda\nfrom k import other\n\nother[4, 1024](out)\n", encoding="utf-8")
    found = check(kept, tmp_path, "# first\n" + text, (other,))
    shapes = {
        one.readings["block_threads"].value
        for one in found.records
        if one.label == "other" and "block_threads" in one.readings
    }
    assert shapes == {1024.0}


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_random_edits_of_real_kernels(file, tmp_path):
    rng = random.Random(file.stem)
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    text, done = file.read_text("utf-8"), 0
    while done < 12:
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        kind = rng.random()
        if kind < 0.3:
            lines.insert(at, rng.choice(lines))
        elif kind < 0.5:
            del lines[at : at + rng.choice([1, 2, 5])]
        else:
            column = rng.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:column] + rng.choice("a1 ()0+") + lines[at][column + rng.choice([0, 1]) :]
        changed = "\n".join(lines)
        found = kept.analyse(SourceText("k.py", changed))
        if found is not None:
            check(kept, tmp_path, changed)
            # A text with errors is checked too, but not edited further.
            text, done = text if found.unread else changed, done + 1


def parts(text: str):
    return [(part.first, part.text) for part in split(text.split("\n")) or []]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = 2", [(1, "a = 1"), (2, "b = 2")]),
        ("a = 1; b = 2\nc = 3", [(1, "a = 1; b = 2"), (2, "c = 3")]),
        (
            "# of a\na = (\n 1)\n\n@f\ndef g():\n  pass\n# end",
            [(1, "# of a\na = (\n 1)"), (4, "\n@f\ndef g():\n  pass"), (8, "# end")],
        ),
        ("", [(1, "")]),
    ],
)  # fmt: skip
def test_parts(text, expected):
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if a:\n    b = 1\nc = 2\n", "if a:\n    b = 1\nelse:\n    b = 3\nc = 2\n"),
        ("a = 1\nb = 2\nc = 3\n", "a = 1\nb = '''\nc = 3\n'''\n"),
        ("a = 1\nb = 2\n\n\ndef f():\n    pass\n", "a = 1\nb = 2\n\n\n@a\ndef f():\n    pass\n"),
    ],
)
def test_an_edit_beside_a_statement_may_belong_to_it(before, after):
    old, new = before.split("\n"), after.split("\n")
    again = split_again(split(old) or [], old, new)
    assert again is not None
    expected = split(new) or []
    assert [one.names.binds for one in again if one.names.binds] == [
        one.names.binds for one in expected if one.names.binds
    ]
    assert [line for one in again for line in one.lines] == new


BODIES = """\
from numba import cuda

STEP = 2


def add(a):
    i = cuda.grid(1)
    cuda.atomic.add(a, i // STEP, 1)


def idle(a):
    a[0] = cuda.grid(1)
"""


def test_a_body_that_another_file_compiles_is_judged_where_it_stands(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from numba import cuda\nfrom k import add\nrun = cuda.jit(add)\nrun[2, 64](cuda.to_device([0]))\n"
    )
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    for text in (BODIES, f"# moved\n{BODIES}", BODIES.replace("STEP = 2", "STEP = 3"), BODIES):
        (tmp_path / "k.py").write_text(text)
        found = check(kept, tmp_path, text, (program,))
        line = text.splitlines().index("def add(a):") + 1
        (kernel,) = [one for one in found.records if one.entity == "kernel"]
        (atomic,) = [one for one in found.records if one.entity == "atomic"]
        assert (kernel.label, kernel.span.line, atomic.owner) == ("add", line, kernel.key)
    program.write_text("from numba import cuda\nfrom k import add\nprint(cuda, add)\n")
    assert not [one for one in check(kept, tmp_path, BODIES, (program,)).records if one.entity == "kernel"]


SIZES = """\
from numba import cuda

BLOCK = 64


@cuda.jit
def copy(x, y):
    i = cuda.grid(1)
    y[i] = x[i]
"""
LAUNCHERS = {
    "direct.py": "from numba import cuda\nfrom k import BLOCK, copy\n\ncopy[4, BLOCK](x, y)\n",
    "between.py": "from k import *\n",
    "indirect.py": "from numba import cuda\nfrom between import BLOCK, copy\n\ncopy[4, BLOCK](x, y)\n",
    # The same words, and no import of the text.
    "apart.py": "from numba import cuda\n\nBLOCK = 32\n\n\n@cuda.jit\ndef fill(x):\n    x[0] = BLOCK\n\n\n"
    "fill[1, BLOCK](x)\ncopy = fill\n",
}


def test_files_that_do_not_import_the_text_are_analysed_once(tmp_path, monkeypatch):
    for name, text in LAUNCHERS.items():
        (tmp_path / name).write_text(text)
    others = tuple(tmp_path / name for name in LAUNCHERS)
    (tmp_path / "k.py").write_text(SIZES)
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    check(kept, tmp_path, SIZES, others)
    analysed: list[str] = []
    host = type(kept._analyser).host

    def noted(self, file, source=None, *rest, **how):
        analysed.append(file.name)
        return host(self, file, source, *rest, **how)

    monkeypatch.setattr(type(kept._analyser), "host", noted)
    kept.analyse(SourceText("k.py", SIZES.replace("BLOCK = 64", "BLOCK = 48")), others)
    assert {"direct.py", "indirect.py"} <= set(analysed)
    assert "apart.py" not in analysed
    monkeypatch.undo()
    rows = {}
    for block in ("64", "(8, 8)", "(16, 4)"):
        found = check(kept, tmp_path, SIZES.replace("BLOCK = 64", f"BLOCK = {block}"), others)
        rows[block] = [str(one.readings) for one in found.records if one.entity == "access"]
    assert len({str(one) for one in rows.values()}) == 3
    # What begins to import the text counts from then on.
    (tmp_path / "apart.py").write_text(LAUNCHERS["direct.py"].replace("BLOCK](", "16]("))
    check(kept, tmp_path, SIZES, others)
