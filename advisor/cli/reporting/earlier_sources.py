"""The files of a project as they were at a commit, in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from advisor.model.errors import UsageError

_SECONDS = 120.0
_SHORT = 9


@dataclass(frozen=True)
class EarlierSources:
    """A folder that stands for the repository's top at a commit, and what that commit is called."""

    top: Path
    folder: Path
    shown: str

    def place_of(self, path: Path) -> Path:
        """Where a file or folder of the repository stands in the earlier one."""
        return self.folder / path.absolute().relative_to(self.top)


@contextmanager
def earlier_sources(working: Path, base: str) -> Iterator[EarlierSources]:
    """The repository of `working` where the line of work that it is on left `base`.

    That is their last common commit: what has come to `base` since is no change of this line. Where git knows
    none, as in a clone without history, it is `base` itself. Neither the repository's index nor its files are
    touched. Raises UsageError without git, outside of repositories, and for a revision that does not exist.
    """
    top = _git(working, "rev-parse", "--show-toplevel")
    if top is None:
        raise UsageError(f"{working} lies in no git repository, so it has no base to compare with.")
    commit = _git(working, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    if commit is None:
        raise UsageError(
            f"git knows no revision `{base}` here; a shallow clone needs `git fetch` of it first."
        )
    commit = _git(working, "merge-base", "HEAD", commit) or commit
    with tempfile.TemporaryDirectory(prefix="advisor-base-") as name:
        folder = Path(name).resolve() / Path(top).name
        folder.mkdir()
        index = {"GIT_INDEX_FILE": str(Path(name) / "index")}
        if (
            _git(Path(top), "read-tree", commit, more=index) is None
            or _git(Path(top), "checkout-index", "--all", f"--prefix={folder}/", more=index) is None
        ):
            raise UsageError(f"git could not write the files of `{base}` into a folder of their own.")
        yield EarlierSources(Path(top), folder, f"{base} ({commit[:_SHORT]})")


def _git(folder: Path, *arguments: str, more: dict[str, str] | None = None) -> str | None:
    """What git prints, None where it fails. Raises UsageError when there is no git."""
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", **(more or {})}
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS, env=environment)
    except FileNotFoundError:
        raise UsageError("`advisor diff --base` needs git, which is not on PATH.") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git did not end within {_SECONDS:g} s.") from None
    # Names of folders are what the system says they are.
    return os.fsdecode(done.stdout).rstrip("\n") if done.returncode == 0 else None
