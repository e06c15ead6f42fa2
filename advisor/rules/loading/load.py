"""Loading rule files: all errors of all files at once, and the parsed result kept for the next time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.processes.gc_paused import gc_paused
from advisor.model.storage.regular_files import content_of
from advisor.rules.language.problems import RuleErrors
from advisor.rules.loading.file_digests import File, digest_of
from advisor.rules.loading.kept_files import read_kept, write_kept
from advisor.rules.loading.packs import MOST_RULES as _MOST_RULES
from advisor.rules.loading.packs import rule_files
from advisor.rules.model import Rulebook

if TYPE_CHECKING:
    from advisor.rules.checking.assemble import Assembler

_KEPT = 8


def load_rulebook(
    folders: Sequence[Path], cache_folder: Path | None = None, tolerant: bool = False
) -> Rulebook:
    """The rulebook of every `*.rules` file below `folders`; a rule's category is the folder it lies in.

    Raises RuleErrors with every error; when `tolerant` what has an error is left out and the rulebook has the
    errors. `cache_folder` must be the user's own: what it holds is trusted.
    """
    files = [(folder, file, file_content(file)) for folder in folders for file in rule_files(folder)]
    kept = None if cache_folder is None else cache_folder / f"rulebook-{digest_of(files)}.pickle"
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
        return content_of(file)
    except OSError as error:
        return error.strerror or str(error)


def _parsed(files: Sequence[File], cache_folder: Path | None) -> Rulebook:
    from advisor.rules.language.file_reading import checked_packs, packs_of
    from advisor.rules.loading.known_files import files_read

    with gc_paused():
        read = files_read(files, cache_folder)
        assembler, lock = _assembler()
        with lock:
            return replace(assembler.assemble(checked_packs(read, _MOST_RULES)), packs=packs_of(read))


@cache
def _assembler() -> tuple[Assembler, threading.Lock]:
    """What puts rulebooks together in this process: of rules that several have, each is checked once."""
    from advisor.rules.checking.assemble import Assembler

    return Assembler(), threading.Lock()
