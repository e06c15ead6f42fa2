"""What the model says that functions do with arrays, beside what runs do with recording arrays."""

from __future__ import annotations

import contextlib
import random
import warnings
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from answers import Answers
from effect_programs import ARRAYS, EffectPrograms

from advisor.model.text.source_text import SourceText
from advisor.program.effects.array_effects import ArrayEffects
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

_SEEDS = range(3)


def effects_of_a_program(chance: Random) -> Answers:
    """Compare what one random kernel does."""
    return compared(EffectPrograms(chance).text())


def compared(text: str) -> Answers:
    """Compare what the model says of each array of `k` with runs of it."""
    answers = Answers()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(text, "generated.py", "exec")
    except SyntaxError:
        return answers
    module = parse_module(SourceText("generated.py", text))
    every = ArrayEffects(Workspace(Path())).every(module, module.functions_by_name["k"][-1])
    runs = [_run(code, seed) for seed in _SEEDS]
    for name in ARRAYS:
        said = every[name]
        for what, is_said in (("reads", said.reads), ("writes", said.writes), ("keeps", said.keeps)):
            done = any(name in getattr(one, what) for one in runs)
            wrong = f"`k` {what} `{name}`, which is not said in\n{text}" if done and not is_said else None
            answers.note(f"an array that is never {_PARTICIPLES[what]}", not is_said, wrong)
    return answers


_PARTICIPLES = {"reads": "read", "writes": "written", "keeps": "kept"}


class _Run:
    """What one run does with the elements of each array, and which of them something unknown gets."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.reads: list[str] = []
        self.writes: set[str] = set()
        self.keeps: set[str] = set()

    def flip(self) -> bool:
        return self.chance.random() < 0.5

    def unknown(self, given: Any) -> None:
        if isinstance(given, _Array):
            self.keeps.add(given.name)

    def add(self, array: Any, index: object, value: object) -> int:
        array[index] += value
        return 0


class _Array:
    """An array of two dimensions or a part of one; every use of an element is noted."""

    def __init__(self, run: _Run, name: str, rank: int = 2) -> None:
        self.__dict__.update(run=run, name=name, rank=rank, shape=(4,) * rank, size=4)

    def _part(self, index: object) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if sum(one is not ... for one in parts) > self.rank:
            raise IndexError("too many indices")
        rank = self.rank - sum(isinstance(one, int | float) for one in parts)
        if rank > 0 or ... in parts:
            return _Array(self.run, self.name, max(rank, 1))
        return None

    def __getitem__(self, index: object) -> Any:
        part = self._part(index)
        if part is None:
            self.run.reads.append(self.name)
            return _Element(self)
        return part

    def __setitem__(self, index: object, value: Any) -> None:
        if isinstance(value, _Array):
            self.run.reads.append(value.name)
        self.run.writes.add(self.name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("sum", "fill", "view", "ravel", "T", "flat"):
            raise AttributeError(name)
        return _Array(self.run, self.name, self.rank)

    def __setattr__(self, name: str, value: Any) -> None:
        self[0] = value

    @property
    def T(self) -> _Array:
        return _Array(self.run, self.name, self.rank)

    flat = T

    def view(self) -> _Array:
        return self.T

    def ravel(self) -> _Array:
        return _Array(self.run, self.name, 1)

    def sum(self) -> int:
        self.run.reads.append(self.name)
        return 1

    def fill(self, value: object) -> None:
        self.run.writes.add(self.name)

    def _number(self, *_: object) -> int:
        self.run.reads.append(self.name)
        return 1

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __int__ = __index__ = _number
    __lt__ = __gt__ = __float__ = _number

    def __iadd__(self, value: Any) -> _Array:
        if isinstance(value, _Array):
            self.run.reads.append(value.name)
        self.run.reads.append(self.name)
        self.run.writes.add(self.name)
        return self

    __isub__ = __iadd__

    def __bool__(self) -> bool:
        self.run.reads.append(self.name)
        return self.run.flip()

    def __len__(self) -> int:
        return 4

    def __iter__(self) -> Any:
        for _ in range(2):
            yield self[0]


class _Element(int):
    """A number; a kernel that takes it for an array does not compile, and so does not read it."""

    def __new__(cls, array: _Array) -> _Element:
        element = super().__new__(cls, 1)
        element.array = array
        return element

    def __getitem__(self, index: object) -> None:
        self.array.run.reads.remove(self.array.name)
        raise TypeError("a number has no items")

    def __setitem__(self, index: object, value: object) -> None:
        self[index]


def _run(code: Any, seed: int) -> _Run:
    run = _Run(seed)
    cuda = SimpleNamespace(atomic=SimpleNamespace(add=run.add), syncthreads=lambda: None)
    numba = SimpleNamespace(cuda=cuda)
    space: dict[str, Any] = {
        "__builtins__": {**vars(__import__("builtins")), "__import__": lambda *_: numba},
        "flip": run.flip, "unknown": run.unknown,
    }  # fmt: skip
    exec(code, space)
    arrays = [_Array(run, name) for name in ARRAYS]
    with contextlib.suppress(Exception):
        space["k"](*arrays, 1)
    return run
