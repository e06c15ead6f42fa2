"""A workspace from anybody, with pipes, devices, a huge file and links: nothing hangs or gets out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, contents

GOOD = ("slow-power", "good.py", 8)
FAST = ("--evidence", "source", "--no-cache")
REPORTS = Path(__file__).parents[2] / "data" / "reports"
NO_FILE = "cannot be read: it is a pipe, a device or another thing that is no file"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has neither pipes in folders nor links"
)


def place(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as stream:
            stream.truncate(1 << 40)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_in_a_folder_is_no_source(
    advise: AdvisorCommand, workspace: Path, kind: str
) -> None:
    for name in ("other.py", "other.ipynb", ".gitignore", "pyproject.toml", "budgets.toml"):
        place(workspace / name, kind)
    (workspace / "imports.py").write_text("from other import x\nfrom numba import cuda\n")
    outcome = advise.check(*FAST, cwd=workspace)
    assert (outcome.errors, outcome.places) == ([], {GOOD})


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("name", ["other.py", "other.ipynb"])
def test_a_pipe_or_a_device_that_is_named_is_refused(
    advise: AdvisorCommand, workspace: Path, kind: str, name: str
) -> None:
    place(workspace / name, kind)
    outcome = advise.check(*FAST, name, "good.py", cwd=workspace)
    assert outcome.errors == [(name, 1, NO_FILE)]
    assert (outcome.status, outcome.places) == (2, {GOOD})
    imported = advise("import", name, cwd=workspace)
    assert (imported.status, imported.err) == (2, f"advisor: error: {name}: there is no such file.\n")


def test_a_file_of_a_terabyte_is_not_read(advise: AdvisorCommand, workspace: Path) -> None:
    place(workspace / "holes.py", "large")
    outcome = advise.check(*FAST, cwd=workspace)
    said = "cannot be read: it has 1,099,511,627,776 bytes, and at most 67,108,864 are read"
    assert outcome.errors == [("holes.py", 1, said)]
    assert outcome.places == {GOOD}


@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_what_is_no_file_in_a_pack_is_told_and_its_other_files_hold(
    advise: AdvisorCommand, workspace: Path, kind: str
) -> None:
    (workspace / "advisor.toml").write_text('packs = ["house"]\n')
    (workspace / "house").mkdir()
    (workspace / "house" / "pack.rules").write_text('edition 1\npack "house" version "1.0.0"\n')
    place(workspace / "house" / "own.rules", kind)
    outcome = advise.check(*FAST, "good.py", cwd=workspace)
    assert {path for path, _, _ in outcome.errors} == {"house/own.rules"}
    assert (outcome.status, outcome.places) == (2, {GOOD})


def test_nothing_is_written_through_a_link_out_of_the_project(
    advise: AdvisorCommand, workspace: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace / ".advisor").symlink_to(outside, target_is_directory=True)
    assert advise.check("--evidence", "source", cwd=workspace).places == {GOOD}
    kept = advise("import", str(REPORTS / "case-study-before.csv"), cwd=workspace)
    assert kept.status == 2
    assert "a link in .advisor leads out of the project" in kept.err
    assert list(outside.iterdir()) == []


def test_no_file_of_another_is_taken_for_the_history(
    advise: AdvisorCommand, workspace: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"")
    (workspace / ".advisor").mkdir()
    (workspace / ".advisor" / "history.sqlite").symlink_to(victim)
    kept = advise("import", str(REPORTS / "case-study-before.csv"), cwd=workspace)
    assert kept.status == 2
    assert victim.read_bytes() == b""


def test_a_link_of_a_project_to_its_own_folder_is_no_harm(advise: AdvisorCommand, workspace: Path) -> None:
    (workspace / "state").mkdir()
    (workspace / ".advisor").symlink_to("state", target_is_directory=True)
    assert advise("import", str(REPORTS / "case-study-before.csv"), cwd=workspace).status == 0
    assert (workspace / "state" / "history.sqlite").is_file()


def test_fixes_are_not_written_through_a_link_that_leads_out(
    advise: AdvisorCommand, workspace: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text((workspace / "good.py").read_text())
    (workspace / "linked.py").symlink_to(outside)
    before = contents(tmp_path)
    fixing = ("check", *FAST, "--fix", "--unsafe-fixes")
    done = advise(*fixing, "linked.py", cwd=workspace)
    assert contents(tmp_path) == before
    said = " ".join(done.out.decode().split())
    assert "linked.py is left as it is: a link in its path leads out of the project" in said
    advise(*fixing, "good.py", cwd=workspace)
    assert contents(tmp_path) != before
