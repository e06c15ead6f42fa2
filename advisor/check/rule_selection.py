"""Which rules a check judges: selectors, and former names of rules and parameters, which go on working."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from advisor.check.rulebook_problems import shown_path
from advisor.model.errors import UsageError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.settings.selectors import check_selectors, select_rules
from advisor.model.suppression_rules import load_suppression_rules
from advisor.rules import Rulebook
from advisor.rules.model import Override, Suppress

_PLACE = "[tool.advisor] "
_Value = TypeVar("_Value")


def selected_rules(rulebook: Rulebook, options: CheckOptions) -> frozenset[str]:
    """The ids of the rules that a check is to judge. Raises UsageError for selectors that name no rule."""
    categories = {rule.id: rule.category for rule in rulebook.rules}
    categories |= {rule.id: rule.category for rule in load_suppression_rules().values()}
    settings = options.settings
    for pattern, selectors in settings.per_file_ignores.items():
        check_selectors(selectors, categories, f"[tool.advisor] per-file-ignores, {pattern!r}: ")
    return select_rules(
        categories,
        options.select or settings.select,
        (*settings.extend_select, *options.extend_select),
        (*settings.ignore, *options.ignore),
    )


def with_todays_names(options: CheckOptions, rulebook: Rulebook) -> tuple[CheckOptions, list[str]]:
    """The options with rules and parameters called as today, and a sentence for each that was not.

    Names of the past in the rulebook's own overrides and suppressions get a sentence, too. Raises UsageError
    for rules that are gone, with the reason, and for a parameter that is given by two of its names.
    """
    names = _Names(rulebook)
    changed = replace(
        options,
        settings=_settings(options.settings, names),
        select=names.of(options.select),
        extend_select=names.of(options.extend_select),
        ignore=names.of(options.ignore),
    )
    names.note_changes(options.root)
    return changed, names.notices


def settings_with_todays_names(settings: Config, rulebook: Rulebook) -> tuple[Config, list[str]]:
    """The settings of a project with rules and parameters called as today, and a sentence for each that was
    not. Raises UsageError as `with_todays_names` does.
    """
    names = _Names(rulebook)
    return _settings(settings, names), names.notices


def params_with_todays_names(
    rulebook: Rulebook, rule: str, params: Mapping[str, _Value], place: str
) -> tuple[dict[str, _Value], list[str]]:
    """The parameters of a rule by their names of today, and a sentence for each that was called otherwise.

    `place` is what the sentences begin with. Raises UsageError for one that is given by two of its names.
    """
    names = _Names(rulebook)
    return names.of_params(rule, params, place), names.notices


def _settings(settings: Config, names: _Names) -> Config:
    rules = {names.of((rule,), _PLACE)[0]: setting for rule, setting in settings.rules.items()}
    overrides = [replace(one, rule=names.of((one.rule,), _PLACE)[0]) for one in settings.overrides]
    return replace(
        settings,
        select=names.of(settings.select, _PLACE),
        extend_select=names.of(settings.extend_select, _PLACE),
        ignore=names.of(settings.ignore, _PLACE),
        per_file_ignores={
            pattern: names.of(selectors, _PLACE) for pattern, selectors in settings.per_file_ignores.items()
        },
        rules={
            rule: replace(setting, params=names.of_params(rule, setting.params, _PLACE))
            for rule, setting in rules.items()
        },
        overrides=tuple(
            replace(one, params=names.of_params(one.rule, one.params, _PLACE)) for one in overrides
        ),
    )


class _Names:
    """Gives rules and parameters their names of today. `notices` has a sentence for each other, once."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rulebook = rulebook
        self.notices: list[str] = []

    def of(self, selectors: Iterable[str], place: str = "") -> tuple[str, ...]:
        renamed, retired = self._rulebook.renamed, self._rulebook.retired
        found = []
        for selector in selectors:
            if selector in retired:
                raise UsageError(f"{place}the rule `{selector}` is gone: {retired[selector]}")
            if selector in renamed:
                self._note(f"{place}The rule `{selector}` is now called `{renamed[selector]}`.")
            found.append(renamed.get(selector, selector))
        return tuple(found)

    def of_params(self, rule: str, params: Mapping[str, _Value], place: str) -> dict[str, _Value]:
        known = self._rulebook.rule(rule)
        today = {} if known is None else known.former_params
        found: dict[str, _Value] = {}
        written: dict[str, str] = {}
        for name, value in params.items():
            now = today.get(name, name)
            if now in found:
                raise UsageError(
                    f"{place}the parameter `{now}` of the rule `{rule}` is given twice, as `{written[now]}` "
                    f"and as `{name}`; keep `{now}`, its name today."
                )
            if now != name:
                self._note_param(rule, name, place)
            found[now], written[now] = value, name
        return found

    def note_changes(self, root: Path) -> None:
        """Note the parameters of the past in the overrides and suppressions of packs."""
        changes: list[Override | Suppress] = [*self._rulebook.overrides, *self._rulebook.suppressions]
        for one in changes:
            for name in one.former:
                file = shown_path(one.file, self._rulebook.packs, root)
                self._note_param(one.rule, name, f"{file}:{one.span.line}: ")

    def _note_param(self, rule: str, name: str, place: str) -> None:
        known = self._rulebook.rule(rule)
        assert known is not None
        now = known.former_params[name]
        self._note(f"{place}The parameter `{name}` of the rule `{rule}` is now called `{now}`.")

    def _note(self, sentence: str) -> None:
        if sentence not in self.notices:
            self.notices.append(sentence)
