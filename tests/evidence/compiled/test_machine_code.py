"""What the compiler is known to make of small kernels on compute capability 9.0."""

from __future__ import annotations

import pytest
from small_kernels import FIRST, KERNELS, LINE

from advisor.evidence.compiled import CompiledEvidence, CompiledKernel, records


def kernel(evidence: CompiledEvidence, name: str) -> CompiledKernel:
    assert name in evidence.by_kernel, [p.message for p in evidence.problems]
    return evidence.by_kernel[name]


def at(evidence: CompiledEvidence, name: str, line: int = FIRST, path: str = "app.py") -> dict[str, int]:
    found = [code for code in kernel(evidence, name).lines if (code.path, code.line) == (path, line)]
    assert len(found) == 1, kernel(evidence, name).lines
    return found[0].counts


@pytest.mark.parametrize("name", ["double", "third", "half", "complement", "square", "sine"])
def test_one_operation_with_an_exact_constant_stays_in_float32(evidence: CompiledEvidence, name: str) -> None:
    found = kernel(evidence, name)
    assert found.instructions["fp64_instructions"] == 0
    assert all(code.counts["fp64_special_instructions"] == 0 for code in found.lines)
    assert found.instructions["fp32_instructions"] >= 1


@pytest.mark.parametrize("name", ["chain", "pi", "index", "maximum"])
def test_float64_constants_and_integers_widen_longer_expressions(
    evidence: CompiledEvidence, name: str
) -> None:
    counts = at(evidence, name)
    assert 1 <= counts["fp64_instructions"] <= 4
    assert counts["conversion_instructions"] >= 1
    assert counts["fp64_special_instructions"] >= 1


@pytest.mark.parametrize("name", ["root", "power_call"])
def test_a_power_by_a_float_costs_about_a_hundred_float64_instructions(
    evidence: CompiledEvidence, name: str
) -> None:
    assert 80 <= at(evidence, name)["fp64_instructions"] <= 130


def test_an_accumulator_that_starts_as_a_python_float_adds_in_float64(evidence: CompiledEvidence) -> None:
    counts = at(evidence, "accumulator", FIRST + 2)
    assert counts["fp64_instructions"] >= 1
    # A conversion for each load.
    assert counts["conversion_instructions"] == counts["fp64_instructions"]
    assert kernel(evidence, "narrow_accumulator").instructions["fp64_instructions"] == 0


def test_integer_divisions_count_only_with_a_divisor_known_at_run_time(evidence: CompiledEvidence) -> None:
    assert at(evidence, "divide")["integer_division_instructions"] >= 1
    assert at(evidence, "remainder")["integer_division_instructions"] >= 1
    assert at(evidence, "divide_by_seven")["integer_division_instructions"] == 0
    assert at(evidence, "double")["integer_division_instructions"] == 0


def test_an_inlined_device_function_of_another_file_keeps_its_lines(evidence: CompiledEvidence) -> None:
    counts = at(evidence, "device_function", 41, "lib/geometry.py")
    assert counts["fp64_instructions"] >= 2
    assert counts["instructions"] > 0
    assert at(evidence, "device_function", FIRST + 1)["fp64_instructions"] == 0
    assert kernel(evidence, "device_function").instructions["call_instructions"] == 0
    assert kernel(evidence, "default_argument").instructions["fp64_instructions"] == 0


def test_loads_and_stores_of_global_memory_stand_at_their_lines(evidence: CompiledEvidence) -> None:
    load, store = at(evidence, "double", LINE + 2), at(evidence, "double")
    assert (load["global_loads"], load["global_stores"]) == (1, 0)
    assert (store["global_loads"], store["global_stores"]) == (0, 1)
    assert load["widest_global_access"] == store["widest_global_access"] == 4
    assert at(evidence, "stated_float64")["widest_global_access"] == 8


def test_shared_arrays_and_barriers(evidence: CompiledEvidence) -> None:
    assert kernel(evidence, "shared").resources["shared_bytes"] == 64 * 4
    assert at(evidence, "shared", FIRST + 1)["shared_accesses"] == 1
    assert at(evidence, "shared", FIRST + 2)["barrier_instructions"] == 1
    assert at(evidence, "shared", FIRST + 3)["shared_accesses"] == 1
    assert kernel(evidence, "double").resources["shared_bytes"] == 0


def test_a_local_array_with_a_runtime_index_lies_in_local_memory(evidence: CompiledEvidence) -> None:
    found = kernel(evidence, "local")
    assert found.resources["local_bytes"] >= 160
    assert found.resources["stack_bytes"] >= 160
    assert found.resources["spill_store_bytes"] == 0
    assert at(evidence, "local", FIRST + 2)["local_stores"] >= 1
    assert at(evidence, "local", FIRST + 2)["local_loads"] >= 1
    assert at(evidence, "local", FIRST + 4)["local_loads"] >= 1
    assert at(evidence, "local", FIRST + 2)["shared_accesses"] == 0


def test_few_registers_make_a_kernel_spill(evidence: CompiledEvidence) -> None:
    found = kernel(evidence, "spilling").resources
    # Compute capability 9.0 gives each thread at least 24.
    assert found["registers"] <= 24
    assert found["spill_store_bytes"] >= 4
    assert found["spill_load_bytes"] >= 4
    roomy = kernel(evidence, "not_spilling").resources
    assert roomy["registers"] > 24
    assert roomy["spill_store_bytes"] == roomy["spill_load_bytes"] == roomy["local_bytes"] == 0


def test_atomics_constants_and_options(evidence: CompiledEvidence) -> None:
    assert at(evidence, "atomic")["atomic_instructions"] == 1
    assert at(evidence, "double")["atomic_instructions"] == 0
    assert kernel(evidence, "constant_array").instructions["fp64_instructions"] == 0
    assert at(evidence, "constants")["fp64_instructions"] >= 1
    precise, fast = kernel(evidence, "sine"), kernel(evidence, "fast")
    assert fast.instructions["instructions"] < precise.instructions["instructions"]
    optimised, plain = kernel(evidence, "double"), kernel(evidence, "debug")
    assert plain.instructions["instructions"] > optimised.instructions["instructions"]


def test_a_grid_barrier_links_the_device_runtime_without_counting_its_code(
    evidence: CompiledEvidence,
) -> None:
    found = kernel(evidence, "grid_barrier")
    assert found.resources["registers"] >= 8
    assert found.instructions["instructions"] == sum(code.counts["instructions"] for code in found.lines)
    assert found.instructions["call_instructions"] == 0


def test_lines_account_for_all_instructions_of_a_kernel_without_subroutines(
    evidence: CompiledEvidence,
) -> None:
    found = kernel(evidence, "shared")
    assert sum(code.counts["instructions"] for code in found.lines) == found.instructions["instructions"]


def test_the_first_typing_that_type_checks_is_taken_with_its_assumptions(evidence: CompiledEvidence) -> None:
    found = kernel(evidence, "assumed")
    assert found.types[0] == "float64[:,::1]"
    assert found.assumptions == ("a is taken to be a matrix.",)
    own, *lines = records(KERNELS["assumed"], found)
    assert own.readings["types_assumed"].value is True
    assert "stated_float64" not in own.readings
    assert {reading.assumptions for record in (own, *lines) for reading in record.readings.values()} == {
        ("a is taken to be a matrix.",)
    }


def test_records_carry_the_metrics_of_kernel_and_lines(evidence: CompiledEvidence) -> None:
    own, *lines = records(KERNELS["stated_float64"], kernel(evidence, "stated_float64"))
    assert (own.entity, own.key, own.path, own.span.line, own.label) == (
        "kernel",
        "stated_float64",
        "app.py",
        LINE,
        "kernel",
    )
    assert own.readings["stated_float64"].value is True
    assert own.readings["types_assumed"].value is False
    assert own.readings["registers"].value >= 8
    assert {reading.source for reading in own.readings.values()} == {"compiled"}
    store = next(line for line in lines if line.span.line == FIRST)
    assert (store.entity, store.owner, store.label) == ("line", "stated_float64", f"line {FIRST}")
    assert store.key == f"stated_float64:app.py:{FIRST}:line"
    assert (store.span.column, store.span.end_column) == (9, 9 + len("out[i] = x * 2.0"))
    narrow, *_ = records(KERNELS["double"], kernel(evidence, "double"))
    assert "stated_float64" not in narrow.readings
