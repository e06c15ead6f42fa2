"""The folders whose rules belong together with a rule file: the shipped ones, the packs, and its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import AdvisorError
from advisor.model.settings.config import Config, load_config
from advisor.rules.loading.packs import pack_folder

_SHIPPED = ("metrics", "rules")
_DECLARES_PACK = re.compile(r'^\s*pack\s+"', re.MULTILINE)


def folders_around(file: Path, top: Path) -> tuple[Path, ...]:
    """The folders of the rulebook that a rule file is part of; `top` is the highest that it may be a pack of.

    A file in no configured pack is in one of its own: the nearest folder upwards that declares a pack, else
    the file's. A configuration that cannot be read names no packs here; what is wrong with it others tell.
    """
    shipped = _other_knowledge(file, top) or knowledge_folder()
    folders = [shipped / name for name in _SHIPPED]
    try:
        settings = load_config(file.parent)
    except AdvisorError:
        settings = Config()
    for name in settings.packs:
        try:
            folder = Path(os.path.normpath(pack_folder(name, settings.root)))
        except (AdvisorError, OSError):
            continue
        if folder not in folders:
            folders.append(folder)
    return tuple(folders) if any(_place(file, one) for one in folders) else (*folders, _own_folder(file, top))


def place_in(file: Path, folders: tuple[Path, ...]) -> tuple[Path, Path] | None:
    """The folder that a file lies in and the file as it is called there, None where it lies in none."""
    for folder in folders:
        found = _place(file, folder)
        if found is not None:
            return folder, found
    return None


def is_shipped(file: Path) -> bool:
    """Whether a file is part of the knowledge that comes with the program."""
    return any(_place(file, knowledge_folder() / name) is not None for name in _SHIPPED)


def _place(file: Path, folder: Path) -> Path | None:
    if file.is_relative_to(folder):
        return file
    own, its = file.resolve(), folder.resolve()
    return folder / own.relative_to(its) if own.is_relative_to(its) else None


def _other_knowledge(file: Path, top: Path) -> Path | None:
    """The knowledge folder that the file lies in, where it is that of another checkout of this project."""
    for folder in file.parents:
        if folder.name in _SHIPPED and all((folder.parent / name).is_dir() for name in _SHIPPED):
            marks = (folder.parent / "metrics" / "kernel.rules", folder.parent / "devices")
            return folder.parent if all(one.exists() for one in marks) else None
        if folder == top:
            return None
    return None


def _own_folder(file: Path, top: Path) -> Path:
    for folder in file.parents:
        if any(_declares_pack(one) for one in sorted(folder.glob("*.rules")) if one != file):
            return folder
        if folder == top or not folder.is_relative_to(top):
            break
    return file.parent


def _declares_pack(file: Path) -> bool:
    try:
        return _DECLARES_PACK.search(file.read_text("utf-8", "replace")) is not None
    except OSError:
        return False
