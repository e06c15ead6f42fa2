"""Whatever cells hold, their joined text leads back to them, and writing them again changes no other byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.errors import SourceProblem
from advisor.model.text.notebooks.joined_text import cells_of, notebook_text
from advisor.model.text.notebooks.magics import as_written, python_of
from advisor.model.text.notebooks.writing import CannotBeWritten, changed_cells, with_joined_text
from advisor.model.text.notebooks.written_files import own_and_written

LINES = st.sampled_from([
    "x = 1", "if x:", "    y = 2", "    !ls", "%time f(x)", "%timeit -n 3 -r 2 f(x)", "    %timeit f(x)",
    "%%time", "%%bash", "%matplotlib inline", "!ls 'a", "!pip install a \\", "    b", "z = !ls", "f?", "?f",
    "t = %timeit -o f()", "f??  # why", "# 100%?", "s = '''", "%d'''", "'''", "a = [1,", "% 2]", "ls", "",
    '"größe 🌍"', "# %% cell 3", "# %% cell 1 on line 4", "pip install x", "\tq = 1", "x = 1\r", "%ls\r",
    "%%writefile k.py", "%%writefile -a k.py", "%%file 'm.py'", "%%writefile k.cu", "# @title A",
    "  ", "def f(x):", "    return x", "pass; f()", "    pass  # ipython: no",
])  # fmt: skip
SOURCES = st.lists(LINES, max_size=7).map("\n".join)


@given(SOURCES)
@settings(max_examples=400, deadline=None)
def test_every_line_of_a_cell_can_be_had_back(source: str) -> None:
    text, _, fault, *_ = python_of(source)
    if text is not None and not fault:
        assert "\n".join(map(as_written, text.split("\n"))) == source
        compile(text.replace("\r", ""), "cell", "exec", flags=0x400, dont_inherit=True)


@given(st.lists(SOURCES, max_size=5))
@settings(max_examples=200, deadline=None)
def test_each_line_belongs_to_the_notebook_or_to_one_file_that_it_writes(sources: list[str]) -> None:
    text = notebook_text(stored(sources, 1, True, True), "n.ipynb")
    own, written = own_and_written(text)
    parts = [own.split("\n"), *(one.text.split("\n") for one in written)]
    for line, *shown in zip(text.split("\n"), *parts, strict=True):
        assert sorted(shown) == sorted([line, *[""] * len(written)])
    assert {one.name for one in written} <= {"k.py", "m.py"}


def stored(sources: list[str], indent: int | None, as_list: bool, plain: bool) -> bytes:
    cells = [
        {
            "cell_type": "code",
            "outputs": [{"text": ["[\"source\": 'x', {\\"]}],
            "source": source.splitlines(keepends=True) if as_list else source,
            "metadata": {},
        }
        for source in sources
    ]
    content = {"metadata": {"é": 1.0}, "nbformat": 4, "cells": cells}
    return json.dumps(content, indent=indent, ensure_ascii=plain).encode()


FILES = st.builds(
    stored, st.lists(SOURCES, max_size=4), st.sampled_from([None, 0, 1, 4]), st.booleans(), st.booleans()
)


@given(FILES)
@settings(max_examples=200, deadline=None)
def test_a_text_without_a_change_is_the_file_as_it_was(data: bytes) -> None:
    text = notebook_text(data, "n.ipynb")
    assert with_joined_text(data, "n.ipynb", text).encode() == data
    assert changed_cells(text, text) == []


@given(FILES, st.data())
@settings(max_examples=200, deadline=None)
def test_a_line_that_comes_and_goes_leaves_the_file_as_it_was(data: bytes, draw: st.DataObject) -> None:
    text = notebook_text(data, "n.ipynb")
    cells = [cell for cell in cells_of(text).every if not cell.fault and cell.begin < cell.end]
    # Before `%%time` there may be no other line.
    cells = [cell for cell in cells if "#ipython: %%" not in text[cell.begin : cell.end]]
    if not cells:
        return
    cell = draw.draw(st.sampled_from(cells))
    line = 'new = "ü"\n'
    longer = text[: cell.begin] + line + text[cell.begin :]
    try:
        changed = with_joined_text(data, "n.ipynb", longer).encode()
    except CannotBeWritten:
        assert "# %% cell" in text[cell.begin : cell.end]
        return
    before, after = json.loads(data)["cells"], json.loads(changed)["cells"]
    assert [one for one, other in zip(before, after, strict=True) if one != other] == [
        before[cell.number - 1]
    ]
    assert "".join(after[cell.number - 1]["source"]) == line + "".join(before[cell.number - 1]["source"])
    back = notebook_text(changed, "n.ipynb").replace(line, "", 1)
    assert with_joined_text(changed, "n.ipynb", back).encode() == data


@given(FILES, st.integers(0, 400), st.binary(max_size=3))
@settings(max_examples=300, deadline=None)
def test_damaged_files_are_read_or_refused(data: bytes, place: int, more: bytes) -> None:
    try:
        cells_of(notebook_text(data[:place] + more + data[place + len(more) :], "n.ipynb"))
    except SourceProblem as problem:
        assert problem.path == "n.ipynb" and problem.line >= 1


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("# %% cell 2", "# two"),
        lambda text: f"import math\n{text}",
        lambda text: text + "# %% cell 9\nx\n",
        lambda text: "",
    ],
)
def test_texts_that_lost_their_cells_are_refused(change) -> None:
    data = stored(["a = 1", "b = 2"], 1, True, True)
    with pytest.raises(CannotBeWritten):
        with_joined_text(data, "n.ipynb", change(notebook_text(data, "n.ipynb")))
