"""Times the loading of 500 rules, the remarks about 250 to 1,000, the mutants of 200, and an edit of one.

    python benchmarks/editor/rule_loading.py [--rounds N]

The rules are the shipped ones under other names, one file each, beside the shipped metrics. Every load is
timed in a process of its own, from the call with nothing in memory; so are the edits, each of which changes
the text of one rule. Figures are medians with the least and the most.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from advisor.model.data_files import knowledge_folder
from advisor.rules import load_rulebook
from advisor.rules.lint import lint
from advisor.rules.loading.reload import LiveRulebook
from advisor.rules.testing.coverage import cover

_LOADED, _COVERED, _EDITS = 500, 200, 20
_LINTED = (250, 1_000)
_METRICS = knowledge_folder() / "metrics"


def write_pack(folder: Path, count: int) -> Path:
    """The folder with so many of the shipped rules, each under a name of its own."""
    shipped = sorted((knowledge_folder() / "rules").rglob("*.rules"))
    for number in range(count):
        file = shipped[number % len(shipped)]
        name = f"{file.stem}-{number // len(shipped)}"
        text = re.sub(rf"^rule {file.stem} ", f"rule {name} ", file.read_text("utf-8"), flags=re.MULTILINE)
        target = folder / file.parent.name / f"{name}.rules"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return folder


def load(pack: Path, kept: Path | None) -> list[float]:
    """The seconds that loading takes."""
    began = time.perf_counter()
    book = load_rulebook([_METRICS, pack], kept)
    taken = time.perf_counter() - began
    assert len(book.rules) == _LOADED
    return [taken]


def remarks(pack: Path) -> list[float]:
    """The seconds of processor time that the remarks about all rules take."""
    book = load_rulebook([_METRICS, pack])
    began = time.process_time()
    found = lint(book)
    taken = time.process_time() - began
    assert found
    return [taken]


def mutants(pack: Path) -> list[float]:
    """The seconds that making and judging all mutants takes."""
    book = load_rulebook([_METRICS, pack])
    began = time.perf_counter()
    covered = cover(book, book.rules)
    taken = time.perf_counter() - began
    assert len(covered) == _COVERED
    assert all(one.mutants for one in covered)
    return [taken]


def edits(pack: Path) -> list[float]:
    """The seconds of edits of single rules: of a number, of a name so that it is wrong, and broken ones."""
    live = LiveRulebook([_METRICS, pack])
    found = []
    for file in sorted(pack.rglob("*.rules"))[:: _COVERED // _EDITS]:
        text = file.read_text("utf-8")
        changes = [text.replace(" fires", " silent"), text.replace("severity", "severty"), text + "// end\n"]
        for changed in [*changes, text.replace("when ", "when k.nothing > 1 and ", 1), text]:
            began = time.perf_counter()
            live.edit(file, changed)
            found.append(time.perf_counter() - began)
    assert len(live.rulebook.rules) == _COVERED
    assert not live.rulebook.errors
    return found


def measured(*arguments: object, rounds: int) -> list[float]:
    """All figures of a measurement, made in that many processes."""
    command = [sys.executable, __file__, "--measure", *map(str, arguments)]
    found: list[float] = []
    for _ in range(rounds):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found += map(float, done.stdout.split())
    return found


def cold(pack: Path, kept: Path, rounds: int) -> list[float]:
    """Loads with the grammar's tables kept but no rulebook."""
    found: list[float] = []
    for _ in range(rounds):
        for file in kept.glob("rulebook-*"):
            file.unlink()
        found += measured("load", pack, kept, rounds=1)
    return found


def row(what: str, seconds: list[float], bound: str, unit: str = "s") -> str:
    """One line of the table."""
    factor, digits = (1000, 1) if unit == "ms" else (1, 3)
    middle, least, most = (
        f"{factor * one:.{digits}f}" for one in (statistics.median(seconds), min(seconds), max(seconds))
    )
    return f"| {what} | {middle} {unit} ({least}, {most}) | {bound} |"


def table(rounds: int) -> None:
    """Print the figures as a table."""
    with tempfile.TemporaryDirectory() as folder:
        root, kept = Path(folder), Path(folder) / "kept"
        large, small = write_pack(root / "large", _LOADED), write_pack(root / "small", _COVERED)
        measured("load", large, kept, rounds=1)
        loaded = f"load and check {_LOADED} rules"
        print("| what | median (least, most) | bound |")
        print("|---|---|---|")
        print(row(f"{loaded}, nothing kept", measured("load", large, rounds=rounds), "0.6 s"))
        print(row(f"{loaded}, the grammar's tables kept", cold(large, kept, rounds), "0.6 s"))
        measured("load", large, kept, rounds=1)
        print(row(f"{loaded}, the rulebook kept", measured("load", large, kept, rounds=rounds), "0.1 s"))
        linted = {count: write_pack(root / f"linted-{count}", count) for count in _LINTED}
        spent = {count: measured("remarks", pack, rounds=rounds) for count, pack in linted.items()}
        least, most = (statistics.median(spent[count]) for count in _LINTED)
        for count in _LINTED:
            print(row(f"remarks about {count} rules", spent[count], ""))
        growth = _LINTED[1] / _LINTED[0]
        print(f"| … for {growth:g} times the rules | {most / least:.1f} times | {1.5 * growth:g} times |")
        print(row(f"mutants of {_COVERED} rules", measured("mutants", small, rounds=rounds), "5 s"))
        print(row(f"an edit of one of {_COVERED}", measured("edits", small, rounds=rounds), "15 ms", "ms"))


def main() -> None:
    """Print the table, or in a process of its own one measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if not chosen.measure:
        table(chosen.rounds)
        return
    what, *paths = chosen.measure
    pack, kept = Path(paths[0]), Path(paths[1]) if len(paths) > 1 else None
    figures = {
        "load": lambda: load(pack, kept),
        "remarks": lambda: remarks(pack),
        "mutants": lambda: mutants(pack),
        "edits": lambda: edits(pack),
    }
    print(*figures[what]())


if __name__ == "__main__":
    main()
