"""A rulebook whose files are edited is the one that a full load gives, and what is unchanged stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writing import CONDITION, RULE, VOCABULARY

from advisor.model.errors import UsageError
from advisor.rules import load_rulebook
from advisor.rules.loading.reload import LiveRulebook

DEFINITION = "define crowded(x) = x.registers > 100 and x.share < 50%\n"
OVERRIDE = 'override few-registers { set most = 90 because "measured" }\n'


def rule(name: str, condition: str = CONDITION) -> str:
    return RULE.replace("many-registers", name).replace(CONDITION, condition)


FILES = {
    "words/metrics/words.rules": VOCABULARY,
    "words/metrics/definitions.rules": DEFINITION,
    "pack/occupancy/few-registers.rules": rule("few-registers"),
    "pack/occupancy/many-registers.rules": RULE,
    "pack/occupancy/overrides.rules": OVERRIDE,
    "pack/warps/crowded-kernel.rules": rule("crowded-kernel", f"crowded(k) and {CONDITION}"),
}


class Edited:
    """Two folders of files and their live rulebook; every edit is also written to the disk."""

    def __init__(self, root: Path) -> None:
        self.root, self.folders = root, [root / "words", root / "pack"]
        for name, text in FILES.items():
            self._write(name, text)
        self.live = LiveRulebook(self.folders)

    def _write(self, name: str, text: str | bytes) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def edit(self, name: str, text: str | bytes | None) -> list[str]:
        """The codes of the errors after an edit, when the rulebook is that of a full load."""
        if text is None:
            (self.root / name).unlink(missing_ok=True)
        else:
            self._write(name, text)
        found = self.live.edit(self.root / name, text)
        assert found is self.live.rulebook
        assert found == load_rulebook(self.folders, tolerant=True)
        return [error.code for error in found.errors]

    def ids(self) -> list[str]:
        return [one.id for one in self.live.rulebook.rules]


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    return Edited(tmp_path)


MANY = "pack/occupancy/many-registers.rules"


def test_the_first_rulebook_is_that_of_a_full_load(edited):
    assert edited.live.rulebook == load_rulebook(edited.folders)
    assert edited.ids() == ["few-registers", "many-registers", "crowded-kernel"]


def test_an_edited_rule_is_new_and_the_others_are_the_same_objects(edited):
    few, many, crowded = edited.live.rulebook.rules
    assert edited.edit(MANY, RULE.replace("most = 128", "most = 100")) == []
    assert edited.live.rulebook.rules[1].params[0].value == 100
    assert edited.live.rulebook.rules[0] is few
    assert edited.live.rulebook.rules[1] is not many
    assert edited.live.rulebook.rules[2] is crowded


def test_the_same_text_again_gives_the_same_rulebook(edited):
    before = edited.live.rulebook
    assert edited.edit(MANY, RULE) == []
    assert edited.live.rulebook is before


def test_a_broken_rule_is_left_out_until_it_is_fixed(edited):
    assert edited.edit(MANY, RULE.replace("  say", "  saay")) == ["E107"]
    assert edited.ids() == ["few-registers", "crowded-kernel"]
    assert edited.edit(MANY, RULE[:200]) == ["E106"]
    assert edited.edit(MANY, RULE) == []
    assert edited.ids() == ["few-registers", "many-registers", "crowded-kernel"]


def test_a_new_file_takes_its_place_in_the_order(edited):
    assert edited.edit("pack/occupancy/less-registers.rules", rule("less-registers")) == []
    assert edited.ids() == ["few-registers", "less-registers", "many-registers", "crowded-kernel"]
    assert edited.edit("pack/all/an-early-rule.rules", rule("an-early-rule")) == []
    assert edited.ids()[0] == "an-early-rule"


def test_what_refers_to_a_removed_rule_is_told(edited):
    assert edited.edit("pack/occupancy/few-registers.rules", None) == ["E314"]
    assert edited.edit("pack/occupancy/few-registers.rules", None) == ["E314"]
    assert edited.edit("pack/occupancy/overrides.rules", None) == []
    assert edited.live.rulebook.overrides == ()


def test_a_metric_that_goes_breaks_the_rules_that_use_it(edited):
    without = VOCABULARY.replace('  registers : count range 0 .. 255 "registers"\n', "")
    codes = edited.edit("words/metrics/words.rules", without)
    # The override of a rule that has an error finds no rule.
    assert set(codes) == {"E201", "E310", "E311", "E314"}
    assert edited.ids() == []
    assert edited.edit("words/metrics/words.rules", VOCABULARY) == []
    assert len(edited.ids()) == 3


def test_a_definition_is_put_in_anew(edited):
    changed = DEFINITION.replace("50%", "40%")
    crowded = edited.live.rulebook.rules[2]
    assert edited.edit("words/metrics/definitions.rules", changed) == []
    assert edited.live.rulebook.rules[2] != crowded
    assert edited.edit("words/metrics/definitions.rules", None) == ["E211"]
    assert edited.ids() == ["few-registers", "many-registers"]


def test_a_comment_beside_a_declaration_checks_no_rule_again(edited):
    before = edited.live.rulebook.rules
    remark = VOCABULARY.replace('"what limits"', '"what limits" // a remark')
    assert edited.edit("words/metrics/words.rules", remark) == []
    assert all(old is new for old, new in zip(before, edited.live.rulebook.rules, strict=True))


def test_an_error_of_a_declaration_shows_its_line_as_it_is_now(edited):
    double = 'metric share : ratio of kernel "again"'
    assert edited.edit("pack/occupancy/more.rules", double) == ["E303"]
    assert edited.edit("pack/occupancy/more.rules", f"{double} // a remark") == ["E303"]
    assert edited.live.rulebook.errors[0].source_line.endswith("// a remark")


def test_of_two_rules_of_one_name_the_first_holds(edited):
    assert edited.edit("pack/all/many-registers.rules", RULE) == ["E303"]
    assert edited.edit(MANY, None) == []
    assert edited.live.rulebook.rule("many-registers").path == "pack/all/many-registers.rules"


def test_bytes_that_are_no_text_are_told(edited):
    assert edited.edit(MANY, RULE.encode() + b"\xff") == ["E110"]
    assert edited.edit(MANY, RULE.encode()) == []


def test_a_pack_is_named_by_its_files(edited):
    assert edited.edit("pack/pack.rules", 'pack "house" version "1.2"\n') == []
    assert [(one.name, one.version) for one in edited.live.rulebook.packs] == [
        ("words", ""),
        ("house", "1.2"),
    ]


@pytest.mark.parametrize("name", ["elsewhere/a-rule.rules", "pack/occupancy/notes.txt"])
def test_other_files_are_refused(edited, name):
    before = edited.live.rulebook
    with pytest.raises(UsageError, match="rules` file in a folder"):
        edited.live.edit(edited.root / name, RULE)
    assert edited.live.rulebook is before


TEXTS = {
    "words/metrics/words.rules": [
        VOCABULARY, VOCABULARY.replace("registers :", "regs :"), VOCABULARY[:-3], "// nothing\n" + VOCABULARY,
    ],
    "words/metrics/definitions.rules": [
        DEFINITION, DEFINITION.replace("x.share", "x.shaer"), "define crowded(x) = crowded(x)\n", "",
    ],
    "pack/occupancy/few-registers.rules": [
        rule("few-registers"), rule("few-registers", "k.registers < most"), rule("other"), "edition 2\n",
    ],
    MANY: [
        RULE, RULE.replace("most = 128", "most = 300"), RULE.replace("when", "whenn"), RULE + rule("second"),
    ],
    "pack/occupancy/overrides.rules": [OVERRIDE, OVERRIDE * 2, "renamed old-name to many-registers\n"],
    "pack/warps/crowded-kernel.rules": [
        FILES["pack/warps/crowded-kernel.rules"], rule("crowded-kernel"), rule("many-registers"),
        'suppress many-registers where crowded(k) because "known"\n',
    ],
}  # fmt: skip
EDITS = st.sampled_from([(name, text) for name, texts in TEXTS.items() for text in [*texts, None]])


@settings(max_examples=60, deadline=None)
@given(st.lists(EDITS, min_size=1, max_size=8))
def test_after_any_edits_the_rulebook_is_that_of_a_full_load(tmp_path_factory, edits):
    edited = Edited(tmp_path_factory.mktemp("edited"))
    for name, text in edits:
        edited.edit(name, text)
