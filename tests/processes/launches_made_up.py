"""Whether checks in tests make up launches, a second for each kernel: only where a test says so."""

from __future__ import annotations

from collections.abc import Sequence

_OFF = "--no-synthesis"
_COMMANDS = (("check",), ("explain",), ("rules", "why"))


def without_made_up_launches(argv: Sequence[str]) -> list[str]:
    """The arguments of a command, of one that would make up launches with the option not to."""
    for command in _COMMANDS:
        if tuple(argv[: len(command)]) == command:
            return [*command, _OFF, *argv[len(command) :]]
    return list(argv)
