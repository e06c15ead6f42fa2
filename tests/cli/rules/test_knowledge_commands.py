"""`advisor explain`, `advisor rules list` and `advisor metrics`, with a small pack and the shipped rules."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main

Run = Callable[..., Any]

PACK = """edition 1
pack "house" version "1.0.0"

/// Kernels that need more registers than the house allows.
rule house-registers "Too many registers" {
  for each kernel k
  param most = 64 range 16 .. 255 "the house rule"
  param least_occupancy = 35% range 5% .. 90% "below this it hurts"
  when k.registers > most and k.theoretical_occupancy < least_occupancy
  unless k.debug_enabled because "a debug build needs more"
  severity warning confidence high effort medium
  say "{k} needs {k.registers} registers."
  why "Registers limit the resident blocks."
  try "Split the kernel." "Use smaller tiles."
  source "House handbook" at "Registers" url "https://example.org/handbook"
  example fires "hungry" { k.registers = 128, k.theoretical_occupancy = 25%, k.debug_enabled = false }
  example silent "modest" { k.registers = 32, k.theoretical_occupancy = 100%, k.debug_enabled = false }
}
"""


@pytest.fixture
def house(project: Path) -> Path:
    (project / "packs").mkdir()
    (project / "packs" / "house-registers.rules").write_text(PACK)
    (project / "advisor.toml").write_text('packs = ["packs"]\n')
    return project


def test_explain_shows_the_whole_page(advisor: Run, house: Path) -> None:
    outcome = advisor("explain", "house-registers")
    assert outcome.status == 0
    for part in [
        "house-registers: Too many registers",
        "severity warning, confidence high, effort medium",
        "Kernels that need more registers than the house allows.",
        "Registers limit the resident blocks.",
        "- Split the kernel.",
        "- Use smaller tiles.",
        "- k.debug_enabled: a debug build needs more",
        "k.registers > most",
        "https://example.org/handbook",
    ]:
        assert part in outcome.out
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert "most 64 16 to 255 the house rule" in lines
    assert "least_occupancy 35% 5% to 90% below this it hurts" in lines
    assert "kernel.registers count 0 to 255 registers for each thread" in lines
    assert any(
        line.startswith("- fires (hungry): k.registers = 128, k.theoretical_occupancy = 25%")
        for line in lines
    )


def test_explain_as_markdown(advisor: Run, house: Path) -> None:
    out = advisor("explain", "house-registers", "--format", "markdown").out
    assert out.startswith("# house-registers: Too many registers\n")
    assert "\n| most | 64 | 16 to 255 | the house rule |\n" in out


def test_explain_as_json(advisor: Run, house: Path) -> None:
    content = json.loads(advisor("explain", "house-registers", "--format", "json").out)
    assert content["id"] == "house-registers"
    assert content["try"] == ["Split the kernel.", "Use smaller tiles."]
    assert content["parameters"][0] == {
        "name": "most",
        "default": "64",
        "allowed": "16 to 255",
        "reason": "the house rule",
    }


@pytest.mark.parametrize("rule", ["unused-suppression", "unknown-suppression", "suppression-without-reason"])
def test_rules_about_suppressions_are_explained_too(advisor: Run, project: Path, rule: str) -> None:
    outcome = advisor("explain", rule)
    assert outcome.status == 0
    assert "Why" in outcome.out


def test_an_unknown_rule_is_a_usage_error_with_a_suggestion(advisor: Run, project: Path) -> None:
    outcome = advisor("explain", "unused-supression")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "advisor: error: there is no rule `unused-supression`. Did you mean `unused-suppression`?\n"
    )


def test_rules_list_as_json_has_the_contract_s_keys_for_every_rule(advisor: Run, house: Path) -> None:
    rows = json.loads(advisor("rules", "list", "--format", "json").out)["rules"]
    by_id = {row["id"]: row for row in rows}
    assert len(by_id) == len(rows)
    for row in rows:
        assert {"id", "title", "category", "severity", "patterns", "source", "fix"} <= set(row)
    assert by_id["house-registers"]["source"] == "House handbook: Registers"
    assert by_id["unused-suppression"]["patterns"] == []


def test_rules_list_as_a_table(advisor: Run, house: Path) -> None:
    out = advisor("rules", "list").out
    assert out.splitlines()[0].split() == ["rule", "category", "severity", "confidence", "effort", "title"]
    assert "house-registers" in out


def test_rules_are_counted_by_category_and_by_document(advisor: Run, house: Path) -> None:
    table, categories, documents = advisor("rules", "list").out.rstrip().split("\n\n")
    rules = len(table.splitlines()) - 1
    counted = [int(line.split()[-1]) for line in categories.splitlines()[1:]]
    assert sum(counted) == rules and counted == sorted(counted, reverse=True)
    assert categories.splitlines()[0].split() == ["category", "rules"]
    assert any(line.split() == ["House", "handbook", "1"] for line in documents.splitlines())
    # A rule may cite several documents, so that there are more of them than rules.
    assert sum(int(line.split()[-1]) for line in documents.splitlines()[1:]) >= rules


def test_metrics_as_json_name_unit_range_and_the_rules_that_use_them(advisor: Run, house: Path) -> None:
    content = json.loads(advisor("metrics", "kernel", "--format", "json").out)
    (registers,) = [metric for metric in content["metrics"] if metric["name"] == "registers"]
    assert (registers["entity"], registers["unit"], registers["low"], registers["high"]) == (
        "kernel",
        "count",
        0,
        255,
    )
    assert "house-registers" in registers["rules"]
    assert {metric["entity"] for metric in content["metrics"]} == {"kernel"}


def test_metrics_as_tables(advisor: Run, project: Path) -> None:
    out = advisor("metrics", "access").out
    assert out.startswith("access (of kernel): ")
    assert "sectors_per_request" in out
    assert "registers" not in out
    assert advisor("metrics", "acess").err == (
        "advisor: error: there is no entity `acess`. Did you mean `access`?\n"
    )


def test_a_broken_pack_is_shown_as_written_and_the_other_rules_are_listed(advisor: Run, house: Path) -> None:
    (house / "packs" / "house-registers.rules").write_text(
        PACK.replace("k.registers > most", "k.registers >")
    )
    outcome = advisor("rules", "list")
    assert outcome.status == 0
    assert "uncoalesced-access" in outcome.out
    assert "house-registers" not in outcome.out
    assert "house-registers.rules:" in outcome.err
    assert "^" in outcome.err
    assert "Traceback" not in outcome.err


def test_an_address_is_never_broken(advisor: Run, house: Path) -> None:
    address = "https://example.org/" + "a-long-way-" * 20
    pack = house / "packs" / "house-registers.rules"
    pack.write_text(PACK.replace("https://example.org/handbook", address))
    assert address in advisor("explain", "house-registers").out


def test_metrics_are_listed_while_a_pack_is_not_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "advisor.toml").write_text('packs = ["house"]\n')
    monkeypatch.chdir(tmp_path)
    assert main(["metrics", "kernel"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("kernel (of run): ")
    assert told.err == "packs: `house` is not there yet; it is left out.\n"
    assert main(["rules", "new", "occupancy/my-own-rule"]) == 0
    assert (tmp_path / "house" / "occupancy" / "my-own-rule.rules").is_file()
    capsys.readouterr()
    assert main(["metrics", "kernel"]) == 0
    assert capsys.readouterr().err == ""
