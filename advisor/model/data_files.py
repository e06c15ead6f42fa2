"""Where the grammar and the knowledge base lie: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

import advisor

_PACKAGE = Path(advisor.__file__).resolve().parent


def _folder(name: str) -> Path:
    packaged = _PACKAGE / f"_{name}"
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


def grammar_folder() -> Path:
    """The folder with the rule language's grammar and its error sentences."""
    return _folder("grammar")


def knowledge_folder() -> Path:
    """The folder with rules, metric declarations and device files."""
    return _folder("knowledge")
