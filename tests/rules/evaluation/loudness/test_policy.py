"""Circumstances: what is slow where nobody waits for it is a remark or not told, an error stays an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.evidence.metrics.tables import build_tables
from advisor.model.errors import UsageError
from advisor.model.records import Reading, Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules import Rulebook, rulebook_from_texts
from advisor.rules.checking.computed_metrics import fill_in
from advisor.rules.evaluation.judgement import judge
from advisor.rules.evaluation.trace import traces
from advisor.rules.policy import policy_for, shipped_policy
from advisor.rules.settings import RuleSettings

WORDS = """edition 1
entity run "One run." { total : ms range 0 .. "time" }
entity kernel of run "One kernel." {
  in_test : truth "cold"  leaves_nothing : truth "cold"  slow : truth "slow"
}
entity access of kernel "One access." { far : truth "far" }
entity launch of kernel "One launch." { small : truth "small"  in_test_or_benchmark : truth "cold" }
entity array of run "One array." { large : truth "large" }
"""
RULE = """/// What it is about.
rule {id} "Title" {{
  for each {entity}
  when {condition}
  severity warning  confidence high  effort low
  say "Slow."
  why "Because."
  try "Mend it."
  source "A guide" url "https://example.org/guide"
  example fires {{ {condition} = true }}
  example silent {{ {condition} = false }}
}}
"""


def judged(category, entity, condition, level="warning", policy=None, name="slow-one", **readings):
    """The matches of one rule in a kernel with these readings."""
    text = RULE.format(id=name, entity=entity, condition=condition).replace(
        "severity warning", f"severity {level}"
    )
    book = rulebook_from_texts([("metrics/words.rules", WORDS), (f"rules/{category}/{name}.rules", text)])
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None)
    kernel.readings["slow"] = Reading(True)
    kernel.readings |= {known: Reading(value) for known, value in readings.items()}
    access = Record("access", "a", "a.py", Span(2), "a", "k", {"far": Reading(True)})
    array = Record("array", "x", "a.py", Span(3), "x", None, {"large": Reading(True)})
    launch = Record("launch", "l", "a.py", Span(4), "k", "k", {"small": Reading(True)})
    launch.readings["in_test_or_benchmark"] = Reading(readings.get("in_test", False))
    tables = build_tables([kernel, access, array, launch], book.owner_entity())
    return book, tables, judge(book, tables, settings=RuleSettings(policy=policy or {})).matches


def severity(*rule, **readings):
    _, _, (match,) = judged(*rule, **readings)
    return match.severity, match.assumptions


@pytest.mark.parametrize(
    ("entity", "condition"),
    [("kernel k", "k.slow"), ("access a of kernel k", "a.far"), ("access a", "a.far")],
)
def test_what_is_slow_in_a_test_is_a_remark_that_says_why(entity, condition):
    assert severity("memory", entity, condition, in_test=True) == (
        "info",
        ("Info only: the kernel belongs to a test.",),
    )
    assert severity("memory", entity, condition, in_test=False) == ("warning", ())
    assert severity("memory", entity, condition) == ("warning", ())


def test_an_error_stays_an_error():
    assert severity("correctness", "kernel k", "k.slow", "error", in_test=True) == ("error", ())
    assert severity("correctness", "kernel k", "k.slow", "warning", in_test=True)[0] == "info"
    assert severity("correctness", "kernel k", "k.slow", "warning", leaves_nothing=True)[0] == "warning"


def test_an_error_that_a_circumstance_names_heeds_it():
    rule = ("correctness", "kernel k", "k.slow", "error")
    assert judged(*rule, name="kernel-not-compilable", in_test=True)[2] == []
    assert severity(*rule, name="kernel-not-compilable", in_test=False) == ("error", ())
    assert severity(*rule, name="undefined-name", in_test=True) == ("error", ())
    # Named as an error, it is not one of the circumstance's warnings.
    assert severity(*rule[:3], name="kernel-not-compilable", in_test=True)[0] == "info"


def test_what_belongs_to_no_kernel_is_not_asked():
    assert severity("memory", "array x", "x.large", in_test=True) == ("warning", ())


def test_what_a_test_repeats_on_purpose_is_not_told():
    book, tables, matches = judged("host", "launch l", "l.small", in_test=True)
    assert matches == []
    (trace,) = traces(book, book.rules[0], tables, "k", RuleSettings())
    assert (trace.verdict, trace.severity) == ("fires", None)
    assert [one.id for one in trace.circumstances] == ["timed-or-tested", "test-kernel"]
    assert judged("host", "launch l", "l.small", in_test=False)[2] != []
    assert judged("memory", "launch l", "l.small", in_test=True)[2] != []


def test_a_project_gives_circumstances_other_levels():
    rule = ("memory", "kernel k", "k.slow")
    assert severity(*rule, policy={"test-kernel": "same"}, in_test=True) == ("warning", ())
    assert judged(*rule, policy={"test-kernel": "off"}, in_test=True)[2] == []
    assert severity(*rule, policy={"little-data": "same"}, in_test=True)[0] == "info"


def test_an_unknown_circumstance_is_an_error_with_a_suggestion():
    with pytest.raises(UsageError, match=r"unknown circumstance `test-kernal`. Did you mean `test-kernel`"):
        policy_for({"test-kernal": "off"})


def test_circumstances_name_metrics_categories_and_rules_that_exist(shipped):
    categories = {rule.category for rule in shipped.rules}
    rules = {rule.id for rule in shipped.rules}
    for one in shipped_policy().circumstances:
        entity, _, name = one.metric.rpartition(".")
        assert [known for known in shipped.metrics if known[1] == name and entity in ("", known[0])], one.id
        assert one.categories <= categories
        assert one.excepted | one.errors <= rules
        assert all(rule.severity == "error" for rule in shipped.rules if rule.id in one.errors)
        assert any(one.reference(rule, shipped) is not None for rule in shipped.rules), one.id


def test_no_rule_has_a_condition_about_a_circumstance(shipped):
    names = {one.metric.rpartition(".")[2] for one in shipped_policy().circumstances}
    for rule in shipped.rules:
        used = {metric.rpartition(".")[2] for metric in rule.metrics_used}
        assert not used & names or rule.id == "contended-atomic", rule.id


@pytest.fixture(scope="module")
def shipped() -> Rulebook:
    return rulebook_for(Config(), cache=False)


LAUNCHES = {
    "ten elements": ([10.0], True),
    "1,024 and 30": ([1024.0, 30.0], True),
    "1,025": ([10.0, 1025.0], False),
    "one of unknown size": ([10.0, None], False),
    "no launch": ([], False),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_kernel_is_cold_when_all_its_launches_pass_little(shipped, name):
    sizes, cold = LAUNCHES[name]
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None, {})
    launches = [Record("launch", f"l{at}", "a.py", Span(at + 2), "k", "k") for at in range(len(sizes))]
    for launch, size in zip(launches, sizes, strict=True):
        launch.know("source", largest_array=size, in_workload=False)
    tables = build_tables([kernel, *launches], shipped.owner_entity())
    fill_in(shipped, tables)
    assert bool(tables["kernel"].columns["little_data"].values[0] == 1.0) is cold


def test_what_a_workload_passes_tells_nothing_of_other_launches(shipped):
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None)
    launch = Record("launch", "l", "a.py", Span(2), "k", "k")
    launch.know("source", largest_array=10.0, in_workload=True)
    tables = build_tables([kernel, launch], shipped.owner_entity())
    fill_in(shipped, tables)
    assert tables["kernel"].columns["little_data"].values[0] == 0.0


TESTED = {
    "tests alone": ([(10.0, True)], False),
    "tests, and a program with as little": ([(10.0, True), (20.0, False)], True),
    "much in tests, little in a program": ([(9999.0, True), (20.0, False)], True),
    "little in tests, much in a program": ([(10.0, True), (9999.0, False)], False),
}


@pytest.mark.parametrize("name", TESTED)
def test_what_tests_pass_tells_nothing_of_programs(shipped, name):
    passed, cold = TESTED[name]
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None, {})
    launches = [Record("launch", f"l{at}", "a.py", Span(at + 2), "k", "k") for at in range(len(passed))]
    for launch, (size, in_tests) in zip(launches, passed, strict=True):
        launch.know("source", largest_array=size, in_workload=False, in_tests=in_tests)
    tables = build_tables([kernel, *launches], shipped.owner_entity())
    fill_in(shipped, tables)
    assert bool(tables["kernel"].columns["little_data"].values[0] == 1.0) is cold


THREADS = {
    "one thread": ([(1, 1)], {}, True),
    "a warp": ([(1, 32)], {}, True),
    "four blocks of eight": ([(4, 8)], {}, True),
    "a thread more": ([(1, 33)], {}, False),
    "a warp here, more there": ([(1, 32), (64, 64)], {}, False),
    "a grid of unknown size": ([(1, 32), (None, 32)], {}, False),
    "for a check": ([(1, 32)], {"in_workload": True}, False),
    "in tests": ([(1, 32)], {"in_tests": True}, False),
    "no launch": ([], {}, False),
}


@pytest.mark.parametrize("name", THREADS)
def test_a_kernel_of_one_warp(shipped, name):
    grids, where, alone = THREADS[name]
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None, {})
    launches = [Record("launch", f"l{at}", "a.py", Span(at + 2), "k", "k") for at in range(len(grids))]
    for launch, (blocks, threads) in zip(launches, grids, strict=True):
        launch.know("source", **{"blocks": blocks, "block_threads": threads, "in_workload": False, **where})
    tables = build_tables([kernel, *launches], shipped.owner_entity())
    fill_in(shipped, tables)
    assert bool(tables["kernel"].columns["one_warp"].values[0] == 1.0) is alone


def test_the_page_of_the_language_names_each_circumstance():
    page = (Path(__file__).parents[4] / "docs/rule-language.md").read_text("utf-8")
    assert [one.id for one in shipped_policy().circumstances if f"`{one.id}`" not in page] == []
