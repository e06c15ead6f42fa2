"""Rules as they were in a revision of a git repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.rules.loading.packs import is_rule_file


def write_earlier(folder: Path, revision: str, target: Path) -> bool:
    """Whether a folder stands in a git repository; its rule files of a revision are written to `target` then.

    Raises UsageError for a revision that does not exist.
    """
    if _git(folder, "rev-parse", "--show-toplevel") is None:
        return False
    listed = _git(folder, "ls-tree", "-r", "--name-only", "-z", revision, "--", ".")
    if listed is None:
        raise UsageError(f"git knows no revision `{revision}` of {folder}.")
    target.mkdir(parents=True, exist_ok=True)
    for name in filter(None, listed.decode("utf-8", "surrogateescape").split("\0")):
        if is_rule_file(name):
            content = _git(folder, "show", f"{revision}:./{name}")
            file = target / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content or b"")
    return True


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints, None where it fails. Raises UsageError when there is no git."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise UsageError("`rules diff` needs git to read rules of an earlier revision.") from None
    return done.stdout if done.returncode == 0 else None
