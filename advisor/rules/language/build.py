"""Syntax trees of items and clauses turned into the drafts of rules and declarations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from advisor.model.records import SOURCES, Source
from advisor.model.text.source_text import Span
from advisor.rules.language.drafts import (
    ChangePlaces,
    FileContent,
    Macro,
    RuleDraft,
    SharedException,
    WrittenText,
)
from advisor.rules.language.expression_trees import ExpressionTrees
from advisor.rules.language.expressions import Reference
from advisor.rules.language.syntax import Chunk, Reader
from advisor.rules.model import (
    Assignment,
    Citation,
    Computed,
    CountAfter,
    Entity,
    Example,
    Metric,
    Override,
    Param,
    RuleFix,
    Scope,
    Sentence,
    Suppress,
    Unless,
    Verdict,
)

_VERDICTS: dict[str, Verdict] = {"fires": "fires", "info": "info", "silent": "silent", "unknown": "unknown"}
# An address of the web; what RFC 3986 has no place for must be written as a percent sign and a code.
_ADDRESS = re.compile(r"https?://[^\s<>\"`{}|\\^\x00-\x1f]+")


def _told(node: Any) -> tuple[Source, ...]:
    """The levels of evidence that are named, the least first."""
    named = set() if node is None else {str(one) for one in node.children}
    return tuple(source for source in SOURCES if source in named)


class Builder(ExpressionTrees):
    """Builds the content of one file."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self.content = FileContent(reader.path)

    def build(self) -> FileContent:
        """The content of the file; faults are noted in the reader's complaints."""
        for chunk, tree in self.reader.nodes():
            self.offset = chunk.start
            item: Any = tree.children[0]
            getattr(self, f"_{item.data}")(item.children, self._span(item), chunk)
        return self.content

    def _edition(self, children: list[Any], span: Span, _: Chunk) -> None:
        self.content.edition = (float(children[0].text), span)

    def _pack(self, children: list[Any], span: Span, _: Chunk) -> None:
        name, version = self._text(children[0]), self._text(children[1])
        if self.content.pack is not None:
            place = f"{self.reader.path}:{self.content.pack[2].line}"
            self.reader.complaints.add("E327", span, name=self.content.pack[0], place=place)
            return
        self.content.pack = (name, version, span)

    def _metric(self, children: list[Any], span: Span, _: Chunk) -> None:
        name, unit, entity, variable, limits, doc, told, equal, body = children
        computed = None
        if equal is not None:
            called = str(variable) if variable is not None else str(entity)
            computed = Computed(called, self.expression(body), self.reader.path, span)
        self._add_metric((name, unit, limits, doc), str(entity), span, _told(told), computed)

    def _add_metric(
        self,
        written: Sequence[Any],
        entity: str,
        span: Span,
        provided_by: tuple[Source, ...],
        computed: Computed | None = None,
    ) -> None:
        """Add what is written: name, unit, range and text."""
        name, unit, limits, doc = written
        known = self._unit("/".join(str(one) for one in unit.children if one is not None), self._span(unit))
        low, high, _ = self._range(limits)
        metric = Metric(str(name), entity, known, low, high, self._text(doc), computed, provided_by)
        self.content.metrics.append((metric, span))

    def _entity(self, children: list[Any], span: Span, _: Chunk) -> None:
        name, owner, doc, told, *fields = children
        entity = Entity(str(name), None if owner is None else str(owner), self._text(doc))
        self.content.entities.append((entity, span))
        for item in fields:
            *written, own = item.children
            self._add_metric(written, str(name), self._span(item), _told(own or told))

    def _define(self, children: list[Any], _: Span, __: Chunk) -> None:
        name, variable, _, body = children
        self.content.definitions.append(
            Macro(str(name), str(variable), self.expression(body), self._span(name))
        )

    def _suppress(self, children: list[Any], span: Span, _: Chunk) -> None:
        rule, condition, given = children
        reason, until = self._text(given.children[0]), str(given.children[1] or "")
        found = Suppress(str(rule), self.expression(condition), reason, until, self.reader.path, span)
        own = self._span(rule)
        end = own if given.children[1] is None else self._span(given.children[1])
        self.content.suppressions.append((found, ChangePlaces(own, own, own, end)))

    def _except(self, children: list[Any], _: Span, __: Chunk) -> None:
        *rules, first, second, condition, reason = children
        entity, variable = (None, str(first)) if second is None else (str(first), str(second))
        self.content.exceptions.append(
            SharedException(
                tuple((str(one), self._span(one)) for one in rules), variable, entity, self._span(first),
                self.expression(condition), self._text(reason),
            )
        )  # fmt: skip

    def _renamed(self, children: list[Any], _: Span, __: Chunk) -> None:
        old, new, *_rest = children
        self.content.renamed.append((str(old), str(new), self._span(old), self._span(new)))

    def _retired(self, children: list[Any], _: Span, __: Chunk) -> None:
        self.content.retired.append((str(children[0]), self._text(children[1]), self._span(children[0])))

    def _override(self, children: list[Any], _: Span, __: Chunk) -> None:
        rule, *rest = children
        patterns = {str(one.children[0]): self._text(one.children[1]) for one in rest if one.data == "scope"}
        for change in (one for one in rest if one.data != "scope"):
            span = self._span(change)
            reason, until = change.children[-1].children
            given: dict[str, Any] = {}
            subject = written = change
            if change.data == "set_param":
                subject, _, written, _ = change.children
                value, unit = self._quantity(written)
                given |= {"params": ((str(subject), value),), "unit": unit}
            elif change.data == "set_level":
                given["level"] = str(change.children[0])
            else:
                given["disabled"] = True
            override = Override(
                str(rule), Scope(**patterns), reason=self._text(reason), until=str(until or ""),
                file=self.reader.path, span=span, **given,
            )  # fmt: skip
            places = ChangePlaces(*(self._span(one) for one in (rule, subject, written, until or change)))
            self.content.overrides.append((override, places))

    def _rule(self, children: list[Any], _: Span, chunk: Chunk) -> None:
        name, title, *clauses = children
        draft = RuleDraft(
            str(name), self._text(title), self._span(name), chunk.doc, self.reader.path, chunk.broken
        )
        for clause in clauses:
            kind = clause.data.rstrip("_")
            draft.clauses.setdefault(kind, []).append(self._span(clause))
            getattr(self, f"_clause_{kind}")(clause.children, draft, clause)
        self.content.rules.append(draft)

    def _clause_for_each(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        entity, variable, owner, owner_variable = children
        draft.variables = [(str(variable), str(entity))]
        if owner is not None:
            draft.variables.append((str(owner_variable), str(owner)))
        given = [(variable, entity), (owner_variable, owner)][: len(draft.variables)]
        draft.variable_spans = [(self._span(name), self._span(kind)) for name, kind in given]

    def _clause_param(self, children: list[Any], draft: RuleDraft, _clause: Any) -> None:
        name, _, quantity, limits, reason, former = children
        value, unit = self._quantity(quantity)
        low, high, range_unit = self._range(limits)
        if range_unit is not None and not range_unit.fits(unit):
            self.reader.complaints.add(
                "E316", self._span(limits), name="range", found=range_unit.described, wanted=unit.described
            )
        names = () if former is None else tuple(former.children)
        draft.params.append(
            Param(str(name), value, unit, low, high, self._text(reason), tuple(str(one) for one in names))
        )
        draft.param_spans[str(name)] = self._span(name)
        draft.former_spans += [(str(name), str(one), self._span(one)) for one in names]

    def _clause_let(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.lets.append((str(children[0]), self.expression(children[2]), self._span(children[0])))

    def _clause_when(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.when = self.expression(children[0])

    def _clause_unless(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.unless.append(Unless(self.expression(children[0]), self._text(children[1])))

    def _clause_doubt(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.doubts.append(Unless(self.expression(children[0]), self._text(children[1])))

    def _clause_once(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.once_for = str(children[0]), self._span(children[0])
        draft.once = self.expression(children[1])

    def _clause_severity(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["severity"] = str(children[0])
        if children[1] is not None:
            draft.words["severity_when_assumed"] = str(children[1])

    def _clause_confidence(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["confidence"] = str(children[0])

    def _clause_effort(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["effort"] = str(children[0])

    def _clause_say(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["say"] = self._shown_text(children[0], draft)

    def _clause_say_when(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        text, condition = children
        draft.sentences.append(Sentence(self._shown_text(text, draft), self.expression(condition)))

    def _clause_why(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["why"] = self._shown_text(children[0], draft)

    def _clause_try(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.advice += [self._shown_text(child, draft) for child in children]

    def _shown_text(self, token: Any, draft: RuleDraft) -> str:
        """A text that is shown, in which placeholders may stand."""
        text = self._text(token)
        draft.texts.append(WrittenText(text, token.text[1:-1], self._span(token)))
        return text

    def _clause_gain(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.gain_at_most = str(children[0]) != "about"
        draft.gain = self.expression(children[1])

    def _clause_without(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        variable, *attributes, _arrow, value = children
        parts = (str(variable), *(str(one)[1:] for one in attributes))
        span = self.reader.span(self.offset + variable.start, self.offset + attributes[-1].end)
        draft.without.append(CountAfter(Reference(parts, span), self.expression(value)))

    def _clause_without_nothing(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["without_nothing"] = self._text(children[0])

    def _clause_source(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        citation = Citation(*(self._text(child) for child in children))
        if citation.url and not _ADDRESS.fullmatch(citation.url):
            self.reader.complaints.add("E326", self._span(children[-1]), found=citation.url)
        draft.sources.append(citation)

    def _clause_covers(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.patterns += [str(child) for child in children]

    def _clause_see(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.see += [str(child) for child in children]

    def _clause_deprecated(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        draft.words["deprecated"] = self._text(children[0])

    def _clause_fix(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        safety = " ".join(str(children[1]).split())
        draft.fixes.append(RuleFix(self._text(children[0]), safety))  # type: ignore[arg-type]

    def _clause_given(self, children: list[Any], draft: RuleDraft, _: Any) -> None:
        # Of a second one only the place is kept.
        draft.given = draft.given or [(self._assignment(item), self._name_span(item)) for item in children]

    def _clause_example(self, children: list[Any], draft: RuleDraft, clause: Any) -> None:
        verdict, name, file, *assignments = children
        given = [item for item in assignments if item is not None]
        values = tuple(self._assignment(item) for item in given)
        draft.example_spans.append(tuple(self._name_span(item) for item in given))
        draft.examples.append(
            Example(_VERDICTS[str(verdict)], self._text(name), values, self._span(clause), self._text(file))
        )

    def _name_span(self, assignment: Any) -> Span:
        """The place of the dotted name of an assignment."""
        *names, _, _ = assignment.children
        return self.reader.span(self.offset + names[0].start, self.offset + names[-1].end)

    def _assignment(self, tree: Any) -> Assignment:
        *names, _, value = tree.children
        parts = tuple(name.text.lstrip(".") for name in names)
        kind = value.data
        if kind == "text":
            return parts, self._text(value.children[0])
        if kind in ("truth_true", "truth_false"):
            return parts, kind == "truth_true"
        if kind == "missing":
            return parts, None
        return parts, self._quantity(value.children[0])[0]
