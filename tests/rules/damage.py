"""Damage to rule files, and what must hold of the outcome whatever the damage was."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from string import Formatter

from advisor.model.data_files import knowledge_folder
from advisor.rules import Rulebook, RuleError, RuleErrors, run_examples
from advisor.rules.checking.assemble import Assembler
from advisor.rules.formatting import format_text
from advisor.rules.language.file_reading import read_text
from advisor.rules.language.problems import _sentences, with_newlines
from advisor.rules.lint import lint

MOST_SECONDS = 1.0
METRICS = {
    f"metrics/{file.name}": file.read_text("utf-8")
    for file in sorted((knowledge_folder() / "metrics").glob("*.rules"))
}
RULES = {
    file.relative_to(knowledge_folder()).as_posix(): file.read_text("utf-8")
    for file in sorted((knowledge_folder() / "rules").rglob("*.rules"))
}
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def damaged(text: str, chance: random.Random) -> str:
    """The text with one to three of: a word lost, added, swapped or garbled, the end lost, a part twice."""
    words = _WORDS.findall(text)
    for _ in range(chance.randint(1, 3)):
        if words:
            words = chance.choice(_DAMAGES)(words, chance)
    return "".join(words)


def _lost(words: list[str], chance: random.Random) -> list[str]:
    at = chance.randrange(len(words))
    return words[:at] + words[at + 1 :]


def _added(words: list[str], chance: random.Random) -> list[str]:
    at = chance.randrange(len(words))
    return [*words[:at], chance.choice(words), *words[at:]]


def _swapped(words: list[str], chance: random.Random) -> list[str]:
    one, other = chance.randrange(len(words)), chance.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return words


def _cut(words: list[str], chance: random.Random) -> list[str]:
    return words[: chance.randrange(len(words)) + 1]


def _doubled(words: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(words))
    end = min(len(words), start + chance.randint(1, 40))
    return words[:end] + words[start:]


def _garbled(words: list[str], chance: random.Random) -> list[str]:
    at = chance.randrange(len(words))
    words[at] = "".join(chr(chance.randrange(32, 0x2FF)) for _ in range(chance.randint(1, 4)))
    return words


def _noisy(words: list[str], chance: random.Random) -> list[str]:
    at = chance.randrange(len(words))
    noise = bytes(chance.randrange(256) for _ in range(chance.randint(1, 12)))
    return [*words[:at], noise.decode("utf-8", "replace"), *words[at:]]


_DAMAGES = (_lost, _added, _swapped, _cut, _doubled, _garbled, _noisy)


class Readings:
    """Files read once and put together with a damaged one again and again."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = {path: read_text(path, text) for path, text in files.items()}
        self._assembler = Assembler()

    def with_file(self, path: str, text: str) -> Rulebook:
        """The rulebook with the file in place of the one of its path; it has the errors of all files."""
        return self._assembler.assemble([*(self._files | {path: read_text(path, text)}).values()])


def told_well(errors: Sequence[RuleError], path: str, text: str) -> None:
    """Assert that every error has a known code, a place inside its file and a whole sentence."""
    lines = with_newlines(text).split("\n")
    str(RuleErrors(errors))
    for error in errors:
        template = _sentences()[error.code]
        assert error.sentence, error
        assert error.sentence[-1] in ".?!" and not error.help.endswith(" "), error
        for part in (template["say"], template.get("help", "")):
            for _, name, _, _ in Formatter().parse(part):
                assert not name or error.code == "E311" or f"{{{name}}}" not in error.sentence, error
        if error.path == path:
            span = error.span
            assert 1 <= span.line <= len(lines), error
            assert 1 <= span.column <= len(lines[span.line - 1]) + 1, error
            assert (span.line, span.column) <= (span.end_line, span.end_column), error
            assert span.end_line <= len(lines), error
            assert span.end_column <= len(lines[span.end_line - 1]) + 2, error


def survives(readings: Readings, path: str, text: str) -> tuple[int, float]:
    """The number of errors, and the processor's seconds that it took; asserts that nothing goes wrong."""
    began = time.process_time()
    book = readings.with_file(path, text)
    seconds = time.process_time() - began
    told_well(book.errors, path, text)
    began = time.process_time()
    lint(book)
    run_examples(book)
    try:
        format_text(path, text)
    except RuleErrors as found:
        told_well(found.errors, path, text)
    return len(book.errors), max(seconds, time.process_time() - began)
