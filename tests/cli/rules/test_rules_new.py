"""`advisor rules new`: a rule that passes at once, for every metric; where it is written; what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.pages.rule_skeleton import rule_text, threshold_of
from advisor.model.data_files import knowledge_folder
from advisor.rules import Metric, load_rulebook, rulebook_from_texts
from advisor.rules.formatting import format_text
from advisor.rules.lint import lint
from advisor.rules.testing.coverage import cover
from advisor.rules.units import TEXT, TRUTH, Unit, find_unit

Run = Callable[..., Any]


def unit(name: str) -> Unit:
    found = find_unit(name)
    assert found is not None
    return found


def rule_files(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.rules"))


# -- the rule ---------------------------------------------------------------------------------------------


def test_a_new_rule_passes_its_tests_at_once(advisor: Run, project: Path) -> None:
    outcome = advisor("rules", "new", "occupancy/many-registers")
    file = "rules/occupancy/many-registers.rules"
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0] == file
    assert outcome.out.splitlines()[-3:] == [
        f"  advisor rules {name} {file}" for name in ("test", "lint", "fmt")
    ]
    tested = advisor("rules", "test", file)
    assert tested.out == "1 rule, 4 of 4 examples as expected, 3 of 3 mutants killed (100.0%).\n"
    assert advisor("rules", "lint", file).out == "0 remarks on 1 rule.\n"
    assert advisor("rules", "fmt", "--check", "rules").status == 0


def test_what_a_new_rule_says(advisor: Run, project: Path) -> None:
    advisor("rules", "new", "occupancy/many-registers")
    lines = (project / "rules/occupancy/many-registers.rules").read_text().splitlines()
    assert lines[1] == 'rule many-registers "Many registers" {'
    for line in [
        "  param allowed_registers = 128 range 32 .. 254 "
        '"the largest value that was fine in our measurement"',
        "  when k.registers > allowed_registers",
        '  say "Registers of {k}: {k.registers}, more than {allowed_registers}."',
        '  example fires "just above" { k.registers = 129 }',
        '  example silent "at the threshold" { k.registers = 128 }',
        '  example silent "well below" { k.registers = 64 }',
        '  example unknown "not known" { k.registers = missing }',
    ]:
        assert line in lines
    assert any(
        line.startswith('  source "Our own measurement" at "') and ' url "http' in line for line in lines
    )


def test_every_metric_gives_a_rule_whose_mutants_all_die() -> None:
    shipped = load_rulebook([knowledge_folder()])
    texts = {
        f"new/new-{number}.rules": rule_text(f"new-{number}", metric)
        for number, metric in enumerate(shipped.metrics.values())
    }
    files = [(file.as_posix(), file.read_text("utf-8")) for file in knowledge_folder().rglob("*.rules")]
    book = rulebook_from_texts([*files, *texts.items()])
    made = [rule for rule in book.rules if rule.path in texts]
    assert len(made) == len(shipped.metrics) > 150
    for one in cover(book, made):
        assert not one.failures, one.failures
        assert one.mutants in (1, 3)
        assert not one.surviving, (one.rule.metrics_used, [mutant.sentence for mutant in one.surviving])
    assert {path: format_text(path, text) for path, text in texts.items()} == texts
    # Rules on one metric contain each other, which only L103 speaks of.
    assert {remark.code for remark in lint(book, texts)} <= {"L103"}


@pytest.mark.parametrize(
    ("low", "high", "name", "value", "range_"),
    [
        (0, 255, "count", "128", ("32", "254")),
        (0, 1, "ratio", "50%", ("13%", "99%")),
        (1, 32, "sectors/request", "16 sectors/request", ("4 sectors/request", "31 sectors/request")),
        (0, None, "ms", "10 ms", ("3 ms", "40 ms")),
        (0, None, "byte", "64 KiB", ("16 KiB", "256 KiB")),
        (1, 16, "byte", "8 byte", ("2 byte", "15 byte")),
        (0, None, "byte/s", "100 GB/s", ("25 GB/s", "400 GB/s")),
        (None, None, "count", "100", ("25", "400")),
        (500, None, "count", "501", ("500", "2004")),
        (None, 10, "count", "8", ("2", "9")),
        (0, 1, "count", "0.5", ("0.125", "0.875")),
        (0, 0.02, "ratio", "1%", ("0.25%", "1.75%")),
        (-10, 10, "count", "0", ("-2", "2")),
        (-9, -2, "count", "-6", ("-8", "-4")),
    ],
)
def test_a_threshold_lies_in_its_metrics_range(
    low: float | None, high: float | None, name: str, value: str, range_: tuple[str, str]
) -> None:
    found = threshold_of(Metric("m", "kernel", unit(name), low, high))
    assert (found.value, (found.low, found.high)) == (value, range_)


def test_a_range_of_one_value_has_no_threshold() -> None:
    with pytest.raises(ValueError, match="one value only"):
        threshold_of(Metric("m", "kernel", unit("count"), 3, 3))


def test_truth_and_text_have_no_threshold() -> None:
    truth = rule_text("a-b", Metric("debug_enabled", "kernel", TRUTH))
    assert "  when k.debug_enabled\n" in truth
    assert "{ k.debug_enabled = false }" in truth
    text = rule_text("a-b", Metric("space", "access", TEXT))
    assert '  for each access a\n  when a.space = "…"\n' in text
    assert "param" not in truth + text


def test_another_metric_of_another_entity(advisor: Run, project: Path) -> None:
    names = ("--entity", "access", "--metric", "sectors_per_request")
    assert advisor("rules", "new", "memory/far-apart", *names).status == 0
    text = (project / "rules/memory/far-apart.rules").read_text()
    assert "  when a.sectors_per_request > allowed_sectors_per_request\n" in text
    assert advisor("rules", "test", "rules/memory/far-apart.rules").out.endswith("(100.0%).\n")


def test_a_metric_of_the_projects_own_pack(advisor: Run, project: Path) -> None:
    (project / "house").mkdir()
    metric = 'metric waste : ratio of kernel k range 0 .. 1 "warp slots" = 1 - k.theoretical_occupancy\n'
    (project / "house/metrics.rules").write_text(metric)
    (project / "advisor.toml").write_text('packs = ["house"]\n')
    assert advisor("rules", "new", "occupancy/wasteful", "--metric", "waste").status == 0
    assert "k.waste > allowed_waste" in (project / "house/occupancy/wasteful.rules").read_text()
    assert not (project / "house/pack.rules").exists()


def test_a_rule_that_another_contains_is_told_of(advisor: Run, project: Path) -> None:
    out = advisor("rules", "new", "correctness/not-there", "--metric", "undefined", "--entity", "name").out
    assert "As it stands, L103 whenever `not-there` fires, `undefined-name` fires too." in out


# -- where it is written ----------------------------------------------------------------------------------


def test_without_packs_a_folder_is_made_and_the_configuration_only_told(advisor: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\nname = "x"\n')
    out = advisor("rules", "new", "launch/many-blocks").out
    assert (project / "rules/pack.rules").read_text() == f'edition 1\npack "{project.name}" version "0.1.0"\n'
    assert rule_files(project) == ["rules/launch/many-blocks.rules", "rules/pack.rules"]
    assert '  packs = ["rules"]\n' in out
    assert "pyproject.toml, in the table [tool.advisor]:" in out
    assert (project / "pyproject.toml").read_text() == '[project]\nname = "x"\n'
    assert "packs" in advisor("rules", "new", "launch/more-blocks").out
    (project / "advisor.toml").write_text('packs = ["rules"]\n')
    assert "packs" not in advisor("rules", "new", "launch/most-blocks").out


def test_the_only_pack_of_the_project_is_used(advisor: Run, project: Path) -> None:
    (project / "house/build").mkdir(parents=True)
    (project / "house/pack.rules").write_text('pack "house" version "3.0.0"\n')
    (project / "advisor.toml").write_text('packs = ["house"]\n')
    assert advisor("rules", "new", "launch/many-blocks").out.startswith(
        "house/launch/many-blocks.rules\nNext:"
    )
    assert (project / "house/pack.rules").read_text() == 'pack "house" version "3.0.0"\n'
    assert not (project / "rules").exists()


def test_a_pack_that_is_configured_and_not_there_is_made(advisor: Run, project: Path) -> None:
    (project / "advisor.toml").write_text('packs = ["house"]\n')
    assert advisor("rules", "new", "launch/many-blocks").status == 0
    assert rule_files(project) == ["house/launch/many-blocks.rules", "house/pack.rules"]


def test_of_several_packs_one_must_be_named(advisor: Run, project: Path) -> None:
    for name in ("one", "two"):
        (project / name).mkdir()
    (project / "advisor.toml").write_text('packs = ["one", "two"]\n')
    outcome = advisor("rules", "new", "launch/many-blocks")
    assert outcome.status == 2
    assert outcome.err == (
        "advisor: error: the project has several packs (one, two); name one with --pack.\n"
    )
    assert rule_files(project) == []
    assert advisor("rules", "new", "launch/many-blocks", "--pack", "two").status == 0
    assert "two/launch/many-blocks.rules" in rule_files(project)


def test_a_named_folder_beside_the_configured_ones(advisor: Run, project: Path) -> None:
    (project / "one").mkdir()
    (project / "advisor.toml").write_text('packs = ["one"]\n')
    out = advisor("rules", "new", "launch/many-blocks", "--pack", "two").out
    assert '  packs = ["one", "two"]\n' in out
    assert "add to advisor.toml:" in out


def test_from_a_folder_below_the_project(
    advisor: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src").mkdir()
    (project / "house").mkdir()
    (project / "advisor.toml").write_text('packs = ["house"]\n')
    monkeypatch.chdir(project / "src")
    assert advisor("rules", "new", "launch/many-blocks").status == 0
    assert (project / "house/launch/many-blocks.rules").exists()


# -- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["many-registers"], "`many-registers` has no category"),
        (["Occupancy/many"], "`Occupancy` is not words with hyphens"),
        (["occupancy/many_registers"], "`many_registers` is not words with hyphens"),
        (["occupancy/a/b"], "`a/b` is not words with hyphens"),
        (["../b"], "`..` is not words with hyphens"),
        (["occupancy/-b"], "`-b` is not words with hyphens"),
        (["occupancy/all"], "`all` stands for every rule"),
        (["build/debug-build"], "there is already a rule `debug-build`; it is a shipped one."),
        (["build/unused-suppression"], "there is already a rule `unused-suppression`; it is a shipped one."),
        (["a/b", "--entity", "kernl"], "there is no entity `kernl`. Did you mean `kernel`?"),
        (["a/b", "--metric", "register"], "`kernel` has no metric `register`. Did you mean `registers`?"),
        (["a/b", "--metric", "itemsize"], "It is one of `access`: add --entity access."),
        (
            ["a/b", "--entity", "barrier"],
            "Name one with --metric: group, divergent, in_bounds_guard, after_divergent_exit, "
            "after_bounds_exit, loop_depth, between_blocks, array_of_other_blocks.",
        ),
        (["a/b", "--pack", "k.py"], "k.py is a file; name a folder with --pack."),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_written(
    advisor: Run, project: Path, arguments: list[str], part: str
) -> None:
    outcome = advisor("rules", "new", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert part in outcome.err
    assert outcome.err.startswith("advisor: error: ")
    assert sorted(path.name for path in project.iterdir()) == [".git", "k.py"]


def test_an_id_of_the_projects_own_is_shown_with_its_place(advisor: Run, project: Path) -> None:
    advisor("rules", "new", "launch/many-blocks")
    outcome = advisor("rules", "new", "occupancy/many-blocks")
    assert outcome.status == 2
    assert "there is already a rule `many-blocks`; it is in rules/launch/many-blocks.rules." in outcome.err
    assert rule_files(project) == ["rules/launch/many-blocks.rules", "rules/pack.rules"]


def test_former_ids_stay_taken(advisor: Run, project: Path) -> None:
    (project / "rules").mkdir()
    (project / "rules/former.rules").write_text(
        'renamed debug-mode to debug-build "its name today"\nretired old-habit "nobody does that"\n'
    )
    assert "`debug-mode` is the former id of `debug-build`" in advisor("rules", "new", "a/debug-mode").err
    assert "retired rule (nobody does that)" in advisor("rules", "new", "a/old-habit").err
    assert rule_files(project) == ["rules/former.rules"]


def test_a_file_that_is_there_is_never_overwritten(advisor: Run, project: Path) -> None:
    file = project / "rules/launch/many-blocks.rules"
    file.parent.mkdir(parents=True)
    file.write_text("// notes only\n")
    outcome = advisor("rules", "new", "launch/many-blocks")
    assert (outcome.status, outcome.out) == (2, "")
    assert "rules/launch/many-blocks.rules exists already" in outcome.err
    assert file.read_text() == "// notes only\n"
    assert rule_files(project) == ["rules/launch/many-blocks.rules"]


def test_a_pack_with_errors_gets_no_new_rule(advisor: Run, project: Path) -> None:
    (project / "rules").mkdir()
    (project / "rules/broken.rules").write_text("rule broken {\n")
    outcome = advisor("rules", "new", "launch/many-blocks")
    assert (outcome.status, outcome.out) == (2, "")
    assert "broken.rules:1:" in outcome.err
    assert rule_files(project) == ["rules/broken.rules"]
