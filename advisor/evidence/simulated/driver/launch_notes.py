"""Describes launches: which Python function, with which arguments, launched where in the program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from types import FrameType
from typing import Any

from advisor.evidence.simulated.driver.argument_notes import describe
from advisor.evidence.simulated.driver.executor import LaunchNote, Place
from advisor.evidence.simulated.simt.launch import Launch
from advisor.evidence.simulated.simt.ptx.ptx_program import Function


@dataclass
class _Current:
    """The launch that Numba is about to make in this thread: the function, its argument types, the place."""

    function: Any
    types: Sequence[Any]
    place: Place


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
        before = getattr(self._threads, "current", None)
        self._threads.current = _Current(function, types, place)
        try:
            yield
        finally:
            self._threads.current = before

    def note(self, kernel: Function, launch: Launch, values: Sequence[bytes], stream: int) -> LaunchNote:
        """The note of a launch that is about to run, `values` are the bytes of its parameters."""
        current: _Current | None = getattr(self._threads, "current", None)
        code = getattr(current.function, "__code__", None) if current else None
        place = current.place if current else self.place()
        return LaunchNote(
            function=current.function.__qualname__ if current and code else kernel.name,
            file=code.co_filename if code else None,
            line=code.co_firstlineno if code else None,
            launch_file=place[0],
            launch_line=place[1],
            grid=launch.grid,
            block=launch.block,
            dynamic_shared=launch.dynamic_shared,
            arguments=describe(current.function, current.types, values) if current else (),
            stream=stream,
            order=next(self._orders),
        )

    def place(self) -> Place:
        """File and line of the nearest caller outside of the libraries."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith(self._folders):
                return name, frame.f_lineno
            frame = frame.f_back
        return None, None
