"""Kernels of `kernels/` diagnosed: what they wait for, and what the diagnosis says to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.model.errors import UsageError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.reports.diagnosis.kernel_diagnosis import KernelDiagnosis, diagnose

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def of(name: str, cache: Path, no_run: bool = False) -> KernelDiagnosis:
    path, _, kernel = name.partition("::")
    # A copy: nobody has recorded runs of its kernels.
    root = cache / "project"
    if not root.exists():
        shutil.copytree(ROOT / "kernels", root / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
        (root / "pyproject.toml").write_text("")
    file = root / "kernels" / path
    options = CheckOptions(
        "a100-80gb",
        root=root,
        evidence="simulated",
        settings=load_config(file),
        no_run=no_run,
        cache_folder=cache,
    )
    return diagnose(file, kernel, options)


def test_a_sum_by_atomics_is_bound_by_them(cache):
    found = of("dot_product.py::dot_product_first", cache)
    assert found.bound.found is not None and found.bound.found.id == "contention"
    # All 100,000 products are added to one element, one in a cycle of 1.41 GHz; the rest overlaps.
    assert found.bound.time_ms == pytest.approx(100_000 / 1.41e9 * 1e3, rel=1e-2)
    first = found.answers[0]
    assert (first.question.id, first.verdict) == ("atomics", "cause")
    assert {one.rule for one in first.findings} == {"contended-atomic"}
    assert found.actions[0].finding.rule == "contended-atomic"
    # The improved version runs beside it and has the rest of the time.
    assert found.share_of_run == pytest.approx(0.98, abs=0.02)


def test_what_fires_is_no_cause_elsewhere(cache):
    found = of("vector_add.py::vector_add_improved", cache)
    assert found.bound.found is not None and found.bound.found.id == "memory"
    assert found.bound.parts[0].resource == "dram"
    verdicts = {one.question.id: one.verdict for one in found.answers}
    assert verdicts["coalescing"] in ("fine", "partly")
    assert verdicts["reuse"] == "fine"
    assert "cause" not in (verdicts["coalescing"], verdicts["shared"], verdicts["cache"])
    assert found.overhead


def test_without_running_nothing_is_said_of_what_it_waits_for(cache):
    found = of("dot_product.py::dot_product_first", cache, no_run=True)
    assert found.bound.found is None
    assert found.bound.time_ms is None
    assert found.share_of_run is None
    asked = [one.question.id for one in found.answers]
    assert "atomics" in asked and "coalescing" in asked


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dot_product.py::dot_product_frist", "Did you mean `dot_product_first`?"),
        ("dot_product.py", "several kernels; write"),
        ("workload.py", "there is no kernel in"),
    ],
)
def test_a_kernel_that_is_not_there(cache, name, said):
    with pytest.raises(UsageError) as caught:
        of(name, cache, no_run=True)
    assert said in str(caught.value)


@pytest.mark.parametrize("kernel", ["", "shift"])
def test_of_a_triton_kernel_that_was_not_launched_the_source_is_told(tmp_path, kernel):
    file = tmp_path / "t.py"
    file.write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def shift(x_ptr, n, BLOCK: tl.constexpr):\n"
        "    v = tl.load(x_ptr + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < n)\n"
        "    tl.store(x_ptr, tl.sum(v, 0))\n"
    )
    options = CheckOptions(
        "a100-80gb", tmp_path, "source", settings=load_config(tmp_path), workspace_files=()
    )
    found = diagnose(file, kernel, options)
    assert (found.kernel.entity, found.kernel.label) == ("triton_kernel", "shift")
    assert found.bound.found is None and "No launch of it is known" in found.bound.reason
    asked = {one.question.id for one in found.answers}
    assert {"coalescing", "tensor-cores", "spills"} <= asked
    # No rule about kernels of Triton answers these.
    assert not {"cache", "library", "overhead", "precision"} & asked


def test_each_kernel_is_asked_what_rules_of_its_kind_answer(tmp_path):
    file = tmp_path / "t.py"
    file.write_text(
        "import triton\nfrom numba import cuda\n\n\n@triton.jit\ndef shift(x_ptr):\n    pass\n\n\n"
        "@cuda.jit\ndef fill(a):\n    a[cuda.grid(1)] = 1\n"
    )
    options = CheckOptions(
        "a100-80gb", tmp_path, "source", settings=load_config(tmp_path), workspace_files=()
    )
    asked = {
        name: {one.question.id for one in diagnose(file, name, options).answers} for name in ("fill", "shift")
    }
    assert asked["shift"] < asked["fill"]
    with pytest.raises(UsageError, match="has several kernels"):
        diagnose(file, "", options)


BANKS = """
import numpy as np
from numba import cuda


@cuda.jit
def banks(o):
    t = cuda.shared.array((32, 32), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    t[x, y] = x
    cuda.syncthreads()
    v = np.float32(0)
    for k in range(200):
        v += t[x, (y + k) & 31]
    o[cuda.blockIdx.x, y, x] = v


def workload():
    banks[100, (32, 32)](cuda.device_array((100, 32, 32), np.float32))
"""


def test_bank_conflicts_are_no_matter_of_dram(cache):
    from advisor.cli.pages.diagnosis_text import diagnosis_as_text

    of("dot_product.py::dot_product_first", cache)
    (cache / "project/kernels/banks.py").write_text(BANKS)
    found = of("banks.py::banks", cache)
    assert found.bound.found is not None and found.bound.found.id == "shared-memory"
    text = diagnosis_as_text(found, 100)
    assert "What it waits for: bound by shared memory" in text
    assert "of the peak" not in text
    first = found.answers[0]
    assert (first.question.id, first.verdict) == ("shared", "cause")
