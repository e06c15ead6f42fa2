"""Damaged reports of profilers: `advisor import` ends with what it read or with a sentence, quickly."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from bounds import Quick, bounded, search, seeds, told_properly
from effort import NIGHTLY
from hypothesis import given
from hypothesis import strategies as st
from mutations import mutated, steps
from program_in_process import run_advisor

_ROOT = Path(__file__).parents[2]
_SAMPLES = sorted(
    file
    for folder in (_ROOT / "data" / "reports", Path(__file__).parent / "samples")
    for file in folder.iterdir()
    if file.suffix in (".csv", ".json")
)
_EXPORT = (Path(__file__).parent / "samples" / "nsys-export.sql").read_bytes()
_FORMATS = st.sampled_from(["text", "json"])


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Quick:
    here = Quick(tmp_path_factory, "reports")
    # Whatever is loaded and parsed once is no input's.
    run_advisor(here.folder, "import", str(_SAMPLES[0]), "--no-store")
    return here


def imported(quick: Quick, name: str, data: bytes, form: str = "text") -> None:
    quick.with_file(name, data)
    with bounded():
        done = run_advisor(quick.folder, "import", name, "--format", form, "--verbose")
    told_properly(done, name)
    if done.returncode != 2:
        with bounded():
            again = run_advisor(quick.folder, "report", "latest", "--no-run")
        told_properly(again, "latest")


@pytest.mark.timeout(7200 if NIGHTLY else 300)
@pytest.mark.parametrize("sample", _SAMPLES, ids=lambda file: file.stem)
def test_a_damaged_report_is_read_or_refused(quick: Quick, sample: Path) -> None:
    data = sample.read_bytes()

    @search(12)
    @given(steps(), _FORMATS, st.booleans())
    def damaged(those: list[tuple[int, int]], form: str, packed: bool) -> None:
        bad = mutated(data, those)
        imported(quick, sample.name, gzip.compress(bad) if packed and bad else bad, form)

    damaged()


@pytest.mark.timeout(7200 if NIGHTLY else 300)
@search(25)
@given(steps(3), st.booleans(), st.lists(st.tuples(st.just(0), st.integers(0, 2**32 - 1)), max_size=1))
def test_a_damaged_database_is_read_or_refused(
    quick: Quick, those: list[tuple[int, int]], whole: bool, flips: list[tuple[int, int]]
) -> None:
    """Other numbers, texts, columns and tables in it, or other bytes of the file."""
    path = quick.with_file("made.sqlite", b"")
    path.unlink()
    written = _EXPORT if whole else mutated(_EXPORT, those)
    with closing(sqlite3.connect(path)) as to:
        for statement in written.decode("utf-8", "surrogateescape").split(";\n"):
            # What is no SQL any more is left out: a table without columns, or rows, remains.
            with suppress(sqlite3.Error, sqlite3.Warning, ValueError):
                to.execute(statement)
        with suppress(sqlite3.Error):
            to.commit()
    data = path.read_bytes() if path.exists() else b""
    path.unlink(missing_ok=True)
    imported(quick, "run.sqlite", mutated(data, flips if not whole else those[:2]))


@pytest.mark.parametrize("seed", seeds("reports"), ids=lambda file: file.name)
def test_reports_that_were_bad_once(quick: Quick, seed: Path) -> None:
    for form in ("text", "json"):
        imported(quick, seed.name, seed.read_bytes(), form)
