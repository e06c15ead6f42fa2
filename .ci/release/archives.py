"""What the wheel must hold, by the tree that it was built from."""

from __future__ import annotations

import zipfile
from pathlib import Path

# Folder of the tree and where the wheel has it, as pyproject.toml says.
_FOLDERS = {
    "advisor": "advisor",
    "lsp_server": "lsp_server",
    "grammar": "advisor/_grammar",
    "knowledge": "advisor/_knowledge",
}
_ABOUT = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")


def wanted(root: Path, tracked: list[str]) -> set[str]:
    """The names of the wheel's files but those about the wheel, from what git tracks below `root`."""
    return {
        f"{_FOLDERS[top]}/{rest}"
        for top, _, rest in (name.partition("/") for name in tracked)
        if top in _FOLDERS and not (top == "lsp_server" and rest.startswith("vscode/"))
        if (root / top / rest).is_file()
    }


def difference(wheel: Path, names: set[str]) -> str:
    """What the wheel lacks of `names` and what it has besides; empty where it has just them."""
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    about = {f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/{name}" for name in _ABOUT}
    told = [("lacks", (names | about) - held), ("has besides", held - names - about)]
    return "; ".join(f"{word} {', '.join(sorted(some)[:5])} ({len(some)})" for word, some in told if some)
