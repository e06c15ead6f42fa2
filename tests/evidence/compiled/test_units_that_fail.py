"""A unit that cannot be compiled costs its own evidence only; nothing of a unit ever runs."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_kernels import FIRST, KERNELS, LINE

from advisor.evidence.compiled import CompiledEvidence, Target, compile_units, toolchain
from advisor.evidence.compiled.compilers import machine_code, process
from advisor.evidence.compiled.compilers.literals import (
    NotLiteral,
    alias_value,
    argument_type,
    constant_value,
)
from advisor.model.findings import Problem

TARGET = Target((9, 0))
BAD = (
    "type_error",
    "guessed_types",
    "unknown_alias",
    "running_constant",
    "decorated",
    "running_default",
    "two_statements",
    "missing",
    "untyped",
)


def problems(evidence: CompiledEvidence, line: int, part: str) -> list[Problem]:
    return [p for p in evidence.problems if p.line == line and part in p.message]


def test_every_unit_is_either_compiled_or_a_problem(evidence: CompiledEvidence) -> None:
    assert set(KERNELS) - set(evidence.by_kernel) == set(BAD)
    assert len(evidence.problems) == len(BAD)
    assert evidence.unavailable is None
    assert all(p.message.startswith("The kernel `kernel` was not compiled") for p in evidence.problems)


def test_a_type_error_stands_at_its_line_with_the_essential_sentence(evidence: CompiledEvidence) -> None:
    (found,) = problems(evidence, FIRST + 1, "nothing")
    assert found.path == "app.py"
    assert found.message.endswith("Unknown attribute 'nothing' of type float64.")
    assert "\n" not in found.message
    assert "unit-function" not in "".join(p.message for p in evidence.problems)


def test_a_guess_that_does_not_fit_is_no_fault_of_a_line(evidence: CompiledEvidence) -> None:
    (found,) = [p for p in evidence.problems if "unpack" in p.message]
    assert (found.path, found.line) == ("app.py", LINE)
    assert found.message == (
        "The kernel `kernel` was not compiled with the types assumed for `a`: failed to unpack float32."
    )
    others = [p for p in evidence.problems if p is not found]
    assert not any("assumed" in p.message for p in others)


def test_names_without_a_value_are_named(evidence: CompiledEvidence) -> None:
    assert problems(evidence, LINE, "WIDTH (a parameter of make) cannot be resolved")
    assert problems(evidence, LINE, "the types of its parameters are not known")
    assert problems(evidence, LINE, "`os` has no value")


def test_text_that_would_run_code_is_refused(evidence: CompiledEvidence) -> None:
    assert problems(evidence, LINE, "`K` has no value the compiler can be given")
    assert len(problems(evidence, LINE, "decorators or defaults that are no constants")) == 2
    assert problems(evidence, LINE, "is not one function")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('x')",
        "(lambda: 1)()",
        "[i for i in (1, 2)]",
        "math.factorial(9)",
        "np.load('x')",
        "np.array.__class__",
        "9 ** 9 ** 9",
        "1 << 99999",
        "'a' * 9",
        "np.zeros((100000, 100000), dtype=np.float32)",
        "numba.__loader__",
        "x",
        "1 +",
    ],
)
def test_only_constants_have_a_value(text: str) -> None:
    with pytest.raises((NotLiteral, ValueError)):
        constant_value(text)


def test_constants_keep_value_and_type() -> None:
    import numpy as np

    assert constant_value("-(2 + 3) * 4 // 3") == -7
    assert constant_value("(1, 'a', None, True)") == (1, "a", None, True)
    assert constant_value("-math.inf") == float("-inf")
    assert constant_value("complex(1.0, -math.inf)") == complex(1, float("-inf"))
    assert constant_value("(3+4j)") == 3 + 4j
    half = constant_value("np.float32(0.5)")
    assert isinstance(half, np.float32)
    assert half == 0.5
    table = constant_value("np.array([[1, 2]], dtype=np.int16)")
    assert (table.dtype, table.tolist()) == (np.dtype("int16"), [[1, 2]])
    assert constant_value("np.zeros((0, 3), dtype=np.int64)").shape == (0, 3)
    assert constant_value("np.float32") is np.float32


@pytest.mark.parametrize(
    "dotted", ["os.path", "subprocess.run", "builtins.open", "numpy.__loader__", "math.nothing"]
)
def test_aliases_lead_to_the_known_libraries_only(dotted: str) -> None:
    with pytest.raises(NotLiteral):
        alias_value(dotted)


@pytest.mark.skipif(
    sys.platform not in ("linux", "win32"), reason="numba-cuda has no packages for this system"
)
def test_types_are_read_without_running_their_text() -> None:
    assert str(argument_type("float32[:, ::1]")) == "array(float32, 2d, C)"
    assert str(argument_type("float32[:]")) == "array(float32, 1d, A)"
    assert str(argument_type("UniTuple(int64, 2)")) == "UniTuple(int64 x 2)"
    assert str(argument_type("(int64, float32)")) == "Tuple(int64, float32)"
    assert "float32" in str(argument_type("Array(float32, 1, 'C')"))
    assert "Record" in str(argument_type("xoroshiro128p_type[::1]"))
    for text in ("open('x')", "float33", "float32[3]", "Array(open('x'), 1, 'C')", "types.float32.__class__"):
        with pytest.raises(NotLiteral):
            argument_type(text)


@pytest.mark.usefixtures("evidence")
class TestLostWorkers:
    """Processes that end or hang."""

    def test_a_time_limit_is_a_problem_of_its_unit_and_later_units_go_on(self) -> None:
        slow = replace(KERNELS["root"], kernel="slow")
        found = compile_units([slow], TARGET, cache=None, timeout=0.001, jobs=1)
        assert [p.message for p in found.problems] == [
            "The kernel `kernel` was not compiled: it took longer than 0.001 s."
        ]
        assert found.by_kernel == {}

    def test_a_crash_costs_one_unit_and_the_next_gets_a_new_process(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        command = process.worker_command()
        # A worker that dies without a word on the unit that squares, as a fault inside the compiler would.
        dying = (
            "import advisor.evidence.compiled.compilers.compiler as compiler, os\n"
            "sound = compiler.compile_unit\n"
            "def compile_unit(request):\n"
            "    return os._exit(139) if '** 2' in str(request) else sound(request)\n"
            "compiler.compile_unit = compile_unit\n"
            "import advisor.evidence.compiled.compilers.worker as worker"
        )
        start = command.index("-c") + 1
        command[start] = command[start].replace(
            "import advisor.evidence.compiled.compilers.worker as worker", dying
        )
        monkeypatch.setattr(process, "worker_command", lambda: command)
        wanted = [KERNELS["double"], KERNELS["square"], KERNELS["half"]]
        found = compile_units(wanted, TARGET, cache=None, timeout=120, jobs=1)
        assert set(found.by_kernel) == {"double", "half"}
        assert [p.message for p in found.problems] == [
            "The kernel `kernel` was not compiled: the compiler crashed."
        ]

    def test_a_worker_that_does_not_start_is_a_missing_toolchain(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(process, "worker_command", lambda: [sys.executable, "-c", "raise SystemExit(3)"])
        found = compile_units([KERNELS["double"]], TARGET, cache=None, timeout=60, jobs=2)
        assert found.unavailable is not None
        assert "does not start" in str(found.unavailable)
        assert found.problems == []

    def test_packages_that_do_not_go_together_are_a_missing_toolchain_not_faults_of_kernels(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        command = process.worker_command()
        # As beside a NumPy that lacks what it asks for: numba-cuda fails within the first compilation.
        command[command.index("-c") + 1] = process._START.replace(
            "worker.begin(path)",
            "import sys\nsys.modules['numba.cuda.cudadecl'] = None\nworker.begin(path)",
        )
        monkeypatch.setattr(process, "worker_command", lambda: command)
        found = compile_units([KERNELS["double"]], TARGET, cache=None, timeout=60, jobs=1)
        assert found.problems == []
        assert found.unavailable is not None
        assert re.match(
            r"numba-cuda [\d.]+ does not load beside numba [\d.]+, .* and numpy", str(found.unavailable)
        )
        assert "cudadecl" in str(found.unavailable)
        assert "pip install --upgrade 'kernel-advisor[gpu]'" in found.unavailable.remedy

    def test_workspace_modules_are_neither_found_nor_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        witness = tmp_path / "witness"
        for name in ("numba", "cuda", "scipy", "yaml", "advisor"):
            (tmp_path / f"{name}.py").write_text(f"open({str(witness)!r}, 'w')\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
        found = compile_units([KERNELS["double"]], TARGET, cache=None, timeout=120, jobs=1)
        assert set(found.by_kernel) == {"double"}
        assert not witness.exists()


def test_a_missing_compiler_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    present = toolchain.installed_version
    monkeypatch.setattr(
        toolchain, "installed_version", lambda name: None if name == "numba-cuda" else present(name)
    )
    found = compile_units([KERNELS["double"], KERNELS["missing"]], TARGET, cache=None, timeout=60, jobs=1)
    assert found.unavailable is not None
    assert "numba-cuda" in str(found.unavailable)
    assert "pip install 'kernel-advisor[gpu]'" in found.unavailable.remedy
    assert found.by_kernel == {}
    assert len(found.problems) == 1


def test_without_a_disassembler_the_float64_counts_remain(
    evidence: CompiledEvidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "nvdisasm", lambda: None)
    monkeypatch.setattr(machine_code, "nvdisasm", lambda: None)
    found = compile_units([KERNELS["pi"]], TARGET, cache=None, timeout=120, jobs=1)
    assert found.unavailable is not None
    assert "nvdisasm" in str(found.unavailable)
    assert "pip install 'kernel-advisor[gpu]'" in found.unavailable.remedy
    kernel = found.by_kernel["pi"]
    assert (
        kernel.instructions["fp64_instructions"]
        == evidence.by_kernel["pi"].instructions["fp64_instructions"]
        > 0
    )
    assert kernel.resources == evidence.by_kernel["pi"].resources
    assert "instructions" not in kernel.instructions


def test_no_units_need_no_toolchain() -> None:
    assert compile_units([], TARGET, cache=None, timeout=1, jobs=2) == CompiledEvidence()


def test_a_target_is_read_from_a_device_file() -> None:
    assert Target.parse("8.0") == Target((8, 0))
    assert Target.parse("10.0") == Target((10, 0))
    with pytest.raises(ValueError, match=r"unpack|invalid"):
        Target.parse("sm_90")


@pytest.mark.usefixtures("evidence")
def test_a_failure_of_the_compiler_itself_is_told_with_its_reason() -> None:
    found = compile_units([KERNELS["double"]], Target((1, 0)), cache=None, timeout=60, jobs=1)
    assert len(found.problems) == 1
    assert found.problems[0].line == LINE
    assert found.by_kernel == {}
