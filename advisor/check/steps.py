"""What a check is made with; a program that checks again and again may put its own steps in their place."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from advisor.check.collectors import compiled_records, launches_of, measured_records
from advisor.check.inputs import Workplace
from advisor.check.rulebook import rulebook_for
from advisor.evidence.metrics.tables import Tables
from advisor.evidence.source.survey import Survey, survey
from advisor.evidence.source.survey_memory import SurveyMemory
from advisor.model.compilation_unit import CompilationUnit
from advisor.model.devices import Device
from advisor.model.findings import Report
from advisor.model.records import Record
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.config import Config
from advisor.rules import Judgement, Rulebook, RuleSettings, judge

if TYPE_CHECKING:
    from advisor.evidence.simulated.launches.evidence import LaunchEvidence


def survey_workplace(
    workplace: Workplace,
    options: CheckOptions,
    progress: Progress | None,
    memory: SurveyMemory | None = None,
) -> Survey:
    """The source evidence of a workplace; what `memory` holds of unchanged files is not looked for again."""
    return survey(
        workplace.targets,
        options.root,
        neighbours=workplace.neighbours,
        stdin=workplace.stdin,
        with_units=options.wants("compiled"),
        jobs=options.jobs or min(os.cpu_count() or 1, 4),
        step=(lambda done, total: progress("reading source", done, total)) if progress else None,
        memory=memory,
    )


def _rulebook(settings: Config, strict: bool) -> Rulebook:
    return rulebook_for(settings, strict=strict)


class _RulebooksOnce:
    """Loads the rulebook of each configuration once."""

    def __init__(self) -> None:
        self._loaded: list[tuple[Config, Rulebook]] = []

    def __call__(self, settings: Config, strict: bool) -> Rulebook:
        for known, rulebook in self._loaded:
            if known is settings and not (strict and rulebook.errors):
                return rulebook
        rulebook = rulebook_for(settings, strict=strict)
        self._loaded.append((settings, rulebook))
        return rulebook


def _judge(rulebook: Rulebook, tables: Tables, settings: RuleSettings) -> Judgement:
    return judge(rulebook, tables, settings=settings)


Compile = Callable[[Sequence[CompilationUnit], Device, CheckOptions, Report, Progress | None], list[Record]]
Launches = Callable[[dict[str, str], Device, CheckOptions, Report], "list[LaunchEvidence]"]
Measure = Callable[[Sequence[Record], dict[str, str], Device, CheckOptions, Report], list[Record]]


@dataclass(frozen=True)
class Means:
    """The steps of a check that another program may do in its own way: each with the result of the usual one.

    `rulebook` takes the configuration and whether errors are raised.
    """

    rulebook: Callable[[Config, bool], Rulebook] = _rulebook
    survey: Callable[[Workplace, CheckOptions, Progress | None], Survey] = survey_workplace
    launches: Launches = launches_of
    compile: Compile = compiled_records
    measure: Measure = measured_records
    judge: Callable[[Rulebook, Tables, RuleSettings], Judgement] = _judge


USUAL = Means()


def for_one_command(checks_again: bool) -> Means:
    """Means of one command, which loads the rules of a configuration once for all that it does with them.

    Where a command checks again, files that have not changed in between are surveyed once.
    """
    means = replace(USUAL, rulebook=_RulebooksOnce())
    return replace(means, survey=partial(survey_workplace, memory=SurveyMemory())) if checks_again else means
