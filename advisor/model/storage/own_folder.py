"""The folder `.advisor` of a project, which may come from anybody: what is written there stays there."""

from __future__ import annotations

import errno
from pathlib import Path

NAME = ".advisor"


def require_inside(file: Path) -> None:
    """Raise OSError for a file in a project's `.advisor` that a link puts outside of the project.

    Files elsewhere are where their user wants them.
    """
    own = next((one for one in file.parents if one.name == NAME), None)
    if own is not None and not file.resolve().is_relative_to(own.parent.resolve()):
        raise OSError(errno.EXDEV, f"a link in {NAME} leads out of the project", str(file))
