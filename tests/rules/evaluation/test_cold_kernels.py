"""Kernels whose speed nobody waits for: what is slow there is a remark, what is wrong stays what it is."""

from __future__ import annotations

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.evidence.metrics.tables import build_tables
from advisor.model.records import Reading, Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from advisor.rules import Rulebook, rulebook_from_texts
from advisor.rules.checking.computed_metrics import fill_in
from advisor.rules.evaluation.cold_kernels import cold_kernels
from advisor.rules.evaluation.judgement import judge

WORDS = """edition 1
entity run "One run." { total : ms range 0 .. "time" }
entity kernel of run "One kernel." { in_test : truth "cold"  slow : truth "slow" }
entity access of kernel "One access." { far : truth "far" }
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


def severity(category: str, entity: str, condition: str, cold: bool | None) -> tuple[str, tuple[str, ...]]:
    name = "slow-one"
    text = RULE.format(id=name, entity=entity, condition=condition)
    book = rulebook_from_texts([("metrics/words.rules", WORDS), (f"rules/{category}/{name}.rules", text)])
    kernel = Record("kernel", "k", "a.py", Span(1), "k", None)
    kernel.readings["slow"] = Reading(True)
    if cold is not None:
        kernel.readings["in_test"] = Reading(cold)
    access = Record("access", "a", "a.py", Span(2), "a", "k", {"far": Reading(True)})
    array = Record("array", "x", "a.py", Span(3), "x", None, {"large": Reading(True)})
    (match,) = judge(book, build_tables([kernel, access, array], book.owner_entity())).matches
    return match.severity, match.assumptions


@pytest.mark.parametrize(
    ("entity", "condition"),
    [("kernel k", "k.slow"), ("access a of kernel k", "a.far"), ("access a", "a.far")],
)
def test_what_is_slow_in_a_cold_kernel_is_a_remark_that_says_why(entity, condition):
    assert severity("memory", entity, condition, True) == (
        "info",
        ("Only a remark: the kernel belongs to a test.",),
    )
    assert severity("memory", entity, condition, False) == ("warning", ())
    assert severity("memory", entity, condition, None) == ("warning", ())


def test_what_is_wrong_stays_wrong():
    assert severity("correctness", "kernel k", "k.slow", True) == ("warning", ())


def test_what_belongs_to_no_kernel_is_not_asked():
    assert severity("memory", "array x", "x.large", True) == ("warning", ())


def test_all_categories_are_categories_of_shipped_rules(shipped):
    assert cold_kernels().categories <= {rule.category for rule in shipped.rules}
    assert all(shipped.metric("kernel", name) is not None for name in cold_kernels().reasons)


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
