"""An analysis with a memory says what one without says, whatever was edited in between."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_analyses import content

from advisor.evidence.source import analysis
from advisor.evidence.source.analysis import SourceEvidence, analyse
from advisor.evidence.source.analysis_memory import AnalysisMemory
from advisor.evidence.source.file_analyser import FileAnalyser

PROJECT = {
    "sizes.py": "SIDE = 16\nBLOCK = (SIDE, SIDE)\n",
    "device.py": "from numba import cuda\n\n\n@cuda.jit(device=True)\ndef twice(x):\n    return x * 2.0\n",
    # What the kernels import is in neither of the files that a analyse begins with.
    "between.py": "from device import twice\n",
    "kernels.py": """\
from numba import cuda
from between import twice

@cuda.jit
def scale(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = twice(a[i, j])

@cuda.jit
def fill(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = 1.0
""",
    "main.py": """\
from numba import cuda
import numpy as np
from kernels import fill, scale
from sizes import BLOCK

a = cuda.to_device(np.zeros((64, 64), np.float32))
scale[(4, 4), BLOCK](a, a)
fill[8, 128](a)
""",
    "factory.py": """\
from numba import cuda

def make(width):
    @cuda.jit
    def filled(out):
        for i in range(width):
            out[i] = width
    return filled
""",
    "makes.py": "from factory import make\n\nkernel = make(32)\n",
    "by_name.py": "from cuda_code import fill\n\n\ndef again(out):\n    fill[8, 256](out)\n",
    "arrays.py": "import torch\n\n\ndef f(x):\n    for i in range(9):\n        x.cuda().sum().item()\n",
    "plain.py": "VALUE = 1\n",
}
DEVICE = PROJECT["device.py"]
KERNEL = "\n\nfrom numba import cuda\n\n@cuda.jit\ndef fill(a):\n    a[0] = 1\n"
EDITS = {
    "the block, two imports away from its kernel": ("sizes.py", "SIDE = 16", "SIDE = 8"),
    "a device function behind a re-export": ("device.py", "x * 2.0", "x / 3.0"),
    "what is re-exported": ("between.py", "from device import twice", "def twice(x):\n    return x"),
    "the kernel": ("kernels.py", "out[i, j]", "out[j, i]"),
    "a launch": ("main.py", "fill[8, 128]", "fill[8, 1024]"),
    "a launch by name only": ("by_name.py", "256", "512"),
    "no more a launch": ("main.py", "fill[8, 128](a)", ""),
    "a second kernel of the name": (
        "device.py",
        DEVICE,
        DEVICE + KERNEL,
    ),
    "code that does not parse": ("kernels.py", "def fill(out):", "def fill(out:"),
    "what a factory is given elsewhere": ("makes.py", "make(32)", "make(8)"),
    "a factory is no longer called": ("makes.py", "kernel = make(32)", ""),
    "another file calls a factory": ("plain.py", "VALUE = 1", "from factory import make\nk = make(5)"),
    "array code": ("arrays.py", "range(9)", "range(10)"),
    "a file without device code gets some": ("plain.py", "VALUE = 1\n", KERNEL),
    "a file loses its device code": ("main.py", PROJECT["main.py"], ""),
}


def made(folder: Path) -> list[Path]:
    for name, text in PROJECT.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in PROJECT]


def everything(found: SourceEvidence) -> tuple[object, ...]:
    return content(found), found.units, found.problems, found.texts


def check(
    files: list[Path], folder: Path, memory: AnalysisMemory, jobs: int = 1, only: int = 0
) -> SourceEvidence:
    checked, others = (files[:only], files[only:]) if only else (files, [])
    found = analyse(checked, folder, workspace_files=others, with_units=True, jobs=jobs, memory=memory)
    anew = analyse(checked, folder, workspace_files=others, with_units=True, jobs=jobs)
    assert everything(found) == everything(anew)
    own = set(map(str, files))
    assert found.read - own == anew.read - own
    return found


def hosted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose host sides are looked at from now on."""
    seen: list[str] = []
    looked = FileAnalyser.host

    def host(self, file, *more, **how):
        seen.append(file.name)
        return looked(self, file, *more, **how)

    monkeypatch.setattr(FileAnalyser, "host", host)
    return seen


@pytest.mark.parametrize(("name", "before", "after"), EDITS.values(), ids=EDITS)
def test_one_edit_and_back(tmp_path, name, before, after):
    files, memory = made(tmp_path), AnalysisMemory()
    first = check(files, tmp_path, memory)
    (tmp_path / name).write_text(PROJECT[name].replace(before, after), encoding="utf-8")
    edited_evidence = analyse(files, tmp_path, with_units=True, memory=memory)
    assert everything(edited_evidence) != everything(first)
    assert everything(edited_evidence) == everything(analyse(files, tmp_path, with_units=True))
    (tmp_path / name).write_text(PROJECT[name], encoding="utf-8")
    check(files, tmp_path, memory)


def test_one_edit_after_another_in_a_part_of_the_files(tmp_path):
    files, memory = made(tmp_path), AnalysisMemory()
    check(files, tmp_path, memory)
    for number, (name, before, after) in enumerate(EDITS.values()):
        text = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace(before, after), encoding="utf-8")
        check(files, tmp_path, memory, only=number % len(files))
    check(files, tmp_path, memory)


def test_with_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(analysis, "CHUNK", 0)
    files, memory = made(tmp_path), AnalysisMemory()
    check(files, tmp_path, memory, jobs=2)
    (tmp_path / "device.py").write_text(DEVICE.replace("2.0", "3.0"), encoding="utf-8")
    check(files, tmp_path, memory, jobs=2)


@pytest.mark.parametrize(
    ("edited", "looked_at"),
    [
        ([], []),
        (["arrays.py", "plain.py"], []),
        (["main.py"], ["main.py"]),
        (["sizes.py"], ["main.py"]),
        # The kernels' file and all files that rest on it.
        (["between.py"], ["kernels.py", "main.py"]),
    ],
)
def test_only_what_an_edit_reaches_is_analysed_again(tmp_path, monkeypatch, edited, looked_at):
    files, memory = made(tmp_path), AnalysisMemory()
    analyse(files, tmp_path, memory=memory)
    for name in edited:
        (tmp_path / name).write_text(PROJECT[name] + "# more\n", encoding="utf-8")
    seen = hosted(monkeypatch)
    analyse(files, tmp_path, memory=memory)
    assert seen == looked_at


def test_what_is_kept_is_not_what_an_analysis_hands_out_linked(tmp_path):
    """A launch that belonged to the only kernel of its name belongs to none once there are two."""
    files, memory = made(tmp_path), AnalysisMemory()

    def owner() -> str | None:
        found = check(files, tmp_path, memory)
        return next(one.owner for one in found.records if one.entity == "launch" and one.path == "by_name.py")

    assert owner() == "kernels.py::fill@11"
    (tmp_path / "device.py").write_text(DEVICE + KERNEL)
    assert owner() is None


def test_the_block_of_a_launch_in_a_script_may_be_imported(tmp_path):
    found = analyse(made(tmp_path), tmp_path)
    [launch] = [one for one in found.records if one.entity == "launch" and one.label == "scale"]
    assert launch.readings["block_threads"].value == 16 * 16
