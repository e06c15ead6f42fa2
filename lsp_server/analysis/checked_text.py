"""One check of the text that an editor holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.model.devices import Device, find_device
from advisor.model.errors import SourceProblem
from advisor.model.findings import Finding, Problem, Report, Unrecognised
from advisor.model.records import SOURCES, Source
from advisor.model.settings.check_options import CheckOptions, Progress
from advisor.model.settings.config import Config, load_config
from advisor.model.settings.path_patterns import path_matcher
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles, concerns_gpu, concerns_kernels

if TYPE_CHECKING:
    from advisor.check.collectors import Collectors
    from advisor.check.speedup_bounds.actions import Action
    from advisor.evidence.metrics.tables import Tables
    from advisor.rules.evaluation.incremental_judge import IncrementalJudge

_About = tuple[tuple[Finding, ...], tuple[Problem, ...], tuple[Problem, ...]]

# A megabyte takes seconds, which nobody waits for while writing.
_MOST_CHARACTERS = 1_000_000
_TOO_LARGE = (
    "{} has over {:,} characters; texts of more than {:,} are not analysed while they are edited. "
    "`advisor check` looks at files of any size."
)
_REHEARSED = """
from numba import cuda


@cuda.jit
def kernel(a, b):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = 2.0 * b[i]


kernel[32, 256](cuda.device_array(1), cuda.device_array(1))
"""


@dataclass(frozen=True)
class Analysis:
    """What is to be said about one version of a document, under the settings that hold for it.

    `device` is the one that the numbers are for, and `evidence` the best that was looked at; `complete` is
    false while more of that is to come, `parsed` where the text has an error. What could be read of it was
    analysed all the same, but not the functions at the lines `unread`; without these nothing was. `remarks`
    say why a kernel has no better numbers, `broken_rules` what is left out of the rules because it cannot
    be read. `texts` are those of all files looked at, by path from the document's root; `workspace_files` are
    the others that may launch the document's kernels; `tables` hold the metrics of all entities. Fixes are
    not written yet; `with_errors` are those of the texts that do not parse. `left_out` says why the text was
    not looked at at all. `shares` and `headroom` are those of a check's report. `former` is the analysis of
    an earlier text, which may know what this one does not; `own` is what this text alone gave, where findings
    of an earlier one are shown beside it.
    """

    document: Document
    settings: Config
    device: Device
    evidence: Source = "source"
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    remarks: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()
    broken_rules: tuple[Problem, ...] = ()
    unrecognised: tuple[Unrecognised, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    workspace_files: tuple[Path, ...] = ()
    tables: Tables = field(default_factory=dict)
    complete: bool = True
    parsed: bool = True
    unread: frozenset[int] = frozenset()
    wrong_settings: str = ""
    left_out: str = ""
    with_errors: frozenset[str] = frozenset()
    shares: Mapping[str | None, float] = field(default_factory=dict)
    headroom: Mapping[tuple[str, str | None], float] = field(default_factory=dict)
    former: Analysis | None = None
    own: Analysis | None = None

    @property
    def actions(self) -> list[Action]:
        """What to do, in the order of a check that runs nothing and of `advisor explain`."""
        # Imported for the first page: an editor waits for the server to begin.
        from advisor.check.speedup_bounds.actions import ranked_actions

        left = self.headroom
        return ranked_actions(
            self.findings, self.shares, lambda one: left.get((one.rule, one.kernel_concerned()))
        )

    @property
    def fixable(self) -> Analysis | None:
        """What fixes can be written from: what was read of the present text; None where nothing was."""
        return (self.own or self) if self.parsed or self.unread else None


def analyse(
    document: Document,
    workspace: WorkspaceFiles,
    evidence: Source = "source",
    device: str = "",
    collectors: Collectors | None = None,
    progress: Progress | None = None,
    configure: Callable[[Path], Config] = load_config,
    verdicts: IncrementalJudge | None = None,
) -> Analysis:
    """The analysis of a document's text as it is in the editor, for `device` or else the configured one.

    Nothing is imported or run, nothing is written to the workspace; the evidence comes from
    `collectors`, and `verdicts` are those on an earlier text. Text that has nothing to do with a GPU is not
    looked at, so that its syntax is nobody's concern here. Raises AdvisorError for a configuration that
    cannot be read.
    """
    settings = configure(document.file.parent)
    chosen = find_device(device or settings.device)
    if _excluded(document, settings) or not concerns_gpu(document):
        return Analysis(document, settings, chosen)
    if len(document.text) > _MOST_CHARACTERS:
        name, size = document.file.name, len(document.text) // 1000 * 1000
        said = _TOO_LARGE.format(name, size, _MOST_CHARACTERS)
        return Analysis(document, settings, chosen, left_out=said)
    evidence = min(evidence, settings.evidence, key=SOURCES.index)
    workspace_files = workspace.of(document)
    options = _options(document, settings, workspace_files, evidence, chosen)
    # A check judges so too; a device that the client chose is the one that counts.
    options = replace(options, any_device=not device and not settings.device_named)
    # An editor waits for the server to begin, and none of this is needed for that.
    from advisor.check.pipeline import check_with_tables

    try:
        checked = check_with_tables([], options, progress, collectors, verdicts)
    except SourceProblem as error:
        # A check says nothing either of a file without kernels that it cannot read.
        asked = concerns_kernels(document.text.encode(errors="replace"))
        problem = Problem(error.path, error.line, error.message)
        return Analysis(document, settings, chosen, problems=(problem,) if asked else (), parsed=False)
    report = checked.report
    findings, problems, broken = _about(document, report)
    unread = report.unread.get(document.path)
    # What the compiler says of a kernel is no fault of the file's.
    faults, remarks = (problems, ()) if evidence == "source" else ((), problems)
    return Analysis(
        document, settings, chosen, evidence, findings, faults, remarks, tuple(report.notices), broken,
        tuple(one for one in report.unrecognised if one.path == document.path),
        checked.texts, workspace_files, checked.tables or {}, parsed=unread is None,
        unread=unread or frozenset(), with_errors=frozenset(report.unread),
        shares=report.shares, headroom=report.headroom,
    )  # fmt: skip


def rehearse(folder: Path, configure: Callable[[Path], Config]) -> None:
    """Look at a kernel of its own under the settings of a folder, for what that loads and keeps.

    Raises AdvisorError for a configuration that cannot be read.
    """
    from advisor.check.pipeline import check_with_tables

    settings = configure(folder)
    device = find_device(settings.device)
    document = Document("", None, folder / "kernel.py", folder, True, _REHEARSED)
    check_with_tables([], _options(document, settings, (), "source", device))


def _excluded(document: Document, settings: Config) -> bool:
    """Whether the configuration excludes the file, as it would in a check of its folder."""
    if not settings.exclude or not document.file.is_relative_to(settings.root):
        return False
    return path_matcher(settings.exclude)(document.file.relative_to(settings.root).as_posix())


def _options(
    document: Document, settings: Config, workspace_files: tuple[Path, ...], evidence: Source, device: Device
) -> CheckOptions:
    return CheckOptions(
        device=device.id,
        root=document.root,
        evidence=evidence,
        no_run=True,
        synthesis=True,
        settings=settings,
        jobs=1,
        stdin=document.source,
        workspace_files=workspace_files,
        fixes=False,
        proofs=False,
    )


def _about(document: Document, report: Report) -> _About:
    """What the report says about the document, and about broken rules; one thing is said once."""
    once: dict[tuple[object, ...], Finding] = {}
    for finding in report.findings:
        if finding.path == document.path:
            once.setdefault((finding.rule, finding.span, finding.message), finding)
    # What was not recognised as a kernel is information: the text may be half written.
    left_out = [one.as_problem() for one in report.unrecognised]
    problems = [one for one in report.problems if one.path == document.path and one not in left_out]
    broken = [problem for problem in report.problems if problem.path.endswith(".rules")]
    return tuple(once.values()), tuple(problems), tuple(broken)
