"""The machine code of a kernel beside its source lines, as a text to read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.model.errors import EvidenceUnavailable
from lsp_server.analysis.checked_text import Analysis, analyse
from lsp_server.answers.pages import ShownPage
from lsp_server.documents.workspace import WorkspaceFiles
from lsp_server.numbers.rows import Row

if TYPE_CHECKING:
    from advisor.evidence.compiled.listing import Listing
    from advisor.model.compilation_unit import CompilationUnit

_SECONDS = 60.0
# Where instructions of other lines stand between those of the line that is shown.
_GAP = "  ..."


def machine_code_page(kernel: Row, line: int, analysis: Analysis) -> ShownPage:
    """The instructions that came of one line (from 1), or of the whole kernel on the line of its `def`.

    Compiles the kernel in a process of its own. Raises EvidenceUnavailable with the reason where that fails.
    """
    from advisor.evidence.compiled import Target
    from advisor.evidence.compiled.listing import list_kernel

    unit = next((one for one in _units(analysis) if one.kernel == kernel.key), None)
    if unit is None:
        raise EvidenceUnavailable(f"The kernel {kernel.label} cannot be compiled by itself.")
    listing = list_kernel(unit, Target.parse(analysis.device.compute_capability), _SECONDS)
    whole = line == kernel.span.line
    title = f"# Machine code of {kernel.label}" + ("" if whole else f", line {line}")
    lines = list(_lines(listing, analysis, None if whole else line))
    count = sum(one.startswith("  ") and one != _GAP for one in lines)
    head = [title, "", *_about(listing, analysis, count)]
    if not count:
        head.append("No instruction came of this line: it was optimised away, or merged with others.")
    text = "\n".join([*head, "", "```asm", *lines, "```", ""]) if count else "\n".join([*head, ""])
    digest = hashlib.sha256(analysis.document.uri.encode()).hexdigest()[:8]
    message = "\n".join([title.removeprefix("# "), *lines] if count else head[2:])
    return ShownPage(f"machine-code-{kernel.label}-{digest}.md", text, message)


def _units(analysis: Analysis) -> list[CompilationUnit]:
    """The document's kernels as the compiler takes them."""
    from lsp_server.evidence.collectors import (
        UnitsOnly,  # which takes a moment that the server's start has no use for
    )

    collectors = UnitsOnly()
    analyse(analysis.document, WorkspaceFiles(), "compiled", analysis.device.id, collectors)
    return collectors.units


def _about(listing: Listing, analysis: Analysis, count: int) -> Iterator[str]:
    yield f"{count} instructions for {analysis.device.name} ({analysis.device.target})."
    yield ""
    yield f"Compiled for ({', '.join(listing.types.types)})."
    for one in listing.types.assumptions:
        yield f"- Assumed: {one}"


def _lines(listing: Listing, analysis: Analysis, line: int | None) -> Iterator[str]:
    """The instructions under the source lines that they came of, those of other lines left out."""
    path, source = analysis.document.path, analysis.document.source.lines
    begun, last = False, None
    for one in listing.instructions:
        if line is None and (one.place != last or not begun):
            yield _heading(one.place, path, source)
        elif line is not None and one.place != (path, line):
            last = one.place
            continue
        elif not begun:
            yield _heading(one.place, path, source)
        elif one.place != last:
            yield _GAP
        begun, last = True, one.place
        yield f"  {one.address}  {one.text}"


def _heading(place: tuple[str, int] | None, path: str, source: Sequence[str]) -> str:
    if place is None:
        return "// of no line"
    file, line = place
    if file != path:
        return f"// {file}:{line}"
    return f"// {line}: {source[line - 1].strip()}" if line <= len(source) else f"// {line}"
