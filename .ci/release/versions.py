"""The versions that go together: the program's, the extension's and the changelog's."""

from __future__ import annotations

import json
import re
from pathlib import Path


def versions(root: Path) -> dict[str, str]:
    """The version that each file below `root` states; empty where it states none."""
    extension = root / "lsp_server/vscode"
    lock = json.loads((extension / "package-lock.json").read_text("utf-8"))
    return {
        "pyproject.toml": _found(r'^version = "([^"]+)"', root / "pyproject.toml"),
        "advisor/__init__.py": _found(r'^__version__ = "([^"]+)"', root / "advisor/__init__.py"),
        "CHANGELOG.md": _found(r"^## (\S+)", root / "CHANGELOG.md"),
        "extension": json.loads((extension / "package.json").read_text("utf-8"))["version"],
        "extension's lock": lock["version"],
        "extension's lock, root package": lock["packages"][""]["version"],
    }


def disagreement(root: Path) -> str:
    """Which files state which version, if not all state the same; else an empty text."""
    found = versions(root)
    if len(set(found.values())) == 1 and all(found.values()):
        return ""
    return ", ".join(f"{place}: {version or 'none'}" for place, version in found.items())


def _found(pattern: str, file: Path) -> str:
    match = re.search(pattern, file.read_text("utf-8"), re.MULTILINE)
    return match[1] if match else ""
