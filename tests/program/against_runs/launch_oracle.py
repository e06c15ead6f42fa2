"""Launches as the model sees them, beside those that runs with a recording `numba.cuda` make."""

from __future__ import annotations

import builtins
import contextlib
import functools
import math
import random
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
from answers import Answers
from launch_programs import LaunchPrograms

from advisor.model.text.source_text import SourceText
from advisor.program.effects.device_functions import Resolver
from advisor.program.launches.launches import Launch, find_launches
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

_SEEDS = range(4)
_FILE = "generated.py"


@dataclass
class _Made:
    """One launch that a run has made."""

    line: int
    kernel: str
    grid: object
    block: object
    arguments: tuple[Any, ...]


def launches_of_a_program(chance: Random) -> Answers:
    """Compare the kernels and configurations of one random program's launches."""
    return compared(LaunchPrograms(chance).text(), arrays=False)


def arrays_of_a_program(chance: Random) -> Answers:
    """Compare what is said of the arrays that one random program's launches give."""
    return compared(LaunchPrograms(chance).text(), arrays=True)


def compared(text: str, arrays: bool) -> Answers:
    """Compare each launch that runs make with the one that stands on its line."""
    answers = Answers()
    try:
        code = compile(text, _FILE, "exec")
    except SyntaxError:
        return answers
    module = parse_module(SourceText(_FILE, text))
    said: dict[int, list[Launch]] = {}
    for launch in find_launches(module, Resolver(Workspace(Path()))):
        said.setdefault(launch.node.lineno, []).append(launch)
    for made in _runs(code):
        launches = said.get(made.line)
        if launches is None:
            answers.note("launches", False)
            continue
        # A call may launch one of several kernels or configurations.
        every = [(_arrays if arrays else _configuration)(one, made) for one in launches]
        for number, (question, known, _) in enumerate(every[0]):
            right = any(one[number][2] or not one[number][1] for one in every)
            shown = [
                (one.name, one.grid, one.block, one.argument_types, one.argument_orders) for one in launches
            ]
            answers.note(question, known, None if right else f"{made}, said is {shown} in\n{text}")
    return answers


def _configuration(launch: Launch, made: _Made) -> list[tuple[str, bool, bool]]:
    """Each question, whether it has an answer, and whether that is right."""
    kernel = launch.kernel
    return [
        ("kernels", kernel is not None, kernel is not None and kernel.name == made.kernel),
        ("blocks", launch.block is not None, _fits(launch.block, made.block)),
        ("grids", launch.grid is not None, _fits(launch.grid, made.grid)),
    ]


def _fits(said: tuple[int | None, ...] | None, made: object) -> bool:
    sizes = made if isinstance(made, tuple) else (made,)
    if said is None or len(said) != len(sizes):
        return said is None
    return all(one is None or one == other for one, other in zip(said, sizes, strict=True))


def _arrays(launch: Launch, made: _Made) -> list[tuple[str, bool, bool]]:
    found = []
    for text, given in zip(launch.argument_types, made.arguments, strict=False):
        found.append(("types of arguments", text is not None, text is None or _has_type(text, given)))
    for order, given in zip(launch.argument_orders, made.arguments, strict=False):
        if isinstance(given, np.ndarray) and given.ndim > 1:
            flag = given.flags.f_contiguous if order == "F" else given.flags.c_contiguous
            found.append(("orders of arrays", order in ("C", "F"), flag))
    return found


def _has_type(text: str, given: Any) -> bool:
    """Whether an argument has a Numba type; its layout is not looked at."""
    element, _, axes = text.partition("[")
    value = np.asarray(given)
    if bool(axes) != isinstance(given, np.ndarray):
        return False
    kind = "boolean" if value.dtype == np.bool_ else value.dtype.name
    return element == kind and (axes in ("", "?]") or axes.count(",") + 1 == value.ndim)


class _Kernel:
    def __init__(self, name: str, made: list[_Made], configured: tuple[Any, ...] | None = None) -> None:
        self.name, self.made, self.configured = name, made, configured

    def __getitem__(self, configured: tuple[Any, ...]) -> _Kernel:
        return _Kernel(self.name, self.made, configured)

    def configure(self, *configured: Any) -> _Kernel:
        return self[configured]

    def __call__(self, *given: Any) -> None:
        assert self.configured is not None
        frame = sys._getframe(1)
        grid, block = self.configured[:2]
        sizes = [one for part in (grid, block) for one in (part if isinstance(part, tuple) else (part,))]
        if not all(isinstance(one, int) and one > 0 for one in sizes):
            raise ValueError("no configuration")
        # The program may give an array another shape afterwards.
        given = tuple(one.view() if isinstance(one, np.ndarray) else one for one in given)
        self.made.append(_Made(frame.f_lineno, self.name, grid, block, given))


def _compiled(made: list[_Made], function: Any = None, **_: Any) -> Any:
    """What `cuda.jit` gives, with a function or only with options."""
    return functools.partial(_compiled, made) if function is None else _Kernel(function.__name__, made)


def _drive(coroutine: Any) -> None:
    """Run a coroutine that waits for nothing."""
    with contextlib.suppress(StopIteration):
        coroutine.send(None)


def _runs(code: Any) -> list[_Made]:
    made: list[_Made] = []
    for seed in _SEEDS:
        chance = random.Random(seed)
        cuda = SimpleNamespace(jit=functools.partial(_compiled, made))
        modules = {
            "numba": SimpleNamespace(cuda=cuda),
            "numpy": np,
            "functools": functools,
            "math": math,
            "contextlib": contextlib,
        }

        def fail(chance: Random = chance) -> None:
            if chance.random() < 0.5:
                raise ValueError

        space: dict[str, Any] = {
            "__builtins__": {**vars(builtins), "__import__": lambda name, *_, found=modules: found[name]},
            "flip": lambda chance=chance: chance.random() < 0.5, "fail": fail, "math": math, "drive": _drive,
        }  # fmt: skip
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, space)
    return made
