"""Fixes that need a kernel have nothing to say where none is known; then no file is parsed for them."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.check.pipeline import Checked, check_with_tables
from advisor.fixes import FixData, known_fixes, with_fixes
from advisor.fixes.writing import FixWriter
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config

EXAMPLES = Path(__file__).parents[2] / "annotated" / "examples"
OF_KERNELS = [fix for fix in known_fixes() if fix.needs_kernel]

LAUNCH_OF_AN_IMPORTED_KERNEL = """import numpy as np
from numba import cuda
from kernels_elsewhere import step


def run(n):
    a = cuda.to_device(np.zeros(n, np.float32))
    for _ in range(100):
        step[64, 8](a)
    return a
"""


def checked(files: list[Path], root: Path) -> Checked:
    return check_with_tables(
        files,
        CheckOptions("a100-80gb", settings=Config(root), root=root, evidence="source", jobs=1, fixes=False),
    )


@pytest.fixture(scope="module")
def examples() -> Checked:
    return checked(sorted(EXAMPLES.glob("*.py")), EXAMPLES)


@pytest.mark.parametrize("fix", OF_KERNELS, ids=lambda one: one.id)
def test_a_fix_that_needs_a_kernel_says_nothing_without_one(fix: FixData, examples: Checked) -> None:
    """Each such fix is asked itself, not by way of what leaves it out."""
    known = examples.tables or {}
    without_kernels = {entity: table for entity, table in known.items() if entity != "kernel"}
    writer = FixWriter(examples.report.texts, without_kernels)
    found = examples.report.findings
    # Rules that need machine code find nothing here: such a fix is asked at the places of all the others.
    concerned = [one for one in found if one.rule in fix.rules] or [
        replace(one, rule=fix.rules[0]) for one in found
    ]
    assert concerned
    assert all(writer.with_edits(finding, [fix]).fixes == () for finding in concerned)


def test_findings_at_launches_of_imported_kernels_get_no_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.py"
    file.write_text(LAUNCH_OF_AN_IMPORTED_KERNEL)
    found = checked([file], tmp_path)
    rules = {finding.rule for finding in found.report.findings}
    mended = {rule for fix in OF_KERNELS for rule in fix.rules}
    assert "launch-in-host-loop" in rules & mended

    def never(*_: object) -> None:
        raise AssertionError("a file was parsed for a fix that needs a kernel")

    monkeypatch.setattr("advisor.fixes.place.read_module", never)
    of_kernels = [finding for finding in found.report.findings if finding.rule in mended]
    assert with_fixes(of_kernels, found.texts, found.tables) == of_kernels


def test_a_fix_of_a_known_kernel_is_asked(examples: Checked) -> None:
    found = with_fixes(examples.report.findings, examples.report.texts, examples.tables)
    written = {fix.id for finding in found for fix in finding.fixes}
    assert len(written & {fix.id for fix in OF_KERNELS}) > 10
