"""Packs: folders of rules, given by their path or installed as a Python distribution.

A distribution names its folder under the entry point group `advisor.knowledge`, as `package` or
`package:folder`. Nothing of it is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.data_files import knowledge_folder
from advisor.model.errors import UsageError
from advisor.model.settings.selectors import suggestion
from advisor.rules.model import Pack

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "advisor.knowledge"
_SHIPPED = ("metrics", "rules")
MOST_RULES = 5_000
RULE_SUFFIX = ".rules"


def pack_folder(name: str, root: Path, place: str = "packs") -> Path:
    """The folder of a pack: a path from `root`, or an installed pack's.

    Raises UsageError for neither, with the `place` that names it.
    """
    path = root / Path(name).expanduser()
    if path.is_dir():
        return path
    installed = installed_packs()
    if name in installed:
        return installed[name]
    hint = suggestion(name, installed)
    raise UsageError(f"{place}: `{name}` is neither a folder nor an installed pack.{hint}")


def is_there(name: str, root: Path) -> bool:
    """Whether a pack that is configured is a folder or installed."""
    return (root / Path(name).expanduser()).is_dir() or name in installed_packs()


def installed_packs() -> dict[str, Path]:
    """The folders of installed packs by their names; one whose folder is missing is left out."""
    from importlib.metadata import entry_points  # it takes a moment, and few projects name packs

    found = {}
    for point in entry_points(group=GROUP):
        module, _, below = point.value.partition(":")
        for folder in _folders(module, point.dist):
            if (folder / below).is_dir():
                found[point.name] = folder / below
                break
    return found


def _folders(module: str, distribution: Distribution | None) -> Iterator[Path]:
    from importlib.util import find_spec

    parts = module.split(".")
    if distribution is not None:
        yield Path(str(distribution.locate_file("/".join(parts))))
    # One that is installed for editing lies elsewhere; finding a package at the top imports nothing.
    spec = find_spec(parts[0])
    for place in spec.submodule_search_locations or () if spec else ():
        yield Path(place).joinpath(*parts[1:])


def is_rule_file(name: str) -> bool:
    """Whether a file of that name holds rules; some file systems change the case of names."""
    return name.lower().endswith(RULE_SUFFIX)


def rule_files(folder: Path) -> list[Path]:
    """The rule files below a folder in order of path; links to folders are not followed."""
    found = []
    for here, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        found += [Path(here) / name for name in names if is_rule_file(name)]
    return sorted(found)


def file_of(path: str, packs: Iterable[Pack]) -> Path | None:
    """The file that a rulebook calls `path` in the folder of one of the packs, None where it is in none."""
    return next((file for pack in packs if (file := pack.file_of(path)) is not None), None)


def prefix_of(folder: Path) -> str:
    """What paths of a pack's files begin with: the folder's name, and its parent's before a shipped one's."""
    shipped = {(knowledge_folder() / name).resolve() for name in _SHIPPED}
    if folder.name in _SHIPPED and folder.resolve() not in shipped:
        return f"{folder.resolve().parent.name}/{folder.name}"
    return folder.name


def check_prefixes(folders: Iterable[Path]) -> None:
    """Raise UsageError for two packs whose files would be called the same."""
    known: dict[str, Path] = {}
    for folder in folders:
        other = known.setdefault(prefix_of(folder), folder)
        if other.resolve() != folder.resolve():
            raise UsageError(f"packs: {other} and {folder} have one name; rename one of the folders.")
