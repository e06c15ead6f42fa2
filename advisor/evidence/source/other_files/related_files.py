"""Which other files may have a say in what is found of the checked ones: by their imports, or by names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from advisor.model.storage.regular_files import content_of
from advisor.program.syntax.gate import searchable

_IMPORT = re.compile(
    rb"^[^\S\n]*(?:from[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\r?\n)*)"
    rb"|import\b((?:[^\n\\]|\\\r?\n)*))",
    re.MULTILINE,
)
# A letter that is none of ASCII belongs to a word as well.
_WORD = re.compile(rb"[\w\x80-\xff]+")
_BY_TEXT = re.compile(rb"\bimportlib\b|\b__import__\b|\brunpy\b|\bexec\b|\bsys\.modules\b|%run\b")


def imported_words(data: bytes, file: Path) -> frozenset[str] | None:
    """The names in the imports of a file's bytes, those of the packages that dots stand for too.

    None of a file that may import by a name that it puts together.
    """
    if _BY_TEXT.search(data):
        return None
    found: set[str] = set()
    for source, names, modules in set(_IMPORT.findall(data)):
        if source.startswith(b"."):
            above = file.parents
            dots = len(source) - len(source.lstrip(b"."))
            found.add(above[min(dots, len(above)) - 1].name)
        found.update(
            word.decode(errors="replace") for word in _WORD.findall(b" ".join((source, names, modules)))
        )
    return frozenset(found)


def importing(files: Iterable[Path], imports: Mapping[Path, frozenset[str] | None]) -> set[Path]:
    """Those that import one of the files, directly or by way of others.

    `imports` are the imported words of the other files; a module goes by the last part of its name.
    """
    by_word: dict[str, list[Path]] = {}
    for file, words in imports.items():
        for word in words or ():
            by_word.setdefault(word, []).append(file)
    found = {file for file, words in imports.items() if words is None}
    pending = [*files, *found]
    while pending:
        fresh = set(by_word.pop(_module_name(pending.pop()), ())) - found
        found |= fresh
        pending += fresh
    return found


def _module_name(file: Path) -> str:
    return file.parent.name if file.stem == "__init__" else file.stem


def words_of(file: Path, names: Collection[str]) -> set[str]:
    """Those of some names that are words of a file, comments included; none where it cannot be read."""
    try:
        words = set(_WORD.findall(searchable(content_of(file), file.name)))
    except OSError:
        return set()
    return {name for name in names if name.encode() in words}
