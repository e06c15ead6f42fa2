"""Kernels of a program that launches others of the same file and names these nowhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from advisor.evidence.source.file_analyser import FileHost
from advisor.program.launches.launched_as import LaunchedAs
from advisor.program.names.read_names import ANY_NAME


def add_never_launched(
    launched: dict[str, LaunchedAs],
    hosts: Iterable[FileHost],
    mentioned: Callable[[Collection[str]], Collection[str]],
) -> None:
    """Note in `launched` the kernels that no code names. `mentioned` tells which of some names stand in the
    files of the workspace that are not among `hosts`.

    Of a file without a launched kernel nothing is noted: its launches may not be written yet, or belong to
    those who use it.
    """
    read = frozenset[str]().union(*(host.read_names for host in hosts))
    if ANY_NAME in read:
        return
    in_use = {key.partition("::")[0] for key in launched}
    unnamed = {
        key: names
        for host in hosts
        for key, names in host.kernels
        if key not in launched and key.partition("::")[0] in in_use and read.isdisjoint(names)
    }
    if not unnamed:
        return
    named = frozenset(mentioned({name for names in unnamed.values() for name in names}))
    for key, names in unnamed.items():
        if named.isdisjoint(names):
            launched[key] = LaunchedAs(never=True)
