"""Pages that commands show: of a rule, a fix or a kernel, as Markdown files in the user's cache folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.capabilities import get_capability

from advisor.check.rulebook import rulebook_for
from advisor.check.speedup_bounds.actions import Action
from advisor.model.findings import Finding
from advisor.model.storage.cache import user_cache_folder
from advisor.reports.diagnosis.actions_in_words import gain_in_words, what_to_do
from advisor.reports.rule_pages.catalogue import catalogue_of, find_rule
from advisor.reports.rule_pages.fix_page import build_fix_page, find_fix
from advisor.reports.rule_pages.page_markdown import page_as_markdown
from advisor.reports.rule_pages.page_model import Page
from advisor.reports.rule_pages.rule_page import build_page
from lsp_server.analysis.checked_text import Analysis
from lsp_server.numbers.access_card import METRICS, stands_in_source, text_at
from lsp_server.numbers.cards import Quantities
from lsp_server.numbers.kernel_card import kernel_card
from lsp_server.numbers.known import Known, known_of
from lsp_server.numbers.rows import Row
from lsp_server.session import AdvisorServer

_FOLDER = "pages"
_MOST_FILES = 200
_MOST_CHARACTERS = 1_500
# The sections of a page that tell the most in the least words.
_TOLD = ("What", "Why", "Conditions")
_ODD = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class ShownPage:
    """A page to show: the name of its file, its text, and the little that fits into a message."""

    name: str
    text: str
    message: str


def page_named(name: str, analysis: Analysis) -> ShownPage:
    """The page of a rule, a fix or a kernel of the document; raises UsageError when nothing is called so."""
    rulebook = rulebook_for(analysis.settings, strict=False)
    kernels = [row for row in known_of(analysis).rows("kernel") if row.label == name]
    if kernels:
        return kernel_page(kernels[0], analysis)
    fix = find_fix(name)
    catalogue = catalogue_of(rulebook)
    if fix is not None and name not in catalogue:
        return _shown(name, build_fix_page(fix))
    return _shown(name, build_page(find_rule(catalogue, name, rulebook), rulebook))


def page_of_line(line: int, analysis: Analysis) -> ShownPage | None:
    """The page of what a line (from 1) is about: the rule of its finding, the kernel around, or None.

    On the line of its `def` it is the kernel's.
    """
    kernel = kernel_around(line, analysis)
    if kernel is not None and kernel.span.line == line:
        return kernel_page(kernel, analysis)
    findings = [one for one in _in_order(analysis.actions) if one.is_on(line, line)]
    if findings:
        return page_named(findings[0].rule, analysis)
    return kernel_page(kernel, analysis) if kernel is not None else None


def kernel_around(line: int, analysis: Analysis) -> Row | None:
    """The kernel whose `def` or body a line (from 1) lies in."""
    lines = analysis.document.source.lines
    before = [row for row in known_of(analysis).rows("kernel") if row.span.line <= line <= len(lines)]
    kernel = max(before, key=lambda row: row.span.line, default=None)
    if kernel is None:
        return None
    depth = _depth(lines[kernel.span.line - 1])
    body = (text for text in lines[kernel.span.line : line] if text.strip())
    return kernel if all(_depth(text) > depth or text.lstrip()[0] in ")]}#" for text in body) else None


def kernel_page(kernel: Row, analysis: Analysis) -> ShownPage:
    """All that is known of a kernel: its card, its findings, and its accesses to memory."""
    known, quantities = known_of(analysis), Quantities(analysis.settings)
    card = kernel_card(kernel, quantities)
    actions = [one for one in analysis.actions if one.finding.kernel_concerned() == kernel.label]
    parts = [f"# Kernel {kernel.label} on {analysis.device.name}", card.markdown()]
    if actions:
        parts += ["## What to do, the first thing first", "\n".join(map(_told, actions))]
    accesses = _accesses(kernel, known, analysis, quantities)
    if accesses:
        parts += ["## Accesses to memory", "\n".join(accesses)]
    digest = hashlib.sha256(analysis.document.uri.encode()).hexdigest()[:8]
    return ShownPage(f"kernel-{kernel.label}-{digest}.md", "\n\n".join(parts) + "\n", card.plain())


async def show(ls: AdvisorServer, page: ShownPage) -> None:
    """Open a page in the client, or tell what fits into a message where it opens nothing."""
    folder = user_cache_folder()
    if folder is not None and get_capability(ls.client_capabilities, "window.show_document.support"):
        try:
            file = _write(folder / _FOLDER, page)
        except OSError:
            file = None
        if file is not None:
            shown = await ls.window_show_document_async(
                types.ShowDocumentParams(file.as_uri(), take_focus=True)
            )
            if shown.success:
                return
    text = page.message
    ls.show_message(
        text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} …", types.MessageType.Info
    )


def _write(folder: Path, page: ShownPage) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / _ODD.sub("-", page.name)
    file.write_text(page.text, encoding="utf-8")
    old = sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime)[:-_MOST_FILES]
    for one in old:
        one.unlink(missing_ok=True)
    return file


def _shown(name: str, page: Page) -> ShownPage:
    told = [section for section in page.sections if section.heading in _TOLD]
    paragraphs = [text for section in told for text in section.paragraphs]
    return ShownPage(f"{name}.md", page_as_markdown(page) + "\n", "\n\n".join([page.title, *paragraphs]))


def _in_order(actions: Sequence[Action]) -> Iterator[Finding]:
    for action in actions:
        yield from (action.finding, *action.others)


def _told(action: Action) -> str:
    """An action as an item of a list: what to do where and what it gains, then what was found."""
    finding = action.finding
    lines = ", ".join(map(str, (finding.span.line, *action.other_lines)))
    where = f"line{'s' if action.other_lines else ''} {lines}"
    return f"1. {what_to_do(action)} ({where}, `{finding.rule}`): {gain_in_words(action)}. {finding.message}"


def _accesses(kernel: Row, known: Known, analysis: Analysis, quantities: Quantities) -> list[str]:
    """The lines of a table of the accesses, those of device functions in other files left out."""
    rows = [row for row in known.owned("access", kernel) if row.path == known.path]
    shown = [metric for metric in METRICS if any(row.value(metric) is not None for row in rows)]
    if not rows:
        return []
    head = ["line", "access", "kind", "memory", *shown]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in sorted(rows, key=lambda row: row.span):
        if stands_in_source(row):
            text = text_at(analysis.document.source, row.span).replace("|", "\\|")
            cells = [str(row.span.line), f"`{text}`", row.text("kind"), row.text("space")]
            lines.append(f"| {' | '.join([*cells, *(quantities.written(row, one) for one in shown)])} |")
    return lines


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
