"""Virtual environments of links to the installed packages, some of them left out; nothing is fetched."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Collection
from pathlib import Path

import pytest

# An environment brings its own of these; this program comes from elsewhere.
_OWN = ("pip", "setuptools", "kernel_advisor", "advisor", "lsp_server", "__pycache__")


def make_environment(folder: Path, without: Collection[str] = (), *, with_pip: bool = False) -> Path:
    """The interpreter of a new environment in `folder`.

    It holds links to all packages and metadata of this one but those named in `without`, and nothing that
    leads to a checkout. Skips where links are not allowed.
    """
    pip = [] if with_pip else ["--without-pip"]
    subprocess.run(
        [sys.executable, "-m", "venv", *pip, str(folder)], check=True, capture_output=True, timeout=300
    )
    windows = sys.platform == "win32"
    python = folder / ("Scripts/python.exe" if windows else "bin/python")
    target = folder / (
        "Lib/site-packages" if windows else f"lib/python{sysconfig.get_python_version()}/site-packages"
    )
    for site in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(site).iterdir():
            name = entry.name.partition("-")[0]
            if name in (*_OWN, *without) or _leads_elsewhere(entry) or (target / entry.name).exists():
                continue
            try:
                (target / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
            except OSError:
                pytest.skip("links to folders are not allowed here")
    return python


def _leads_elsewhere(entry: Path) -> bool:
    """Whether an entry of site-packages adds folders to the module path, as editable installs do."""
    if entry.suffix != ".pth":
        return "__editable__" in entry.name
    return not all(
        line.startswith(("import ", "#")) for line in entry.read_text("utf-8").splitlines() if line
    )
