"""What hovering over a word of a rule file shows."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.rules.model import Rulebook
from lsp_server.rule_files.explaining.describing import (
    entity_text,
    metric_text,
    metrics_of,
    rule_text,
    unit_text,
)
from lsp_server.rule_files.explaining.meanings import meaning_of
from lsp_server.rule_files.renaming.navigation import Occurrence, declarations, symbol_at
from lsp_server.rule_files.snapshot import Snapshot
from lsp_server.rule_files.text.read_file import Reading
from lsp_server.rule_files.text.symbols import Symbol
from lsp_server.rule_files.text.words import Word

_MOST = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """Markdown about the text between two offsets."""

    text: str
    start: int
    end: int


def shown_at(snapshot: Snapshot, offset: int) -> Shown | None:
    """What there is to say of the word at an offset, None for nothing."""
    named = symbol_at(snapshot, offset)
    if named is not None:
        name, symbol = named
        text = _about(symbol, snapshot)
        return Shown(text, name.start, name.end) if text else None
    word = snapshot.reading.word_at(offset)
    text = _about_word(word, snapshot.reading) if word is not None else ""
    return Shown(text, word.start, word.end) if word is not None and text else None


def _about(symbol: Symbol, snapshot: Snapshot) -> str:
    book = snapshot.book
    if symbol.kind == "metric":
        found = [one for one in metrics_of(symbol.owner, book) if one.name == symbol.name]
        return "\n\n---\n\n".join(metric_text(one, book) for one in found[:_MOST])
    if symbol.kind == "entity":
        return entity_text(symbol.name, book)
    if symbol.kind == "rule":
        return _about_rule(symbol.name, book)
    if symbol.kind == "function":
        return f"**{symbol.name}** · {meaning_of(symbol.name, 'functions')}"
    if symbol.kind == "pattern":
        rules = [f"`{rule.id}`" for rule in book.rules if symbol.name in rule.patterns]
        return f"**{symbol.name}** · a performance pattern, found by {', '.join(rules)}" if rules else ""
    return "\n\n".join(_declared(one, symbol, book) for one in declarations(snapshot, symbol)[:1])


def _about_rule(name: str, book: Rulebook) -> str:
    if name in book.retired:
        return f"`{name}` is gone: {book.retired[name]}"
    new = book.renamed.get(name)
    rule = book.rule(new or name)
    if rule is None:
        return ""
    return f"`{name}` is now `{new}`.\n\n{rule_text(rule)}" if new else rule_text(rule)


def _declared(one: Occurrence, symbol: Symbol, book: Rulebook) -> str:
    """The declaration of a parameter, a let, a variable or a definition, as it is written."""
    if symbol.kind == "variable":
        return _variable(one, symbol, book)
    text = f"```advisor-rules\n{_written(one)}\n```"
    rule = book.rule(symbol.owner) if symbol.kind == "param" else None
    now = rule.former_params.get(symbol.name) if rule is not None else None
    if now is not None:
        return f"`{symbol.name}` is now `{now}`.\n\n{text}"
    param = next((item for item in rule.params if item.name == symbol.name), None) if rule else None
    if param is None:
        return text
    changed = [item for item in book.overrides if item.rule == symbol.owner and item.subject == symbol.name]
    notes = [f"- {item.file}: {item.reason}" for item in changed]
    return "\n\n".join([text, *(["Overridden\n\n" + "\n".join(notes)] if notes else [])])


def _variable(one: Occurrence, symbol: Symbol, book: Rulebook) -> str:
    before = [name for name in one.reading.names if name.end < one.name.start]
    entity = before[-1].symbol if before else None
    if entity is None or entity.kind != "entity":
        return f"**{symbol.name}** · what the definition is called with"
    doc = book.entities[entity.name].doc if entity.name in book.entities else ""
    return f"**{symbol.name}** · one {entity.name}\n\n{doc}".rstrip()


def _written(one: Occurrence) -> str:
    """The clause or item that a name is declared in."""
    place, text = one.name.start, one.reading.text
    for item in one.reading.items:
        for part in (*item.parts, item):
            if part.start <= place < part.end:
                return text[part.start : part.words[-1].end]
    return text[one.name.start : one.name.end]


def _about_word(word: Word, reading: Reading) -> str:
    if word.kind == "unit":
        return unit_text(word.text)
    if word.kind != "word":
        return ""
    firsts = {item.words[0].start for item in reading.items}
    clauses = {part.words[0].start for item in reading.items for part in item.parts}
    kind = "items" if word.start in firsts else "clauses" if word.start in clauses else "words"
    meaning = meaning_of(word.text, kind) or meaning_of(word.text)
    return f"**{word.text}** · {meaning}" if meaning else unit_text(word.text)
