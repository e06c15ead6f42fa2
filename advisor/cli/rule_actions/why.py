"""`advisor rules why RULE PATH::kernel`: why a rule fires there, or why it does not."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from advisor.cli.checking.telling import say, tell
from advisor.cli.options import add_device, add_evidence, add_format
from advisor.model.findings import REASONS_OF_LEVELS
from advisor.reports.outputs.wording.locations import place_of_line
from advisor.rules.units import format_value

if TYPE_CHECKING:
    from advisor.check.why_silent import Silencer
    from advisor.cli.pages.named_kernels import NamedKernel
    from advisor.model.findings import Finding
    from advisor.rules.evaluation.trace import Step, Trace
    from advisor.rules.model import Rule

SUMMARY = "Say why a rule fires on a kernel or why not, with all values, and what would change that."
_ANSWERS = {"yes": "YES", "no": "NO", "unknown": "???"}
_MAKERS = {"kernel": "Numba", "triton_kernel": "Triton"}
_VERDICTS = {
    "fires": "fires",
    "info": "fires at level info",
    "silent": "is silent",
    "unknown": "is undecided",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `advisor rules why`."""
    parser.add_argument("rule", metavar="RULE", help="the rule's id")
    parser.add_argument("kernel", metavar="PATH::KERNEL", help="the file and the kernel in it")
    add_device(parser)
    add_evidence(parser)
    add_format(parser, "text", "json")


def run(args: argparse.Namespace) -> int:
    """0 after printing the traces, also where the rule is silent."""
    from advisor.check.rule_selection import with_todays_names
    from advisor.check.why_silent import Silencer
    from advisor.cli.checking.progress import TerminalProgress
    from advisor.cli.pages.named_kernels import find_kernel
    from advisor.model.devices import find_device
    from advisor.model.errors import UsageError
    from advisor.model.settings.config import command_config
    from advisor.model.settings.selectors import suggestion
    from advisor.reports.diagnosis.made_up_launches import (
        element_time_in_words,
        synthesis_as_json,
        synthesis_in_words,
    )
    from advisor.rules.evaluation.trace import kernel_entity, traces
    from advisor.rules.language.problems import RuleErrors
    from advisor.rules.settings import RuleSettings

    config = command_config(Path(args.kernel.partition("::")[0]))
    with TerminalProgress(args.quiet):
        found = find_kernel(
            args.kernel, config, args.device, args.evidence, args.no_run, not args.no_synthesis
        )
    rule = found.rulebook.rule(found.rulebook.renamed.get(args.rule, args.rule))
    if rule is None and any(PurePath(one.path).stem == args.rule for one in found.rulebook.errors):
        raise RuleErrors(found.rulebook.errors)
    if rule is None:
        known = [one.id for one in found.rulebook.rules]
        raise UsageError(f"there is no rule `{args.rule}`.{suggestion(args.rule, known)}")
    options, notices = with_todays_names(found.options, found.rulebook)
    for notice in () if args.quiet else (*found.report.notices, *notices):
        tell(f"advisor: {notice}")
    settings = RuleSettings.of_project(options.settings, find_device(options.device).id, options.root)
    told = traces(found.rulebook, rule, found.tables, found.key, settings)
    silencer = Silencer(found.rulebook, rule, options, found.report)
    places = {(trace.path, trace.line) for trace in told}
    if args.format == "json":
        shown = [_as_json(trace, silencer) for trace in told]
        made = None if found.synthesis is None else synthesis_as_json(found.synthesis, places)
        gains = [_cause_as_json(one) for one in _causes(found, rule)]
        print(json.dumps({"rule": rule.id, "traces": shown, "causes": gains, "synthesised": made}, indent=2))
        return 0
    if not told and kernel_entity(rule) != found.entity:
        print(f"{rule.id} is a rule of {_MAKERS[kernel_entity(rule)]} kernels, and {found.name} is none.")
    elif not told:
        print(f"{rule.id} looks at each {rule.entity}, and {found.name} has none that is known.")
    if told:
        say("\n\n".join(_text(trace, silencer) for trace in told))
    for cause in _causes(found, rule):
        say("\n".join(["", *_cause_in_words(cause)]))
    if told and found.synthesis is not None:
        device = find_device(options.device)
        time = element_time_in_words(found.tables, found.key, device)
        lines = [*filter(None, [time]), *synthesis_in_words(found.synthesis, places)]
        say("\n".join(["", f"Synthesised launches of {found.name}:", *(f"  {line}" for line in lines)]))
    return 0


def _causes(found: NamedKernel, rule: Rule) -> list[Finding]:
    """What the rule says of the kernel, with what it is worth."""
    causes = [one for one in found.causes(rule.id) if one.kernel_concerned() == found.name]
    return [one for one in causes if one.gain is not None]


def _cause_in_words(cause: Finding) -> list[str]:
    places = 1 + len(cause.further_places)
    gain = "not known" if cause.gain is None else cause.gain.in_words()
    lines = [f"As told: {cause.severity}, {places} place{'' if places == 1 else 's'}", f"  Gain: {gain}"]
    return lines + [f"  {one}" for one in cause.assumptions if one.startswith(REASONS_OF_LEVELS)]


def _cause_as_json(cause: Finding) -> dict[str, object]:
    from advisor.reports.outputs.interchange.finding_objects import gain_object

    return {
        "severity": cause.severity,
        "places": 1 + len(cause.further_places),
        "gain": gain_object(cause.gain),
        "because": [one for one in cause.assumptions if one.startswith(REASONS_OF_LEVELS)],
    }


def _as_json(trace: Trace, silencer: Silencer) -> dict[str, object]:
    silenced = silencer.of(trace)
    overrides = [one for one in trace.overrides if not one.disabled]
    return {
        "label": trace.label,
        "path": trace.path,
        "line": trace.line,
        "verdict": trace.verdict if silenced is None else "silent",
        "verdict_of_conditions": trace.verdict,
        "severity": trace.severity if silenced is None else None,
        "silenced": None
        if silenced is None
        else {"by": silenced.by, "place": silenced.place, "reason": silenced.reason},
        "overrides": [
            {"changes": one.subject, "place": silencer.place_of(one), "reason": one.reason}
            for one in overrides
        ],
        "circumstances": [
            {
                "id": one.id,
                "level": one.level,
                "place": silencer.place_of_policy(one),
                "because": one.because,
            }
            for one in trace.circumstances
        ],
        "steps": [asdict(step) for step in trace.steps],
        "changes": [list(way) for way in trace.changes],
    }


def _text(trace: Trace, silencer: Silencer) -> str:
    rule = trace.rule
    place = place_of_line(trace.path, trace.line) if trace.path else trace.label
    entity = f"{rule.entity} `{trace.label}`" if rule.entity not in _MAKERS else f"kernel {trace.label}"
    lines = [*_head(trace, silencer, f"for the {entity} at {place}")]
    for step in trace.steps:
        lines += _step_lines(step, 1)
    if trace.changes:
        would = "be silent" if trace.verdict in ("fires", "info") else "fire"
        lines.append(f"  It would {would} if {_sentence(trace.changes[0])}.")
        lines += [f"  Or if {_sentence(way)}." for way in trace.changes[1:]]
    return "\n".join(lines)


def _head(trace: Trace, silencer: Silencer, where: str) -> Iterator[str]:
    """The verdict, what silences the rule, and the overrides that hold."""
    rule, verdict = trace.rule.id, _VERDICTS[trace.verdict]
    silenced = silencer.of(trace)
    if silenced is None:
        yield f"{rule} {_VERDICTS[trace.verdict]} {where}"
    else:
        yield f"{rule} is silent {where}: {silenced.phrase} ({_because(silenced.place, silenced.reason)})"
    for one in trace.overrides:
        if one.params:
            (name, value), *_ = one.params
            unit = next(param.unit for param in trace.rule.params if param.name == name)
            what = f"{name} = {format_value(value, unit)}"
        else:
            what = f"level {one.level}"
        if not one.disabled:
            yield f"  With {what} ({_because(silencer.place_of(one), one.reason)})"
    if trace.verdict in ("fires", "info"):
        for circumstance in trace.circumstances:
            if circumstance.level != "off":
                reason = _because(silencer.place_of_policy(circumstance), circumstance.because)
                yield f"  At level info by the policy, `{circumstance.id}` ({reason})"
    if silenced is not None:
        yield f"  By its conditions it {verdict}:"


def _because(place: str, reason: str) -> str:
    return f"{place}: {reason}" if reason else place


def _sentence(way: Sequence[str]) -> str:
    return " and ".join(way) if way else "nothing else changed"


def _step_lines(step: Step, depth: int) -> Iterator[str]:
    indent = "  " * depth
    word = "unless " if step.exception else "doubt " if step.doubt else ""
    yield f"{indent}{_ANSWERS[step.answer]:<4}{word}{step.text}"
    for value in step.values:
        source = f" ({value.source})" if value.source else ""
        yield f"{indent}      {value.name} = {value.shown}{source}"
    for part in step.parts:
        yield from _step_lines(part, depth + 1)
