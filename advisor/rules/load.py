"""Loading rule files: all errors of all files at once, and the parsed result kept for the next time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from advisor import __version__
from advisor.data_files import grammar_folder
from advisor.rules.drafts import FileContent
from advisor.rules.model import Pack, Rulebook
from advisor.rules.packs import rule_files
from advisor.rules.problems import Complaints, RuleErrors
from advisor.text import Span

_KEPT = 8
_MOST_RULES = 5_000
# A file as it lies on the disk, or why it cannot be read.
_File = tuple[Path, Path, bytes | str]


def load_rulebook(
    folders: Sequence[Path], cache_folder: Path | None = None, tolerant: bool = False
) -> Rulebook:
    """The rulebook of every `*.rules` file below `folders`; a rule's category is the folder it lies in.

    Raises RuleErrors with every error; when `tolerant` what has an error is left out and the rulebook has the
    errors. `cache_folder` must be the user's own: what it holds is trusted.
    """
    texts = [(folder, file, _content(file)) for folder in folders for file in rule_files(folder)]
    kept = None if cache_folder is None else cache_folder / f"rulebook-{_digest(texts)}.pickle"
    rulebook = _read(kept)
    if rulebook is None:
        rulebook = _parse(texts)
        if kept is not None:
            _keep(rulebook, kept)
    if rulebook.errors and not tolerant:
        raise RuleErrors(rulebook.errors)
    return rulebook


def rulebook_from_texts(files: Sequence[tuple[str, str]]) -> Rulebook:
    """The rulebook of texts with their paths, whose folder is the category. Raises RuleErrors."""
    rulebook = _assembled([_read_text(path, text) for path, text in files])
    if rulebook.errors:
        raise RuleErrors(rulebook.errors)
    return rulebook


def _content(file: Path) -> bytes | str:
    try:
        return file.read_bytes()
    except OSError as error:
        return error.strerror or str(error)


def _parse(texts: Sequence[_File]) -> Rulebook:
    contents = []
    packs: dict[str, Pack] = {}
    counts: dict[str, int] = {}
    for folder, file, data in texts:
        path = (Path(folder.name) / file.relative_to(folder)).as_posix()
        content, complaints = _read_file(path, data)
        packs.setdefault(str(folder), Pack(folder.name, "", str(folder)))
        if content.pack is not None:
            packs[str(folder)] = Pack(content.pack[0], content.pack[1], str(folder))
        counts[str(folder)] = counts.get(str(folder), 0) + len(content.rules)
        if counts[str(folder)] > _MOST_RULES and content.rules:
            _refuse(content, complaints, counts[str(folder)])
        contents.append((content, complaints))
    return replace(_assembled(contents), packs=tuple(packs.values()))


def _refuse(content: FileContent, complaints: Complaints, count: int) -> None:
    """Nothing; leaves out the rules of a file beyond the bound of its pack, told once."""
    if count - len(content.rules) <= _MOST_RULES:
        complaints.add("E322", content.rules[0].span, count=f"more than {_MOST_RULES}", limit=_MOST_RULES)
    content.rules.clear()


def _read_file(path: str, data: bytes | str) -> tuple[FileContent, Complaints]:
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
    return _read_text(path, text.replace("\r\n", "\n").removeprefix("\ufeff"))


def _read_text(path: str, text: str) -> tuple[FileContent, Complaints]:
    from advisor.rules.build import Builder
    from advisor.rules.syntax import Reader

    reader = Reader(path, text)
    return Builder(reader).build(), reader.complaints


def _assembled(contents: Sequence[tuple[FileContent, Complaints]]) -> Rulebook:
    from advisor.rules.assemble import assemble

    rulebook = assemble(contents, {content.path: _category(content.path) for content, _ in contents})
    errors = [error for _, complaints in contents for error in complaints.errors]
    return replace(rulebook, errors=tuple(RuleErrors(errors).errors)) if errors else rulebook


def _category(path: str) -> str:
    parts = path.replace(os.sep, "/").split("/")
    return parts[-2] if len(parts) > 1 else ""


def _digest(texts: Sequence[_File]) -> str:
    digest = hashlib.sha256(f"{__version__} {sys.version_info[:2]}".encode())
    for name in ("rules.lark", "errors.toml"):
        digest.update((grammar_folder() / name).read_bytes())
    for code in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(code.read_bytes())
    for folder, file, data in texts:
        digest.update(f"\0{folder}\0{file}\0".encode(errors="surrogateescape"))
        digest.update(data if isinstance(data, bytes) else data.encode())
    return digest.hexdigest()[:32]


def _read(kept: Path | None) -> Rulebook | None:
    if kept is None:
        return None
    try:
        found = pickle.loads(kept.read_bytes())
    except FileNotFoundError:
        return None
    except Exception:  # whatever a damaged pickle raises: it is thrown away
        with contextlib.suppress(OSError):
            kept.unlink(missing_ok=True)
        return None
    return found if isinstance(found, Rulebook) else None


def _keep(rulebook: Rulebook, kept: Path) -> None:
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=kept.parent)
        with os.fdopen(handle, "wb") as stream:
            pickle.dump(rulebook, stream, pickle.HIGHEST_PROTOCOL)
        Path(name).replace(kept)
        older = sorted(kept.parent.glob("rulebook-*.pickle"), key=lambda file: file.stat().st_mtime)[:-_KEPT]
        for file in older:
            file.unlink(missing_ok=True)
    except OSError:
        return
