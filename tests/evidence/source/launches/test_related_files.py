"""Of the other files of a workspace those are read that import a checked file, or have one of its names."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.evidence.source.file_analyser import FileAnalyser
from advisor.evidence.source.other_files.related_files import imported_words, importing, words_of

KERNELS = """\
from numba import cuda

@cuda.jit
def scale(a):
    i, j = cuda.grid(2)
    if i < a.shape[1] and j < a.shape[0]:
        a[j, i] = a[j, i] * 2.0

ALL = [scale]
"""
HOST = "from numba import cuda\ncuda.synchronize()\n"
APART = "@cuda.jit\ndef fill(a):\n    a[cuda.grid(1)] = 1.0\n"


def sectors(found: SourceEvidence) -> list[object]:
    """The sectors of a warp's requests, access by access."""
    readings = [one.readings for one in found.records if one.entity == "access"]
    return [one["sectors_per_request"].value for one in readings]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import kernels\n", {"kernels"}),
        ("import package.kernels as k, numpy\n", {"package", "kernels", "as", "k", "numpy"}),
        ("    from package.kernels import (\n        scale,\n    )\n", {"package", "kernels", "scale"}),
        ("from package import scale, \\\n    fill\n", {"package", "scale", "fill"}),
        ("from . import kernels\n", {"inner", "kernels"}),
        ("from .. import *\n", {"outer"}),
        ("important = 1\n# no import kernels\n", set()),
    ],
)
def test_words_of_imports(text, words):
    assert imported_words(text.encode(), Path("/outer/inner/file.py")) == words


@pytest.mark.parametrize(
    "text", ["import importlib\n", "m = __import__(name)\n", "exec(text)\n", "%run other\n"]
)
def test_a_file_that_may_import_anything(text):
    assert imported_words(text.encode(), Path("file.py")) is None


def test_imports_by_way_of_others():
    imports = {
        Path("p/__init__.py"): frozenset({"kernels"}),
        Path("user.py"): frozenset({"p"}),
        Path("apart.py"): frozenset({"numpy"}),
        Path("any.py"): None,
        Path("by_any.py"): frozenset({"any"}),
    }
    found = importing([Path("p/kernels.py")], imports)
    assert found == {Path("p/__init__.py"), Path("user.py"), Path("any.py"), Path("by_any.py")}
    assert importing([Path("other.py")], {Path("kernels.py"): frozenset({"numpy"})}) == set()


def test_words_are_whole(tmp_path):
    file = tmp_path / "file.py"
    file.write_text("rescale(1)\n# fill\nscaleü = 1\n", encoding="utf-8")
    assert words_of(file, {"scale", "fill", "rescale"}) == {"fill", "rescale"}
    assert words_of(tmp_path / "missing.py", {"scale"}) == set()


@pytest.mark.parametrize(
    ("name", "text", "seen"),
    [
        ("by_import", "from kernels import scale as s\ns[8, (4, 32)](a)\n", True),
        ("by_list", "from listed import ALL\nfor k in ALL:\n    k[8, (4, 32)](a)\n", True),
        ("by_name", "from cuda_code import scale\nscale[8, (4, 32)](a)\n", True),
        ("apart", APART + "\nfill[8, (4, 32)](a)\n", False),
    ],
)
def test_what_other_files_say(tmp_path, monkeypatch, name, text, seen):
    """A launch is seen through imports, lists and by its name; a file with neither is not even looked at."""
    for file, content in (("kernels", KERNELS), ("listed", "from kernels import ALL\n"), (name, HOST + text)):
        (tmp_path / f"{file}.py").write_text(content, encoding="utf-8")
    looked_at: list[str] = []
    looked = FileAnalyser.host

    def host(self, file, *more, **how):
        looked_at.append(file.stem)
        return looked(self, file, *more, **how)

    alone = analyse([tmp_path / "kernels.py"], tmp_path)
    monkeypatch.setattr(FileAnalyser, "host", host)
    others = [tmp_path / "listed.py", tmp_path / f"{name}.py"]
    found = analyse([tmp_path / "kernels.py"], tmp_path, workspace_files=others)
    assert (name in looked_at) == seen
    # The block of the launch decides the sectors of a warp's requests.
    assert (sectors(found) == sectors(alone)) == (not seen)
    assert {one.path for one in found.records} == {"kernels.py"}
