"""What a worker must have like this machine, so that it gives the same results."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from advisor import __version__
from advisor.evidence.compiled.toolchain import nvdisasm, toolchain_versions
from advisor.model.data_files import grammar_folder, knowledge_folder

_PROGRAM, _FILES, _PYTHON = "Kernel Advisor", "the text of Kernel Advisor", "Python"
# Where a toolkit lies may differ from machine to machine.
_PLACES = ("CUDA_HOME", "CUDA_PATH", "python")
_KINDS = ("*.py", "*.toml", "*.rules", "*.lark")


@cache
def program_facts() -> dict[str, str]:
    """The versions that decide results, by name, empty for what is not installed."""
    tools = {name: text for name, text in toolchain_versions().items() if name not in _PLACES}
    return {
        _PROGRAM: __version__,
        _PYTHON: ".".join(map(str, sys.version_info[:2])),
        **tools,
        "the program nvdisasm": "found" if nvdisasm() else "",
        _FILES: _digest(),
    }


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """The first thing that differs, as a clause, an empty text where all is alike."""
    for name, own in here.items():
        other = there.get(name, "")
        if other == own:
            continue
        if name == _FILES:
            return f"{name} is another there"
        return f"{name} is {other or 'missing'} there and {own or 'missing'} here"
    return ""


def _digest() -> str:
    """Changes with the program's text, its knowledge and its grammars."""
    found = hashlib.sha256()
    for folder in (Path(__file__).parents[2], knowledge_folder(), grammar_folder()):
        for file in sorted(file for kind in _KINDS for file in folder.rglob(kind)):
            found.update(file.relative_to(folder).as_posix().encode())
            found.update(file.read_bytes())
    return found.hexdigest()[:16]
