"""What tells whether rule files are the same as before, and read by the same program."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from advisor import __version__, rules
from advisor.model.data_files import grammar_folder
from advisor.model.text import source_text as text

# The folder of a pack, a file in it, and its bytes or why it cannot be read.
File = tuple[Path, Path, bytes | str]


def digest_of(files: Sequence[File]) -> str:
    """A digest of files that also changes with what reads them."""
    digest = hashlib.sha256(f"{__version__} {sys.version_info[:2]}".encode())
    for name in ("rules.lark", "errors.toml"):
        digest.update((grammar_folder() / name).read_bytes())
    for code in [*sorted(Path(rules.__file__).parent.rglob("*.py")), Path(text.__file__)]:
        digest.update(code.read_bytes())
    for folder, file, data in files:
        digest.update(f"\0{folder}\0{file}\0".encode(errors="surrogateescape"))
        digest.update(data if isinstance(data, bytes) else data.encode())
    return digest.hexdigest()[:32]
