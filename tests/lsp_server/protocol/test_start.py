"""What the server does not do before it is ready."""

from __future__ import annotations

import subprocess
import sys

_LOADED = """
import sys
from lsp_server.server import build_server
build_server()
print(*sorted(sys.modules))
"""
# What takes longer to import than an editor should wait for; the first question brings what it needs.
_LATER = {"numpy", "sqlite3", "lark", "numba", "advisor.rules", "advisor.evidence.source.analysis"}


def test_nothing_slow_is_imported_before_the_server_is_ready():
    found = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True, timeout=60
    )
    assert not _LATER & set(found.stdout.split())


def test_the_process_that_writes_fixes_loads_nothing_of_the_protocol():
    """Its library takes longer to import than all else that the process needs before the first fix."""
    program = "import sys, lsp_server.fixes.fix_writing; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert not {"lsprotocol", "pygls", "cattrs"} & set(found.stdout.split())
