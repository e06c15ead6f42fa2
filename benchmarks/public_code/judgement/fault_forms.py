"""Compares what a check says of small programs, each with one known fault in another form, with that fault.

    python benchmarks/public_code/judgement/fault_forms.py --half open [--causes] [--misses] [--json FILE]
        [--later] [--work FOLDER] [--limit SECONDS]

The programs are those of `tests/data/fault_forms`: for each cause several, written without knowledge of
the rules, whose most important fault is that cause (`# fault: CAUSE` at its lines), and some that look
alike and are sound (`# near: CAUSE`). Odd numbers are the open half; of the half that was set aside totals
only are given. `tests/data/judged_kernels/rules_of_causes.toml` names the rules that report each cause. A
half is checked as one folder below --work, outside of this repository, without the marks and without
running any of it. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from checkouts import ENDED, Checked, check
from findings_of_kernels import Sources, printed
from scoring import Finding, causes_of_rules

_DATA = Path(__file__).resolve().parents[3] / "tests" / "data"
_FAULT, _NEAR = re.compile(r"# fault: (\w+)"), re.compile(r"\A# near: (\w+)")
_FIRST_LATER = {"form": 7, "near": 3}
_MARK = re.compile(r"[ \t]*# (?:fault|near): \w+")


@dataclass(frozen=True)
class Program:
    """A program with one fault, or a sound one, and the findings of its file as the report prints them."""

    path: str
    cause: str
    sound: bool
    findings: list[Finding]

    @property
    def warns(self) -> bool:
        """Whether anything of the file is a warning or an error."""
        return any(one.warns for one in self.findings)

    def told(self, causes: dict[str, frozenset[str]]) -> list[int]:
        """The places, from 1, of the findings that report the program's cause."""
        return [
            place
            for place, one in enumerate(self.findings, start=1)
            if self.cause in causes.get(one.rule, ())
        ]

    def warned(self, causes: dict[str, frozenset[str]]) -> list[int]:
        """Those of them that are warnings or errors."""
        return [place for place in self.told(causes) if self.findings[place - 1].warns]


def main() -> int:
    """0 when the check of the programs ended."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=("open", "aside"), required=True)
    parser.add_argument("--later", action="store_true", help="only what was written later, of eight causes")
    parser.add_argument("--work", type=Path, default=Path("fault-forms"))
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for all")
    parser.add_argument("--causes", action="store_true", help="how the programs of each cause fare")
    parser.add_argument(
        "--misses", action="store_true", help="programs whose fault is not told, false alarms"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.half == "aside" and (options.causes or options.misses):
        parser.error("The half that was set aside gives totals only.")
    root = _DATA / "fault_forms" / options.half
    files = [one for one in sorted(root.rglob("*.py")) if not options.later or _is_later(one)]
    checked = _checked(root, files, options.work.resolve() / options.half, options.limit)
    findings = printed(checked.report, Sources(checked.root))
    programs = [_program(one, root, findings) for one in files]
    causes = causes_of_rules(_DATA / "judged_kernels" / "rules_of_causes.toml")
    numbers = _numbers(programs, causes)
    print(f"Forms of faults, {options.half} half, {checked.ending} in {checked.seconds:.0f} s.\n")
    print("\n".join(f"- {name}: {value}" for name, value in numbers.items()))
    if options.causes:
        print(_table(programs, causes))
    if options.misses:
        print(_misses(programs, causes))
    if options.json:
        options.json.write_text(json.dumps(numbers, indent=1), "utf-8")
    return 0 if checked.ending == ENDED else 1


def _is_later(file: Path) -> bool:
    """Whether a program is one of those that were written later, for the most frequent causes alone."""
    kind, _, number = file.stem.partition("_")
    return int(number) >= _FIRST_LATER[kind]


def _checked(root: Path, files: Sequence[Path], work: Path, limit_s: float) -> Checked:
    """The check of copies of all programs, as below `tests` they would be taken for tests."""
    if not work.exists():
        for file in files:
            copy = work / file.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(_MARK.sub("", file.read_text("utf-8")), "utf-8")
    return check(work, ["."], work.with_suffix(".json"), limit_s)


def _program(file: Path, root: Path, findings: Sequence[Finding]) -> Program:
    text, path = file.read_text("utf-8"), file.relative_to(root).as_posix()
    near = _NEAR.match(text)
    fault = near or _FAULT.search(text)
    if fault is None:
        sys.exit(f"{path} says neither `# fault: CAUSE` nor `# near: CAUSE`.")
    own = [one for one in findings if one.places and one.places[0][0] == path]
    return Program(path, fault[1], near is not None, own)


def _numbers(programs: Sequence[Program], causes: dict[str, frozenset[str]]) -> dict[str, str]:
    faulty, sound = [one for one in programs if not one.sound], [one for one in programs if one.sound]
    known = frozenset[str]().union(*causes.values())
    warnings = [(one, finding) for one in faulty for finding in one.findings if finding.warns]
    beside = sum(one.cause not in causes.get(finding.rule, ()) for one, finding in warnings)
    return {
        "programs with a fault": str(len(faulty)),
        "of a cause with rules": _share(faulty, lambda one: one.cause in known),
        "a warning among the first three": _share(
            faulty, lambda one: any(at <= 3 for at in one.warned(causes))
        ),
        "a warning": _share(faulty, lambda one: bool(one.warned(causes))),
        "any level": _share(faulty, lambda one: bool(one.told(causes))),
        "warnings beside the fault": f"{beside} of {len(warnings)}",
        "sound programs": str(len(sound)),
        "sound, with a warning": _share(sound, lambda one: one.warns),
        "sound, with a warning of the cause": _share(sound, lambda one: bool(one.warned(causes))),
        "sound, with a finding of the cause": _share(sound, lambda one: bool(one.told(causes))),
    }


def _share(programs: Sequence[Program], holds: Callable[[Program], bool]) -> str:
    number = sum(map(holds, programs))
    return f"{number} of {len(programs)} ({number / max(1, len(programs)):.0%})"


def _table(programs: Sequence[Program], causes: dict[str, frozenset[str]]) -> str:
    rows = ["", "| cause | faults | warned | any level | sound | warned |", "|---|---:|---:|---:|---:|---:|"]
    for cause in sorted({one.cause for one in programs}):
        faulty = [one for one in programs if one.cause == cause and not one.sound]
        sound = [one for one in programs if one.cause == cause and one.sound]
        warned = sum(bool(one.warned(causes)) for one in faulty)
        told = sum(bool(one.told(causes)) for one in faulty)
        counts = (len(faulty), warned, told, len(sound), sum(one.warns for one in sound))
        rows.append(f"| {cause} | {' | '.join(map(str, counts))} |")
    return "\n".join(rows)


def _misses(programs: Sequence[Program], causes: dict[str, frozenset[str]]) -> str:
    lines = [""]
    for one in programs:
        said = ", ".join(
            f"{finding.rule} {finding.severity} {finding.places[0][1]}" for finding in one.findings
        )
        warned = [finding for finding in one.findings if finding.warns]
        if not one.sound and not one.warned(causes):
            lines.append(f"- missed {one.path}: {said or 'nothing'}")
        elif one.sound and warned:
            lines.append(f"- false alarm {one.path}: {said}")
        elif any(one.cause not in causes.get(finding.rule, ()) for finding in warned):
            lines.append(f"- beside {one.path}: {said}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
