"""The rulebook a configuration asks for: the shipped knowledge and the packs it names."""

from __future__ import annotations

from pathlib import Path

from advisor.model.data_files import knowledge_folder
from advisor.model.settings.config import Config
from advisor.model.storage.cache import user_cache_folder
from advisor.model.storage.file_stamp import Stamps, stamps_of
from advisor.model.storage.memo import Memo
from advisor.rules import Rulebook, load_rulebook
from advisor.rules.loading.packs import check_prefixes, pack_folder, rule_files

# Those of this process: to load one takes as long as to judge a run. The inputs are the folders of packs.
_RULEBOOKS = Memo[tuple[Path, Path, tuple[str, ...]], Rulebook](most=8)


def rulebook_for(settings: Config, cache: bool = True, strict: bool = True) -> Rulebook:
    """All rules and metrics of the shipped knowledge base and the configured packs.

    It is loaded again when a file of a pack has changed, otherwise all get the same, which nobody may change.
    With `cache` parsed rules are kept in the user's own cache folder, never in the workspace, for what is
    read back from there is trusted. Raises RuleErrors with every error of every file; when not `strict` the
    rulebook holds them, without what has them. Raises UsageError for a pack that does not exist.
    """
    # Without packs all projects have the same.
    question = knowledge_folder(), settings.root if settings.packs else knowledge_folder(), settings.packs
    known = _RULEBOOKS.find(question, cache, _rule_stamps)
    if known is not None and not (strict and known.errors):
        return known
    packs = [pack_folder(name, settings.root, settings.place_of("packs", name)) for name in settings.packs]
    stamps = {str(pack): _rule_stamps(pack) for pack in packs}
    folders = [knowledge_folder() / "metrics", knowledge_folder() / "rules", *packs]
    check_prefixes(folders)
    rulebook = load_rulebook(folders, user_cache_folder() if cache else None, tolerant=not strict)
    return _RULEBOOKS.keep(question, cache, rulebook, stamps)


def _rule_stamps(pack: str | Path) -> Stamps:
    return stamps_of(rule_files(Path(pack)))
