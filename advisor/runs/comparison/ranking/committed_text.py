"""What a file held at a commit."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from advisor.model.errors import SourceProblem
from advisor.model.text.source_text import decode_source

_SECONDS = 10.0


def committed_text(root: Path, path: str, commit: str | None) -> str | None:
    """The text of a file, by its path from `root`, at a commit; None without git or where it was not there.

    Git takes no locks and starts no program of the repository.
    """
    if commit is None or not re.fullmatch("[0-9a-f]{7,64}", commit):
        return None
    try:
        ended = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "show", "--no-textconv", f"{commit}:./{path}"],
            cwd=root,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    try:
        return decode_source(ended.stdout, path).text if ended.returncode == 0 else None
    except SourceProblem:
        return None
