import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from notebook_files import notebook, text_of

from advisor.__main__ import main
from advisor.check.collectors import Collectors
from advisor.check.pipeline import Checked
from advisor.model.findings import Finding, Problem, Report, Severity
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.text.source_text import Span

KERNEL = "from numba import cuda\n\n\n@cuda.jit\ndef scale(a):\n    a[cuda.threadIdx.x] *= 2\n"


@dataclass
class FakeCheck:
    """Stands in for the pipeline: keeps what it was asked, answers with the findings it was given."""

    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    files: tuple[str, ...] = ()
    options: CheckOptions | None = None
    kernels: int = 1

    def find(
        self, rule: str = "slow-pow", path: str = "k.py", line: int = 6, severity: Severity = "warning"
    ) -> None:
        span = Span(line, 5, line, 9)
        self.findings.append(Finding(rule, path, span, "scale", severity, "high", f"{rule} at {line}."))

    def __call__(
        self,
        files: Sequence[Path],
        options: CheckOptions,
        progress: Progress | None = None,
        collectors: Collectors | None = None,
    ) -> Checked:
        self.files = tuple(file.as_posix() for file in files)
        self.options = options
        texts = {finding.path: Path(finding.path).read_text() for finding in self.findings}
        report = Report("NVIDIA T4", list(self.findings), list(self.problems), texts=texts)
        report.summary = {"kernels": self.kernels}
        return Checked(report, None)

    @property
    def asked(self) -> CheckOptions:
        assert self.options is not None
        return self.options


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "k.py").write_text(KERNEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def fake_check(project: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCheck:
    fake = FakeCheck()
    monkeypatch.setattr("advisor.check.pipeline.check_with_tables", fake)
    return fake


@dataclass
class Outcome:
    status: int
    out: str
    err: str


@pytest.fixture
def advisor(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    def run(*argv: str) -> Outcome:
        status = main(argv)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def put(project: Path) -> Callable[..., Path]:
    """Write a notebook of the given cells into the project, which has nothing else."""
    (project / "k.py").unlink()

    def write(*cells: Any, name: str = "n.ipynb", **more: Any) -> Path:
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text_of(notebook(*cells, **more)).encode())
        return file

    return write


@pytest.fixture
def report(advisor: Callable[..., Outcome], project: Path) -> Callable[..., Any]:
    """The JSON report on the project, from source evidence."""

    def run(*argv: str) -> Any:
        return json.loads(
            advisor("check", "--evidence", "source", "--no-cache", "--format", "json", *argv).out
        )

    return run
