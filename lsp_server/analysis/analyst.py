"""Analyses of documents by what is kept from one to the next, under what the user has chosen."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from advisor.model.devices import find_device
from advisor.model.errors import SourceProblem, UsageError
from advisor.model.records import SOURCES
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from advisor.model.text.syntax_trees import syntax_tree
from lsp_server.analysis.checked_text import Analysis, analyse, rehearse
from lsp_server.analysis.earlier_results import Measured
from lsp_server.analysis.refinement import Level, Stop
from lsp_server.analysis.stale_results import with_stale_results
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles, concerns_runs
from lsp_server.protocol.preferences import Preferences

# What makes analyses is imported when the first one is made: an editor waits for the server to begin.
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from advisor.evidence.compiled.kernel_codes import KernelCodes
    from advisor.model.settings.config import Config
    from lsp_server.analysis.configurations import Configurations
    from lsp_server.analysis.incremental import Incremental
    from lsp_server.evidence.compiling import KernelCompiler
    from lsp_server.evidence.launching import KernelLauncher

_MOST_DOCUMENTS = 12


class Analyst:
    """Makes the analyses of one server; each method may be called from any thread."""

    def __init__(self) -> None:
        self.preferences = Preferences()
        self._workspace_files = WorkspaceFiles()
        self._stale = False
        self._good: dict[str, Analysis] = {}
        self._measured = Measured()
        # By folder: the last settings under which an analysis could be made, and those that hold now.
        self._valid: dict[Path, Config] = {}
        self._used: dict[Path, Config] = {}

    @cached_property
    def _configs(self) -> Configurations:
        from lsp_server.analysis.configurations import Configurations

        return Configurations()

    @cached_property
    def _kept(self) -> Incremental:
        from lsp_server.analysis.incremental import Incremental

        return Incremental()

    @cached_property
    def _codes(self) -> KernelCodes:
        from advisor.evidence.compiled.kernel_codes import KernelCodes
        from advisor.model.storage.cache import user_cache_folder

        folder = user_cache_folder()
        return KernelCodes(folder / "editor" if folder is not None else None)

    @cached_property
    def _compiler(self) -> KernelCompiler:
        from lsp_server.evidence.compiling import KernelCompiler

        return KernelCompiler(self._codes)

    @cached_property
    def _launcher(self) -> KernelLauncher:
        from lsp_server.evidence.launching import KernelLauncher

        return KernelLauncher(self._codes)

    def rehearse(self, folder: Path) -> None:
        """Load what `from_source` needs, under the settings of a folder."""
        rehearse(folder, self._configs.of)

    def from_source(self, document: Document) -> Analysis:
        """What the source alone says of a document."""
        if self._stale:
            self._stale = False
            self._kept.forget_files()
        collectors = self._kept.collectors(document.file, document.root)
        verdicts = self._kept.verdicts(document.file, document.root)
        device, folder = self._device(), document.file.parent

        def under(configure: Callable[[Path], Config]) -> Analysis:
            return analyse(
                document,
                self._workspace_files,
                device=device,
                collectors=collectors,
                configure=configure,
                verdicts=verdicts,
            )

        try:
            now = under(self._configs.of)
            self._valid[folder] = now.settings
        except UsageError as error:
            # One wrong key must not cost all findings.
            settings = self._valid.get(folder) or load_config(folder, isolated=True)
            now = replace(under(lambda _: settings), wrong_settings=str(error))
        self._used[folder] = now.settings
        return self._with_last_good(now)

    def _with_last_good(self, now: Analysis) -> Analysis:
        """What was said last, carried along, where the text does not parse at the moment."""
        uri = now.document.uri
        now = replace(now, former=self._measured.before(now))
        if now.parsed:
            self._good[uri] = now
            while len(self._good) > _MOST_DOCUMENTS:
                self.close_document(next(iter(self._good)))
            return now
        good = self._good.get(uri)
        return now if good is None or good.device != now.device else with_stale_results(good, now)

    def expected(self, document: Document) -> Analysis | None:
        """What was said last of a text that parsed, carried to one that parses again and was not analysed.

        None where there is nothing to carry, or where the text does not parse.
        """
        good = self._good.get(document.uri)
        if good is None or good.document.path != document.path:
            return None
        try:
            syntax_tree(document.source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return with_stale_results(good, replace(good, document=document, findings=(), problems=()))

    def better(self, analysis: Analysis) -> None:
        """Take note of a better analysis of a text, in case that the next one does not parse."""
        uri = analysis.document.uri
        if uri in self._good:
            self._good[uri] = analysis

    def close_document(self, uri: str) -> None:
        """Forget a document."""
        self._good.pop(uri, None)
        self._measured.forget(uri)

    def prefer(self, preferences: Preferences) -> None:
        """Take on what the user has chosen; no number that rests on another choice is shown again."""
        self.preferences = preferences
        self._measured.forget()

    def later(self, document: Document, level: Level, stop: Stop) -> Analysis | None:
        """What a later level of evidence says, with all that was known before; None where it says nothing.

        Raises Cancelled once nobody wants to know.
        """
        from advisor.program.syntax.module import parse_module
        from lsp_server.evidence.collectors import DiskCollectors, has_measurements, stores_of

        stop.check()
        if not concerns_runs(document):
            return None
        try:
            # The analysis of a check tells of such a text as of any other; here the source's error must stay.
            parse_module(document.source)
        except SourceProblem:
            return None
        folder = document.file.parent
        settings = self._used.get(folder) or load_config(folder)
        chosen = self.preferences
        collectors = DiskCollectors(self._compiler, self._launcher_under(settings), level == "synthesised")
        if level == "synthesised" and not collectors.launches_are_made_up:
            return None
        if level == "recorded" or not self.preferences.compiled_evidence:
            options = CheckOptions("", document.root, evidence=settings.evidence, settings=settings)
            if not stores_of(options) and not has_measurements(options):
                return None
            collectors = DiskCollectors(None)
        elif settings.evidence == "source":
            return None
        self._compiler.complete = self._launcher.complete = True
        device = self._device()
        found = analyse(
            document, self._workspace_files, "measured", device, collectors, stop.check, lambda _: settings
        )
        found = replace(found, complete=self._compiler.complete and self._launcher.complete)
        if document.uri in self._good and self.preferences == chosen:
            self._measured.take(found, level != "recorded" and found.complete)
        return replace(found, former=self._measured.before(found))

    def unknown_device(self) -> str:
        """What is wrong with the chosen device, nothing where it is known."""
        try:
            find_device(self.preferences.device or "a100")
        except UsageError as error:
            return str(error)
        return ""

    def forget(self, new_files: bool = True) -> None:
        """Make the next analysis look at the files again; `new_files` when some may have come or gone."""
        self._workspace_files.forget()
        self._stale |= new_files

    def losses(self) -> list[str]:
        """What has cost a compiler's process its life since this was last asked, in sentences."""
        return self._compiler.losses()

    def rest(self) -> None:
        """Let go what is only of use while somebody works."""
        for one in self._at_work():
            one.rest()

    def close(self) -> None:
        """End the processes of the compiler and of made-up launches."""
        for one in self._at_work():
            one.close()

    def _at_work(self) -> list[KernelCompiler | KernelLauncher]:
        known = self.__dict__
        return [known[name] for name in ("_compiler", "_launcher") if name in known]

    def _launcher_under(self, settings: Config) -> KernelLauncher | None:
        """What makes up launches, None where the user or the settings do not want that."""
        preferred = self.preferences.compiled_evidence and self.preferences.synthesised_evidence
        enough = SOURCES.index(settings.evidence) >= SOURCES.index("synthesised")
        return self._launcher if preferred and settings.synthesis and enough else None

    def _device(self) -> str:
        return "" if self.unknown_device() else self.preferences.device
