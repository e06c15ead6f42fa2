"""What the checks of edited documents keep from one state of the text to the next."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from advisor.check.collectors import DefaultCollectors
from advisor.check.inputs import Inputs
from advisor.evidence.source.analysis import SourceEvidence
from advisor.evidence.source.incremental_analysis import IncrementalAnalysis
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.storage.memo import Memo
from advisor.program.syntax.module import parse_module
from advisor.rules.evaluation.incremental_judge import IncrementalJudge

_MOST_DOCUMENTS = 12
_Document: TypeAlias = tuple[Path, Path]


class EditedSource(DefaultCollectors):
    """Collects the source evidence of one document, again only where an edit reaches; for one thread."""

    asks_servers = False

    def __init__(self, file: Path, root: Path) -> None:
        super().__init__()
        self._file = file
        self._parts = IncrementalAnalysis(root, file)

    def source(self, inputs: Inputs, options: CheckOptions, progress: Progress | None) -> SourceEvidence:
        """What the text on standard input says. Raises SourceProblem where nothing of it can be read."""
        text = options.stdin
        if text is None or options.wants("compiled") or self._file.suffix != ".py":
            return super().source(inputs, options, progress)
        found = self._parts.analyse(text, inputs.workspace_files)
        if found is None:
            parse_module(text)
            return super().source(inputs, options, progress)
        return found


class Incremental:
    """The collectors and the verdicts of the documents that were edited last; belongs to one thread."""

    def __init__(self) -> None:
        self._collectors = Memo[_Document, EditedSource](_MOST_DOCUMENTS)
        self._verdicts = Memo[_Document, IncrementalJudge](_MOST_DOCUMENTS)
        self._files_looked_for = 0

    def forget_files(self) -> None:
        """Make the next analyses read all other files again."""
        self._files_looked_for += 1

    def collectors(self, file: Path, root: Path) -> EditedSource:
        """Collectors for checks of one file's text."""
        question = file, root
        return self._collectors.value(question, self._files_looked_for, lambda: EditedSource(*question))

    def verdicts(self, file: Path, root: Path) -> IncrementalJudge:
        """The verdicts on one file's text."""
        return self._verdicts.value((file, root), None, IncrementalJudge)
