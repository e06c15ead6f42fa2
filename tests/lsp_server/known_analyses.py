"""Analyses with tables written by hand, so that a test can say what is known of a text."""

from __future__ import annotations

from pathlib import Path

from advisor.evidence.metrics.tables import build_tables
from advisor.model.devices import find_device
from advisor.model.records import Record
from advisor.model.settings.config import Config
from advisor.model.text.source_text import Span
from lsp_server.analysis.checked_text import Analysis
from lsp_server.documents.document import Document

OWNERS = {
    "kernel": "run",
    **dict.fromkeys(("access", "atomic", "barrier", "branch", "line", "launch"), "kernel"),
}
PATH = "k.py"
KERNEL = "k"


def kernel(span=None, source="compiled", label="scale", assumptions=(), owner=None, key=KERNEL, **values):
    return record("kernel", span or Span(2, 5, 2, 10), source, label, assumptions, owner, key, **values)


def record(entity, span, source="source", label="a", assumptions=(), owner=KERNEL, key=None, **values):
    found = Record(entity, key or f"{entity}:{span}:{label}:{owner}", PATH, span, label, owner)
    found.know(source, tuple(assumptions), **values)
    return found


def analysis(text, *records, device="h100-sxm", **more):
    chosen = find_device(device)
    root = Path("/w")
    document = Document("file:///w/k.py", 1, root / PATH, root, False, text)
    tables = build_tables([*records, chosen.record()], OWNERS)
    return Analysis(document, Config(), chosen, tables=tables, **more)
