"""Code that is half written, or only looks like Triton: silence, or something that holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.evidence.source.analysis import analyse
from advisor.model.records import Record
from advisor.program.syntax.gate import may_hold_triton_code

KERNEL = "@triton.jit\ndef k(x, BLOCK: tl.constexpr):\n    tl.store(x + tl.arange(0, BLOCK), 1)\n"
HEAD = "import triton\nimport triton.language as tl\n\n"


def triton_records(folder: Path, text: str, name: str = "program.py") -> list[Record]:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return [one for one in analyse([file], folder).records if one.entity.startswith("triton")]


HALF_WRITTEN = [
    "@triton.jit\ndef k():\n    ...\n",
    "@triton.jit\ndef k(x):\n    tl.load()\n    tl.store(x)\n    tl.dot()\n    tl.sum()\n    tl.where()\n",
    "@triton.jit\ndef k(x):\n    tl.arange()\n    tl.zeros()\n    tl.full(1)\n    tl.make_block_ptr()\n",
    "@triton.jit\ndef k(x):\n    tl.atomic_add()\n    tl.trans()\n    tl.reshape(x)\n    x[0, 1, 2, None]\n",
    "@triton.jit\ndef k(*args, **meta):\n    a, *b = args\n    tl.store(a, meta['BLOCK'])\n",
    "@triton.autotune()\n@triton.jit\ndef k(x):\n    pass\n",
    "@triton.autotune(configs=[triton.Config()], key=x)\n@triton.jit\ndef k(x):\n    pass\n",
    "@triton.autotune(configs=[triton.Config({**sizes})], key=[])\n@triton.jit\ndef k(x):\n    pass\n",
    "@triton.heuristics(3)\n@triton.jit\ndef k(x):\n    pass\n",
    "@triton.jit\ndef k(x):\n    for i in range():\n        k(x)\n    while True:\n        x = x[i]\n",
    "@triton.jit\ndef k(x):\n    for i in range(0, 8, 0):\n        x += i\n    for a, b in x:\n        a\n",
    "@triton.jit\ndef a(x):\n    return b(x)\n\n@triton.jit\ndef b(x):\n    return a(x)\n\na[(1,)](1)\n",
    "@triton.jit\nasync def k(x):\n    await tl.load(x)\n",
    "class K:\n    @triton.jit\n    def k(s, x):\n        pass\n\n    run = lambda s: s.k[(1,)](1)\n",
    "k[(1,)](1)\nk[1](*a, **b)\nk[()]()\nk[lambda: 0]()\nk[None](BLOCK=1)\n" + KERNEL,
    "@triton.jit\ndef k(x):\n    y = 1 << -1\n    tl.store(x + y + (8 >> -2) + 7 % 0, 1)\n",
    "@triton.jit\ndef k(x):\n    y = (lambda a: a)(x)\n    z = [tl.load(x + i) for i in y]\n    del y\n",
]


@pytest.mark.parametrize("text", HALF_WRITTEN)
def test_half_written_kernels(tmp_path: Path, text: str) -> None:
    found = triton_records(tmp_path, HEAD + text)
    assert "triton_kernel" in {one.entity for one in found}


LOOKS_LIKE = [
    "class triton:\n    jit = staticmethod(lambda f: f)\n\n\n" + KERNEL.replace(": tl.constexpr", ""),
    "from unittest import mock\ntriton, tl = mock.Mock(), mock.Mock()\n\n\n" + KERNEL,
    "import jax as triton\nimport jax.numpy as tl\n\n\n" + KERNEL,
    "from project import triton, tl\n\n\n" + KERNEL,
    "import tritonclient.http as triton\n\n\n@triton.jit\ndef k(x):\n    pass\n",
    '"""import triton\n\n@triton.jit\ndef k(x): ..."""\n',
]


@pytest.mark.parametrize("text", LOOKS_LIKE)
def test_what_only_looks_like_triton(tmp_path: Path, text: str) -> None:
    assert triton_records(tmp_path, text) == []


def test_a_local_module_called_triton(tmp_path: Path) -> None:
    (tmp_path / "triton.py").write_text("def jit(f):\n    return f\n")
    assert triton_records(tmp_path, HEAD + KERNEL) == []


def test_a_local_package_called_triton(tmp_path: Path) -> None:
    (tmp_path / "triton").mkdir()
    (tmp_path / "triton" / "__init__.py").write_text("def jit(f):\n    return f\n")
    assert triton_records(tmp_path, HEAD + KERNEL) == []


def test_a_subpackage_called_triton_does_not_hide_it(tmp_path: Path) -> None:
    (tmp_path / "ops" / "triton").mkdir(parents=True)
    for folder in ("ops", "ops/triton"):
        (tmp_path / folder / "__init__.py").write_text("")
    assert triton_records(tmp_path, HEAD + KERNEL, "ops/program.py")


def test_the_source_of_triton_itself(tmp_path: Path) -> None:
    (tmp_path / "triton" / "language").mkdir(parents=True)
    (tmp_path / "triton" / "__init__.py").write_text("")
    assert triton_records(tmp_path, HEAD + KERNEL)


@pytest.mark.parametrize("folder", ["_ascend", "cambricon_mlu"])
def test_kernels_for_other_accelerators(tmp_path: Path, folder: str) -> None:
    assert triton_records(tmp_path, HEAD + KERNEL, f"{folder}/program.py") == []


def test_a_file_that_cannot_be_parsed_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(HEAD + "@triton.jit\ndef k(x:\n")
    found = analyse([file], tmp_path)
    assert [one.line for one in found.problems] == [5]
    assert found.records == []


def test_a_kernel_that_is_nested_very_deeply(tmp_path: Path) -> None:
    text = HEAD + "@triton.jit\ndef k(x):\n    tl.store(x, " + "-" * 800 + "1)\n"
    assert triton_records(tmp_path, text)


def test_long_sums_do_not_grow_without_end(tmp_path: Path) -> None:
    names = ", ".join(f"a{n}" for n in range(40))
    product = " * ".join(f"(a{n} + 1)" for n in range(40))
    text = HEAD + f"@triton.jit\ndef k(x, {names}):\n    tl.store(x + {product}, 1)\n"
    assert triton_records(tmp_path, text)


GATE = [
    (b"import triton\n", True),
    (b"from triton.language import load\n", True),
    (b"from project.triton_utils import tl, triton\n", True),
    (b"import torch._inductor  # uses triton\n", False),
    (b"import tritonclient.http as client\n", False),
    (b"import numpy as np\n", False),
]


@pytest.mark.parametrize(("data", "expected"), GATE)
def test_files_that_are_looked_at(data: bytes, expected: bool) -> None:
    assert may_hold_triton_code(data) is expected
