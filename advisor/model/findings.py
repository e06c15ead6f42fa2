"""What the program tells the user: findings with their evidence, and problems with files."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

from advisor.model.records import Source, Value
from advisor.model.remedies import Remedy
from advisor.model.text.source_text import Span

Severity: TypeAlias = Literal["info", "warning", "error"]
Confidence: TypeAlias = Literal["low", "medium", "high"]
Safety: TypeAlias = Literal["safe", "needs review", "display only"]
Verdict: TypeAlias = Literal[
    "measured faster",
    "predicted faster",
    "no difference",
    "predicted slower",
    "measured slower",
    "results differ",
    "cannot tell",
]
# Measured is what a GPU showed, predicted what a model says and exact counts carry.
FASTER: frozenset[Verdict] = frozenset({"measured faster", "predicted faster"})
SLOWER: frozenset[Verdict] = frozenset({"measured slower", "predicted slower"})

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error")
# What is said of a further place of which the rule says the same as of the worst one.
HERE_TOO = "here too"
# What begins the sentences of a finding that say why it is louder or quieter than its rule.
REMARK, WARNING = "Info only", "A warning"
REASONS_OF_LEVELS = (f"{REMARK}:", f"{WARNING}:")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One number behind a finding; `threshold` is what it was compared with, in the same unit."""

    metric: str
    value: Value
    unit: str
    threshold: Value | None
    source: Source
    text: str = ""


@dataclass(frozen=True, slots=True)
class Gain:
    """The expected speed-up (1.5 = one and a half times as fast), `at most` or `about` by the rule's own
    estimate, or `predicted` by the time model.

    A predicted one lies between `least` and `most` by what is known of the kernel's counts, between `low` and
    `high` with the error of the model. `device` is the name of the GPU that it holds for, `of_run` what it
    makes of the whole run, `left` what the kernel waits for most from then on; empty or None where not known.
    """

    speedup: float
    basis: str
    least: float | None = None
    most: float | None = None
    low: float | None = None
    high: float | None = None
    device: str = ""
    of_run: float | None = None
    left: str = ""

    @property
    def is_predicted(self) -> bool:
        """Whether the time model was asked."""
        return self.basis == "predicted"

    def in_words(self) -> str:
        """How many times as fast, with the interval and the GPU where it is predicted."""
        if not self.is_predicted:
            return f"predicted {self.basis} {_times(self.speedup)} times as fast"
        known = self.low is not None and self.high is not None
        between = f" ({_rounded(self.low or 0.0)} to {_rounded(self.high or 0.0)})" if known else ""
        device = f", predicted for {self.device}" if self.device else ", predicted"
        return f"about {_rounded(self.speedup)} times as fast{between}{device}"


def _times(factor: float) -> str:
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"


def _rounded(factor: float) -> str:
    """Two digits, near 1 two behind the point: a model has no more to say."""
    if factor >= 10:
        return f"{factor:,.0f}"
    return f"{factor:.2f}".rstrip("0").rstrip(".") if abs(factor - 1.0) < 0.1 else f"{factor:.2g}"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A text in the place of the characters `start` to `end` (exclusive) of a file.

    `path` is empty for the finding's own file.
    """

    start: int
    end: int
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What `advisor verify` found of a fix: the verdict, how many times as fast the kernel became (None where
    it is not known), what was run, and what decided.
    """

    verdict: Verdict
    speedup: float | None
    evidence: str
    detail: str

    @property
    def withdraws(self) -> bool:
        """Whether the fix is wrong for this kernel."""
        return self.verdict == "results differ" or self.verdict in SLOWER

    def in_words(self) -> str:
        """The verdict with its ratio, evidence and reason."""
        told = self.speedup is not None and self.verdict != "cannot tell"
        ratio = f" ({self.speedup:.2f} x)" if told else ""
        return f"{self.verdict}{ratio}, {self.evidence}: {self.detail}"


@dataclass(frozen=True)
class Fix:
    """A remedy; with edits one that can be applied, all of them or none.

    `condition` says when results stay the same. Without edits it is a rule's advice in a few words, or a fix
    whose proof withdraws it. `lines` are those places of the finding, by line, that the edits fix. Findings
    that the same edits fix share one.
    """

    title: str
    safety: Safety
    id: str = ""
    condition: str = ""
    edits: tuple[Edit, ...] = ()
    proof: Proof | None = None
    lines: tuple[int, ...] = ()

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of its edits, empty for the finding's own file."""
        return frozenset(edit.path for edit in self.edits)

    def in_words(self) -> str:
        """The title with the safety, and what was found of the fix by running it."""
        if self.proof is None:
            return f"{self.title} ({self.safety})"
        if self.proof.withdraws:
            return f"{self.title}: withdrawn. {_sentence(self.proof.in_words())}"
        return f"{self.title} ({self.safety}). {_sentence(self.proof.in_words())}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


@dataclass(frozen=True, slots=True)
class ShowingLaunches:
    """How many of a kernel's launches show what a finding says, of how many that were counted, and which part
    of the predicted time of all these is theirs; None where a time is unknown.
    """

    showing: int
    of: int
    share_of_time: float | None

    def in_words(self) -> str:
        """One sentence."""
        return in_launches(self.showing, self.of, self.share_of_time)


def in_launches(showing: int, of: int, share: float | None = None) -> str:
    """How many of some launches show what a finding says, as a sentence."""
    time = "" if share is None else f", {share_in_words(share)} of the kernel's predicted time"
    return f"Shown in {showing:,} of {of:,} launches{time}."


def share_in_words(share: float) -> str:
    """A share in percent; one that is not all or nothing is not rounded to that."""
    if 0.995 <= share < 1.0:
        return "over 99%"
    return "under 1%" if 0.0 < share < 0.01 else f"{share:.0%}"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to a finding: the launch, the declaration of the array. `kernel` is the name
    of the kernel that stands there; `same_cause` where what the finding says holds there too.
    """

    path: str
    span: Span
    message: str
    kernel: str = ""
    same_cause: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause: what one rule says of one kernel or host function, at the place where it is worst.

    `path` is relative to the working directory, POSIX separators. The other places of the cause are among the
    `related`. `weight` is the number that says how bad a place is, where the rule states one; `array` the
    array that the place is about; `configuration` the grid and block of its launch as they are written;
    `kernel_line` where the kernel is defined, for a file may define two of one name; `launches` those that
    show it, where it rests on counts of a kernel whose launches differ. Until the gain is known `remedy` has
    what would change of the kernel's counts.
    """

    rule: str
    path: str
    span: Span
    kernel: str | None
    severity: Severity
    confidence: Confidence
    message: str
    why: str = ""
    advice: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gain: Gain | None = None
    effort: str = ""
    assumptions: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    url: str = ""
    title: str = ""
    category: str = ""
    weight: float | None = None
    array: str = ""
    configuration: str = ""
    kernel_line: int | None = None
    launches: ShowingLaunches | None = None
    remedy: Remedy | None = None

    @property
    def further_places(self) -> tuple[Related, ...]:
        """The other places of the cause, by line."""
        return tuple(one for one in self.related if one.same_cause)

    def at_each_place(self) -> Iterator[Finding]:
        """The finding at each place of the cause as if it had no other, where it is worst first."""
        places = self.further_places
        own = tuple(one for one in self.related if not one.same_cause)
        yield replace(self, related=own) if places else self
        for place in places:
            message = self.message_at(place)
            yield replace(self, path=place.path, span=place.span, message=message, related=own)

    def message_at(self, place: Related) -> str:
        """What it says of a further place, with the name of the kernel that is launched there."""
        if place.message != HERE_TOO:
            return place.message
        own = self.kernel_concerned()
        named = place.kernel and own and place.kernel != own
        return self.message.replace(f"`{own}`", f"`{place.kernel}`") if named else self.message

    def is_on(self, first: int, last: int) -> bool:
        """Whether a place of the cause lies, at least in part, on the lines `first` to `last` of its file."""
        spans = (self.span, *(place.span for place in self.further_places if place.path == self.path))
        return any(span.line <= last and span.end_line >= first for span in spans)

    def kernel_concerned(self) -> str | None:
        """The kernel that the finding lies in, or that its launch or copy belongs to; None for none."""
        return self.kernel or next((one.kernel for one in self.related if one.kernel), None)

    def paths(self) -> set[str]:
        """The finding's file and the files that its fixes edit."""
        return {path or self.path for path in frozenset({""}).union(*(fix.paths for fix in self.fixes))}

    def without_fixes_in(self, paths: Container[str]) -> Finding:
        """Return the finding without the fixes that edit one of `paths`."""
        fixes = tuple(fix for fix in self.fixes if not any((own or self.path) in paths for own in fix.paths))
        return self if len(fixes) == len(self.fixes) else replace(self, fixes=fixes)


def without_repetitions(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, of one rule, line and kernel the first of those with the highest severity."""
    kept: dict[tuple[str, str, int, str | None], Finding] = {}
    for finding in findings:
        key = (finding.rule, finding.path, finding.span.line, finding.kernel)
        first = kept.setdefault(key, finding)
        if first is finding:
            continue
        told = finding if SEVERITIES.index(finding.severity) > SEVERITIES.index(first.severity) else first
        kept[key] = replace(told, remedy=joined_remedy((told, finding if told is first else first)))
    yield from kept.values()


def joined_remedy(findings: Sequence[Finding]) -> Remedy | None:
    """The remedies of some findings of one rule as one, with what the first says beside its changes."""
    known = [one.remedy for one in findings if one.remedy is not None]
    return known[0].joined(known[1:]) if known else None


@dataclass(frozen=True, slots=True)
class Problem:
    """A file, a kernel or a source of evidence that could not be looked at, and why.

    `line` is 0 for what concerns no line, `column` counts from 1. `checked` where the source was checked
    all the same, and only other evidence is missing: any other problem means that not everything was
    checked.
    """

    path: str
    line: int
    message: str
    column: int = 1
    checked: bool = False


@dataclass(frozen=True, slots=True)
class Unrecognised:
    """Lines of a file with `cuda.jit` that no kernel was recognised from, and lines that launch kernels whose
    source was not found.
    """

    path: str
    uses: tuple[int, ...]
    launches: tuple[int, ...] = ()

    @property
    def line(self) -> int:
        """The first of these lines."""
        return min((*self.uses, *self.launches))

    def as_problem(self) -> Problem:
        """The same as a problem at the first of these lines."""
        return Problem(self.path, self.line, self.in_words())

    def as_notice(self) -> str:
        """The same with its place before it."""
        return f"{self.path}:{self.line}: {self.in_words()}"

    def in_words(self) -> str:
        """One sentence with all lines, the first few of many."""
        parts = []
        if self.uses:
            uses = "1 use" if len(self.uses) == 1 else f"{len(self.uses)} uses"
            verb = "was" if len(self.uses) == 1 else "were"
            noun = "a kernel" if len(self.uses) == 1 else "kernels"
            parts.append(f"{uses} of cuda.jit {verb} not recognised as {noun}: {_lines(self.uses)}")
        if self.launches:
            one = len(self.launches) == 1
            count = "1 launch is" if one else f"{len(self.launches)} launches are"
            parts.append(f"{count} of kernels whose source was not found: {_lines(self.launches)}")
        return "; ".join(parts) + "."


_MOST_LINES = 10


def _lines(lines: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, lines[:_MOST_LINES]))
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line{'' if len(lines) == 1 else 's'} {shown}{more}"


@dataclass(frozen=True, slots=True)
class Undecided:
    """A rule that could not be decided at some places for lack of a metric."""

    rule: str
    places: int
    needs: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class RemedyStep:
    """One remedy of a kernel after those before it: the rule, the place of its finding, and how many times as
    fast the kernel is with all of them, at the least and at the most by its counts; `left` is what it waits
    for most then.
    """

    rule: str
    path: str
    line: int
    least: float
    most: float
    left: str

    @property
    def speedup(self) -> float:
        """The one number for both: their geometric mean."""
        return float((self.least * self.most) ** 0.5)


@dataclass(frozen=True, slots=True)
class RemedyOrder:
    """The remedies of a kernel in the order in which they gain most, on one device."""

    kernel: str
    path: str
    device: str
    steps: tuple[RemedyStep, ...]


@dataclass
class Report:
    """The result of one check, ready for any output format.

    `device` is the name of the device the numbers were computed for; `texts` holds the source of every file
    with a finding (path to text) for excerpts; `summary` is JSON-ready; `notices` are single lines for the
    user (evidence that is missing on this machine and how to get it). `shares` are those of kernels in the
    time of the run, by name; `headroom` is the speed-up that is left at most for the remedy of a rule in a
    kernel. Both hold only what is known; `orders` are those of remedies whose gain is predicted. `unread`
    are, for each file with a syntax error, the lines of functions of which a part could not be read: nothing
    is said of them. What is `unrecognised` is also told by the notices or problems; problems that findings
    tell are `told` and not among the `problems`.
    """

    device: str
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    summary: dict[str, object] = field(default_factory=dict)
    shares: dict[str | None, float] = field(default_factory=dict)
    headroom: dict[tuple[str, str | None], float] = field(default_factory=dict)
    unread: dict[str, frozenset[int]] = field(default_factory=dict)
    unrecognised: list[Unrecognised] = field(default_factory=list)
    orders: list[RemedyOrder] = field(default_factory=list)
    told: list[Problem] = field(default_factory=list)

    @property
    def checked_everything(self) -> bool:
        """Whether all that was asked for was looked at, as far as its source goes."""
        return all(problem.checked for problem in self.problems)

    def summarise(self, kernels: int, launches: int) -> None:
        """Put the counts of findings, and of the kernels and launches that were checked, into the summary."""
        self.summary = {
            **self.summary,
            "kernels": kernels,
            "launches": launches,
            "findings": len(self.findings),
            **{level: sum(one.severity == level for one in self.findings) for level in SEVERITIES},
            "undecided_rules": len(self.undecided),
        }
