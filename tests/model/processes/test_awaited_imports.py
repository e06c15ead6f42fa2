"""Something to do once a module has been imported, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BEGIN = "from advisor.model.processes.awaited_imports import after_import\n"


def said(text: str) -> list[str]:
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path.insert(0, {str(root)!r})\n{BEGIN}{text}"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout.split()


def test_it_is_done_when_the_module_is_whole():
    text = "after_import(('colorsys',), lambda: print(sys.modules['colorsys'].rgb_to_hsv(0, 0, 0)[2]))\n"
    assert said(f"{text}print('before')\nimport colorsys\nprint('after')") == ["before", "0", "after"]


def test_it_is_done_at_once_where_the_module_is_there():
    assert said("import colorsys\nafter_import(('colorsys',), lambda: print('now'))\nprint('end')") == [
        "now", "end",
    ]  # fmt: skip


def test_it_is_done_once_for_several_modules():
    text = "after_import(('colorsys', 'chunk', 'bisect'), lambda: print('once'))\n"
    assert said(f"{text}sys.modules.pop('bisect', None)\nimport colorsys, bisect") == ["once"]


def test_who_only_looks_for_the_module_changes_nothing():
    text = "import importlib.util\nafter_import(('colorsys',), lambda: print('imported'))\n"
    look = "print(importlib.util.find_spec('colorsys').name)\n"
    assert said(f"{text}{look}{look}import colorsys") == ["colorsys", "colorsys", "imported"]


def test_it_is_done_before_a_module_and_what_it_awaits_then_is_seen():
    inner = "after_import(('colorsys',), lambda: print('behind'))"
    text = f"after_import(('chunk',), lambda: ({inner}, print('before')), before=('colorsys',))\n"
    assert said(f"{text}import bisect\nprint('now')\nimport colorsys, chunk") == ["now", "before", "behind"]


def test_a_module_that_does_not_exist_is_not_found():
    text = "after_import(('no_such_module',), lambda: print('done'))\n"
    look = "try:\n    import no_such_module\nexcept ModuleNotFoundError:\n    print('missing')\n"
    assert said(text + look) == ["missing"]
