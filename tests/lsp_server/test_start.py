"""What the server does not do before it is ready, and the code that it keeps from one start to the next."""

from __future__ import annotations

import subprocess
import sys

import attrs
import pytest

from lsp_server.protocol.generated_code import beside_modules, generated_code_kept

_LOADED = (
    "import sys; from lsp_server.start import prepared_server; prepared_server(); print(*sorted(sys.modules))"
)
# What takes longer to import than an editor should wait for; the first question brings what it needs.
_LATER = {"numpy", "sqlite3", "lark", "libcst", "numba", "advisor.rules", "advisor.evidence.source.survey"}


def test_nothing_slow_is_imported_before_the_server_is_ready():
    found = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True, timeout=60
    )
    assert not _LATER & set(found.stdout.split())


@pytest.fixture
def counted(monkeypatch):
    """The names of the files that are really compiled."""
    import lsp_server.protocol.generated_code as generated_code

    names = []

    def count(source, filename, mode, *rest, **more):
        names.append(filename)
        return compile(source, filename, mode, *rest, **more)

    monkeypatch.setattr(generated_code, "compiled", count)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return names


def test_what_was_compiled_once_is_taken_from_the_file(tmp_path, counted):
    file = tmp_path / "new" / "methods"
    for expected in (True, False):
        counted.clear()
        with generated_code_kept(file):
            made = attrs.make_class("Place", ["line", "column"])
        assert bool(counted) is expected
        assert made(1, 2) == made(1, 2) != made(1, 3)
        assert repr(made(1, 2)) == "Place(line=1, column=2)"
    # Other methods have another text, and nothing is taken for them.
    with generated_code_kept(file):
        other = attrs.make_class("Place", ["line", "row"])
    assert counted and other(line=1, row=2).row == 2
    import attr._make

    assert "compile" not in vars(attr._make)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:40] + b"x" * 99]
)
def test_a_damaged_file_is_made_anew(tmp_path, counted, damage):
    file = tmp_path / "methods"
    with generated_code_kept(file):
        attrs.make_class("Place", ["line"])
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    with generated_code_kept(file):
        assert attrs.make_class("Place", ["line"])(1).line == 1
    assert file.read_bytes() == whole


def test_nothing_is_written_where_python_writes_no_code_or_cannot(tmp_path, counted, monkeypatch):
    (tmp_path / "taken").write_text("")
    with generated_code_kept(tmp_path / "taken" / "methods"):
        assert attrs.make_class("Place", ["line"])(1).line == 1
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with generated_code_kept(tmp_path / "methods"):
        assert attrs.make_class("Place", ["line"])(1).line == 1
    assert not (tmp_path / "methods").exists()


def test_the_file_lies_where_pythons_own_compiled_modules_lie():
    import lsp_server.protocol.generated_code as generated_code

    assert beside_modules().parent == type(beside_modules())(generated_code.__cached__).parent
