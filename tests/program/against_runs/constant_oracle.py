"""The constants that the program model knows, beside the values that runs show."""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import functools
import math
import random
import re
import tempfile
import types
import warnings
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from answers import Answers
from constant_programs import ConstantPrograms

from advisor.model.text.source_text import SourceText
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module
from advisor.program.values.constant_folding import UNKNOWN
from advisor.program.values.constants import Constants

_SEEDS = range(3)
_MOST_STEPS = 60


def constants_of_a_program(chance: Random) -> Answers:
    """Compare the constants of one random program."""
    return compared(ConstantPrograms(chance).modules_of_a_program())


def compared(texts: Mapping[str, str]) -> Answers:
    """Compare the value of each `see(number, value)` of some modules, of which `main` is run."""
    answers = Answers()
    try:
        seen = _observed(texts)
    except (SyntaxError, MemoryError):
        return answers
    workspace = _workspace(texts)
    # What one module stores in another is seen by the model only where the storing one asks, or one that
    # imports it.
    stores = re.compile(r"^ *(sizes|middle)\w*\.\w+ = ", re.MULTILINE)
    for name, own in texts.items():
        unseen = {other for other in texts if other != name and not _imports(own, other)}
        if any(stores.search(texts[other]) for other in unseen):
            continue
        module = workspace.module(workspace.root / f"{name}.py")
        assert module is not None
        for call in module.calls:
            match call:
                case ast.Call(func=ast.Name(id="see"), args=[ast.Constant(value=place), node]):
                    scopes = module.scopes(call)
                    function = next((one for one in scopes if isinstance(one, ast.FunctionDef)), None)
                    said = Constants(workspace, module, function).value(node)
                    wrong = [value for value in seen.get(place, ()) if not _may_be(said, value)]
                    written = "\n".join(f"# {name}.py\n{text}" for name, text in texts.items())
                    answers.note("constants", said is not UNKNOWN, (
                        f"line {call.lineno} of {name}.py: {ast.unparse(call)} is {wrong[0]!r}, said is "
                        f"{said!r} in\n{written}"
                    ) if wrong else None)  # fmt: skip
    return answers


def _imports(text: str, name: str) -> bool:
    """Whether a module imports another one by its name."""
    return re.search(rf"^ *(import|from) +\.?{name}\b", text, re.MULTILINE) is not None


def _may_be(said: object, value: object) -> bool:
    """Whether a known value is that of a run; lists count as tuples, unknown as anything."""
    if said is UNKNOWN:
        return True
    if isinstance(said, tuple):
        same = isinstance(value, tuple | list) and len(said) == len(value)
        return same and all(map(_may_be, said, value))
    return type(said) is type(value) and (said == value or said != said)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def _workspace(texts: Mapping[str, str]) -> Workspace:
    root = Path(_folder().name)
    workspace = Workspace(root)
    for name, text in texts.items():
        file = workspace.root / f"{name}.py"
        file.touch()
        workspace.add(parse_module(SourceText(f"{name}.py", text), str(file)))
    return workspace


class _EndOfRun(BaseException):
    pass


class _Run:
    def __init__(self, codes: Mapping[str, types.CodeType], seed: int) -> None:
        self.codes, self.chance, self.steps = codes, random.Random(seed), 0
        self.modules: dict[str, Any] = {"math": math}
        self.seen: dict[int, list[object]] = {}

    def flip(self) -> bool:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _EndOfRun
        return self.chance.random() < 0.5

    def fail(self) -> None:
        if self.flip():
            raise ValueError

    def see(self, place: int, value: object) -> None:
        self.flip()
        # Lists may change later on.
        self.seen.setdefault(place, []).append(copy.deepcopy(value))

    def load(self, name: str, *_: object) -> Any:
        """The module of a name, run when it is first imported."""
        if name not in self.modules:
            module: Any = types.ModuleType(name)
            self.modules[name] = module
            builtin = {**vars(builtins), "__import__": self.load}
            vars(module).update(
                __builtins__=builtin, flip=self.flip, fail=self.fail, see=self.see, take=self.take,
                grow=self.grow, context=lambda value: contextlib.nullcontext(value),
            )  # fmt: skip
            names = set(vars(module))
            exec(self.codes[name], vars(module))
            # `from m import *` brings what the module binds.
            module.__all__ = [one for one in vars(module) if one not in names and one != "__all__"]
        return self.modules[name]

    @staticmethod
    def take(value: object) -> None: ...

    @staticmethod
    def grow(value: object) -> None:
        if isinstance(value, list):
            value.append(9)


def _observed(texts: Mapping[str, str]) -> dict[int, list[object]]:
    """The values that runs saw, by the number of the place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        codes = {name: compile(text, name, "exec") for name, text in texts.items()}
    found: dict[int, list[object]] = {}
    for seed in _SEEDS:
        run = _Run(codes, seed)
        with contextlib.suppress(Exception, _EndOfRun):
            run.load("main")
        for place, values in run.seen.items():
            found.setdefault(place, []).extend(values)
    return found
