"""A benchmark is there to be fast, also below a folder of tests: its kernels and launches are no test's."""

from __future__ import annotations

import pytest
from surveying import value

from advisor.evidence.source.analysis import analyse
from advisor.evidence.source.test_paths import holds_benchmarks, holds_tests, is_test_path

PROGRAM = """
from numba import cuda

@cuda.jit
def k(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 1

def step(a, n):
    k[8, 16](a)
    for _ in range(n):
        k[8, 32](a)
    for s in range(n):
        k[8 << s, 64](a)
"""


@pytest.mark.parametrize(
    ("path", "test", "benchmark"),
    [
        ("tests/test_fft.py", True, False),
        ("package/test/kernels.py", True, False),
        ("conftest.py", True, False),
        ("tests/benchmarks/fft/test_fft.py", False, True),
        ("bench_fft.py", False, True),
        ("tests/bench/fft.py", False, True),
        ("package/fft.py", False, False),
        ("package/tests/doc_examples/test_fft.py", False, False),
        ("docs/test_fft.py", False, False),
        ("latest/fft.py", False, False),
    ],
)
def test_names_of_tests_and_benchmarks(path, test, benchmark):
    assert (holds_tests(path), holds_benchmarks(path)) == (test, benchmark)
    assert is_test_path(path) is (test or benchmark)


def found(folder, path: str):
    file = folder / path
    file.parent.mkdir(parents=True)
    file.write_text(PROGRAM)
    records = analyse([file], folder).records
    (kernel,) = [one for one in records if one.entity == "kernel"]
    launches = sorted((one.span.line, one) for one in records if one.entity == "launch")
    return value(kernel, "in_test"), [value(one, "in_test_or_benchmark") for _, one in launches]


def test_a_benchmark_repeats_but_a_loop_of_other_steps_is_work(tmp_path):
    assert found(tmp_path, "tests/benchmarks/test_steps.py") == (False, [False, True, False])


def test_a_test_may_launch_as_it_likes(tmp_path):
    assert found(tmp_path, "tests/test_steps.py") == (True, [True, True, True])


def test_a_program_repeats_nothing_to_measure_it_without_a_clock(tmp_path):
    assert found(tmp_path, "package/steps.py") == (False, [False, False, False])


def test_a_benchmark_tells_how_a_kernel_of_a_package_is_launched(tmp_path):
    package, folder = tmp_path / "package.py", tmp_path / "benchmarks"
    folder.mkdir()
    package.write_text(PROGRAM.partition("def step")[0])
    for name, block in (("benchmarks/run.py", 128), ("test_run.py", 8)):
        (tmp_path / name).write_text(
            f"from numba import cuda\nfrom package import k\n\ndef run(a):\n    k[16, {block}](a)\n"
        )
    files = [package, folder / "run.py", tmp_path / "test_run.py"]
    (kernel,) = [one for one in analyse(files, tmp_path).records if one.entity == "kernel"]
    assert value(kernel, "block_threads") == 128
