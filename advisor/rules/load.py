"""Loading rule files: all errors of all files at once, and the parsed result kept for the next time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from advisor import __version__
from advisor.data_files import grammar_folder
from advisor.rules.model import Rulebook
from advisor.rules.problems import RuleErrors

_KEPT = 8


def load_rulebook(folders: Sequence[Path], cache_folder: Path | None = None) -> Rulebook:
    """The rulebook of every `*.rules` file below `folders`; a rule's category is the folder it lies in.

    Raises RuleErrors with every error. `cache_folder` must be the user's own: what it holds is trusted.
    """
    files = [(folder, file) for folder in folders for file in sorted(folder.rglob("*.rules"))]
    texts = [(folder, file, file.read_bytes()) for folder, file in files]
    kept = None if cache_folder is None else cache_folder / f"rulebook-{_digest(texts)}.pickle"
    known = _read(kept)
    if known is not None:
        return known
    rulebook = _parse(texts)
    if kept is not None:
        _keep(rulebook, kept)
    return rulebook


def rulebook_from_texts(files: Sequence[tuple[str, str]]) -> Rulebook:
    """The rulebook of texts with their paths, whose folder is the category. Raises RuleErrors."""
    from advisor.rules.assemble import assemble
    from advisor.rules.build import Builder
    from advisor.rules.syntax import Reader

    contents, categories = [], {}
    for path, text in files:
        reader = Reader(path, text)
        contents.append((Builder(reader).build(), reader.complaints))
        categories[path] = (
            path.replace(os.sep, "/").split("/")[-2] if "/" in path.replace(os.sep, "/") else ""
        )
    rulebook = assemble(contents, categories)
    errors = [error for _, complaints in contents for error in complaints.errors]
    if errors:
        raise RuleErrors(errors)
    return rulebook


def _parse(texts: Sequence[tuple[Path, Path, bytes]]) -> Rulebook:
    named = []
    for folder, file, data in texts:
        path = (Path(folder.name) / file.relative_to(folder)).as_posix()
        named.append((path, data.decode("utf-8", "replace").replace("\r\n", "\n").removeprefix("\ufeff")))
    return rulebook_from_texts(named)


def _digest(texts: Sequence[tuple[Path, Path, bytes]]) -> str:
    digest = hashlib.sha256(f"{__version__} {sys.version_info[:2]}".encode())
    for name in ("rules.lark", "errors.toml"):
        digest.update((grammar_folder() / name).read_bytes())
    for code in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(code.read_bytes())
    for folder, file, data in texts:
        digest.update(f"\0{folder}\0{file}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


def _read(kept: Path | None) -> Rulebook | None:
    if kept is None:
        return None
    try:
        found = pickle.loads(kept.read_bytes())
    except FileNotFoundError:
        return None
    except Exception:  # whatever a damaged pickle raises: it is thrown away
        with contextlib.suppress(OSError):
            kept.unlink(missing_ok=True)
        return None
    return found if isinstance(found, Rulebook) else None


def _keep(rulebook: Rulebook, kept: Path) -> None:
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=kept.parent)
        with os.fdopen(handle, "wb") as stream:
            pickle.dump(rulebook, stream, pickle.HIGHEST_PROTOCOL)
        Path(name).replace(kept)
        older = sorted(kept.parent.glob("rulebook-*.pickle"), key=lambda file: file.stat().st_mtime)[:-_KEPT]
        for file in older:
            file.unlink(missing_ok=True)
    except OSError:
        return
