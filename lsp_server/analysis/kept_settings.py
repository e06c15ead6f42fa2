"""Configurations and rulebooks, kept until a file that they come from has changed."""

from __future__ import annotations

from pathlib import Path

from advisor.check.rulebook import rulebook_for
from advisor.model.settings.config import CONFIG_NAMES, Config, load_config
from advisor.rules import Rulebook
from advisor.rules.loading.packs import pack_folder
from lsp_server.analysis.file_stamps import Stamps, files_below

_CONFIG_FILES = (*CONFIG_NAMES, ".git")


class KeptRulebooks:
    """The rulebooks of configurations, loaded again when a file of one of their packs has changed."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, tuple[str, ...], bool], tuple[Rulebook, Stamps]] = {}

    def of(self, settings: Config, strict: bool) -> Rulebook:
        """The rulebook that `rulebook_for` gives."""
        key = (settings.root, settings.packs, strict)
        known = self._kept.get(key)
        if known is None or known[1].changed():
            folders = [pack_folder(name, settings.root) for name in settings.packs]
            stamps = Stamps(lambda: [file for folder in folders for file in files_below(folder, "*.rules")])
            known = self._kept[key] = rulebook_for(settings, strict=strict), stamps
        return known[0]


class KeptConfigs:
    """The configurations of folders, read again when a file that they may come from has changed."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[Config, Stamps]] = {}

    def of(self, folder: Path) -> Config:
        """The configuration that `load_config` gives. Raises UsageError for one that cannot be read."""
        known = self._kept.get(folder)
        if known is None or known[1].changed():
            places = (folder, *folder.parents)
            stamps = Stamps(lambda: [place / name for place in places for name in _CONFIG_FILES])
            self._kept.pop(folder, None)
            known = self._kept[folder] = load_config(folder), stamps
        return known[0]
