"""Damaged packs of rules on the disk: the check goes on with the others, or says where the pack is wrong.

What the language itself makes of damaged texts is searched by tests/rules/lint/test_fuzzing.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bounds import OBEYED, Quick, bounded, search, seeds
from effort import NIGHTLY
from house_pack import KERNEL, RULE, configure
from hypothesis import given
from mutations import mutated, steps
from program_in_process import run_advisor

_MORE = """
metric waste : ratio of access a range 0 .. 1 "unused" = 1 - a.ideal_sectors / a.sectors_per_request
define wasteful(a) = a.waste > 10%
override house-stride for kernel "debug_*" { level off because "runs once" until 2100-01-01 }
suppress house-stride where k.name like "every_*" and k.registers > 10 because "measured"
"""
_SAMPLE = (RULE.format(name="house-stride") + _MORE).encode()


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Quick:
    here = Quick(tmp_path_factory, "packs")
    configure(here.folder, 'packs = ["house"]')
    (here.folder / "k.py").write_text(KERNEL)
    (here.folder / "house").mkdir()
    (here.folder / "house" / "pack.rules").write_text('edition 1\npack "house" version "1.0.0"\n')
    return here


def checked(quick: Quick, data: bytes) -> None:
    (quick.folder / "house" / "own.rules").write_bytes(data)
    for words in (
        ["check", "--no-cache", "k.py"],
        ["rules", "lint", "house"],
        ["rules", "fmt", "--diff", "house"],
    ):
        with bounded():
            done = run_advisor(quick.folder, *words)
        said = done.stdout + done.stderr
        assert done.returncode in (0, 1, 2), done.returncode
        assert "Traceback" not in said and "fault of the program" not in said, said
        assert done.returncode != 2 or done.stdout or done.stderr, words
        assert OBEYED.search(done.stderr) is None, done.stderr


@pytest.mark.timeout(7200 if NIGHTLY else 300)
def test_a_damaged_pack_is_read_or_told(quick: Quick) -> None:
    @search(12)
    @given(steps(2))
    def damaged(those: list[tuple[int, int]]) -> None:
        checked(quick, mutated(_SAMPLE, those))

    damaged()


@pytest.mark.parametrize("seed", seeds("packs"), ids=lambda file: file.name)
def test_packs_that_were_bad_once(quick: Quick, seed: Path) -> None:
    checked(quick, seed.read_bytes())
