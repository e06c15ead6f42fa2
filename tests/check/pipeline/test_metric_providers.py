"""Metrics that functions of installed distributions give: taken, checked, never with --no-run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand, AdvisorHere, Outcome
from house_pack import RULE, configure, write_pack

PROVIDER = """\
def tell(kernels, device):
    for kernel in kernels:
        yield {"path": kernel["path"], "name": kernel["name"], "team_ms": VALUE, "extra": 1}
    yield {"path": "elsewhere.py", "name": "k"}
"""
MEASURED = RULE.format(name="house-slow").replace("for each access a of kernel k", "for each kernel k")


@pytest.fixture
def provider(project: Path, tmp_path: Path) -> Path:
    """A folder of installed modules with a metric provider `acme`; the project's pack has a rule about it."""
    site = tmp_path / "site"
    info = site / "acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[advisor.metrics]\nacme = acme_metrics:tell\n")
    write_pack(
        project / "house", more='metric team_ms : ms of kernel range 0 .. 1000 "as the team measured"\n'
    )
    text = MEASURED.replace("a.sectors_per_request", "k.team_ms").replace("{a.array}", "{k}")
    text = text.replace(
        "10 sectors/request range 4 sectors/request .. 32 sectors/request", "5 ms range 1 ms .. 9 ms"
    )
    (project / "house" / "house-slow.rules").write_text(text.replace("sectors/request", "ms"))
    configure(project, 'packs = ["house"]\nmetric-providers = ["acme"]')
    return site


@pytest.fixture
def with_provider(project: Path, provider: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """A function that checks with the provider telling a value, in this process."""

    def check(value: str, *argv: str) -> Outcome:
        (provider / "acme_metrics.py").write_text(PROVIDER.replace("VALUE", value))
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(provider))
            patch.delitem(sys.modules, "acme_metrics", raising=False)
            try:
                return AdvisorHere().check("--select", "house-slow", *argv, "k.py", cwd=project)
            finally:
                sys.modules.pop("acme_metrics", None)

    return check


def test_the_provider_of_an_installed_distribution(
    advise: AdvisorCommand, project: Path, provider: Path
) -> None:
    """In a process that finds it on its module path."""
    (provider / "acme_metrics.py").write_text(PROVIDER.replace("VALUE", "7"))
    path = os.pathsep.join([str(advise.program), str(provider)])
    argv = ("check", "--format", "json", "--select", "house-slow", "k.py")
    (finding,) = advise(*argv, cwd=project, environment={"PYTHONPATH": path}).findings
    assert finding["message"] == "`every_fourth` needs 7 ms."


@pytest.mark.parametrize(("value", "shown"), [("7", "7 ms"), ("7.5", "7.5 ms"), ("'0.5 s'", "500 ms")])
def test_metrics_from_outside(with_provider: Callable[..., Outcome], value: str, shown: str) -> None:
    report = with_provider(value)
    (finding,) = report.findings
    assert finding["message"] == f"`every_fourth` needs {shown}."
    assert finding["evidence"][0]["source"] == "measured"
    assert "Provided by acme." in finding["assumptions"]
    messages = [message for _, _, message in report.errors]
    assert any("spoke of no kernel" in message for message in messages)
    assert any("gave extra = 1, which is no metric of a kernel." in message for message in messages)


@pytest.mark.parametrize("value", ["'7 GB'", "'seven'", "-1", "2000", "True", "None", "float('nan')"])
def test_values_that_do_not_fit_are_told_and_not_used(
    with_provider: Callable[..., Outcome], value: str
) -> None:
    report = with_provider(value)
    assert report.findings == []
    assert any("which is no value of [time] in 0 ns .. 1 s." in message for _, _, message in report.errors)


def test_a_provider_that_fails_or_must_not_run(with_provider: Callable[..., Outcome], project: Path) -> None:
    failed = with_provider("1 / 0")
    assert any("failed: ZeroDivisionError" in message for _, _, message in failed.errors)
    assert with_provider("1 / 0", "--no-run").errors == []
    configure(project, 'packs = ["house"]\nmetric-providers = ["acm"]')
    wrong = with_provider("1")
    assert (wrong.status, wrong.out) == (2, b"")
    assert "`acm` is not installed. Did you mean `acme`?" in wrong.err
