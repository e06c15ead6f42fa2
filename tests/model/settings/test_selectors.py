import pytest

from advisor.model.errors import UsageError
from advisor.model.settings.selectors import select_rules, suggestion

CATEGORIES = {
    "uncoalesced-access": "memory",
    "bank-conflict": "memory",
    "spills": "registers",
    "slow-pow": "arithmetic",
}


def test_without_selectors_every_rule_is_selected() -> None:
    assert select_rules(CATEGORIES) == set(CATEGORIES)


@pytest.mark.parametrize(
    ("select", "extend", "ignore", "expected"),
    [
        (["memory"], [], [], {"uncoalesced-access", "bank-conflict"}),
        (["s*"], [], [], {"spills", "slow-pow"}),
        (["spills"], ["memory"], ["bank-conflict"], {"spills", "uncoalesced-access"}),
        ([], [], ["memory"], {"spills", "slow-pow"}),
        (["memory"], [], ["memory"], set()),
        (["bank-conflict"], [], ["memory"], {"bank-conflict"}),
        (["memory"], [], ["bank-*"], {"uncoalesced-access"}),
        ([], ["bank-conflict"], ["all"], {"bank-conflict"}),
    ],
)
def test_the_more_exact_selector_decides(
    select: list[str], extend: list[str], ignore: list[str], expected: set[str]
) -> None:
    assert select_rules(CATEGORIES, select, extend, ignore) == expected


def test_unknown_names_are_errors_with_suggestions_all_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        select_rules(CATEGORIES, ["spils"], [], ["memry", "zzz", "q*"])
    assert str(caught.value).splitlines() == [
        "unknown rule `spils`. Did you mean `spills`?",
        "unknown rule `memry`. Did you mean `memory`?",
        "unknown rule `zzz`.",
        "unknown rule `q*`.",
    ]


def test_a_suggestion_looks_past_case_and_underscores() -> None:
    assert suggestion("SLOW_POW", CATEGORIES) == " Did you mean `slow-pow`?"
    assert suggestion("entirely-other", CATEGORIES) == ""
