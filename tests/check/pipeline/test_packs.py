"""Packs in a check: folders and installed ones, conflicts, broken files, changes that have ended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, AdvisorHere
from house_pack import KERNEL, RULE, configure, write_pack

HIT = ("house-stride", "k.py", 8)


@pytest.fixture
def here() -> AdvisorHere:
    """The command, in this process."""
    return AdvisorHere()


def test_a_folder_of_rules(advise: AdvisorCommand, project: Path) -> None:
    assert HIT in advise.check("k.py", cwd=project).places


def test_an_installed_pack_by_name_without_importing_it(
    advise: AdvisorCommand, project: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    write_pack(site / "acme_rules" / "knowledge")
    (site / "acme_rules" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    info = site / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[advisor.knowledge]\nacme = acme_rules:knowledge\n")
    configure(project, 'packs = ["acme"]')
    path = f"{advise.program}{':' if sys.platform != 'win32' else ';'}{site}"
    done = advise("check", "--format", "json", "k.py", cwd=project, environment={"PYTHONPATH": path})
    assert HIT in done.places
    configure(project, 'packs = ["acmee"]')
    wrong = advise("check", "k.py", cwd=project, environment={"PYTHONPATH": path})
    assert wrong.status == 2
    assert "`acmee` is neither a folder nor an installed pack. Did you mean `acme`?" in wrong.err


def test_two_packs_with_one_rule_are_a_conflict_and_the_first_one_works(
    here: AdvisorHere, project: Path
) -> None:
    write_pack(project / "other")
    configure(project, 'packs = ["house", "other"]')
    report = here.check("k.py", cwd=project)
    assert HIT in report.places
    ((path, line, message),) = report.errors
    assert (path, line) == ("other/house-stride.rules", 2)
    assert message.startswith("E303: there is already a rule `house-stride`, in house/house-stride.rules.")


BROKEN = [
    ("bad.rules", b"rule bad {\n", "house/bad.rules", 1, "E106"),
    ("bad.rules", b"// caf\xe9\n", "house/bad.rules", 1, "E110: the byte 0xe9 is not UTF-8."),
    ("bad.rules", b"// one\n// two \xff\n", "house/bad.rules", 2, "E110: the byte 0xff is not UTF-8."),
    ("circle.rules", b"define a(k) = b(k)\ndefine b(k) = a(k)\n", "house/circle.rules", 1, "E212"),
    ("pack.rules", b'pack "one"\npack "two"\n', "house/pack.rules", 2, "E327"),
    ("bad.RULES", b"rule bad {\n", "house/bad.RULES", 1, "E106"),
]


@pytest.mark.parametrize(("name", "content", "path", "line", "said"), BROKEN)
def test_a_broken_file_is_told_and_the_rest_works(
    here: AdvisorHere, project: Path, name: str, content: bytes, path: str, line: int, said: str
) -> None:
    (project / "house" / name).write_bytes(content)
    report = here.check("k.py", cwd=project)
    assert HIT in report.places
    assert report.status == 2
    ((told_path, told_line, message),) = report.errors
    assert (told_path, told_line) == (path, line)
    assert message.startswith(said)
    strict = here("check", "--strict", "k.py", cwd=project)
    assert (strict.status, strict.out) == (2, b"")
    assert said.split(":")[0] in strict.err


def test_a_pack_is_declared_in_one_file(here: AdvisorHere, project: Path) -> None:
    (project / "house" / "a.rules").write_text('edition 1 pack "one"\n')
    ((path, line, message),) = here.check("k.py", cwd=project).errors
    assert (path, line) == ("house/pack.rules", 2)
    assert message.startswith("E327: the pack is declared again; `one` is declared in house/a.rules:1.")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_that_lead_in_circles(here: AdvisorHere, project: Path) -> None:
    (project / "house" / "again").symlink_to(project / "house", target_is_directory=True)
    (project / "house" / "self.rules").symlink_to(project / "house" / "self.rules")
    report = here.check("k.py", cwd=project)
    assert HIT in report.places
    ((path, _, message),) = report.errors
    assert path == "house/self.rules"
    assert message.startswith("E112: the file cannot be read: Too many levels of symbolic links")


def test_a_pack_beyond_every_measure(here: AdvisorHere, project: Path) -> None:
    many = project / "many"
    many.mkdir()
    for number in range(10_000):
        (many / f"rule-{number}.rules").write_text(RULE.format(name=f"rule-{number}"))
    configure(project, 'packs = ["house", "many"]\nselect = ["house-stride"]')
    report = here.check("k.py", cwd=project)
    assert HIT in report.places
    ((path, _, message),) = report.errors
    assert path.startswith("many/rule-")
    assert message.startswith("E322: the pack has more than 5000 rules; the limit is 5000.")


def test_a_pack_that_is_called_as_a_shipped_folder(here: AdvisorHere, project: Path) -> None:
    (project / "house").rename(project / "rules")
    configure(project, 'packs = ["rules"]')
    assert HIT in here.check("k.py", cwd=project).places
    (project / "rules" / "bad.rules").write_text("rule bad {\n")
    ((path, _, _),) = here.check("k.py", cwd=project).errors
    assert path == "rules/bad.rules"
    (project / "rules" / "bad.rules").unlink()
    listed = here("rules", "test", "--no-mutants", cwd=project)
    assert listed.out == b"1 rule, 2 of 2 examples as expected.\n", listed.err


def test_two_packs_of_one_name(here: AdvisorHere, project: Path) -> None:
    write_pack(project / "other" / "house", "other-stride")
    configure(project, 'packs = ["house", "other/house"]')
    done = here("check", "k.py", cwd=project)
    assert (done.status, done.out) == (2, b"")
    assert "have one name; rename one of the folders." in done.err


def test_overrides_of_a_pack_and_one_that_has_ended(here: AdvisorHere, project: Path) -> None:
    more = (
        'override house-stride for kernel "every_*" { level info because "known" until 2100-01-01 }\n'
        'override house-stride { disable because "not yet" until 2020-01-01 }\n'
    )
    write_pack(project / "house", more=more)
    report = here.check("k.py", cwd=project)
    severities = {one["rule"]: one["severity"] for one in report.findings}
    assert severities["house-stride"] == "info"
    (ended,) = [one for one in report.findings if one["rule"] == "ended-override"]
    assert (ended["path"], ended["line"]) == ("house/pack.rules", 4)
    assert ended["message"] == (
        "The override of `house-stride` ended on 2020-01-01 and no longer holds: not yet"
    )
    assert "ended-override" not in here.check("--ignore", "ended-override", "k.py", cwd=project).rules


def test_for_one_device_only(here: AdvisorHere, project: Path) -> None:
    more = 'override house-stride for device "h100*" { disable because "fast enough" }\n'
    write_pack(project / "house", more=more)
    assert HIT in here.check("k.py", cwd=project).places
    assert "house-stride" not in here.check("--device", "h100-sxm", "k.py", cwd=project).rules


def test_a_suppression_in_a_pack(here: AdvisorHere, project: Path) -> None:
    more = 'suppress house-stride where k.name like "every_*" because "measured"\n'
    write_pack(project / "house", more=more)
    report = here.check("k.py", cwd=project)
    assert report.errors == []
    assert "house-stride" not in report.rules
    assert report.report["summary"]["suppressed"] == 1


def test_rules_of_the_past(here: AdvisorHere, project: Path) -> None:
    more = 'renamed old-stride to house-stride "since 1.1"\nretired very-old "measured to be of no use."\n'
    write_pack(project / "house", more=more)
    report = here.check("--select", "old-stride", "k.py", cwd=project)
    assert report.rules == {"house-stride"}
    assert "The rule `old-stride` is now called `house-stride`." in report.report["notices"]
    gone = here("check", "--select", "very-old", "k.py", cwd=project)
    assert gone.status == 2
    assert "the rule `very-old` is gone: measured to be of no use." in gone.err
    explained = here("explain", "old-stride", cwd=project)
    assert explained.status == 0, explained.err
    assert b"house-stride" in explained.out


def test_a_deprecated_rule_says_so_where_it_fires(here: AdvisorHere, project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(
        file.read_text().replace(
            "  example fires", '  deprecated "uncoalesced-access does this."\n\n  example fires', 1
        )
    )
    report = here.check("k.py", cwd=project)
    assert HIT in report.places
    assert "The rule `house-stride` is deprecated: uncoalesced-access does this." in report.report["notices"]


def test_a_computed_metric_decides(here: AdvisorHere, project: Path) -> None:
    more = 'metric waste : ratio of access a range 0 .. 1 "unused" '
    more += "= 1 - a.ideal_sectors_per_request / a.sectors_per_request\n"
    write_pack(project / "house", more=more)
    file = project / "house" / "house-waste.rules"
    text = RULE.format(name="house-waste").replace("a.sectors_per_request > most", "a.waste > most")
    text = text.replace(
        "most = 10 sectors/request range 4 sectors/request .. 32 sectors/request",
        "most = 50% range 10% .. 90%",
    )
    text = text.replace("{a.sectors_per_request}", "{a.waste}")
    text = text.replace("a.sectors_per_request = 16 sectors/request", "a.waste = 75%")
    file.write_text(text.replace("a.sectors_per_request = 8 sectors/request", "a.waste = 50%"))
    report = here.check("--select", "house-waste", "k.py", cwd=project)
    assert report.errors == []
    (finding,) = report.findings
    assert finding["message"] == "`a` needs 75%."
    assert finding["evidence"][0]["source"] == "source"


OVERRIDES = """\
packs = ["house"]

[[overrides]]
rule = "house-stride"
path = "old/*"
level = "info"
reason = "to be replaced"

[[overrides]]
rule = "house-stride"
kernel = "debug_*"
level = "off"
reason = "runs once"
until = 2020-01-01

[[overrides]]
rule = "house-stride"
device = "h100*"
params = { most = "20 sectors/request" }
reason = "measured"
until = "2100-12-31"
"""


def test_overrides_in_the_configuration(here: AdvisorHere, project: Path) -> None:
    configure(project, OVERRIDES)
    (project / "old").mkdir()
    (project / "old" / "k.py").write_text(KERNEL)
    report = here.check("--select", "house-stride", "k.py", "old", cwd=project)
    assert {(one["path"], one["severity"]) for one in report.findings} == {
        ("k.py", "warning"), ("old/k.py", "info"),
    }  # fmt: skip
    assert here.check("--select", "house-stride", "--device", "h100-sxm", "k.py", cwd=project).findings == []
    (ended,) = here.check("--select", "ended-override", "k.py", cwd=project).findings
    assert (ended["path"], ended["line"]) == ("advisor.toml", 10)
    assert "ended on 2020-01-01 and no longer holds: runs once" in ended["message"]


WRONG = [
    ('rule = "house-stride"\nlevel = "off"', "`reason` is missing."),
    ('level = "off"\nreason = "x"', "`rule` is missing."),
    ('rule = "house-stride"\nreason = "x"', "so nothing is changed."),
    ('rule = "house-stride"\nlevel = "loud"\nreason = "x"', "not `loud`."),
    ('rule = "house-stride"\nlevel = "off"\nreason = "x"\nuntil = "soon"', "`until` must be a date"),
    ('rule = "house-stride"\nlevel = "off"\nreason = "x"\npaht = "a"', "Did you mean `path`?"),
    ('rule = "house-strid"\nlevel = "off"\nreason = "x"', "Did you mean `house-stride`?"),
    ('rule = "house-stride"\nparams = { most = "500 sectors/request" }\nreason = "x"', "outside its range"),
]


@pytest.mark.parametrize(("table", "said"), WRONG)
def test_overrides_that_cannot_be_followed(here: AdvisorHere, project: Path, table: str, said: str) -> None:
    configure(project, f'packs = ["house"]\n\n[[overrides]]\n{table}')
    done = here("check", "k.py", cwd=project)
    assert (done.status, done.out) == (2, b"")
    assert said in done.err
