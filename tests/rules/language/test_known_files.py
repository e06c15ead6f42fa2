"""Rule files are read once: by a process, and the shipped ones by all processes of a user."""

from __future__ import annotations

from pathlib import Path

import pytest
from house_pack import RULE

from advisor.model.data_files import knowledge_folder
from advisor.model.storage.memo import Memo
from advisor.rules import load_rulebook
from advisor.rules.loading import known_files
from advisor.rules.loading import load as loading

SHIPPED = [knowledge_folder() / "metrics", knowledge_folder() / "rules"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read from here on, in a process that has read none."""
    seen: list[str] = []
    read_file = known_files.read_file

    def noted(folder, file, data):
        seen.append(file.name)
        return read_file(folder, file, data)

    monkeypatch.setattr(known_files, "read_file", noted)
    new_process(monkeypatch)
    return seen


def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_files, "_READ", Memo(most=2_000))
    loading._assembler.cache_clear()


def write_pack(folder: Path, title: str) -> Path:
    folder.mkdir(exist_ok=True)
    text = RULE.format(name="house-stride").replace("House stride", title)
    (folder / "house-stride.rules").write_text(f"edition 1\n{text}")
    return folder


def test_of_a_changed_pack_only_its_file_is_read(tmp_path: Path, read: list[str]) -> None:
    first = load_rulebook([*SHIPPED, write_pack(tmp_path / "pack", "One")])
    shipped = [file.name for folder in SHIPPED for file in folder.rglob("*.rules")]
    assert sorted(read) == sorted([*shipped, "house-stride.rules"])
    read.clear()
    second = load_rulebook([*SHIPPED, write_pack(tmp_path / "pack", "Two")])
    assert read == ["house-stride.rules"]
    assert [book.rules[-1].title for book in (first, second)] == ["One", "Two"]
    assert first.rules[:-1] == second.rules[:-1]


def test_a_later_process_reads_no_shipped_file(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_rulebook(SHIPPED, tmp_path / "cache")
    read.clear()
    new_process(monkeypatch)
    later = load_rulebook([*SHIPPED, write_pack(tmp_path / "pack", "One")], tmp_path / "cache")
    assert read == ["house-stride.rules"]
    assert later.rules[:-1] == first.rules
    assert (later.metrics, later.entities) == (first.metrics, first.entities)


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x05]\x94."])
def test_what_is_damaged_is_read_anew(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """The last content is an empty list."""
    first = load_rulebook(SHIPPED, tmp_path)
    for file in (*tmp_path.glob("declarations-*"), *tmp_path.glob("rulebook-*")):
        file.write_bytes(content)
    files = sorted(read)
    read.clear()
    new_process(monkeypatch)
    assert load_rulebook(SHIPPED, tmp_path) == first
    assert sorted(read) == files


def test_the_files_of_a_pack_are_kept_in_no_file(tmp_path: Path, read: list[str]) -> None:
    """They change often, and each change would leave a file."""
    pack = write_pack(tmp_path / "pack", "One")
    load_rulebook([*SHIPPED, pack], tmp_path / "cache")
    (kept,) = (tmp_path / "cache").glob("declarations-*")
    write_pack(pack, "Two")
    load_rulebook([*SHIPPED, pack], tmp_path / "cache")
    assert [*(tmp_path / "cache").glob("declarations-*")] == [kept]
    assert b"house-stride" not in kept.read_bytes()
