"""Checkouts of public repositories, made from a folder of git directories or taken as they lie."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENDED = "ended"
# What a check reads.
_SUFFIXES = (".py", ".pyi", ".ipynb", ".toml")


@dataclass(frozen=True)
class Checked:
    """A checkout that was checked: where it lies, what was said, the seconds it took, and how it ended."""

    root: Path
    report: dict[str, Any]
    seconds: float
    ending: str


def checkout(folder: Path, repository: str, commit: str, work: Path) -> Path | None:
    """The files of a repository at a commit, None where `folder` has neither its checkout nor its git
    directory.

    `folder` holds OWNER+NAME, a checkout or a git directory; files of the latter are unpacked below `work`.
    """
    own = folder / repository.replace("/", "+")
    places = (own, own / "repo", own / ".git", own / "repo" / ".git")
    git = next((one for one in places if (one / "objects").is_dir()), None)
    if git is None:
        return own if own.is_dir() else None
    target = work / own.name
    if not target.exists():
        _unpack(git, commit, target)
    return target if any(target.iterdir()) else None


def readable(root: Path) -> list[Path]:
    """The Python files and notebooks of a checkout."""
    return [*root.rglob("*.py"), *root.rglob("*.ipynb")]


def _unpack(git: Path, commit: str, target: Path) -> None:
    """Write the files one by one, for a stored git directory may lack some large ones."""
    command = ["git", "-c", "safe.directory=*", "--git-dir", str(git)]
    listed = subprocess.run([*command, "ls-tree", "-r", "-z", commit], capture_output=True, check=True).stdout
    target.mkdir(parents=True)
    for row in listed.split(b"\0"):
        head, _, name = row.partition(b"\t")
        path = target / name.decode("utf-8", "surrogateescape")
        if path.suffix not in _SUFFIXES or not head.startswith(b"100"):
            continue
        blob = subprocess.run(
            [*command, "cat-file", "blob", head.split()[2].decode()], capture_output=True, check=False
        )
        if blob.returncode == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(blob.stdout)


def check(root: Path, arguments: Sequence[str], kept: Path, limit_s: float) -> Checked:
    """What a check with `arguments` says at the root of a checkout, or what an earlier one said that is kept
    in the file `kept`.

    No code of the repository is run, and its configuration is not read.
    """
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_run(root, arguments, limit_s)), "utf-8")
    found = json.loads(kept.read_text("utf-8"))
    return Checked(root, found["report"], found["seconds"], found["ending"])


def _run(root: Path, arguments: Sequence[str], limit_s: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "advisor", "check", "--isolated", "--no-run", "--format", "json"]
    began = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, *arguments], cwd=root, capture_output=True, text=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        return {"seconds": limit_s, "ending": "ran out of time", "report": {}}
    seconds = time.perf_counter() - began
    try:
        return {"seconds": seconds, "ending": ENDED, "report": json.loads(done.stdout)}
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        return {"seconds": seconds, "ending": f"crashed: {last[0]}", "report": {}}
