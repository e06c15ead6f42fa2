"""How a project changes a rule: the table of its settings and the comment that silences it."""

from __future__ import annotations

import contextlib

from advisor.model.errors import UsageError
from advisor.model.findings import SEVERITIES
from advisor.model.suppression_rules import SuppressionRule
from advisor.reports.rule_pages.page_model import Section
from advisor.reports.rule_pages.quantities import range_text
from advisor.rules.model import Param, Rule
from advisor.rules.settings import param_value
from advisor.rules.units import format_value

_WHERE = "In `pyproject.toml`; in `advisor.toml` without the prefix `tool.advisor`. These are the defaults."


def change_sections(rule: Rule) -> list[Section]:
    """The rule's table for the configuration with its defaults, and the comment that silences it."""
    return [
        Section("Configuration", (_WHERE,), code=_settings(rule), language="toml"),
        Section(
            "Suppression",
            (
                "Behind the code, with the reason. `ignore-block` above a statement is for all of it, "
                "`ignore-file` at the top for the file.",
            ),
            code=f"# advisor: ignore[{rule.id}] the reason why this is as it must be",
            language="python",
        ),
    ]


def suppression_change_section(rule: SuppressionRule) -> Section:
    """The lines of the configuration that turn a rule about suppressions off."""
    return Section(
        "Configuration",
        ("In `pyproject.toml`; in `advisor.toml` without the table's name. This turns the rule off.",),
        code=f'[tool.advisor]\nignore = ["{rule.id}"]',
        language="toml",
    )


def _settings(rule: Rule) -> str:
    levels = ", ".join(name for name in (*SEVERITIES, "off") if name != rule.severity)
    lines = [f"[tool.advisor.rules.{rule.id}]", f'level = "{rule.severity}"  # or {levels}']
    for param in rule.params:
        allowed = range_text(param.low, param.high, param.unit)
        lines.append(
            f'params.{param.name} = "{_quantity(rule, param)}"' + (f"  # {allowed}" if allowed else "")
        )
    return "\n".join(lines)


def _quantity(rule: Rule, param: Param) -> str:
    """The default as the configuration reads it: as people write it, unless that would round it."""
    shown = format_value(param.value, param.unit).replace(",", "")  # 100,000
    with contextlib.suppress(UsageError):
        if param_value(rule, param.name, shown) == param.value:
            return shown
    if not param.unit.dimension:
        return repr(param.value)
    return f"{param.value / param.unit.scale!r} {param.unit.name}"
