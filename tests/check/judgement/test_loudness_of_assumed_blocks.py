"""How loud a finding is where the source does not show the block: what another one changes is a remark."""

from __future__ import annotations

from pathlib import Path

import pytest
from advisor_command import AdvisorHere

KERNEL = """\
from numba import cuda


@cuda.jit
def k(a, out):
    {place} = cuda.grid({dimensions})
    if i < out.shape[0]:
        out[{index}] = a[{index}]
"""
LAUNCH = "\n\ndef run(chosen, a, out):\n    k[(8, 8), {block}](a, out)\n"


@pytest.mark.parametrize(
    ("place", "index", "block", "severity"),
    [
        ("i", "8 * i", None, "warning"),
        ("i", "8 * i", "chosen", "warning"),
        ("i", "i", None, None),
        ("i, j", "i, j", None, "warning"),
        ("i, j", "i, j", "(16, 16)", "warning"),
        ("i, j", "i, j", "(1, 128)", None),
        # Whoever chose it may have chosen (1, 128).
        ("i, j", "i, j", "chosen", "info"),
        ("j, i", "i, j", "chosen", None),
        # Along y the lanes of no block lie side by side here.
        ("i, j", "i, 3 * j", "chosen", "warning"),
    ],
)
def test_how_loud(tmp_path: Path, place: str, index: str, block: str | None, severity: str | None) -> None:
    text = KERNEL.format(place=place, dimensions=place.count(",") + 1, index=index)
    file = tmp_path / "kernels.py"
    file.write_text(text + (LAUNCH.format(block=block) if block else ""))
    rules = "transposed-index,uncoalesced-access"
    outcome = AdvisorHere().check("--evidence", "source", "--select", rules, cwd=tmp_path)
    found = {one["severity"] for one in outcome.report["findings"]}
    assert found == ({severity} if severity else set())
