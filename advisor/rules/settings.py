"""What a project asks of the rules: which to judge, their levels and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import cast

from advisor.model.errors import UsageError
from advisor.model.findings import Severity
from advisor.model.settings.config import Config, ProjectOverride, RuleSetting
from advisor.model.settings.path_patterns import path_below
from advisor.model.settings.selectors import suggestion
from advisor.model.text.source_text import Span
from advisor.rules.model import Override, Rule, Rulebook, Scope
from advisor.rules.policy import policy_for
from advisor.rules.units import PLAIN, find_unit, format_value

_QUANTITY = re.compile(r"\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(.*?)\s*")


@dataclass(frozen=True)
class RuleSettings:
    """What a run asks of the rules: the ids to judge (None for all), the device's id, the configured changes.

    `today` decides which changes have ended. Paths of records are relative to `folder`, the patterns of
    overrides to `root`; without these they are taken as they are. `policy` gives levels to circumstances.
    """

    select: tuple[str, ...] | None = None
    device: str = ""
    config: Mapping[str, RuleSetting] = field(default_factory=dict)
    overrides: tuple[ProjectOverride, ...] = ()
    today: date = field(default_factory=date.today)
    folder: Path | None = None
    root: Path | None = None
    policy: Mapping[str, str | float] = field(default_factory=dict)

    @classmethod
    def of_project(
        cls, config: Config, device: str, folder: Path, select: tuple[str, ...] | None = None
    ) -> RuleSettings:
        """The settings of a project for a device's id, for records whose paths are relative to `folder`."""
        return cls(
            select,
            device,
            config.rules,
            config.overrides,
            folder=folder,
            root=config.root,
            policy=config.policy,
        )

    def matched_path(self, path: str) -> str | None:
        """What patterns of paths are matched with; None for a file outside the project."""
        if self.folder is None or self.root is None:
            return path
        return path_below(self.root, self.folder / path)


def check_settings(rulebook: Rulebook, settings: RuleSettings) -> None:
    """Raise UsageError for settings of rules and parameters that do not exist or do not fit."""
    policy_for(settings.policy)
    known = {rule.id: rule for rule in rulebook.rules}
    for name, setting in settings.config.items():
        if name not in known:
            raise UsageError(f"[tool.advisor.rules]: unknown rule `{name}`.{suggestion(name, known)}")
        for param, text in setting.params.items():
            param_value(known[name], param, text)
    for given in settings.overrides:
        if given.rule not in known:
            hint = suggestion(given.rule, known)
            raise UsageError(f"[[tool.advisor.overrides]]: unknown rule `{given.rule}`.{hint}")
        for param, text in given.params.items():
            param_value(known[given.rule], param, text)


def project_overrides(rule: Rule, settings: RuleSettings) -> list[Override]:
    """The changes that a project's configuration makes to a rule.

    Raises UsageError for values that do not fit.
    """
    setting = settings.config.get(rule.id)
    found = _changes(rule, setting.level, setting.params, Override(rule.id)) if setting is not None else []
    for given in settings.overrides:
        if given.rule == rule.id:
            scope = Scope(given.device, given.path, given.kernel)
            place = Span(given.line)
            pattern = Override(rule.id, scope, reason=given.reason, until=given.until, span=place)
            found += _changes(rule, given.level, given.params, pattern)
    return found


def _changes(rule: Rule, level: str | None, params: Mapping[str, str], pattern: Override) -> list[Override]:
    pattern = replace(pattern, of_project=True)
    found = [
        replace(pattern, params=((name, param_value(rule, name, text)),)) for name, text in params.items()
    ]
    if level == "off":
        found.append(replace(pattern, disabled=True))
    elif level is not None:
        found.append(replace(pattern, level=cast("Severity", level)))
    return found


def param_value(rule: Rule, name: str, text: str) -> float:
    """The configured value of a parameter in its unit; raises UsageError when it does not fit."""
    param = next((item for item in rule.params if item.name == name), None)
    place = f"[tool.advisor.rules.{rule.id}]"
    if param is None:
        raise UsageError(
            f"{place}: unknown parameter `{name}`.{suggestion(name, [p.name for p in rule.params])}"
        )
    match = _QUANTITY.fullmatch(str(text))
    unit = find_unit(match[2]) if match and match[2] else PLAIN
    if match is None or unit is None or not unit.fits(param.unit):
        raise UsageError(
            f"{place}: {name} = {text!r} is no {param.unit.described}; "
            f"write it like {format_value(param.value, param.unit)}."
        )
    value = unit.in_base(float(match[1]))
    if (param.low is not None and value < param.low) or (param.high is not None and value > param.high):
        low = "" if param.low is None else format_value(param.low, param.unit)
        high = "" if param.high is None else format_value(param.high, param.unit)
        raise UsageError(f"{place}: {name} = {text!r} is outside its range {low} .. {high}.")
    return value
