"""Programs with one fault each: what their marks say, and how findings are set beside them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from fault_forms import Program
from scoring import Finding

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = sorted((DATA / "fault_forms").rglob("*.py"))
CAUSES = tomllib.loads((DATA / "judged_kernels/causes.toml").read_text("utf-8"))


@pytest.mark.parametrize("half", ["open", "aside"])
def test_each_cause_stands_in_both_halves(half: str) -> None:
    """So that a half tells of the other."""
    folders = {one.parent.name for one in FILES if one.parents[2].name == half}
    assert folders == {one.parent.name for one in FILES}


def test_each_program_has_the_mark_of_its_folder_and_is_of_the_half_of_its_number() -> None:
    """A name that is odd is open, a mark that is `near` is the first line and alone."""
    for file in FILES:
        text, (kind, number) = file.read_text("utf-8"), file.stem.split("_")
        marks = re.findall(r"# (fault|near): (\w+)", text)
        assert {cause for _, cause in marks} == {file.parent.name} <= set(CAUSES), file
        assert {mark for mark, _ in marks} == {"near" if kind == "near" else "fault"}, file
        assert (file.parents[2].name == "open") == (int(number) % 2 == 1), file
        assert kind == "form" or (text.startswith("# near:") and len(marks) == 1), file


def finding(rule: str, severity: str) -> Finding:
    """A finding at the first line of `a.py`."""
    return Finding(rule, severity, "", frozenset(), (("a.py", 1),))


def test_a_fault_is_told_at_the_places_of_the_rules_of_its_cause() -> None:
    """Warned are those that are no remarks; what is said beside it counts by itself."""
    causes = {"slow-a": frozenset({"uncoalesced"}), "slow-b": frozenset({"uncoalesced", "divergence"})}
    said = [finding("other", "warning"), finding("slow-a", "info"), finding("slow-b", "error")]
    program = Program("a.py", "uncoalesced", sound=False, findings=said)
    assert program.told(causes) == [2, 3]
    assert program.warned(causes) == [3]
    assert program.warns
    assert not Program("a.py", "uncoalesced", sound=True, findings=said[1:2]).warns
