"""Pages as data, as text and as Markdown; which evidence they name; settings that can be copied."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.check.rulebook import rulebook_for
from advisor.check.suppressions import parse_suppressions
from advisor.cli.pages.overview import metrics_page, rules_page
from advisor.model.records import SOURCES, Record
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config, load_config
from advisor.model.suppression_rules import load_suppression_rules
from advisor.model.text.source_text import SourceText
from advisor.reports.rule_pages.catalogue import load_catalogue
from advisor.reports.rule_pages.evidence import evidence_levels, least_evidence, sources_of
from advisor.reports.rule_pages.page_model import Section, plain
from advisor.reports.rule_pages.rule_page import build_page
from advisor.rules import Rule, Rulebook, rulebook_from_texts
from advisor.rules.settings import param_value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., Any]
SHIPPED = rulebook_for(Config())

VOCABULARY = """edition 1
entity run "One process." {
  gpu_utilization : ratio range 0 .. 1 "share of busy time" from measured
  total_latency_ms : ms range 0 .. "wall time" from measured
}
entity kernel of run "One kernel." {
  registers : count range 0 .. 255 "registers for each thread" from measured, compiled
  debug_enabled : truth "compiled with debug=True" from source
  achieved_occupancy : ratio range 0 .. 1 "mean active warps" from simulated, measured
  house_metric : count range 0 .. "what the house counts"
}
metric crowded : ratio of kernel k range 0 .. 1 "two of them" = k.achieved_occupancy * k.spread
metric spread : ratio of kernel k "of registers" = k.registers / 255
metric odd : count of kernel k "needs what nothing tells" = k.registers + k.house_metric
metric plain : truth of kernel k "one or the other" = k.registers > 64 or k.achieved_occupancy < 1%
"""

BUSY = """
import numpy as np
from numba import cuda, float32


@cuda.jit("void(float32[:], float32[:], int32[:])")
def busy(a, out, counts):
    tile = cuda.shared.array(128, float32)
    own = cuda.local.array(4, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i * 3 % a.size] ** 2.5
    cuda.syncthreads()
    for k in range(4):
        own[k % 3] += tile[(t + k) % 128]
    cuda.atomic.add(counts, i % 7, 1)
    if i < out.size and t % 2 == 0:
        out[i] = own[t % 4] / 3.0


def workload():
    a = np.ones(1024, np.float32)
    for step in range(2):
        data = cuda.to_device(a)
        out = cuda.device_array_like(data)
        busy[8, 128](data, out, np.zeros(7, np.int32))
        cuda.synchronize()
"""


def rulebook_of(*clauses: str, say: str = "{k}") -> Rulebook:
    text = f"""edition 1
/// What the rule is about.
rule one-rule "One rule" {{
  for each kernel k
  {" ".join(clauses)}
  severity warning confidence high effort low
  say "{say}" why "Because." try "Change it."
  source "Somewhere"
  example fires "so" {{ k.registers = 1 }}
  example silent "not so" {{ k.registers = 2 }}
}}
"""
    return rulebook_from_texts([("metrics/all.rules", VOCABULARY), ("house/one-rule.rules", text)])


def sections_of(rulebook: Rulebook, rule: str = "one-rule") -> dict[str, Section]:
    found = rulebook.rule(rule)
    assert found is not None
    return {section.heading: section for section in build_page(found, rulebook).sections}


@pytest.mark.parametrize(
    ("condition", "least"),
    [
        ("k.debug_enabled", "source"),
        ("k.registers > 64", "compiled"),
        ("k.achieved_occupancy < 50%", "simulated"),
        ("k.run.gpu_utilization < 50%", "measured"),
        ("k.house_metric > 3", None),
        ("k.debug_enabled and k.registers > 64", "compiled"),
        ("(k.debug_enabled or k.registers > 64)", "source"),
        ("(k.house_metric > 3 or k.registers > 64)", "compiled"),
        ("not k.achieved_occupancy < 50%", "simulated"),
        ("k.achieved_occupancy is missing", "source"),
        ("k.achieved_occupancy is known", "simulated"),
        ("(k.registers otherwise 32) > 16", "source"),
        ("1 < 2", "source"),
        ("k.crowded > 10%", "simulated"),
        ("k.odd > 10", None),
        ("k.plain", "compiled"),
    ],
)
def test_the_least_evidence_that_a_rule_can_fire_with(condition: str, least: str | None) -> None:
    rulebook = rulebook_of(f"when {condition}")
    assert least_evidence(rulebook.rules[0], rulebook) == least


def test_the_least_evidence_looks_into_lets_and_not_into_exceptions() -> None:
    rulebook = rulebook_of(
        "let many = k.registers > 64", "when many", 'unless k.achieved_occupancy > 50% because "busy"'
    )
    assert least_evidence(rulebook.rules[0], rulebook) == "compiled"


def test_every_metric_of_the_vocabulary_says_where_it_comes_from() -> None:
    assert list(evidence_levels()) == list(SOURCES)
    silent = [name for name, one in SHIPPED.metrics.items() if not one.provided_by and one.computed is None]
    assert silent == [], "write `from source`, `from compiled`, … behind its sentence in knowledge/metrics"
    assert [name for name, one in SHIPPED.metrics.items() if one.provided_by and one.computed] == []


# The code and data of each level of evidence.
OF_LEVEL = {
    "source": ("advisor/evidence/source", "advisor/program", "advisor/model/devices.py"),
    "compiled": (
        "advisor/evidence/compiled",
        "advisor/model/machine_code/nvjitlink.py",
        "advisor/evidence/metrics/derived",
        "advisor/evidence/metrics/local_traffic.py",
        "advisor/evidence/metrics/warp_aggregation.py",
        "advisor/check/collectors.py",
    ),
    "synthesised": (
        "advisor/evidence/simulated",
        "advisor/evidence/metrics/derived",
        "advisor/evidence/metrics/times",
    ),
    "simulated": (
        "advisor/evidence/simulated",
        "advisor/evidence/metrics/derived",
        # Sums over the launches of a recorded run, also of one whose times were predicted.
        "advisor/evidence/measured/run_times.py",
    ),
    "measured": (
        "advisor/evidence/measured",
        "advisor/evidence/metrics/derived",
        "advisor/runs/profiling",
        "knowledge/imports",
    ),
}


@pytest.mark.parametrize("level", SOURCES)
def test_what_a_metric_is_said_to_come_from_knows_its_name(level: str) -> None:
    files = [
        file
        for place in OF_LEVEL[level]
        for file in ([ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.*")))
        if file.suffix in (".py", ".toml")
    ]
    texts = [file.read_text("utf-8") for file in files]
    words = set().union(*(re.findall(r"\w+", text) for text in texts))
    # Names that are put together, as f"{cause}_throttle".
    ends = tuple(set().union(*(re.findall(r'f"\{\w+\}(_\w+)"', text) for text in texts)))
    told = {metric for (_, metric), one in SHIPPED.metrics.items() if level in one.provided_by}
    assert told, level
    assert {name for name in told - words if not name.endswith(ends)} == set()


def test_what_reports_are_mapped_to_is_said_to_be_measured() -> None:
    mapped = {
        (entity, one["metric"])
        for file in sorted((ROOT / "knowledge" / "imports").glob("*.toml"))
        for entity, rows in tomllib.loads(file.read_text("utf-8")).items()
        if entity in ("run", "kernel", "line")
        for one in rows
    }
    assert len(mapped) > 50
    assert {name for name in mapped if "measured" not in SHIPPED.metrics[name].provided_by} == set()


def test_what_a_check_reads_comes_from_where_the_pages_say(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run a real check and looks at the source of each reading."""
    pytest.importorskip("numba_cuda")
    from advisor.check.pipeline import check

    found: set[tuple[str, str]] = set()
    know = Record.know

    def seen(self: Record, source: Any, assumptions: tuple[str, ...] = (), **values: Any) -> None:
        known = (name for name, value in values.items() if value is not None)
        found.update((f"{self.entity}.{name}", source) for name in known if SHIPPED.metric(self.entity, name))
        know(self, source, assumptions, **values)

    monkeypatch.setattr(Record, "know", seen)
    file = project / "busy.py"
    file.write_text(BUSY)
    check([file], CheckOptions("a100-80gb", project, evidence="simulated", jobs=1))
    assert {source for _, source in found} == {"source", "compiled", "simulated"}
    wrong = {(name, source) for name, source in found if source not in sources_of(name, SHIPPED)}
    assert wrong == set()


def test_the_evidence_of_a_page_groups_the_metrics() -> None:
    section = sections_of(rulebook_of("when k.registers > 64 and k.debug_enabled and k.house_metric > 3"))[
        "Evidence needed"
    ]
    assert section.paragraphs == (
        "No source of evidence of this version is known to give what the condition needs.",
    )
    assert [tuple(map(plain, row)) for row in section.table[1:]] == [
        ("compiled or measured", "kernel.registers"),
        ("source", "kernel.debug_enabled"),
        ("unknown", "kernel.house_metric"),
    ]


def test_a_condition_is_shown_as_it_is_written() -> None:
    rulebook = rulebook_of(
        "let many = k.registers > 64", "when many", "and (k.debug_enabled or k.house_metric > 3)"
    )
    assert sections_of(rulebook)["Condition"].code == (
        "for each kernel k\n"
        "let many = k.registers > 64\n"
        "when many\n"
        " and (k.debug_enabled or k.house_metric > 3)"
    )


def test_the_gain_and_its_metrics_are_shown() -> None:
    sections = sections_of(rulebook_of("when k.debug_enabled", "gain at most 1 - k.achieved_occupancy"))
    assert sections["Gain"].paragraphs == ("At most `1 - k.achieved_occupancy` of the time could be saved.",)
    assert [plain(row[0]) for row in sections["Metrics"].table[1:]] == [
        "kernel.debug_enabled",
        "kernel.achieved_occupancy",
    ]
    sections = sections_of(rulebook_of("when k.debug_enabled", "gain about 10%"))
    assert sections["Gain"].paragraphs == ("About `10%` of the time could be saved.",)


def test_what_is_computed_deprecated_or_renamed_is_said() -> None:
    rulebook = rulebook_of('deprecated "Use another."', "when k.plain")
    rulebook.renamed["first-name"] = "one-rule"
    sections = sections_of(rulebook)
    assert sections["Deprecated"].paragraphs == ("Use another.",)
    assert sections["Former names"].items == ("first-name",)
    _, row = rules_page(rulebook, rulebook.rules).sections[0].table
    assert row[1] == "Deprecated. One rule. What the rule is about."
    kernel = metrics_page(rulebook, rulebook.rules).sections[1]
    (row,) = [row for row in kernel.table if plain(row[0]) == "spread"]
    assert row[3:5] == ("compiled", "of registers; computed as `k.registers / 255`")


def test_rules_that_name_each_other_are_related_both_ways() -> None:
    named = {rule.id: rule.see for rule in SHIPPED.rules}
    rule = next(name for name, see in named.items() if see and name not in named[see[0]])
    other = named[rule][0]
    assert other in [plain(item) for item in sections_of(SHIPPED, rule)["See also"].items]
    assert rule in [plain(item) for item in sections_of(SHIPPED, other)["See also"].items]


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=lambda rule: rule.id)
def test_the_settings_that_are_shown_are_accepted_and_are_the_defaults(rule: Rule, project: Path) -> None:
    (project / "pyproject.toml").write_text(sections_of(SHIPPED, rule.id)["Configuration"].code, "utf-8")
    setting = load_config(project).rules[rule.id]
    assert setting.level == rule.severity
    assert set(setting.params) == {param.name for param in rule.params}
    for param in rule.params:
        assert param_value(rule, param.name, setting.params[param.name]) == param.value


@pytest.mark.parametrize(
    ("param", "written"),
    [
        ("1234.5 range 0 .. 5000", "1234.5"),
        ("1234567", "1234567"),
        ("0.125 range 0 .. 1", "0.125"),
        ("12.34567%", "0.1234567"),
        ("3 KiB", "3 KiB"),
        ("100001 B", "97.65723 KiB"),
        ("1.5 ms", "1.5 ms"),
        ("900 GB/s", "900 GB/s"),
        ("-2 range -5 .. 5", "-2"),
    ],
)
def test_a_default_is_shown_so_that_it_is_read_as_the_same_number(param: str, written: str) -> None:
    rulebook = rulebook_of(f"param limit = {param}", "when k.registers > 64", say="{limit}")
    (rule,) = rulebook.rules
    (line,) = [
        line for line in sections_of(rulebook)["Configuration"].code.splitlines() if "params.limit" in line
    ]
    value = line.split('"')[1]
    assert param_value(rule, "limit", value) == pytest.approx(rule.params[0].value, rel=1e-12)
    if not param.startswith("100001"):
        assert value == written


def test_the_comment_that_is_shown_silences_the_rule() -> None:
    comment = sections_of(rulebook_of("when k.debug_enabled"))["Suppression"].code
    (item,) = parse_suppressions(SourceText("k.py", f"x = 1  {comment}\n"), ["one-rule"]).items
    assert (item.rule, item.scope) == ("one-rule", "ignore")
    assert item.reason


@pytest.mark.parametrize("rule", load_suppression_rules().values(), ids=lambda rule: rule.id)
def test_the_setting_of_a_rule_about_suppressions_turns_it_off(rule: Any, project: Path) -> None:
    page = build_page(rule, SHIPPED)
    (section,) = [section for section in page.sections if section.heading == "Configuration"]
    (project / "pyproject.toml").write_text(section.code, "utf-8")
    assert load_config(project).ignore == (rule.id,)


def test_json_has_the_sections_of_the_page(advisor: Run, project: Path) -> None:
    content = json.loads(advisor("explain", "uncoalesced-access", "--format", "json").out)
    page = build_page(load_catalogue(Config())["uncoalesced-access"], SHIPPED)
    assert {section.heading.lower().replace(" ", "_") for section in page.sections} <= set(content)
    assert content["evidence"] == "source"
    assert content["examples"][0]["verdict"] == "fires"
    assert content["gain"].startswith("Predicted with ")
    assert "At most " in content["gain"]
    assert set(content["exceptions"][0]) == {"condition", "reason"}
    assert "[tool.advisor.rules.uncoalesced-access]" in content["configuration"]
