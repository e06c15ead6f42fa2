"""`advisor rules fmt`: files and folders, --check, --diff, stdin, and what it leaves alone."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

LOOSE = 'rule a "A" {  when k.x>3 // why\n }'
NEAT = 'rule a "A" {\n  when k.x > 3  // why\n}\n'
BROKEN = 'rule b "B" {\n  when k.x > > 3\n}\n'


@pytest.fixture
def pack(project: Path) -> Path:
    folder = project / "pack"
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "a.rules").write_text(LOOSE)
    (folder / "neat.rules").write_text(NEAT)
    (project / "advisor.toml").write_text('packs = ["pack"]\n')
    return folder


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))

    return give


def test_the_packs_of_the_project_are_formatted(advisor: Run, pack: Path) -> None:
    outcome = advisor("rules", "fmt")
    assert outcome.status == 0
    assert outcome.out == "formatted pack/build/a.rules\n1 file formatted, 1 unchanged.\n"
    assert (pack / "build" / "a.rules").read_bytes() == NEAT.encode()
    again = advisor("rules", "fmt")
    assert (again.status, again.out) == (0, "0 files formatted, 2 unchanged.\n")


def test_a_project_without_packs_is_told(advisor: Run, project: Path) -> None:
    outcome = advisor("rules", "fmt")
    assert outcome.status == 2
    assert outcome.err.startswith("advisor: error: the configuration names no folder under `packs`")


def test_files_and_folders_named_are_formatted_once(advisor: Run, pack: Path) -> None:
    other = pack / "named.txt"
    other.write_text(LOOSE)
    outcome = advisor("rules", "fmt", "pack/named.txt", "pack", "pack/build/a.rules")
    assert outcome.status == 0
    assert outcome.out.splitlines() == [
        "formatted pack/named.txt",
        "formatted pack/build/a.rules",
        "2 files formatted, 1 unchanged.",
    ]
    assert other.read_text() == NEAT


def test_hidden_and_foreign_folders_are_left_alone(advisor: Run, project: Path) -> None:
    for name in (".hidden", "venv"):
        (project / name).mkdir()
        (project / name / "a.rules").write_text(LOOSE)
    assert advisor("rules", "fmt", ".").out == "0 files formatted, 0 unchanged.\n"
    assert (project / "venv" / "a.rules").read_text() == LOOSE


def test_a_path_that_does_not_exist_stops_everything(advisor: Run, pack: Path) -> None:
    outcome = advisor("rules", "fmt", "pack", "nowhere")
    assert outcome.status == 2
    assert outcome.err == "advisor: error: nowhere: no such file or folder\n"
    assert (pack / "build" / "a.rules").read_text() == LOOSE


def test_check_names_the_files_and_changes_nothing(advisor: Run, pack: Path) -> None:
    outcome = advisor("rules", "fmt", "--check")
    assert outcome.status == 1
    assert outcome.out == "would format pack/build/a.rules\n1 file would be formatted, 1 unchanged.\n"
    assert (pack / "build" / "a.rules").read_text() == LOOSE
    assert advisor("rules", "fmt", "--check", "pack/neat.rules").status == 0


def test_diff_shows_the_change_and_changes_nothing(advisor: Run, pack: Path) -> None:
    outcome = advisor("rules", "fmt", "--diff")
    assert outcome.status == 0
    assert outcome.out == (
        "--- pack/build/a.rules\n+++ pack/build/a.rules\n@@ -1,2 +1,3 @@\n"
        '-rule a "A" {  when k.x>3 // why\n- }\n\\ No newline at end of file\n'
        '+rule a "A" {\n+  when k.x > 3  // why\n+}\n'
    )
    assert (pack / "build" / "a.rules").read_text() == LOOSE
    assert advisor("rules", "fmt", "--diff", "--check").status == 1


def test_a_broken_file_is_left_alone_and_others_are_formatted(advisor: Run, pack: Path) -> None:
    (pack / "b.rules").write_text(BROKEN)
    outcome = advisor("rules", "fmt")
    assert outcome.status == 2
    assert outcome.out == "formatted pack/build/a.rules\n1 file formatted, 1 unchanged.\n"
    assert outcome.err.splitlines()[1:4] == [
        " --> pack/b.rules:2:14",
        "2 |   when k.x > > 3",
        "  |              ^",
    ]
    assert outcome.err.startswith("error[E")
    assert (pack / "b.rules").read_text() == BROKEN
    assert advisor("rules", "fmt", "--check").status == 2


def test_bytes_that_are_not_utf8_are_told_with_their_place(advisor: Run, pack: Path) -> None:
    data = 'rule a "é" {\n  say "é'.encode() + b'\xff"\n}\n'
    (pack / "b.rules").write_bytes(data)
    outcome = advisor("rules", "fmt", "pack/b.rules")
    assert outcome.status == 2
    assert " --> pack/b.rules:2:9\n" in outcome.err
    assert "0xff" in outcome.err
    assert (pack / "b.rules").read_bytes() == data


def test_line_ends_and_byte_order_marks_become_plain(advisor: Run, pack: Path) -> None:
    file = pack / "neat.rules"
    file.write_bytes(b"\xef\xbb\xbf" + NEAT.replace("\n", "\r\n").encode())
    assert advisor("rules", "fmt", "--check", "pack/neat.rules").status == 1
    assert advisor("rules", "fmt", "pack/neat.rules").status == 0
    assert file.read_bytes() == NEAT.encode()


def test_permissions_are_kept_and_neat_files_not_written(advisor: Run, pack: Path) -> None:
    loose, neat = pack / "build" / "a.rules", pack / "neat.rules"
    loose.chmod(0o640)
    before = neat.stat()
    assert advisor("rules", "fmt").status == 0
    assert stat.S_IMODE(loose.stat().st_mode) == 0o640
    assert (neat.stat().st_ino, neat.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list((pack / "build").iterdir()) == [loose]


def test_a_link_stays_a_link(advisor: Run, pack: Path) -> None:
    link = pack / "link.rules"
    link.symlink_to(pack / "build" / "a.rules")
    assert advisor("rules", "fmt", "pack/link.rules").status == 0
    assert link.is_symlink()
    assert (pack / "build" / "a.rules").read_text() == NEAT


def test_a_read_only_file_is_left_alone(advisor: Run, pack: Path) -> None:
    file = pack / "build" / "a.rules"
    file.chmod(0o444)
    outcome = advisor("rules", "fmt")
    assert outcome.status == 2
    assert outcome.err == "advisor: error: pack/build/a.rules:1: cannot be written: it is read-only\n"
    assert outcome.out == "0 files formatted, 1 unchanged.\n"
    assert file.read_text() == LOOSE
    assert advisor("rules", "fmt", "--check").status == 1


def test_stdin_goes_to_stdout(advisor: Run, project: Path, stdin: Callable[[bytes], None]) -> None:
    stdin(LOOSE.replace("why", "é").encode())
    outcome = advisor("rules", "fmt", "-")
    assert (outcome.status, outcome.out, outcome.err) == (0, NEAT.replace("why", "é"), "")


@pytest.mark.parametrize(("text", "status"), [(LOOSE, 1), (NEAT, 0)])
def test_stdin_can_be_checked(
    advisor: Run, project: Path, stdin: Callable[[bytes], None], text: str, status: int
) -> None:
    stdin(text.encode())
    outcome = advisor("rules", "fmt", "--check", "-")
    assert (outcome.status, outcome.out) == (status, "would format stdin\n" if status else "")
    stdin(text.encode())
    assert advisor("rules", "fmt", "--diff", "-").out.startswith("--- stdin\n") is bool(status)


@pytest.mark.parametrize("data", [BROKEN.encode(), b"\xff"])
def test_broken_stdin_gives_no_text(
    advisor: Run, project: Path, stdin: Callable[[bytes], None], data: bytes
) -> None:
    stdin(data)
    outcome = advisor("rules", "fmt", "-")
    assert (outcome.status, outcome.out) == (2, "")
    assert "--> stdin:" in outcome.err


def test_stdin_stands_alone(advisor: Run, pack: Path) -> None:
    outcome = advisor("rules", "fmt", "-", "pack")
    assert outcome.status == 2
    assert "no other path can stand beside it" in outcome.err


def test_text_on_stdout_is_utf8_whatever_the_locale(project: Path) -> None:
    text = LOOSE.replace("why", "µ…")
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "rules", "fmt", "-"],
        input=text.encode(),
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        check=True,
        timeout=300,
    )
    assert done.stdout == NEAT.replace("why", "µ…").encode()


def test_a_fault_of_the_formatter_leaves_the_file_alone(
    advisor: Run, pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.rules.formatting.laid_out", lambda file: "edition 1\n")
    outcome = advisor("rules", "fmt")
    assert outcome.status == 2
    assert "this is a fault of the program" in outcome.err
    assert (pack / "build" / "a.rules").read_text() == LOOSE
