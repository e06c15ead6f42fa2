"""What hovering over the words of a rule file shows."""

from __future__ import annotations

import pytest
from rule_texts import HUNGRY
from rule_workspace import CURSOR, RuleWorkspace

from advisor.rules.language.chunks import CLAUSES, ITEMS
from advisor.rules.lint import remark_codes, shown_as
from lsp_server.rule_files.completion.expected import choices
from lsp_server.rule_files.explaining.hovering import shown_at
from lsp_server.rule_files.explaining.meanings import meanings
from lsp_server.rule_files.text.expression_names import FUNCTIONS


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> RuleWorkspace:
    return RuleWorkspace(tmp_path_factory.mktemp("work"))


def shown(workspace: RuleWorkspace, text: str, **others: str):
    texts = {"hungry-kernel.rules": text, **{f"{name}.rules": one for name, one in others.items()}}
    return shown_at(*workspace.at_cursor("hungry-kernel.rules", texts))


def marked(before: str) -> str:
    """The rule with the cursor inside of the first word behind `before`."""
    at = HUNGRY.index(before) + len(before) + 1
    return HUNGRY[:at] + CURSOR + HUNGRY[at:]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (
            "when k.",
            ["**kernel.registers** · count · 0 to 255", "Registers for each thread.", "- compiled: "],
        ),
        ("some access a of k has (a.", ["**access.space** · text", "- source: "]),
        ("for each ", ["**entity kernel** of run", "`registers`"]),
        ("registers > ", ['param most = 128 range 32 .. 255 "the house rule"']),
        ("more than {", ['param most = 128 range 32 .. 255 "the house rule"']),
        ("gain at most ", ["let waste = 1 - k.theoretical_occupancy"]),
        ("when ", ["**k** · one kernel"]),
        ("\nrule ", ["**Hungry kernel** · warning · `hungry-kernel`", "Registers allow fewer blocks"]),
        ("see ", ["**Block too small**", "`block-too-small` · launch"]),
        ("covers ", ["**low_occupancy** · a performance pattern, found by `hungry-kernel`"]),
        ("occupancy < 5", ["**%** · a unit of ratio"]),
        ("< 50%\n   and ", ["**some** · `some access a of k has (…)`"]),
        ('"the house rule"\n  ', ["**let** · `let waste"]),
        ("\n  example ", ["**fires** · "]),
    ],
)
def test_a_word_is_explained_by_what_it_stands_for(workspace, before, said):
    # `%` is one character, which the cursor stands behind.
    found = shown(workspace, marked(before))
    assert found is not None
    for part in said:
        assert part in found.text, found.text


@pytest.mark.parametrize("before", ['say "{k} uses', "/// Registers", "severity ", "most = "])
def test_nothing_is_said_of_plain_text_and_numbers(workspace, before):
    assert shown(workspace, marked(before)) is None


def test_a_broken_clause_is_explained_too(workspace):
    text = marked("when k.").replace("and k.theoretical_occupancy < 50%", "and ) k.")
    assert shown(workspace, text).text.startswith("**kernel.registers**")


def test_a_parameter_tells_who_changes_it_and_a_computed_metric_what_it_is(workspace):
    override = 'override hungry-kernel for device "h100*" { set most = 100 because "more registers" }\n'
    found = shown(workspace, marked("registers > "), changes=override)
    assert "Overridden" in found.text
    assert "more registers" in found.text
    metric = 'metric empty : ratio of kernel k range 0 .. 1 "slots" = 1 - k.theoretical_occupancy\n'
    text = HUNGRY.replace("k.theoretical_occupancy < 50%", f"k.em{CURSOR}pty < 50%", 1)
    found = shown(workspace, text, metrics=metric)
    assert "**kernel.empty** · ratio · 0% to 100%" in found.text
    assert "Computed: `1 - k.theoretical_occupancy`" in found.text


def test_a_former_name_of_a_parameter_tells_the_one_of_today(workspace):
    text = HUNGRY.replace('"the house rule"', '"the house rule" formerly limit')
    assert text != HUNGRY
    texts = {"hungry-kernel.rules": text}
    texts["changes.rules"] = f'override hungry-kernel {{ set lim{CURSOR}it = 100 because "x" }}\n'
    found = shown_at(*workspace.at_cursor("changes.rules", texts))
    assert found.text.startswith("`limit` is now `most`.")
    assert "param most = 128" in found.text
    at = text.index("limit") + 1
    texts = {"hungry-kernel.rules": text[:at] + CURSOR + text[at:]}
    found = shown_at(*workspace.at_cursor("hungry-kernel.rules", texts))
    assert found.text.startswith("`limit` is now `most`.")


def test_the_word_before_a_former_name_is_explained(workspace):
    text = HUNGRY.replace('"the house rule"', f'"the house rule" form{CURSOR}erly limit')
    assert "What a parameter was called before" in shown(workspace, text).text


def test_in_a_definition_the_metric_is_that_of_the_entity_it_is_called_with(workspace):
    calling = HUNGRY.replace("when k.registers", "when deep(k) and k.registers")
    texts = {"hungry-kernel.rules": calling, "more.rules": f'define deep(x) = x.na{CURSOR}me = "a"\n'}
    found = shown_at(*workspace.at_cursor("more.rules", texts))
    assert found.text.startswith("**kernel.name**")
    assert "---" not in found.text


def test_every_word_of_the_language_has_a_meaning():
    choices_told = {*choices("QUANTIFIER"), *choices("VERDICT")}
    for kind, words in (("items", ITEMS), ("clauses", CLAUSES), ("functions", FUNCTIONS)):
        assert set(meanings()[kind]) == set(words)
    assert choices_told | {"and", "or", "not", "otherwise", "between", "like", "is"} <= set(
        meanings()["words"]
    )


def test_every_remark_is_shown_as_something():
    assert {shown_as(code) for code in remark_codes()} == {"warning", "hint"}
