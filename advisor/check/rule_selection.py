"""Which rules a check judges: selectors, and names of the past, which go on working."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.model.errors import UsageError
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.settings.selectors import check_selectors, select_rules
from advisor.model.suppression_rules import load_meta_rules
from advisor.rules import Rulebook


def selected_rules(rulebook: Rulebook, options: CheckOptions) -> frozenset[str]:
    """The ids of the rules that a check is to judge. Raises UsageError for selectors that name no rule."""
    categories = {rule.id: rule.category for rule in rulebook.rules}
    categories |= {rule.id: rule.category for rule in load_meta_rules().values()}
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
    """The options with rules of the past called as today, and a sentence for each that was.

    Raises UsageError for rules that are gone, with the reason.
    """
    names = _Names(rulebook)
    changed = replace(
        options,
        settings=_settings(options.settings, names),
        select=names.of(options.select),
        extend_select=names.of(options.extend_select),
        ignore=names.of(options.ignore),
    )
    return changed, names.notices


def _settings(settings: Config, names: _Names) -> Config:
    place = "[tool.advisor] "
    return replace(
        settings,
        select=names.of(settings.select, place),
        extend_select=names.of(settings.extend_select, place),
        ignore=names.of(settings.ignore, place),
        per_file_ignores={
            pattern: names.of(selectors, place) for pattern, selectors in settings.per_file_ignores.items()
        },
        rules={names.of((rule,), place)[0]: setting for rule, setting in settings.rules.items()},
        overrides=tuple(replace(one, rule=names.of((one.rule,), place)[0]) for one in settings.overrides),
    )


class _Names:
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
                said = f"{place}The rule `{selector}` is now called `{renamed[selector]}`."
                self.notices.append(said)
            found.append(renamed.get(selector, selector))
        return tuple(found)
