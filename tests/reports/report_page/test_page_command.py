"""`advisor report --html FILE`: what it writes, what it refuses, and fixes with their proofs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import histories
import pytest
from drawn_pages import html_of, options_for
from page_reading import Page

from advisor.__main__ import main
from advisor.fixes.proofs import ProofStore, place_digest
from advisor.model.findings import Finding, Fix, Proof, Verdict
from advisor.model.history.store import HistoryStore
from advisor.runs.comparison.ranking.ranking import rankings
from advisor.runs.comparison.ranking.remedies import with_remedies


@pytest.fixture
def measured(project: Path, store: HistoryStore, monkeypatch: pytest.MonkeyPatch) -> Path:
    histories.add_measured(store)
    store.close()
    monkeypatch.chdir(project)
    return project


def findings_with_fixes(root: Path) -> list[tuple[Finding, Fix]]:
    store = HistoryStore(root)
    ranked = with_remedies(rankings(store.latest(), options_for(root)), options_for(root))
    store.close()
    return [
        (finding, fix)
        for ranking in ranked
        for kernel in ranking.kernels
        for finding in kernel.findings
        for fix in finding.fixes
        if fix.edits
    ]


def test_the_file_is_written_and_nothing_printed(measured: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--html", "page.html"]) == 0
    assert capsys.readouterr().out == ""
    assert Page((measured / "page.html").read_text("utf-8")).table("Kernels by").row("blur")["time"] == "2 ms"


def test_a_run_can_be_named(measured: Path) -> None:
    assert main(["report", "night 8", "--html", "page.html"]) == 0
    assert Page((measured / "page.html").read_text("utf-8")).table("Kernels by").row("blur")["time"] == "4 ms"


@pytest.mark.parametrize(
    ("name", "message"),
    [("work/blur.py", "refusing to overwrite"), (".", "is a folder"), ("none/page.html", "does not exist")],
)
def test_files_that_cannot_be_meant(
    measured: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    assert main(["report", "--html", name]) == 2
    told = capsys.readouterr().err
    assert message in told and "--html" in told
    assert (measured / histories.PATH).read_text("utf-8") == histories.SOURCE


def test_without_matplotlib_it_says_what_to_install(
    measured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["report", "--html", "page.html"]) == 2
    assert "pip install 'kernel-advisor[report]'" in capsys.readouterr().err
    assert not (measured / "page.html").exists()


def test_without_history_it_says_how_one_begins(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project)
    assert main(["report", "--html", "page.html"]) == 2
    assert "advisor profile" in capsys.readouterr().err


def test_other_reports_do_not_load_matplotlib(measured: Path) -> None:
    code = (
        "import sys; from advisor.__main__ import main; status = main(['report']); "
        "sys.exit(status or 'matplotlib' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=measured, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_findings_have_fixes_and_evidence(measured: Path) -> None:
    found = Page(html_of(measured))
    assert "Exchange the thread axes x and y in the kernel and its launches" in found.words
    assert "not tried yet: advisor verify does" in found.words
    evidence = next(
        one for one in found.tables if one.name == "Evidence" and "sectors_per_request" in str(one.rows)
    )
    assert evidence.row("sectors_per_request")["known from"] == "measured"


@pytest.mark.parametrize(
    ("verdict", "speedup", "shown", "style"),
    [
        ("predicted faster", 2.5, "predicted faster (2.50 x), simulated: DRAM", "verdict faster"),
        ("results differ", None, "withdrawn: results differ, simulated: DRAM", "verdict withdrawn"),
        ("no difference", 1.0, "no difference (1.00 x), simulated: DRAM", "verdict"),
    ],
)
def test_verdicts_of_proofs(
    measured: Path, verdict: Verdict, speedup: float | None, shown: str, style: str
) -> None:
    texts = {histories.PATH: histories.SOURCE}
    found = [pair for pair in findings_with_fixes(measured) if pair[1].id == "swap-thread-axes"]
    assert found
    for finding, fix in found:
        proof = Proof(verdict, speedup, "simulated", "DRAM")
        ProofStore(measured).add("h100-sxm", [place_digest(finding, fix, texts)], fix.id, proof, ())
    page = Page(html_of(measured))
    assert shown in page.words
    assert style in [a.get("class") for tag, a in page.tags if tag == "span"]


def test_a_file_that_does_not_parse_keeps_the_rest(measured: Path) -> None:
    (measured / histories.PATH).write_text("def blur(:\n", encoding="utf-8")
    found = Page(html_of(measured))
    assert found.table("Kernels by").row("blur")["time"] == "2 ms"
    assert "Its source is not there any more." in found.words


def test_a_kernel_that_is_gone_is_named(measured: Path) -> None:
    text = histories.SOURCE.replace("def scale", "def scaled")
    (measured / histories.PATH).write_text(text, encoding="utf-8")
    assert main(["report", "--html", "page.html"]) == 0
    assert (
        "Not in the source any more: work/blur.py: scale."
        in Page((measured / "page.html").read_text("utf-8")).words
    )
