"""What is seen of the kernels and launches of small programs that say themselves what must be seen.

`# kernel` stands where a `def` is a kernel, `# device` where it is compiled for kernels to call, and
`# launch: kernel[grid, block](arguments)` where a kernel is launched; `?` is what the source does not tell.
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

from advisor.evidence.source.file_analyser import FileAnalyser
from advisor.program.launches.launches import Launch

_SAID = re.compile(r"#\s*(kernel|device|launch):?\s*(.*)")
Seen = set[tuple[str, int, str, str]]


def said(name: str, text: str) -> Seen:
    """What the comments of a file say: file, line, what it is, and the launch as text."""
    found: Seen = set()
    for number, line in enumerate(text.splitlines(), 1):
        match = _SAID.search(line)
        if match:
            found |= {(name, number, match[1], one.strip()) for one in match[2].split(";")}
    return found


def seen(folder: Path, files: dict[str, str]) -> Seen:
    """What the program model sees in files, written as their comments say it."""
    analyser = FileAnalyser(folder)
    found: Seen = set()
    for name in files:
        analyser.host(folder / f"{name}.py")
        module = analyser.workspace.module(folder / f"{name}.py")
        assert module is not None
        for declaration in analyser.resolver.declarations(module):
            home = str(Path(declaration.module.path).with_suffix(""))
            found.add((home, declaration.node.lineno, "device" if declaration.device else "kernel", ""))
        for launch in analyser.launches_in(module):
            found |= {(name, launch.node.lineno, "launch", one) for one in in_words(launch)}
    return found


def in_words(launch: Launch) -> list[str]:
    """A launch as it would be written with what is known of it, for each kernel that it may launch."""
    arguments = ", ".join(map(ast.unparse, launch.arguments))
    names = [one.name for one in launch.kernels] or ["?"]
    return [f"{name}[{sizes(launch.grid)}, {sizes(launch.block)}]({arguments})" for name in names]


def sizes(found: tuple[int | None, ...] | None) -> str:
    texts = ["?" if one is None else str(one) for one in found or (None,)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def check(folder: Path, text: str) -> None:
    """Split a text at `### name` into files, and compare what is seen with what it says."""
    parts = re.split(r"^### ([\w/]+)\n", textwrap.dedent(text), flags=re.MULTILINE)
    named = dict(zip(parts[1::2], parts[2::2], strict=True)) if len(parts) > 1 else {"program": parts[0]}
    files = {name: f"from numba import cuda\n{body}" for name, body in named.items()}
    for name, body in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(body)
    expected = {one for name, body in files.items() for one in said(name, body)}
    assert seen(folder, files) == expected
