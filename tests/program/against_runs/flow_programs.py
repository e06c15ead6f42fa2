"""Random programs that bind three names in every way that Python has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

NAMES = ("x", "y", "z")
_GROUPS = sys.version_info >= (3, 11)


@dataclass(frozen=True)
class _Around:
    """What is around a statement: what may stand there."""

    depth: int = 0
    function: bool = False
    asynchronous: bool = False
    loop: bool = False
    returns: bool = True


class FlowPrograms:
    """Writes the text of one program: a module with functions and classes in it."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.functions = 0
        # Statements that may still be written.
        self.left = 3 + chance.randrange(18)
        # Names that no `name := value` may bind here: those of comprehensions around.
        self.barred: frozenset[str] = frozenset()

    def text(self) -> str:
        """The program."""
        lines = [f"{name} = V()" for name in NAMES if self.chance.random() < 0.8]
        lines += self._block(_Around())
        while self.left > 0:
            lines += self._block(_Around())
        return "\n".join(lines) + "\n"

    # --- statements

    def _block(self, around: _Around) -> list[str]:
        lines: list[str] = []
        for _ in range(1 + self.chance.randrange(3)):
            self.left -= 1
            lines += self._statement(around)
        return lines

    def _inner(self, around: _Around, **changes: bool) -> list[str]:
        """A block in a statement, indented."""
        around = replace(around, depth=around.depth + 1, **changes)
        return [f"    {line}" for line in self._block(around)]

    def _statement(self, around: _Around) -> list[str]:
        compound = around.depth < 4 and self.left > 0 and self.chance.random() < 0.5
        kinds = _COMPOUND if compound else _SIMPLE
        write: Callable[[FlowPrograms, _Around], list[str]] = self.chance.choice(kinds)
        return write(self, around)

    def _assign(self, around: _Around) -> list[str]:
        targets = [self._target() for _ in range(self.chance.choice((1, 1, 1, 2)))]
        if sum("," in one for one in targets) > 1:
            targets = targets[:1]
        return [" = ".join([*targets, self._value(around)])]

    def _update(self, around: _Around) -> list[str]:
        return [f"{self._name()} {self.chance.choice(('-=', '@='))} {self._value(around)}"]

    def _annotate(self, around: _Around) -> list[str]:
        ways = (f"{self._name()}: O[{self._name()}] = {self._value(around)}", f"{self._name()}: O",
                f"O[{self._name()}]: O = {self._value(around)}")  # fmt: skip
        return [self.chance.choice(ways)]

    def _delete(self, around: _Around) -> list[str]:
        return [
            f"del {self._name()}" if self.chance.random() < 0.7 else f"del O[{self._name()}], {self._name()}"
        ]

    def _use(self, around: _Around) -> list[str]:
        return [self._value(around)]

    def _check(self, around: _Around) -> list[str]:
        return [f"assert {self._value(around)}, {self._value(around)}"]

    def _import(self, around: _Around) -> list[str]:
        name = self._name()
        ways = [f"import math as {name}", f"from math import pi as {name}", f"import os.path as {name}, sys"]
        if not around.function and around.depth == 0:
            ways.append("from everything import *")
        return [self.chance.choice(ways)]

    def _jump(self, around: _Around) -> list[str]:
        ways = ["raise Failure", "fail()"]
        if around.loop:
            ways += ["break", "continue"] * 2
        if around.function and around.returns:
            ways += [f"return {self._name()}"]
        return [self.chance.choice(ways)]

    def _call(self, around: _Around) -> list[str]:
        if not self.functions:
            return self._use(around)
        return [f"call(f{self.chance.randrange(self.functions)})"]

    def _if(self, around: _Around) -> list[str]:
        lines = [f"if {self._value(around)}:", *self._inner(around)]
        if self.chance.random() < 0.3:
            lines += [f"elif {self._value(around)}:", *self._inner(around)]
        return lines + self._else(around)

    def _else(self, around: _Around) -> list[str]:
        return ["else:", *self._inner(around)] if self.chance.random() < 0.4 else []

    def _while(self, around: _Around) -> list[str]:
        head = f"while {self._value(around)}:"
        return [head, *self._inner(around, loop=True, returns=True), *self._else(around)]

    def _for(self, around: _Around) -> list[str]:
        begin = self._maybe_async(around)
        head = f"{begin}for {self._target()} in {self._value(around)}:"
        return [head, *self._inner(around, loop=True), *self._else(around)]

    def _with(self, around: _Around) -> list[str]:
        items = [self._item(around) for _ in range(self.chance.choice((1, 1, 2)))]
        return [f"{self._maybe_async(around)}with {', '.join(items)}:", *self._inner(around)]

    def _item(self, around: _Around) -> str:
        context = self.chance.choice(("context()", f"context({self._value(around)})"))
        if self.chance.random() < 0.6:
            target = self._target()
            return f"{context} as {f'({target})' if ',' in target else target}"
        return context

    def _try(self, around: _Around) -> list[str]:
        lines = ["try:", *self._inner(around)]
        group = _GROUPS and self.chance.random() < 0.3
        kinds = self.chance.choice((("Failure",), ("Failure", "Exception"), ("Other", "Failure"), ()))
        for kind in kinds:
            name = f" as {self._name()}" if self.chance.random() < 0.5 else ""
            raised = kind if self.chance.random() < 0.8 else f"pick({kind}, {self._value(around)})"
            lines.append(f"except{'*' if group else ''} {raised}{name}:")
            lines += self._inner(around, loop=False, returns=False) if group else self._inner(around)
        if kinds:
            lines += self._else(around)
        if not kinds or self.chance.random() < 0.4:
            lines += ["finally:", *self._inner(around)]
        return lines

    def _match(self, around: _Around) -> list[str]:
        lines = [f"match subject({self._value(around)}):"]
        for number in range(1 + self.chance.randrange(3)):
            guard = f" if {self._value(around)}" if self.chance.random() < 0.4 else ""
            pattern = self._pattern()
            if number < 2 and not guard and pattern in (*NAMES, "_"):
                guard = " if flip()"
            lines.append(f"    case {pattern}{guard}:")
            lines += [f"    {line}" for line in self._inner(around)]
        return lines if len({one for one in lines if "case _:" in one}) < 2 else [lines[0], *lines[1:]]

    def _pattern(self) -> str:
        one, other = self.chance.sample(NAMES, 2)
        return self.chance.choice((
            one, "_", "1", f"[{one}, *{other}]", f"{{'k': {one}, **{other}}}", f"[{one}] | {{'k': {one}}}",
            f"(1 | 2) as {one}", f"int() as {one}", f"[1, {one}]",
            f"[{other}, [{one}, _]]", f"O.{one}",
        ))  # fmt: skip

    def _function(self, around: _Around) -> list[str]:
        own_name = self.chance.random() < 0.2
        asynchronous = self.chance.random() < 0.25
        parameters, free = self._parameters(around)
        inside = _Around(around.depth, True, asynchronous)
        heads = []
        if free and self.chance.random() < 0.35:
            kind = "nonlocal" if around.function and self.chance.random() < 0.7 else "global"
            heads = [f"    {kind} {self.chance.choice(free)}"]
        body = self._inner(inside)
        if not asynchronous and self.chance.random() < 0.15:
            body += [f"    yield {self._value(inside)}", *self._inner(inside)]
        name = self._name() if own_name else f"f{self.functions}"
        self.functions += not own_name
        decorator = [f"@same({self._value(around)})"] if self.chance.random() < 0.15 else []
        head = f"{'async ' if asynchronous else ''}def {name}({parameters}):"
        called = [] if own_name or self.chance.random() < 0.4 else [f"call({name})"]
        return [*decorator, head, *heads, *body, *called]

    def _parameters(self, around: _Around) -> tuple[str, list[str]]:
        names = [one for one in NAMES if self.chance.random() < 0.4]
        ways = [f"{one}={self._value(around)}" for one in names]
        if names and self.chance.random() < 0.2:
            ways[-1] = f"*{names[-1]}"
        elif names and self.chance.random() < 0.2:
            ways[-1] = f"**{names[-1]}"
        return ", ".join(ways), [one for one in NAMES if one not in names]

    def _class(self, around: _Around) -> list[str]:
        name = self._name() if self.chance.random() < 0.4 else "C"
        base = f"(base({self._value(around)}))" if self.chance.random() < 0.2 else ""
        return [f"class {name}{base}:", *self._inner(_Around(around.depth))]

    # --- expressions

    def _name(self) -> str:
        return self.chance.choice(NAMES)

    def _target(self) -> str:
        one, two = self.chance.sample(NAMES, 2)
        ways = (one, one, one, one, f"{one}, {two}", f"{one}, *{two}", f"[{one}, ({two}, O.a)]",
                f"O[{two}]", f"O[{self._value(_Around(depth=9))}]", f"{one}, O[{one}]")  # fmt: skip
        return self.chance.choice(ways)

    def _maybe_async(self, around: _Around) -> str:
        return "async " if around.asynchronous and self.chance.random() < 0.5 else ""

    def _value(self, around: _Around, depth: int = 0) -> str:
        if depth > 2:
            return self._name()
        number = self.chance.randrange(30)
        if number < 8:
            return self._name()
        if number < 14:
            return "V()"
        if number < 17:
            return "flip()"
        return self._longer_value(around, depth + 1, number)

    def _longer_value(self, around: _Around, depth: int, number: int) -> str:
        if number >= 27:
            return self._comprehension(around, depth)
        one, inner = self._name(), self._value(around, depth)
        if number < 20:
            return inner if one in self.barred else f"({one} := {inner})"
        if number == 20:
            return f"({inner} if {self._value(around, depth)} else {self._value(around, depth)})"
        if number == 21:
            return f"({inner} {self.chance.choice(('and', 'or'))} {self._value(around, depth)})"
        if number == 22:
            return f"({inner} < {self._value(around, depth)} < {self._value(around, depth)})"
        if number == 23:
            return f"O({inner}, {self._value(around, depth)})"
        if number == 24:
            return inner if set("'{[(") & set(inner) else f"f'{{{inner}}}'"
        if "async" in inner:
            return inner
        given = self.chance.choice(("", "", f"{one}={one}", f"{one}"))
        return f"call(lambda {given}: {inner})" if number == 25 else f"O(lambda {given}: {inner})"

    def _comprehension(self, around: _Around, depth: int) -> str:
        barred = self.barred
        targets = [self._name()]
        loops = self._loop(around, depth, targets[0])
        if self.chance.random() < 0.2:
            targets.append(self._name())
            loops += self._loop(around, depth, targets[1])
        # In a class's own body no comprehension may bind a name.
        self.barred = barred.union(targets) if around.function else frozenset(NAMES)
        if self.chance.random() < 0.4:
            loops += f" if {self._value(around, depth)}"
        inner = self._value(around, depth)
        self.barred = barred
        left, right = self.chance.choice(("[]", "{}", "()", "[]"))
        made = f"{left}{inner} {loops}{right}" if left != "{" else f"{{1: {inner} {loops}}}"
        return f"O(*{made})" if left == "(" and self.chance.random() < 0.5 else made

    def _loop(self, around: _Around, depth: int, target: str) -> str:
        barred, self.barred = self.barred, frozenset(NAMES)
        over = self._value(around, depth)
        self.barred = barred
        return f" {self._maybe_async(around)}for {target} in {over}"


_SIMPLE = (
    FlowPrograms._assign, FlowPrograms._assign, FlowPrograms._assign, FlowPrograms._update,
    FlowPrograms._annotate, FlowPrograms._delete, FlowPrograms._use, FlowPrograms._use, FlowPrograms._check,
    FlowPrograms._import, FlowPrograms._jump, FlowPrograms._jump, FlowPrograms._call,
)  # fmt: skip
_COMPOUND = (
    FlowPrograms._if, FlowPrograms._if, FlowPrograms._while, FlowPrograms._for, FlowPrograms._with,
    FlowPrograms._try, FlowPrograms._try, FlowPrograms._match, FlowPrograms._function, FlowPrograms._function,
    FlowPrograms._class,
)  # fmt: skip
