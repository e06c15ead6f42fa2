"""One cause in a few lines: the place and what is wrong, the source line, what it gains, what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.check.speedup_bounds.actions import Action
from advisor.model.text.visible_text import visible
from advisor.reports.outputs.drawing.excerpt import draw_place
from advisor.reports.outputs.drawing.palette import Palette
from advisor.reports.outputs.drawing.paragraphs import paragraph_within
from advisor.reports.outputs.wording.locations import Locations
from advisor.reports.outputs.wording.short_facts import Fact, assumption, facts, remedy
from advisor.reports.outputs.wording.shown_causes import Amounts

_INDENT = "    "


@dataclass(frozen=True)
class CauseBlocks:
    """What all causes of one report are drawn with."""

    locations: Locations
    palette: Palette
    width: int
    amounts: Amounts
    terminal: bool = False

    def in_full(self, action: Action) -> list[str]:
        """The lines of a cause; the mark, the assumption and the ends of long texts give way to the rest."""
        source, told = self._source(action), self._fitting_facts(action)
        most = self.amounts.lines_of_cause
        needed = len(self._facts(told, self.amounts.lines_of_facts))
        # The source line and the advice have one each.
        head = self._head(action, min(self.amounts.lines_of_message, most - 2 - needed))
        parts: list[tuple[int, _Part]] = [
            (1, lambda most: source[: min(most, 1)]),
            (needed, lambda most: self._facts(told, most)),
            (1, lambda most: self._fact(remedy(action), most)),
            (1, lambda most: source[1 : 1 + most]),
            (1, lambda most: self._fact(assumption(action), most)),
        ]
        line, gain, advice, mark, assumed = _within(parts, most - len(head))
        return [*head, *(_INDENT + one for one in (*line, *mark, *gain, *advice, *assumed))]

    def in_a_line(self, action: Action) -> list[str]:
        """The place and the rule, and of the message what fits, but a few words of it: on a terminal that has
        no room for these the message goes on in a second line, elsewhere the line is longer.
        """
        place, what = self._place(action), self._what(action)
        text, needed = f"{place} {what} {action.finding.message}", len(f"{place} {what} ")
        room = max(self.width, needed + self.amounts.columns_of_message)
        if self.terminal and room > self.width:
            return self._painted(paragraph_within(text, self.width, 2, rest="  "), action)
        return self._painted(paragraph_within(text, room, 1), action)

    def _head(self, action: Action, most: int) -> list[str]:
        text = f"{self._place(action)} {self._what(action)} {action.finding.message}"
        return self._painted(paragraph_within(text, self.width, most, rest="  "), action)

    def _place(self, action: Action) -> str:
        finding = action.finding
        return visible(str(self.locations.of(finding.path, finding.span)))

    def _what(self, action: Action) -> str:
        return f"{action.finding.severity}[{action.finding.rule}]"

    def _painted(self, lines: Sequence[str], action: Action) -> list[str]:
        mark, strong = self.palette.severity(action.finding.severity), self.palette.strong
        place, what = self._place(action), self._what(action)
        return [line.replace(place, strong(place), 1).replace(what, mark(what), 1) for line in lines]

    def _source(self, action: Action) -> list[str]:
        finding = action.finding
        location = self.locations.of(finding.path, finding.span)
        lines = self.locations.lines(finding.path, finding.span)
        mark = self.palette.severity(finding.severity)
        return draw_place(lines, location.span, self.width - len(_INDENT), self.palette, mark)

    def _fitting_facts(self, action: Action) -> list[Fact]:
        """The facts with as many of the further places as their lines have room for."""
        known: list[Fact] = []
        for places in range(self.amounts.places, -1, -1):
            known = facts(action, self.locations, places)
            if len(self._in_sequence(known, self.amounts.lines_of_facts + 1)) <= self.amounts.lines_of_facts:
                break
        return known

    def _facts(self, known: Sequence[Fact], most: int) -> list[str]:
        """Facts one behind the other; the last ones are left out where they do not fit."""
        for count in range(len(known), 1, -1):
            if len(self._in_sequence(known[:count], most + 1)) <= most:
                return self._in_sequence(known[:count], most)
        return self._in_sequence(known[:1], most)

    def _in_sequence(self, known: Sequence[Fact], most: int) -> list[str]:
        if not known:
            return []
        (label, first), *others = known
        return self._fact((label, "; ".join([first, *(f"{name}: {text}" for name, text in others)])), most)

    def _fact(self, fact: Fact | None, most: int) -> list[str]:
        if fact is None or most < 1:
            return []
        label = f"{fact[0]}: "
        lines = paragraph_within(fact[1], self.width - len(_INDENT), most, label)
        return [self.palette.strong(label) + lines[0][len(label) :], *lines[1:]]


_Part = Callable[[int], list[str]]


def _within(parts: Sequence[tuple[int, _Part]], room: int) -> list[list[str]]:
    """Each part in at most the lines that it has: those that it wants in turn, then what is left."""
    allowed = [0] * len(parts)
    for first in (True, False):
        for at, (wanted, part) in enumerate(parts):
            free = allowed[at] + room - sum(allowed)
            allowed[at] = len(part(min(wanted, free) if first else free))
    return [part(most) for (_, part), most in zip(parts, allowed, strict=True)]
