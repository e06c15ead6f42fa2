"""Notebooks that cannot be read, or not as a whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from notebook_files import DIVERGENT, HEAD, code, errors, notebook, places, text_of

Run = Callable[..., Any]


OF = {
    "julia": {"language_info": {"name": "julia"}},
    "python 2": {"language_info": {"name": "python", "version": "2.7.3"}},
}


def stored(*cells: Any, **more: Any) -> bytes:
    return text_of(notebook(HEAD, *cells, DIVERGENT, **more)).encode()


BAD = {
    "empty": (b"", 1, "not valid JSON"),
    "cut": (stored()[:-40], None, "not valid JSON"),
    "more behind": (stored() + b"{}", None, "more follows"),
    "no JSON": (b"from numba import cuda\ncuda.jit", 1, "not valid JSON"),
    "a list": (b'["numba cuda.jit"]', 1, "no object"),
    "format 3": (text_of({"nbformat": 3, "worksheets": ["numba cuda.jit"]}).encode(), 1, "format 3"),
    "format 5": (stored(nbformat=5), 1, "format 5"),
    "no format": (text_of({"cells": [code(HEAD + DIVERGENT)]}).encode(), 1, "`nbformat`"),
    "no cells": (text_of({"nbformat": 4, "metadata": {"numba": "cuda.jit"}}).encode(), 1, "`cells`"),
    "no source": (stored({"cell_type": "code"}), 14, "cell 2"),
    "no type": (stored({"source": []}), 14, "cell 2"),
    "a number as source": (stored(code("") | {"source": [1]}), 14, "cell 2"),
    "a cell that is none": (stored(cells=[1, HEAD + DIVERGENT]), 3, "cell 1"),
    "another language": (stored(metadata=OF["julia"]), 1, "julia"),
    "UTF-16": (stored().decode().encode("utf-16"), 1, "decode"),
    "latin 1": (stored("# größe").decode().encode("latin-1"), None, "decode"),
    "too deep": (b'{"a": "numba cuda.jit", "cells": ' + b"[" * 100_000 + b"}", 1, "RecursionError"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_told_of(advisor: Run, report: Run, put: Run, project: Path, name: str) -> None:
    content, line, said = BAD[name]
    (project / "bad.ipynb").write_bytes(content)
    put(HEAD, DIVERGENT)
    found = report("bad.ipynb", "n.ipynb")
    (error,) = found["errors"]
    assert (error["path"], error["cell"]) == ("bad.ipynb", None)
    assert said in error["message"]
    assert error["line"] == line or line is None
    assert places(found) == [("n.ipynb", 2, 5)]
    alone = advisor("check", "bad.ipynb", "--evidence", "source", "--no-cache")
    assert alone.status == 2
    assert "Traceback" not in alone.out + alone.err


def test_a_notebook_of_an_old_python_is_read_as_a_script_of_it_is(report: Run, project: Path) -> None:
    old = OF["python 2"]
    (project / "both.ipynb").write_text(text_of(notebook(HEAD, DIVERGENT, metadata=old)))
    (project / "old.ipynb").write_text(text_of(notebook(HEAD, "print 'a'", DIVERGENT, metadata=old)))
    found = report("both.ipynb")
    assert (places(found), errors(found)) == ([("both.ipynb", 2, 5)], [])
    found = report("old.ipynb")
    assert places(found) == [("old.ipynb", 3, 5)]
    assert [cell for cell, _, _ in errors(found)] == [2]


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [""],
        ["\n"],
        ["# cuda numba .jit"],
        [HEAD],
        ["%load_ext numba"],
        [HEAD, "f[1, 1](x)"],
        ["x = 1", "print(x)"],
    ],
)
def test_notebooks_with_nothing_to_say_are_silent(report: Run, put: Run, cells: list[str]) -> None:
    put(*cells)
    found = report()
    assert (found["findings"], found["errors"], found["summary"]["files"]) == ([], [], 1)


@pytest.mark.parametrize("odd", ['x = "\0"\n', 'x = "\ud800"\n', "x = " + "(" * 500 + ")" * 500 + "\n"])
def test_odd_characters_leave_one_cell_out(report: Run, put: Run, project: Path, odd: str) -> None:
    content = json.dumps(notebook(HEAD, odd, DIVERGENT)).encode()
    (project / "n.ipynb").write_bytes(content)
    found = report("n.ipynb")
    assert places(found) == [("n.ipynb", 3, 5)]
    assert [cell for cell, _, _ in errors(found)] == [2]


def test_large_outputs_are_passed_over(report: Run, put: Run) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 20_000_000}, "metadata": {}}
    put(HEAD, code("plot()", outputs=[picture]), DIVERGENT)
    assert places(report()) == [("n.ipynb", 3, 5)]
