"""Single rule files read into what they declare; no file knows of the others here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.model.text.source_text import Span
from advisor.rules.language.build import Builder
from advisor.rules.language.drafts import FileContent
from advisor.rules.language.problems import Complaints, too_long, with_newlines
from advisor.rules.language.syntax import Reader
from advisor.rules.loading.packs import prefix_of
from advisor.rules.model import Pack

Read = tuple[FileContent, Complaints]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file of a pack: the pack's folder, what it declares, and the errors in it."""

    folder: Path
    content: FileContent
    complaints: Complaints


def read_file(folder: Path, file: Path, data: bytes | str) -> ReadFile:
    """The file of a pack, read from its bytes; a text for them says why there are none."""
    path = f"{prefix_of(folder)}/{file.relative_to(folder).as_posix()}"
    return ReadFile(folder, *_decoded(path, data))


def read_text(path: str, text: str) -> Read:
    """What a text declares, and the errors in it."""
    text = with_newlines(text)
    refused = too_long(path, text)
    if refused is not None:
        return FileContent(path), refused
    reader = Reader(path, text)
    return Builder(reader).build(), reader.complaints


def _decoded(path: str, data: bytes | str) -> Read:
    if isinstance(data, str):
        complaints = Complaints(path, [""])
        complaints.add("E112", Span(1), reason=data)
        return FileContent(path), complaints
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        complaints = Complaints(path, data.decode("utf-8", "replace").split("\n"))
        complaints.add("E110", Span(line, column, line, column + 1), byte=f"0x{data[error.start]:02x}")
        return FileContent(path), complaints
    return read_text(path, text.removeprefix("\ufeff"))


def checked_packs(files: Sequence[ReadFile], most: int) -> list[Read]:
    """The files with what is wrong with their packs: rules beyond the first `most`, which are left out, and a
    second declaration of a pack.
    """
    counts: dict[Path, int] = {}
    declared: dict[Path, tuple[str, str]] = {}
    found = []
    for one in files:
        before = counts.get(one.folder, 0)
        counts[one.folder] = count = before + len(one.content.rules)
        content, complaints = one.content, one.complaints
        if count > most and content.rules:
            if before <= most:
                complaints, span = complaints.copy(), content.rules[0].span
                complaints.add("E322", span, count=f"more than {most}", limit=most)
            content = replace(content, rules=[])
        if content.pack is not None:
            name, _, span = content.pack
            own = name, f"{content.path}:{span.line}"
            first = declared.setdefault(one.folder, own)
            if first is not own:
                complaints = complaints.copy()
                complaints.add("E327", span, name=first[0], place=first[1])
        found.append((content, complaints))
    return found


def packs_of(files: Sequence[ReadFile]) -> tuple[Pack, ...]:
    """The packs that the files belong to; the first declaration of one holds."""
    packs: dict[Path, Pack] = {}
    declared: set[Path] = set()
    for one in files:
        folder = one.folder
        if folder not in packs:
            packs[folder] = Pack(folder.name, "", str(folder), prefix_of(folder))
        if one.content.pack is not None and folder not in declared:
            declared.add(folder)
            packs[folder] = replace(packs[folder], name=one.content.pack[0], version=one.content.pack[1])
    return tuple(packs.values())
