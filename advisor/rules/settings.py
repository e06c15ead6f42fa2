"""What a project asks of the rules: which to judge, their levels and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from advisor.config import RuleSetting
from advisor.errors import UsageError
from advisor.rules.model import Override, Rule, Rulebook
from advisor.rules.units import find_unit, format_value
from advisor.selectors import suggestion

_QUANTITY = re.compile(r"\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(.*?)\s*")


@dataclass(frozen=True)
class RuleSettings:
    """What a run asks of the rules: the ids to judge (None for all), the device's id, the configured changes.

    `today` decides which changes have ended.
    """

    select: tuple[str, ...] | None = None
    device: str = ""
    config: Mapping[str, RuleSetting] = field(default_factory=dict)
    today: date = field(default_factory=date.today)


def check_settings(rulebook: Rulebook, settings: RuleSettings) -> None:
    """Nothing; raises UsageError for settings of rules and parameters that do not exist or do not fit."""
    known = {rule.id: rule for rule in rulebook.rules}
    for name, setting in settings.config.items():
        if name not in known:
            raise UsageError(f"[tool.advisor.rules]: unknown rule `{name}`.{suggestion(name, known)}")
        for param, text in setting.params.items():
            param_value(known[name], param, text)


def project_overrides(rule: Rule, setting: RuleSetting | None) -> list[Override]:
    """The changes that a project's configuration makes to a rule everywhere."""
    if setting is None:
        return []
    found = [
        Override(rule.id, params=((name, param_value(rule, name, text)),), of_project=True)
        for name, text in setting.params.items()
    ]
    if setting.level == "off":
        found.append(Override(rule.id, disabled=True, of_project=True))
    elif setting.level is not None:
        found.append(Override(rule.id, level=setting.level, of_project=True))
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
    unit = find_unit(match[2]) if match and match[2] else find_unit("count")
    if match is None or unit is None or unit.dimension != param.unit.dimension:
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
