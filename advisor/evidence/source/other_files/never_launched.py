"""Kernels of a program that launches others of the same file and names these nowhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.names.read_names import ANY_NAME


def add_never_launched(
    launched: dict[str, LaunchedAs],
    kernels: Iterable[tuple[str, tuple[str, ...]]],
    read: Callable[[Collection[str]], Collection[str]],
    mentioned: Callable[[Collection[str]], Collection[str]],
) -> None:
    """Note in `launched` those of the kernels, each a key with its names, that no code names.

    `read` tells which of some names the code of launches and kernels reads, and `ANY_NAME` where it may read
    any; `mentioned` which stand in the other files of the workspace.

    Of a file without a launched kernel nothing is noted: its launches may not be written yet, or belong to
    those who use it.
    """
    in_use = {key.partition("::")[0] for key in launched}
    unnamed = {
        key: names for key, names in kernels if key not in launched and key.partition("::")[0] in in_use
    }
    if not unnamed:
        return
    asked = {name for names in unnamed.values() for name in names}
    named = frozenset(read(asked))
    if ANY_NAME in named:
        return
    named |= frozenset(mentioned(asked - named))
    for key, names in unnamed.items():
        if named.isdisjoint(names):
            launched[key] = LaunchedAs(never=True)
