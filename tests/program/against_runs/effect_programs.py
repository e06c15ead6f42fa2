"""Random device functions and kernels over three arrays."""

from __future__ import annotations

from random import Random

ARRAYS = ("a", "b", "c")
_ALIASES = ("p", "q")


class EffectPrograms:
    """Writes functions of which later ones call earlier ones; the last is the kernel `k`."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.functions = 0

    def text(self) -> str:
        """The program."""
        lines = ["from numba import cuda"]
        for _ in range(self.chance.randrange(3)):
            lines += [f"def f{self.functions}(a, b, c, i):", *self._body(0, 1 + self.chance.randrange(4))]
            self.functions += 1
        lines += ["def k(a, b, c, i):", *self._body(0, 2 + self.chance.randrange(6))]
        return "\n".join(lines) + "\n"

    def _body(self, depth: int, count: int) -> list[str]:
        lines = [f"{one} = {self.chance.choice(ARRAYS)}" for one in _ALIASES if self.chance.random() < 0.7]
        lines = [] if depth else lines
        for _ in range(count):
            lines += self._statement(depth + 1)
        return [f"    {line}" for line in lines]

    def _statement(self, depth: int) -> list[str]:
        kind = self.chance.randrange(19 if depth < 3 else 13)
        array, alias = self._array(), self.chance.choice((*_ALIASES, *ARRAYS))
        if kind < 3:
            return [f"{array}[{self._index()}] = {self._value()}"]
        if kind == 3:
            return [f"{array}[{self._index()}] {self.chance.choice(('+=', '-='))} {self._value()}"]
        if kind < 7:
            return [f"{alias} = {array}"]
        if kind == 7:
            ways = (f"p, q = {array}, {self._array()}", f"p = q = {array}", f"{alias}, i = {array}, 0",
                    f"q = (p := {array})", f"t = ({array}, {self._array()})\np = t[0]")  # fmt: skip
            return self.chance.choice(ways).split("\n")
        if kind == 8:
            ways = (f"cuda.atomic.add({array}, {self._index()}, 1)", "cuda.syncthreads()",
                    f"n = {array}.shape[0] + len({array})", f"return {array}", f"unknown({array})",
                    f"x = {array}.sum()", f"{array}.fill(0)", f"del {alias}", f"{array}.x = {self._value()}",
                    f"x = min({self._value()}, 2)", f"return {self._value()}")  # fmt: skip
            return [self.chance.choice(ways)]
        if kind < 11 and self.functions:
            call = f"f{self.chance.randrange(self.functions)}({self._arguments()})"
            return [self.chance.choice((call, f"{alias} = {call}", f"x = {call}"))]
        if kind < 13:
            return [f"x = {self._value()}"]
        return self._compound(depth, kind, array, alias)

    def _compound(self, depth: int, kind: int, array: str, alias: str) -> list[str]:
        inner = self._body(depth, 1 + self.chance.randrange(2))
        if kind < 15:
            otherwise = ["else:", *self._body(depth, 1)] if self.chance.random() < 0.5 else []
            test = self.chance.choice(("flip()", self._value()))
            return [f"if {test}:", *inner, *otherwise]
        if kind == 15:
            return [f"for {alias} in ({array}, {self._array()}):", *inner]
        if kind == 16:
            return [f"for j, {alias} in enumerate(({array}, 1)):", *inner]
        if kind == 17:
            return [f"match ({array}, i):", f"    case ({alias}, _):", *(f"    {line}" for line in inner)]
        return [f"def g({self.chance.choice(ARRAYS)}):", *inner, f"g({array})"]

    def _arguments(self) -> str:
        given = [self._array() for _ in ARRAYS]
        if self.chance.random() < 0.3:
            return f"{given[0]}, i=i, c={given[1]}, b={given[2]}"
        return ", ".join([*given, "i"])

    def _array(self) -> str:
        name = self.chance.choice((*ARRAYS, *ARRAYS, *_ALIASES))
        kind = self.chance.randrange(16)
        if kind < 9:
            return name
        other = self.chance.choice((*ARRAYS, *_ALIASES))
        ways = (f"{name}.T", f"{name}[1:]", f"{name}[i]", f"({name} if flip() else {other})",
                f"{name}.view()",
                f"({name} or {other})", f"{name}[:, 0]", f"{name}.flat", f"{name}.x", f"{name}.ravel()[::2]",
                f"({name}, {other})[1]", f"[{name}, {other}][0]", f"{{0: {name}}}[0]",
                f"next(iter(({name},)))")  # fmt: skip
        return self.chance.choice(ways)

    def _index(self) -> str:
        return self.chance.choice(("0", "i", "i, 0", ":", "0:1", f"int({self._array()}[0, 0])", "..."))

    def _value(self) -> str:
        return self.chance.choice(("1", "2.0", "i", f"{self._array()}[i, 0]", f"{self._array()}[0]",
                                   f"{self._array()}[0, 1] * 2", f"{self._array()}.shape[0]",
                                   f"{self._array()}.size"))  # fmt: skip
