"""The configurations of folders, read again when a file that they may come from has changed."""

from __future__ import annotations

from pathlib import Path

from advisor.model.settings.config import CONFIG_NAMES, Config, load_config
from advisor.model.storage.file_stamp import stamps_of
from advisor.model.storage.memo import Memo

_CONFIG_FILES = (*CONFIG_NAMES, ".git")
_MOST_FOLDERS = 200


class Configurations:
    """The configurations of the folders of documents; may be asked from any thread."""

    def __init__(self) -> None:
        self._known = Memo[Path, Config](_MOST_FOLDERS)

    def of(self, folder: Path) -> Config:
        """The configuration that `load_config` gives. Raises UsageError for one that cannot be read."""
        files = (place / name for place in (folder, *folder.parents) for name in _CONFIG_FILES)
        return self._known.value(folder, stamps_of(files), lambda: load_config(folder))
