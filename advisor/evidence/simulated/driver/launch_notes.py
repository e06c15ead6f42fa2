"""Describes launches: which Python function, with which arguments, launched where in the program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from types import FrameType
from typing import Any

from advisor.evidence.simulated.driver.argument_notes import describe
from advisor.evidence.simulated.driver.executor import (
    ArgumentNote,
    ArrayOperation,
    CodePoint,
    LaunchNote,
    Place,
)
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.ptx.ptx_program import Function

# What gives the operation of a library's kernel from its name and the bytes of its parameters.
Operations = Callable[[str, Sequence[bytes]], "ArrayOperation | None"]


@dataclass(frozen=True)
class DescribedLaunch:
    """A launch of a kernel that is not Numba's: its name, where it is defined, a hash of its text, its
    arguments, and the place of the launch.
    """

    function: str
    file: str | None
    line: int | None
    text_hash: str
    arguments: tuple[ArgumentNote, ...]
    place: Place

    def described(self, _values: Sequence[bytes]) -> DescribedLaunch:
        """The launch itself."""
        return self


@dataclass
class _Current:
    """The launch that Numba is about to make in this thread: the function, its argument types, the place."""

    function: Any
    types: Sequence[Any]
    place: Place

    def described(self, values: Sequence[bytes]) -> DescribedLaunch:
        """The launch with arguments of these bytes."""
        code = getattr(self.function, "__code__", None)
        return DescribedLaunch(
            self.function.__qualname__ if code else "",
            code.co_filename if code else None,
            code.co_firstlineno if code else None,
            "",
            describe(self.function, self.types, values),
            self.place,
        )


class LaunchNotes:
    """Makes the notes of a process's launches, in their order."""

    def __init__(self, library_folders: Sequence[str]) -> None:
        self._folders = tuple(library_folders)
        self._orders = count(1)
        self._threads = threading.local()

    @property
    def is_noted(self) -> bool:
        """Whether this thread is within a launch of Numba's."""
        return getattr(self._threads, "current", None) is not None

    @contextmanager
    def launching(self, function: Any, types: Sequence[Any], place: Place) -> Iterator[None]:
        """Within it, launches of this thread are of a Python function with arguments of these Numba types."""
        with self._of(_Current(function, types, place)):
            yield

    @contextmanager
    def described(self, launch: DescribedLaunch) -> Iterator[None]:
        """Within it, launches of this thread are of a kernel that is described already."""
        with self._of(launch):
            yield

    @contextmanager
    def _of(self, launch: _Current | DescribedLaunch) -> Iterator[None]:
        before = getattr(self._threads, "current", None)
        self._threads.current = launch
        try:
            yield
        finally:
            self._threads.current = before

    @contextmanager
    def in_library(self, name: str, operations: Operations) -> Iterator[None]:
        """Within it, launches of this thread that nobody else notes are of a library's own kernels."""
        self._threads.library, self._threads.operations = name, operations
        try:
            yield
        finally:
            self._threads.library = ""

    def note(self, kernel: Function, launch: Launch, values: Sequence[bytes], stream: int) -> LaunchNote:
        """The note of a launch that is about to run, `values` are the bytes of its parameters."""
        current: _Current | DescribedLaunch | None = getattr(self._threads, "current", None)
        known = current.described(values) if current else None
        library = "" if known else getattr(self._threads, "library", "")
        frame = None if known else self._frame()
        place = known.place if known else _place(frame)
        return LaunchNote(
            function=(known.function if known else "") or kernel.name,
            file=known.file if known else None,
            line=known.line if known else None,
            launch_file=place[0],
            launch_line=place[1],
            grid=launch.grid,
            block=launch.block,
            dynamic_shared=launch.dynamic_shared,
            arguments=known.arguments if known else (),
            stream=stream,
            order=next(self._orders),
            text_hash=known.text_hash if known else "",
            library=library,
            operation=self._threads.operations(kernel.name, values) if library else None,
            point=CodePoint(id(frame), frame.f_lasti) if library and frame is not None else None,
        )

    def next_order(self) -> int:
        """The number of a launch that is noted elsewhere."""
        return next(self._orders)

    def place(self) -> Place:
        """File and line of the nearest caller outside of the libraries."""
        return _place(self._frame())

    def _frame(self) -> FrameType | None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and self.is_of_library(frame.f_code.co_filename):
            frame = frame.f_back
        return frame

    def is_of_library(self, file: str) -> bool:
        """Whether a file of code is one of the libraries' or of this program's."""
        return file.startswith(self._folders)


def _place(frame: FrameType | None) -> Place:
    return (None, None) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
