"""Loading rule files: all errors of all files at once, and the parsed result kept for the next time."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from advisor import __version__, rules
from advisor.model.data_files import grammar_folder
from advisor.model.processes.gc_paused import gc_paused
from advisor.model.text import source_text as text
from advisor.rules.language.problems import RuleErrors
from advisor.rules.loading.kept_files import read_kept, write_kept
from advisor.rules.loading.packs import MOST_RULES as _MOST_RULES
from advisor.rules.loading.packs import rule_files
from advisor.rules.model import Rulebook

_KEPT = 8
# A file as it lies on the disk, or why it cannot be read.
_File = tuple[Path, Path, bytes | str]


def load_rulebook(
    folders: Sequence[Path], cache_folder: Path | None = None, tolerant: bool = False
) -> Rulebook:
    """The rulebook of every `*.rules` file below `folders`; a rule's category is the folder it lies in.

    Raises RuleErrors with every error; when `tolerant` what has an error is left out and the rulebook has the
    errors. `cache_folder` must be the user's own: what it holds is trusted.
    """
    files = [(folder, file, file_content(file)) for folder in folders for file in rule_files(folder)]
    kept = None if cache_folder is None else cache_folder / f"rulebook-{_digest(files)}.pickle"
    rulebook = None if kept is None else read_kept(kept)
    if not isinstance(rulebook, Rulebook):
        rulebook = _parsed(files, cache_folder)
        if kept is not None:
            from advisor.rules.loading.kept_rulebooks import pickled

            write_kept(kept, pickled(rulebook), "rulebook-*.pickle", _KEPT)
    if rulebook.errors and not tolerant:
        raise RuleErrors(rulebook.errors)
    return rulebook


def rulebook_from_texts(files: Sequence[tuple[str, str]]) -> Rulebook:
    """The rulebook of texts with their paths, whose folder is the category. Raises RuleErrors."""
    from advisor.rules.checking.assemble import Assembler
    from advisor.rules.language.file_reading import read_text

    rulebook = Assembler().assemble([read_text(path, text) for path, text in files])
    if rulebook.errors:
        raise RuleErrors(rulebook.errors)
    return rulebook


def file_content(file: Path) -> bytes | str:
    """The bytes of a file, or why it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        return error.strerror or str(error)


def _parsed(files: Iterable[_File], cache_folder: Path | None) -> Rulebook:
    from advisor.rules.checking.assemble import Assembler
    from advisor.rules.language.file_reading import checked_packs, packs_of, read_file
    from advisor.rules.language.parse_tables import tables

    with gc_paused():
        tables(cache_folder)
        read = [read_file(folder, file, data) for folder, file, data in files]
        return replace(Assembler().assemble(checked_packs(read, _MOST_RULES)), packs=packs_of(read))


def _digest(files: Sequence[_File]) -> str:
    digest = hashlib.sha256(f"{__version__} {sys.version_info[:2]}".encode())
    for name in ("rules.lark", "errors.toml"):
        digest.update((grammar_folder() / name).read_bytes())
    for code in [*sorted(Path(rules.__file__).parent.rglob("*.py")), Path(text.__file__)]:
        digest.update(code.read_bytes())
    for folder, file, data in files:
        digest.update(f"\0{folder}\0{file}\0".encode(errors="surrogateescape"))
        digest.update(data if isinstance(data, bytes) else data.encode())
    return digest.hexdigest()[:32]
