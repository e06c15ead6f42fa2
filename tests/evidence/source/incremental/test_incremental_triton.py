"""What a kept analysis says of Triton kernels, edit by edit, is what a new analysis says."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_analyses import says_the_same, says_the_same_after_random_edits

from advisor.evidence.source.incremental_analysis import IncrementalAnalysis

EXAMPLES = sorted((Path(__file__).parents[3] / "annotated" / "examples").glob("triton_*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_random_edits_of_triton_kernels(file: Path, tmp_path: Path) -> None:
    says_the_same_after_random_edits(file, tmp_path, 10)


def test_a_kernel_that_comes_to_be_called_by_another(tmp_path: Path) -> None:
    head = "import triton\nimport triton.language as tl\n\n\n"
    part = "@triton.jit\ndef part(x, n):\n    return tl.load(x + tl.arange(0, n))\n"
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    assert says_the_same(kept, tmp_path, head + part)
    caller = "\n\n@triton.jit\ndef whole(x, N: tl.constexpr):\n    tl.store(x, part(x, N))\n"
    assert says_the_same(kept, tmp_path, head + part + caller)
    assert says_the_same(kept, tmp_path, head + part + caller + "\n\nwhole[(1,)](x, 32)\n")
