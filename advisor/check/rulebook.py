"""The rulebook a configuration asks for: the shipped knowledge and the packs it names."""

from __future__ import annotations

from advisor.model.data_files import knowledge_folder
from advisor.model.settings.config import Config
from advisor.model.storage.cache import user_cache_folder
from advisor.rules import Rulebook, load_rulebook
from advisor.rules.loading.packs import check_prefixes, pack_folder


def rulebook_for(settings: Config, cache: bool = True, strict: bool = True) -> Rulebook:
    """All rules and metrics of the shipped knowledge base and the configured packs.

    Parsed rules are kept in the user's own cache folder, never in the workspace, for what is read back from
    there is trusted. Raises RuleErrors with every error of every file; when not `strict` the rulebook holds
    them, without what has them. Raises UsageError for a pack that does not exist.
    """
    packs = [pack_folder(name, settings.root, settings.place_of("packs", name)) for name in settings.packs]
    folders = [knowledge_folder() / "metrics", knowledge_folder() / "rules", *packs]
    check_prefixes(folders)
    return load_rulebook(folders, user_cache_folder() if cache else None, tolerant=not strict)
