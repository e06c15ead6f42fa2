"""The steps of a check that cost the most, each kept from one state of a document to the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from advisor.check_options import CheckOptions, Progress
from advisor.config import CONFIG_NAMES, Config, load_config
from advisor.facts.module import parse_module
from advisor.facts.resurvey import Resurvey
from advisor.facts.survey import Survey
from advisor.means import USUAL, Means
from advisor.rulebook import rulebook_for
from advisor.rules import Rulebook
from advisor.rules.packs import pack_folder
from advisor.rules.rejudgement import Rejudgement
from advisor.workplace import Workplace
from lsp_server.stamps import Stamps, files_below

_MOST_DOCUMENTS = 12
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


class KeptSteps:
    """The means of the analyses of all documents; belongs to one thread."""

    def __init__(self) -> None:
        self._rulebooks = KeptRulebooks()
        self._documents: dict[tuple[Path, Path], tuple[Resurvey, Rejudgement]] = {}

    def forget(self) -> None:
        """Makes the next analyses read all other files again."""
        for surveys, _ in self._documents.values():
            surveys.forget()

    def means_for(self, file: Path, root: Path) -> Means:
        """Means of a check of one file's text; where it does not parse the survey raises SourceProblem."""
        known = self._documents.pop((file, root), None)
        surveys, verdicts = known or (Resurvey(root, file), Rejudgement())
        self._documents[file, root] = surveys, verdicts
        while len(self._documents) > _MOST_DOCUMENTS:
            del self._documents[next(iter(self._documents))]

        def survey(workplace: Workplace, options: CheckOptions, progress: Progress | None) -> Survey:
            source = options.stdin
            found = None
            if source is not None and not options.wants("compiled") and file.suffix == ".py":
                found = surveys.survey(source, workplace.neighbours)
                if found is None:
                    parse_module(source)
            return found if found is not None else USUAL.survey(workplace, options, progress)

        return replace(USUAL, rulebook=self._rulebooks.of, survey=survey, judge=verdicts.judge)
