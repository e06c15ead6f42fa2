"""Random programs of three modules whose names hold numbers, bound in many ways."""

from __future__ import annotations

from random import Random

NAMES = ("A", "B", "C")
_BUILTIN = ("abs", "int", "float", "bool", "round")


class ConstantPrograms:
    """Writes the text of each module of one program; `see(number, value)` marks the places that are asked."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.places = self.functions = 0
        self.inside: list[str] = []
        self.modules: list[str] = []
        self.left = 6 + chance.randrange(14)

    def modules_of_a_program(self) -> dict[str, str]:
        """The text of each module by its name: `sizes`, `middle` and `main`, which is run."""
        texts = {"sizes": self._module([])}
        texts["middle"] = self._module(["sizes"])
        texts["main"] = self._module(["sizes", "middle"])
        return texts

    def _module(self, importable: list[str]) -> str:
        self.inside, self.modules = [], []
        lines = ["import math"]
        for module in importable:
            if self.chance.random() < 0.7:
                lines += self._import(module)
        own = [f"{name} = {self._number()}" for name in NAMES if not importable or self.chance.random() < 0.4]
        lines += own
        for _ in range(2 + self.chance.randrange(3) if importable else 1):
            lines += self._statement(0, "module")
        lines += [f"see({self._place()}, {self._value()})"]
        return "\n".join(lines) + "\n"

    def _import(self, module: str) -> list[str]:
        one, other = self.chance.sample(NAMES, 2)
        way = self.chance.randrange(6)
        if way < 2:
            self.modules.append(module)
            return [f"import {module}"]
        if way == 2:
            self.modules.append(f"{module}_too")
            return [f"import {module} as {module}_too"]
        if way == 3:
            return [f"from {module} import *"]
        return [f"from {'.' if way == 5 else ''}{module} import {one}, {other} as {self._name()}"]

    def _place(self) -> int:
        self.places += 1
        return self.places

    def _block(self, depth: int, around: str) -> list[str]:
        lines: list[str] = []
        for _ in range(1 + self.chance.randrange(2)):
            lines += self._statement(depth + 1, around)
        return [f"    {line}" for line in lines]

    def _statement(self, depth: int, around: str) -> list[str]:
        self.left -= 1
        kinds = 12 if depth > 2 or self.left < 0 else 24
        kind = self.chance.randrange(kinds)
        name, value = self._name(), self._kept()
        if kind < 5:
            return [f"see({self._place()}, {value})"]
        if kind < 8:
            return [f"{name} = {value}"]
        if kind == 8:
            return [f"{name}, {self._name()} = {value}, {self._value()}"]
        if kind == 9:
            ways = (f"{name} {self.chance.choice(('+=', '-='))} {value}", f"{name}: int = {value}",
                    f"take({name} := {value})", f"{name} = {self._name()} = {value}",
                    f"{name}, *{self._name()} = {value}, 1, 2", f"del {name}", f"import math as {name}",
                    f"see({self._place()}, [{name} for {name} in (7, 8)])")  # fmt: skip
            return self._list(name, value) if self.chance.random() < 0.3 else [self.chance.choice(ways)]
        if kind == 10:
            if around != "module":
                return [f"return {value}"]
            return (
                [f"{self.chance.choice(self.modules)}.{name} = {value}"]
                if self.modules
                else [f"take({value})"]
            )
        if kind == 11:
            return [f"see({self._place()}, {self._call()})"]
        return self._compound(depth, around, kind)

    def _list(self, name: str, value: str) -> list[str]:
        """A list that may change before it is looked at."""
        changes = (f"{name}.append(3)", f"take({name}.append(3))", f"grow({name})", f"{name}[0] = 5",
                   f"{self._name()} = {name}", f"{name} += [4]", f"take(sum(range(len({name}))))", "pass",
                   f"{name}[1:] = ()")  # fmt: skip
        looks = (f"len({name})", f"{name}[0]", f"(*{name},)", f"len({name}) + {name}[1]")
        return [f"{name} = [{value}, 2]", self.chance.choice(changes),
                f"see({self._place()}, {self.chance.choice(looks)})"]  # fmt: skip

    def _compound(self, depth: int, around: str, kind: int) -> list[str]:
        name, inner = self._name(), self._block
        if kind < 15:
            test = self.chance.choice(("flip()", f"{name} > 3"))
            otherwise = ["else:", *inner(depth, around)] if self.chance.random() < 0.6 else []
            return [f"if {test}:", *inner(depth, around), *otherwise]
        if kind == 15:
            return [f"for {name} in range({self.chance.randrange(1, 4)}):", *inner(depth, around)]
        if kind == 16:
            return ["while flip():", *inner(depth, around)]
        if kind == 17:
            return ["try:", *inner(depth, around), "    fail()", f"except Exception as {name}:",
                    *inner(depth, around)]  # fmt: skip
        if kind == 18:
            target = f" as {name}" if self.chance.random() < 0.5 else ""
            return [f"with context({self._number()}){target}:", *inner(depth, around)]
        if kind == 19:
            pattern = self.chance.choice((name, f"[{name}, *_]", "1", f"({self._number()} as {name})"))
            return [f"match {self._value()}:", f"    case {pattern} if flip():",
                    *(f"    {line}" for line in inner(depth, around))]  # fmt: skip
        return self._function(depth) if kind < 23 else self._class()

    def _function(self, depth: int) -> list[str]:
        self.functions += 1
        name = f"f{self.functions}" if self.chance.random() < 0.9 else self._name()
        parameter, other = self.chance.sample(NAMES, 2)
        given = self.chance.choice(("", f"{parameter}", f"{parameter}={self._value()}", f"*{parameter}",
                                    f"{other}, {parameter}={self._number()}"))  # fmt: skip
        heads = []
        free = [one for one in NAMES if one not in given]
        if free and self.chance.random() < 0.25:
            heads = [f"    {self.chance.choice(('global', 'global', 'nonlocal'))} {self.chance.choice(free)}"]
        body = self._block(depth, "function")
        result = [f"    return {self._kept()}"] if self.chance.random() < 0.7 else []
        arguments = {"": "", "*": ""}.get(given[:1], self._value())
        called = f"take({name}({arguments}))"
        self.inside.append(name if given == "" else f"{name}/")
        return [f"def {name}({given}):", *heads, *body, *result, called]

    def _class(self) -> list[str]:
        name = self._name()
        return [
            "class Holder:", f"    {name} = {self._value()}", "    def __init__(self, given):",
            f"        self.{name} = {self.chance.choice((self._value(), 'given'))}",
            f"        self.other = {self._value()}", "    def look(self):",
            f"        see({self._place()}, self.{name})", f"        see({self._place()}, {self._name()})",
            f"        {self.chance.choice(('self.other', 'take.other'))} = {self._value()}",
            f"        see({self._place()}, self.other)", f"        see({self._place()}, Holder.{name})",
            f"holder = Holder({self._value()})", f"{self.chance.choice(('holder.other = 3', 'pass'))}",
            "holder.look()",
        ]  # fmt: skip

    # --- expressions

    def _name(self) -> str:
        return self.chance.choice(NAMES)

    def _number(self) -> str:
        return self.chance.choice(("1", "2", "3", "4", "32", "256", "2.5", "True", "-1", "(4, 8)"))

    def _call(self) -> str:
        if not self.inside:
            return self._name()
        name = self.chance.choice(self.inside)
        return f"{name}()" if not name.endswith("/") else f"{name[:-1]}({self._value(2)})"

    def _kept(self) -> str:
        """A value that a loop cannot make longer and longer."""
        value = self._value()
        return self._number() if " * " in value and set(NAMES) & set(value) else value

    def _value(self, depth: int = 0) -> str:
        kind = self.chance.randrange(10 if depth > 1 else 20)
        if kind < 4:
            return self._name()
        if kind < 8:
            return self._number()
        if kind < 10:
            return f"{self.chance.choice(self.modules)}.{self._name()}" if self.modules else self._name()
        one, other = self._value(depth + 1), self._value(depth + 1)
        if kind < 14:
            return f"({one} {self.chance.choice(('+', '-', '*', '//', '%', '/', '|', '&'))} {other})"
        ways = (f"({one}, {other})", f"({one}, {other})[0]", f"len(({one}, {other}))", f"min({one}, {other})",
                f"max({one}, {other})", f"{self.chance.choice(_BUILTIN)}({one})", f"math.ceil({one} / 2)",
                f"({one} if {other} > 2 else 5)", f"({one} < {other})", f"(-{one})",
                f"({self._number()} {self.chance.choice(('**', '<<'))} {self._number()})", f"(not {one})",
                self._call(), self._call(), f"math.{self.chance.choice(('pi', 'floor(2.5)', 'sqrt(16)'))}",
                f"isinstance({one}, int)", f"{one}[1]", f"(lambda {self._name()}: {one})(2)",
                f"[{one}, *({other},)]")  # fmt: skip
        return self.chance.choice(ways)
