"""Without the compiler or the disassembler source evidence goes on, and one line says what to install."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand
from environments import make_environment

CASES = {
    "no compiler": (
        ("numba_cuda", "_numba_cuda_redirector.pth", "cuda", "cuda_bindings", "nvidia"),
        "Kernels are not compiled: the package numba-cuda is not installed."
        " Install it with `pip install 'kernel-advisor[gpu]'`. The check goes on without it.",
    ),
    "no Numba": (
        ("numba", "llvmlite", "numba_cuda", "_numba_cuda_redirector.pth"),
        "Kernels are neither compiled nor run: the package llvmlite is not installed."
        " Install it with `pip install 'kernel-advisor[gpu]'`. The check goes on without it.",
    ),
    "no bindings": (
        ("cuda_bindings",),
        "Kernels are not compiled: the package cuda-bindings is not installed."
        " Install it with `pip install 'kernel-advisor[gpu]'`. The check goes on without it.",
    ),
    "no disassembler": (
        ("nvidia_cuda_nvdisasm",),
        "Machine instructions are not counted by line: the program nvdisasm was not found."
        " Install it with `pip install 'kernel-advisor[gpu]'`. The check goes on without it.",
    ),
}


def environment_without(folder: Path, packages: Collection[str]) -> AdvisorCommand:
    python = make_environment(folder / "environment", packages)
    (folder / "home").mkdir()
    return AdvisorCommand(folder / "home", str(python))


@pytest.mark.parametrize("case", CASES)
def test_one_line_says_what_is_missing(tmp_path: Path, compiler: None, workspace: Path, case: str) -> None:
    packages, line = CASES[case]
    advise = environment_without(tmp_path, packages)
    nowhere = {"CUDA_HOME": "", "CUDA_PATH": "", "PATH": str(tmp_path)}
    outcome = advise("check", "--format", "json", cwd=workspace, environment=nowhere)
    assert outcome.status == 1
    assert ("slow-power", "good.py", 8) in outcome.places
    assert outcome.errors == []
    # Without the disassembler the PTX still tells where float64 is computed.
    assert ("float64-promotion" in outcome.rules) is (case == "no disassembler")
    assert outcome.report["notices"] == [line]
    shown = advise("check", cwd=workspace, environment=nowhere)
    assert (shown.out.decode() + shown.err).replace("\n", " ").count(line.partition(".")[0]) == 1
    quiet = advise("check", "--evidence", "source", "--format", "json", cwd=workspace, environment=nowhere)
    assert quiet.report["notices"] == []
    assert quiet.places == {("slow-power", "good.py", 8)}


def test_packages_that_are_there_but_cannot_be_imported(
    tmp_path: Path, compiler: None, workspace: Path
) -> None:
    # Their metadata says that they are installed; their modules are gone.
    advise = environment_without(tmp_path, ("cuda",))
    outcome = advise.check(cwd=workspace)
    assert (outcome.status, outcome.places) == (1, {("slow-power", "good.py", 8)})
    (notice,) = outcome.report["notices"]
    assert notice.startswith("The compiler cannot be loaded (ModuleNotFoundError: No module named 'cuda")
    assert "See what `advisor doctor` finds." in notice
    assert outcome.err == ""


def test_doctor_says_how_to_get_it(tmp_path: Path, compiler: None, workspace: Path) -> None:
    packages, _ = CASES["no compiler"]
    text = environment_without(tmp_path, packages)("doctor", cwd=workspace).out.decode()
    assert "the package numba-cuda is not installed" in text
    assert "pip install 'kernel-advisor[gpu]'" in text


MINIMAL = (
    *("numba", "llvmlite", "numba_cuda", "_numba_cuda_redirector.pth", "cuda", "cuda_bindings", "nvidia"),
    *("nvidia_cuda_nvdisasm", "nvidia_ml_py", "pynvml"),
)
LACKING = (
    "Kernels are neither compiled nor run: the package llvmlite is not installed."
    " Install it with `pip install 'kernel-advisor[gpu]'`."
)


def test_a_minimal_installation_looks_at_the_source_and_names_the_extra(
    tmp_path: Path, workspace: Path
) -> None:
    good = workspace / "good.py"
    good.write_text(
        f"import numpy as np\n{good.read_text()}\n\ndef workload():\n    good[1, 32](np.ones(32))\n"
    )
    advise = environment_without(tmp_path, MINIMAL)
    outcome = advise("check", "--format", "json", cwd=workspace)
    assert outcome.status == 1
    assert ("slow-power", "good.py", 9) in outcome.places
    # The workload that cannot be run is no problem of the user's source.
    assert (outcome.errors, outcome.report["notices"]) == ([], [f"{LACKING} The check goes on without it."])
    quiet = advise("check", "--evidence", "source", "--format", "json", cwd=workspace)
    assert (quiet.status, quiet.report["notices"]) == (1, [])
    for command in (["run", "good.py"], ["verify"], ["tune", "good.py::good"], ["profile"]):
        refused = advise(*command, cwd=workspace)
        assert (refused.status, refused.err) == (2, f"advisor: error: {LACKING}\n"), command
