"""Keeps a program that runs in a copy made of links from writing to what the links lead to.

Before Python opens a file of the copy for writing, the link is replaced by a file of the copy's own (a folder
by a folder of links); writing elsewhere is refused as on a disk that can only be read. This sees what Python
itself does; `confinement` stops what libraries in C and other programs do, where the system can.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# For each event (https://docs.python.org/3/library/audit_events.html) the numbers of the arguments that hold
# a path and the folder it starts from, and whether a link at the path's end is followed.
_EVENTS: dict[str, tuple[tuple[int, int | None, bool], ...]] = {
    "open": ((0, None, True),),
    "os.chdir": ((0, None, True),),
    "os.chmod": ((0, 2, True),),
    "os.chown": ((0, 3, True),),
    "os.link": ((0, 2, True), (1, 3, False)),
    "os.mkdir": ((0, 2, False),),
    "os.remove": ((0, 1, False),),
    "os.removexattr": ((0, None, True),),
    "os.rename": ((0, 2, False), (1, 3, False)),
    "os.rmdir": ((0, 1, False),),
    "os.setxattr": ((0, None, True),),
    "os.symlink": ((1, 2, False),),
    "os.truncate": ((0, None, True),),
    "os.utime": ((0, 3, True),),
    "shutil.rmtree": ((0, 1, True),),
    "sqlite3.connect": ((0, None, True),),
}


def guard_writes(copy: Path, folders: Sequence[Path]) -> None:
    """Let this process write only into the copy, as files of its own, and into folders."""
    sys.addaudithook(_WriteGuard(copy, folders))


class _WriteGuard:
    def __init__(self, copy: Path, folders: Sequence[Path]) -> None:
        self._copy = copy.resolve()
        self._open_to = (self._copy, *(folder.resolve() for folder in folders))
        self._unlock()
        # A process that is forked while another thread holds the lock would wait for it forever.
        os.register_at_fork(after_in_child=self._unlock)

    def _unlock(self) -> None:
        self._lock = threading.RLock()
        self._busy = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        paths = _EVENTS.get(event)
        if paths is None or (event == "open" and not _writes(args[2])):
            return
        with self._lock:
            if self._busy:  # what follows is this guard's own doing
                return
            self._busy = True
            try:
                for number, start, follows in paths:
                    path = _path(args[number], args[start] if start and start < len(args) else None)
                    if path is not None:
                        self._look_at(event, path, follows, args)
            finally:
                self._busy = False

    def _look_at(self, event: str, path: Path, follows: bool, args: tuple[Any, ...]) -> None:
        emptied = event == "open" and bool(args[2] & os.O_TRUNC)
        place = self._place(path, follows, emptied)
        if event != "os.chdir" and not self._is_open(place):
            said = "a run for a proof writes only into its copy of the project and a temporary folder"
            raise PermissionError(errno.EACCES, said, str(path))

    def _is_open(self, place: Path) -> bool:
        return any(place.is_relative_to(folder) for folder in self._open_to)

    def _place(self, path: Path, follows: bool, emptied: bool) -> Path:
        """Where a path leads; links of the copy on the way there are replaced by what they lead to."""
        at, *parts = (Path(part) for part in path.parts)
        for number, part in enumerate(parts):
            at = at.parent if part.name == ".." else at / part
            last = number == len(parts) - 1
            if (last and not follows) or not at.is_symlink():
                continue
            real = at.resolve()
            if at.is_relative_to(self._copy) and not self._is_open(real) and _is_plain(real):
                _make_own(at, real, emptied and last)
            else:
                at = real
        return at


def _writes(flags: Any) -> bool:
    return isinstance(flags, int) and bool(flags & _WRITING)


def _path(given: Any, start: Any) -> Path | None:
    """The whole path, None for an open file, for a database in memory and for what names no file."""
    if not isinstance(given, str | bytes | os.PathLike):
        return None
    path = os.fsdecode(given)
    if path in ("", ":memory:") or path.startswith("file:"):
        return None
    folder = Path(f"/proc/self/fd/{start}") if isinstance(start, int) and start >= 0 else Path()
    return folder.resolve() / path


def _is_plain(place: Path) -> bool:
    """Whether there is a file, a folder, or nothing."""
    return place.is_file() or place.is_dir() or not place.exists()


def _make_own(link: Path, real: Path, emptied: bool) -> None:
    """Put a copy in the place of a link, for a folder one with links to all that is in it."""
    own = link.with_name(f"{link.name}.{os.getpid()}.own")
    if real.is_dir():
        own.mkdir()
        for entry in real.iterdir():
            (own / entry.name).symlink_to(entry)
        link.unlink()
    elif not real.exists():
        link.unlink()
        return
    elif emptied:
        own.touch()
        shutil.copymode(real, own)
    else:
        shutil.copy2(real, own)
    own.replace(link)
