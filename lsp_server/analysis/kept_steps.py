"""The steps of a check that cost the most, each kept from one state of a document to the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from advisor.check.inputs import Workplace
from advisor.check.steps import USUAL, Means
from advisor.evidence.source.resurvey import Resurvey
from advisor.evidence.source.survey import Survey
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.program.syntax.module import parse_module
from advisor.rules.evaluation.rejudgement import Rejudgement
from lsp_server.analysis.rules_in_use import rulebook_in_use

_MOST_DOCUMENTS = 12


class KeptSteps:
    """The means of the analyses of all documents; belongs to one thread."""

    def __init__(self) -> None:
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

        return replace(self.means(), survey=survey, judge=verdicts.judge)

    def means(self) -> Means:
        """Means of a check of anything else, by the rules that explanations are taken from too."""
        return replace(USUAL, rulebook=rulebook_in_use)
