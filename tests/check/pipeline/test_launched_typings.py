"""Compiled evidence is of the types that launches showed, each combination for itself, and says which."""

from __future__ import annotations

import pytest

from advisor.check.collectors import DefaultCollectors
from advisor.check.pipeline import check_with_tables
from advisor.evidence.compiled import CompiledKernel
from advisor.evidence.compiled import records as records_of
from advisor.evidence.compiled.evidence import CodeLine, Promotion
from advisor.evidence.simulated.launches.function_text import definition
from advisor.evidence.simulated.launches.store import LaunchRow, LaunchStore
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

SCALE = """\
from numba import cuda


@cuda.jit
def scale(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 0.5 + 1.5


def run(a, out):
    scale[8, 128](a, out)
"""
LINE = 8


def array(name, element):
    return {"name": name, "type": f"array({element}, 1d, C)", "dtype": element, "shape": [64], "strides": [8]}


def launch(number, element, line=12, seconds=1.0, text=SCALE):
    return LaunchRow(
        number, "scale", "scale.py", 4, definition(text, 4)[1], "scale.py", line, (8, 1, 1), (128, 1, 1), 0,
        [array("a", element), array("out", element)], 0, 0.0, seconds,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path):
    (tmp_path / "scale.py").write_text(SCALE)
    return tmp_path


def record(project, *rows):
    store = LaunchStore(project)
    store.add(store.begin_run("run.py", "a100", "SIMT"), [(row, None) for row in rows])
    store.close()


class Compiler(DefaultCollectors):
    """Stands for the compiler: float64 instructions at the line for every typing, a promotion
    where none of its types is float64, registers by its number."""

    def __init__(self, refused=()):
        super().__init__()
        self.asked, self.refused = [], refused

    def compiled(self, units, device, options, report, progress):
        found = []
        for unit in units:
            self.asked.append([one.types for one in unit.candidates])
            chosen = next(one for one in unit.candidates if one.types not in self.refused)
            wide = "float64" in str(chosen.types)
            promotion = Promotion("scale.py", LINE, 2, "`0.5` in line 8", bool(chosen.launch), False, False)
            kernel = CompiledKernel(
                chosen.types, chosen.assumptions, {"registers": 64 if wide else 32}, {},
                (CodeLine("scale.py", LINE, {"fp64_instructions": 3}),), chosen.launch,
                () if wide else (promotion,),
            )  # fmt: skip
            found += records_of(unit, kernel)
        return found


def check(project, compiler=None, evidence="simulated", device="a100"):
    options = CheckOptions(
        device, project, evidence, no_run=True, settings=Config(root=project), workspace_files=(), jobs=1
    )
    return check_with_tables([project / "scale.py"], options, collectors=compiler)


def promotions(checked):
    return [one for one in checked.report.findings if one.rule == "float64-promotion"]


def value(checked, metric):
    return float(checked.tables["kernel"].columns[metric].values[0])


F32, F64 = ("float32[::1]",) * 2, ("float64[::1]",) * 2


def test_without_a_launch_the_types_are_assumed(project):
    compiler = Compiler()
    checked = check(project, compiler)
    assert compiler.asked[0][0] == F32
    (finding,) = promotions(checked)
    assert finding.severity == "info"
    assert "taken to be float32" in str(finding.assumptions)


def test_float64_data_of_a_launch_is_no_promotion(project):
    record(project, launch(1, "float64"))
    compiler = Compiler()
    checked = check(project, compiler)
    assert compiler.asked[0][0] == F64
    assert promotions(checked) == []
    assert (value(checked, "registers"), value(checked, "types_assumed")) == (64.0, 0.0)


def test_float32_data_of_a_launch_is_no_assumption(project):
    record(project, launch(1, "float32"))
    (finding,) = promotions(check(project, Compiler()))
    assert (finding.severity, finding.assumptions) == ("warning", ())


def test_recordings_serve_compiled_evidence_that_simulates_nothing(project):
    record(project, launch(1, "float64"))
    checked = check(project, Compiler(), evidence="compiled")
    assert promotions(checked) == []
    assert "grid_blocks" not in checked.tables["kernel"].columns


def test_a_launch_of_another_text_tells_nothing(project):
    record(project, launch(1, "float64", text=SCALE.replace("1.5", "2.5")))
    compiler = Compiler()
    checked = check(project, compiler)
    assert compiler.asked[0][0] == F32
    assert len(promotions(checked)) == 1
    assert "older than its code" in str(checked.report.notices)


def test_two_typings_are_compiled_and_the_finding_says_which(project):
    record(project, launch(1, "float64", line=12, seconds=5.0), launch(2, "float32", line=99))
    compiler = Compiler()
    checked = check(project, compiler)
    assert [asked[0] for asked in compiler.asked] == [F64, F32]
    # The tables hold the numbers of the heavier launch; the promotion is that of the other.
    assert value(checked, "registers") == 64.0
    (finding,) = promotions(checked)
    assert (finding.span.line, finding.severity) == (LINE, "warning")
    assert finding.assumptions == (
        "Compiled for (float32[::1], float32[::1]), the types of the launch at scale.py:99; the kernel is "
        "launched with 2 combinations of types.",
    )


def test_one_finding_is_told_once_for_two_typings(project):
    record(project, launch(1, "float32", seconds=5.0), launch(2, "int32", line=99))
    (finding,) = promotions(check(project, Compiler()))
    assert "scale.py:12" in str(finding.assumptions)


def test_types_that_do_not_compile_leave_the_assumed_ones(project):
    record(project, launch(1, "float64"))
    compiler = Compiler(refused=[F64])
    (finding,) = promotions(check(project, compiler))
    assert "taken to be float32" in str(finding.assumptions)


def test_more_typings_than_are_compiled_are_told(project):
    kinds = ["float32", "int8", "int16", "int32", "int64", "uint8"]
    record(project, *(launch(number, kind, seconds=9.0 - number) for number, kind in enumerate(kinds)))
    compiler = Compiler()
    (finding,) = promotions(check(project, compiler))
    assert len(compiler.asked) == 4
    assert finding.assumptions[-1].endswith("6 combinations of types. 4 of them were compiled.")


def test_a_record_of_another_version_is_told_and_not_used(project):
    record(project, launch(1, "float64"))
    store = LaunchStore(project)
    store._connect().execute("PRAGMA user_version=99")
    store.close()
    checked = check(project, Compiler(), evidence="compiled")
    assert len(promotions(checked)) == 1
    assert any("The check goes on without it." in one for one in checked.report.notices)


def test_the_compiler_takes_the_types_of_launches(project, compiler):
    """The real one: float64 data has float64 instructions, float32 data with float64 constants too."""
    record(project, launch(1, "float64", seconds=5.0), launch(2, "float32", line=99))
    checked = check(project, evidence="compiled", device="h100")
    assert checked.report.problems == []
    (finding,) = promotions(checked)
    assert "(float32[::1], float32[::1])" in finding.assumptions[0]
    assert value(checked, "stated_float64") == 1.0
