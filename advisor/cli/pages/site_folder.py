"""A folder of pages that are rewritten: nothing in it is touched that did not come from here."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from advisor.cli.checking.report_file import write_atomically
from advisor.model.errors import UsageError

MANIFEST = ".advisor-docs"
_OWN_NAME = re.compile(r"(?:rules/)?[\w-]+\.(?:html|md|css)")


def write_site(folder: Path, files: Mapping[str, str]) -> list[str]:
    """The names of the pages that were removed, after `files` were written into `folder`.

    The manifest in the folder lists what was written, so that later pages replace earlier ones and pages of
    rules that are gone are removed. Raises UsageError for a folder with other contents and no manifest, for
    a file of somebody else's in the way of a page, and when something cannot be written.
    """
    try:
        known = _known_names(folder)
        _refuse_foreign_files(folder, files, known)
        for parent in sorted({(folder / name).parent for name in files}):
            parent.mkdir(parents=True, exist_ok=True)
        # First all names, old and new: an interrupted run leaves nothing behind that the next does not know.
        _write_manifest(folder, known | set(files))
        for name, text in files.items():
            write_atomically(folder / name, text)
        stale = sorted(name for name in known - set(files) if _is_inside(folder, name))
        for name in stale:
            (folder / name).unlink()
        _write_manifest(folder, files)
    except OSError as error:
        raise UsageError(
            f"{error.filename or folder}: cannot be written: {error.strerror or error}"
        ) from None
    return stale


def _known_names(folder: Path) -> set[str]:
    """The names that earlier runs wrote into `folder`."""
    if not folder.exists() and not folder.is_symlink():
        return set()
    if not folder.is_dir():
        raise UsageError(f"{folder}: is not a folder.")
    manifest = folder / MANIFEST
    if manifest.is_file():
        names = manifest.read_text("utf-8", errors="replace").splitlines()
        return {name for name in names if _OWN_NAME.fullmatch(name)}
    if any(folder.iterdir()):
        raise UsageError(
            f"{folder}: is not empty and was not written by `advisor rules docs` (it has no {MANIFEST}). "
            "Name a new or an empty folder."
        )
    return set()


def _refuse_foreign_files(folder: Path, files: Mapping[str, str], known: Collection[str]) -> None:
    for name in files:
        file = folder / name
        # A link that was put in a page's place leads to a file of somebody else's.
        if file.is_symlink() or (file.exists() and name not in known) or not _leads_into(folder, file.parent):
            raise UsageError(f"{file}: is in the way and was not written by `advisor rules docs`.")


def _is_inside(folder: Path, name: str) -> bool:
    file = folder / name
    return file.is_file() and not file.is_symlink() and _leads_into(folder, file.parent)


def _leads_into(folder: Path, parent: Path) -> bool:
    return parent.resolve().is_relative_to(folder.resolve())


def _write_manifest(folder: Path, names: Collection[str]) -> None:
    write_atomically(folder / MANIFEST, "".join(f"{name}\n" for name in sorted(names)))
