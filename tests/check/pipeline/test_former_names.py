"""Parameters under their former names work, with one notice each; all that is shown has today's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from advisor_command import AdvisorHere
from house_pack import KERNEL, configure, write_pack

SAID = "The parameter `{}` of the rule `house-stride` is now called `most`."
NOTICE = f"[tool.advisor] {SAID.format('limit')}"
# The kernel needs 16 sectors for a request.
LOUD, SILENT = '"10 sectors/request"', '"20 sectors/request"'


@pytest.fixture
def advise() -> AdvisorHere:
    """The command, in this process."""
    return AdvisorHere()


@pytest.fixture
def project(workspace: Path) -> Path:
    """A project with a pack whose rule had other names for its parameter."""
    (workspace / "k.py").write_text(KERNEL)
    write_pack(workspace / "house")
    file = workspace / "house/house-stride.rules"
    file.write_text(file.read_text().replace('"the house rule"', '"the house rule" formerly limit, much'))
    configure(workspace, 'packs = ["house"]')
    return workspace


def check(advise: AdvisorHere, project: Path, *argv: str):
    report = advise.check("--select", "house-stride", *argv, "k.py", cwd=project)
    assert report.errors == []
    return report.rules, [one for one in report.report["notices"] if "is now called" in one]


def configured(project: Path, text: str) -> None:
    configure(project, f'packs = ["house"]\n{text}')


@pytest.mark.parametrize(("value", "rules"), [(LOUD, {"house-stride"}), (SILENT, set())])
@pytest.mark.parametrize(
    "text",
    [
        "[rules.house-stride]\nparams = {{ {} = {} }}",
        '[[overrides]]\nrule = "house-stride"\nreason = "x"\nparams = {{ {} = {} }}',
        '[[overrides]]\nrule = "house-stride"\nreason = "x"\nkernel = "every_*"\n[overrides.params]\n{} = {}',
    ],
)
def test_a_former_name_in_the_configuration(advise, project, text, value, rules) -> None:
    configured(project, text.format("limit", value))
    assert check(advise, project) == (rules, [NOTICE])
    configured(project, text.format("most", value))
    assert check(advise, project) == (rules, [])


def test_a_former_name_on_the_command_line(advise, project) -> None:
    given = f"rules.house-stride.params.limit = {SILENT}"
    assert check(advise, project, "--config", given) == (set(), [NOTICE])


def test_each_name_is_told_once(advise, project) -> None:
    tables = '\n[[overrides]]\nrule = "house-stride"\nreason = "x"\nkernel = "{}"\nparams = {{ {} = {} }}'
    text = f"[rules.house-stride]\nparams.limit = {LOUD}"
    text += tables.format("a", "limit", LOUD) + tables.format("b", "much", LOUD)
    configured(project, text)
    rules, notices = check(advise, project)
    assert rules == {"house-stride"}
    assert notices == [NOTICE, f"[tool.advisor] {SAID.format('much')}"]


def test_a_kept_report_has_the_notices_of_todays_configuration(advise, project) -> None:
    other = f"[tool.advisor] {SAID.format('much')}"
    for name, notices in (("limit", [NOTICE]), ("most", []), ("much", [other]), ("limit", [NOTICE])):
        configured(project, f"[rules.house-stride]\nparams.{name} = {LOUD}")
        assert check(advise, project) == ({"house-stride"}, notices)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("limit", "most"), "is given twice, as `limit` and as `most`; keep `most`, its name today."),
        (("limit", "much"), "is given twice, as `limit` and as `much`; keep `most`, its name today."),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "[rules.house-stride]\nparams = {{ {} = {}, {} = {} }}",
        '[[overrides]]\nrule = "house-stride"\nreason = "x"\nparams = {{ {} = {}, {} = {} }}',
    ],
)
def test_two_names_of_one_parameter_are_an_error(advise, project, text, names, said) -> None:
    configured(project, text.format(names[0], LOUD, names[1], SILENT))
    done = advise("check", "k.py", cwd=project)
    assert (done.status, done.out) == (2, b"")
    assert f"[tool.advisor] the parameter `most` of the rule `house-stride` {said}" in done.err


def test_a_name_that_it_never_had_is_unknown(advise, project) -> None:
    configured(project, "[rules.house-stride]\nparams.limits = 3")
    done = advise("check", "k.py", cwd=project)
    assert done.status == 2
    assert "unknown parameter `limits`" in done.err


def test_a_value_outside_the_range_is_told_by_todays_name(advise, project) -> None:
    configured(project, '[rules.house-stride]\nparams.limit = "500 sectors/request"')
    done = advise("check", "k.py", cwd=project)
    assert done.status == 2
    assert "most = '500 sectors/request' is outside its range" in done.err


def test_former_names_in_another_pack(advise, project) -> None:
    ours = project / "ours"
    ours.mkdir()
    (ours / "changes.rules").write_text(
        'override house-stride { set limit = 12 sectors/request because "measured" }\n'
        'suppress house-stride where much = 12 sectors/request because "measured"\n'
    )
    configure(project, 'packs = ["house", "ours"]')
    rules, notices = check(advise, project)
    assert rules == set()
    assert notices == [
        f"ours/changes.rules:1: {SAID.format('limit')}", f"ours/changes.rules:2: {SAID.format('much')}",
    ]  # fmt: skip


def test_why_and_diff_say_todays_name(advise, project) -> None:
    configured(project, f"[rules.house-stride]\nparams.limit = {SILENT}")
    done = advise("rules", "why", "house-stride", "k.py::every_fourth", cwd=project)
    assert done.status == 0, done.err
    assert NOTICE in done.err
    assert "limit" not in done.out.decode()
    assert "most = 20 sectors/request (parameter)" in done.out.decode()
    change = "house-stride.limit=10 sectors/request"
    done = advise("rules", "diff", "--set", change, "--format", "json", "k.py", cwd=project)
    assert done.status == 1, done.err
    said = f"advisor: --set house-stride.limit: {SAID.format('limit')}"
    assert done.err.splitlines() == [f"advisor: {NOTICE}", said]
    (one,) = json.loads(done.out)["changes"]
    assert (one["before"], one["after"]) == ("silent", "fires")


def test_lint_looks_at_the_configuration_by_todays_names(advise, project) -> None:
    text = '[[overrides]]\nrule = "house-stride"\nreason = "x"\nparams = {{ {} = {} }}'
    configured(project, text.format("limit", LOUD))
    done = advise("rules", "lint", cwd=project)
    assert NOTICE in done.err
    # It is the default that the rule has anyway.
    assert "L104" in done.out.decode()
    assert "most has this value already" in done.out.decode()


def test_the_page_of_a_rule_names_what_its_parameters_were_called(advise, project) -> None:
    done = advise("explain", "house-stride", cwd=project)
    assert done.status == 0, done.err
    page = done.out.decode()
    assert "params.most" in page
    assert "limit, the parameter most" in page


def test_shipped_rules_take_the_names_of_version_0_1(advise, project) -> None:
    (project / "advisor.toml").write_text(
        'evidence = "source"\n[rules.uncoalesced-access]\nparams = { excess = 8, record = "16 B" }\n'
    )
    report = advise.check("k.py", cwd=project)
    assert "uncoalesced-access" not in report.rules
    said = "[tool.advisor] The parameter `{}` of the rule `uncoalesced-access` is now called `{}`."
    assert report.report["notices"] == [
        said.format("excess", "min_sector_ratio"), said.format("record", "min_record_bytes"),
    ]  # fmt: skip


COPIES = """
import numpy as np
from numba import cuda


@cuda.jit
def double(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2.0


def run(a, steps):
    for step in range(steps):
        {}
"""


@pytest.mark.parametrize("name", ["every_turn", "every_iteration"])
@pytest.mark.parametrize(
    ("line", "rules"),
    [("d = cuda.to_device(a)", {"house-copy"}), ("if step % 8 == 0: d = cuda.to_device(a)", set())],
    ids=["each iteration", "every eighth"],
)
def test_a_former_name_of_a_metric(advise, project, name, line, rules) -> None:
    file = project / "house/house-copy.rules"
    file.write_text(
        f"""/// Copies in loops.
rule house-copy "Copy in a loop" {{
  for each transfer t
  when t.{name}
  severity warning  confidence high  effort low
  say "It copies in each iteration."
  why "The house says so."
  try "Copy before the loop."
  source "House rules"
  example fires "yes" {{ t.{name} = true }}
  example silent "no" {{ t.{name} = false }}
}}
"""
    )
    (project / "k.py").write_text(COPIES.format(line))
    report = advise.check("--select", "house-copy", "k.py", cwd=project)
    assert (report.errors, report.rules) == ([], rules)
