"""What names of Triton mean in a module: `triton.jit`, `tl.load`, whatever they were imported as."""

from __future__ import annotations

import ast
from pathlib import Path

from advisor.program.names.visible_names import value_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import dotted_root

_LANGUAGE = ("triton", "language")
# Modules below triton.language whose functions are used like its own.
_BELOW = frozenset({"math", "core", "standard", "semantic"})
_STEPS = 3


class TritonNames:
    """The names of one module that come from Triton; nothing is imported."""

    def __init__(self, module: ModuleSyntax, workspace: Workspace) -> None:
        self.module = module
        self._workspace = workspace
        self.used = self._imports_triton()

    def of(self, node: ast.expr) -> str | None:
        """`triton.jit` or `tl.load` for a name or attribute that stands for it, None for all others."""
        return self._of(node, _STEPS) if self.used else None

    def called(self, node: ast.expr) -> str | None:
        """The same of what a call calls, None for anything that is no call."""
        return self.of(node.func) if isinstance(node, ast.Call) else None

    def _of(self, node: ast.expr, steps: int) -> str | None:
        root = dotted_root(node)
        if root is None:
            return None
        dotted = self.module.dotted(node)
        if root.id in self.module.imports:
            return None if dotted is None else short_name(dotted)
        # A name that a plain assignment gives to a module of Triton: tl = triton.language.
        value = value_at(self.module, root) if steps else None
        meant = None if value is None else self._of(value, steps - 1)
        rest = dotted.removeprefix(root.id) if dotted else ""
        return (
            None if meant is None else short_name(f"triton.language{rest}" if meant == "tl" else meant + rest)
        )

    def _imports_triton(self) -> bool:
        """Whether the module imports Triton, and not a module of the workspace that is only called so."""
        if not any("triton" in one.dotted for one in self.module.imports.values()):
            return False
        return not any(_is_fake(base) for base in self._bases())

    def _bases(self) -> list[Path]:
        """The folders where `import triton` looks before the installed packages."""
        root = self._workspace.root
        found = [root, root / "src"]
        if self.module.file and not (Path(self.module.file).parent / "__init__.py").exists():
            found.append(Path(self.module.file).parent)
        return found


def _is_fake(base: Path) -> bool:
    """Whether a folder has a module called triton that is not Triton itself."""
    if (base / "triton.py").is_file():
        return True
    return (base / "triton" / "__init__.py").is_file() and not (base / "triton" / "language").is_dir()


def short_name(dotted: str) -> str | None:
    """`tl.load` for `triton.language.load`, `triton.jit` for itself; None for what is not Triton's.

    A project's own module may pass the names on, as `from project.triton_utils import tl, triton` does.
    """
    parts = dotted.lstrip(".").split(".")
    if parts[0] != "triton":
        at = next((n for n, part in enumerate(parts) if n and part in ("tl", "triton")), None)
        if at is None or not any("triton" in part for part in parts[:at]):
            return None
        parts = [*_LANGUAGE, *parts[at + 1 :]] if parts[at] == "tl" else parts[at:]
    if tuple(parts[:2]) == _LANGUAGE:
        rest = parts[2:]
        while len(rest) > 1 and rest[0] in _BELOW:
            rest = rest[1:]
        return ".".join(["tl", *rest])
    return ".".join(parts)
