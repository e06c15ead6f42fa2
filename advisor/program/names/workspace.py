"""The modules of a workspace, found by import name and parsed on demand. Nothing is imported or executed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from advisor.model.errors import SourceProblem
from advisor.model.storage.regular_files import content_of
from advisor.model.text.source_text import read_source
from advisor.program.names.library_names import star_member
from advisor.program.syntax.file_modules import read_modules
from advisor.program.syntax.gate import launched_names
from advisor.program.syntax.module import Import, ModuleSyntax

# Roots of the libraries a kernel may name: they are never looked for in the workspace.
KNOWN_LIBRARIES = frozenset(
    {
        "numba", "numba_cuda", "numba_cuda_mlir", "numpy", "math", "cmath", "operator", "cupy", "torch",
        "scipy", "pandas",
    }
)  # fmt: skip
_RE_EXPORTS = 3
_PROJECT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class Workspace:
    """Modules below `root`, each parsed at most once; paths are reported relative to `root`.

    `imports` are the files whose modules were found by an import, each after the file of the importer.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._modules: dict[str, ModuleSyntax | None] = {}
        self._written: dict[str, ModuleSyntax] = {}
        self._folders: dict[str, str] = {}
        self._bases: dict[Path, list[Path]] = {}
        self._found: dict[tuple[str, int, str], str | None] = {}
        self._launching: dict[str, bool] = {}
        self._packages: dict[Path, bool] = {}
        self.imports: set[tuple[str, str]] = set()

    def report_path(self, file: Path) -> str:
        """The path a file is reported under: relative to the root where possible, POSIX separators."""
        try:
            relative = os.path.relpath(file, self.root)
        except ValueError:
            return file.as_posix()
        return file.as_posix() if relative.startswith("..") else Path(relative).as_posix()

    @property
    def files(self) -> frozenset[str]:
        """Every file that was read so far, also those that could not be parsed."""
        return frozenset(self._modules)

    def imported_from(self, file: Path) -> set[str]:
        """The files whose modules a file and those that it imports have been seen to import so far."""
        found, waiting = set[str](), [str(file)]
        for importer in waiting:
            fresh = {inner for outer, inner in self.imports if outer == importer} - found
            found |= fresh
            waiting += fresh
        return found

    def add(self, module: ModuleSyntax) -> None:
        """Make an already parsed module known, so that it is not read again."""
        if module.file:
            self._modules[module.file] = module

    def add_written(self, file: Path, written: Iterable[tuple[str, ModuleSyntax]]) -> None:
        """Make modules known that the program in a file writes to others, each with that one's name.

        They stand for files that are not there yet.
        """
        for name, module in written:
            self._written[str(file.parent / name)] = module

    def in_package(self, module: ModuleSyntax) -> bool:
        """Whether a module belongs to a package, so that programs elsewhere may import it."""
        folder = (self.root / module.path).parent
        if folder not in self._packages:
            self._packages[folder] = (folder / "__init__.py").is_file()
        return self._packages[folder]

    def leave_out(self, file: Path) -> None:
        """Make a file count as one that cannot be parsed, whatever is on the disk."""
        self._modules[str(file)] = None

    def module(self, file: Path) -> ModuleSyntax | None:
        """The parsed module in `file`, None when it cannot be read or parsed."""
        key = str(file)
        if key not in self._modules:
            try:
                self._modules[key] = read_modules(read_source(file, self.report_path(file)), key).own
            except SourceProblem:
                self._modules[key] = None
        return self._modules[key]

    def find(self, imported: Import, importer: ModuleSyntax) -> ModuleSyntax | None:
        """The workspace module that an import names, None for libraries and what cannot be found."""
        file = self._file(imported.module, imported.level, importer)
        if file is None:
            return None
        if file in self._written and file not in self._modules:
            self.imports.add((importer.file, self._written[file].file))
            return self._written[file]
        self.imports.add((importer.file, file))
        return self._modules[file] if file in self._modules else self.module(Path(file))

    def looked_into(self, file: Path, asking: ModuleSyntax) -> ModuleSyntax | None:
        """The module in a file that what is said of another one rests on, as if that imported it."""
        self.imports.add((asking.file, str(file)))
        return self.module(file)

    def imported_with(self, text: str, importer: ModuleSyntax) -> Iterator[ModuleSyntax]:
        """The modules that a module imports and in which a text stands; others are not parsed for it."""
        seen: set[str] = set()
        for one in [*importer.imports.values(), *importer.star_imports]:
            inner = ".".join(part for part in (one.module, one.name) if part)
            for dotted in dict.fromkeys((one.module, inner)):
                file = self._file(dotted, one.level, importer) if dotted else None
                if file is None or file in seen:
                    continue
                seen.add(file)
                self.imports.add((importer.file, file))
                found = self.module(Path(file)) if self._has(file, text) else None
                if found is not None:
                    yield found

    def _has(self, file: str, text: str) -> bool:
        """Whether a text stands in a file."""
        known = self._modules.get(file)
        if known is not None or file in self._modules:
            return known is not None and text in known.source.text
        try:
            return text.encode() in content_of(file)
        except OSError:
            return False

    def launches_anything(self, imported: Import, importer: ModuleSyntax) -> bool:
        """Whether the file that an import names has a launch by the look of its bytes; it is not parsed."""
        file = self._file(imported.module, imported.level, importer)
        if file is None and imported.name is not None:
            inner = f"{imported.module}.{imported.name}" if imported.module else imported.name
            file = self._file(inner, imported.level, importer)
        if file is None:
            return False
        if file not in self._launching:
            try:
                self._launching[file] = bool(launched_names(content_of(file)))
            except OSError:
                self._launching[file] = False
        return self._launching[file]

    def definition(self, name: str, module: ModuleSyntax, depth: int = 4) -> tuple[ModuleSyntax, str] | None:
        """The module and name under which `name`, as seen in `module`, is defined; follows re-exports."""
        if name in module.top_level or name in module.assigned:
            return module, name
        if depth == 0:
            return None
        imported = module.imports.get(name)
        candidates = [imported] if imported and imported.name else []
        for candidate in candidates:
            target = self.find(candidate, module)
            if target is not None and candidate.name is not None:
                found = self.definition(candidate.name, target, depth - 1)
                if found:
                    return found
        for star in module.star_imports:
            target = self.find(star, module)
            if target is not None and target is not module:
                found = self.definition(name, target, depth - 1)
                if found:
                    return found
        return None

    def member(self, dotted: str, module: ModuleSyntax) -> tuple[ModuleSyntax, str] | None:
        """The module and name behind a dotted name such as `package.module.function`."""
        if "." not in dotted:
            return self.definition(dotted, module)
        place = self.place(dotted, module)
        return None if place is None else self.definition(place[1], place[0])

    def place(self, dotted: str, module: ModuleSyntax) -> tuple[ModuleSyntax, str] | None:
        """The module that `module.name` asks for a name, and the name, wherever that is defined."""
        level = len(dotted) - len(dotted.lstrip("."))
        head, _, name = dotted.lstrip(".").rpartition(".")
        if not head and not level:
            return None
        target = self.find(Import(head, None, level), module) or self._re_exported(head, level, module)
        return None if target is None else (target, name)

    def _re_exported(self, dotted: str, level: int, module: ModuleSyntax) -> ModuleSyntax | None:
        """The module that another one imports under the last part of a dotted name."""
        head, _, name = dotted.rpartition(".")
        around = self.find(Import(head, None, level), module) if head or level else None
        imported = around.imports.get(name) if around is not None else None
        if around is None or imported is None:
            return None
        inner = ".".join(one for one in (imported.module, imported.name) if one)
        return self.find(Import(inner, None, imported.level), around)

    def library_name(self, dotted: str, module: ModuleSyntax) -> str:
        """`numba.cuda.jit` for a dotted name whose root a workspace module re-exports from a library, or that
        a star import brings in, or whose import is missing.
        """
        if dotted.startswith("cuda.") and _lacks_import_of_cuda(module):
            return f"numba.{dotted}"
        if module.star_imports and not dotted.startswith("."):
            starred = self._starred(dotted, module, _RE_EXPORTS)
            dotted = starred or self._of_unseen_star(dotted, module) or dotted
        for _ in range(_RE_EXPORTS):
            level = len(dotted) - len(dotted.lstrip("."))
            parts = dotted.lstrip(".").split(".")
            if not level and (parts[0] in KNOWN_LIBRARIES or len(parts) == 1):
                return dotted
            renamed = self._re_export(parts, level, module)
            if renamed is None:
                return dotted
            dotted, module = renamed
        return dotted

    def _starred(self, dotted: str, module: ModuleSyntax, depth: int) -> str | None:
        """A name whose root only a star import can bind, as it is called in the library it comes from."""
        root, _, rest = dotted.partition(".")
        if root in module.top_level or root in module.assigned or _is_imported(root, module):
            return None
        for star in reversed(module.star_imports):
            if not star.level and star_member(star.module, root):
                return f"{star.module}.{dotted}"
            target = self.find(star, module) if depth > 0 else None
            if target is None or target is module:
                continue
            imported = target.imports.get(root)
            if imported is not None:
                return self.library_name(f"{imported.dotted}.{rest}" if rest else imported.dotted, target)
            found = self._starred(dotted, target, depth - 1)
            if found is not None:
                return found
        return None

    def _of_unseen_star(self, dotted: str, module: ModuleSyntax) -> str | None:
        """`numba.cuda.grid` for `cuda.grid` where a module that is not found must bring in `cuda`, and its
        `jit` is used: no other library has one.
        """
        if not dotted.startswith("cuda.") or "cuda.jit" not in module.source.text:
            return None
        if "cuda" in module.top_level or "cuda" in module.assigned or _is_imported("cuda", module):
            return None
        unseen = (one for one in module.star_imports if one.module.partition(".")[0] not in KNOWN_LIBRARIES)
        return f"numba.{dotted}" if any(self.find(one, module) is None for one in unseen) else None

    def _re_export(
        self, parts: list[str], level: int, module: ModuleSyntax
    ) -> tuple[str, ModuleSyntax] | None:
        for cut in range(len(parts) - 1, 0 if not level else -1, -1):
            target = self.find(Import(".".join(parts[:cut]), None, level), module)
            if target is not None and target is not module:
                imported = target.imports.get(parts[cut])
                if imported is None:
                    return None
                return ".".join([imported.dotted, *parts[cut + 1 :]]), target
        return None

    def _file(self, dotted: str, level: int, importer: ModuleSyntax) -> str | None:
        if not importer.file or (not level and dotted.partition(".")[0] in KNOWN_LIBRARIES):
            return None
        folder = self._folders.get(importer.file)
        if folder is None:
            folder = self._folders[importer.file] = str(Path(importer.file).parent)
        key = (dotted, level, folder)
        if key not in self._found:
            file = self._search(dotted, level, Path(folder))
            self._found[key] = None if file is None else str(file)
        return self._found[key]

    def _search(self, dotted: str, level: int, folder: Path) -> Path | None:
        parts = [part for part in dotted.split(".") if part]
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return _module_file(folder, parts)
        if folder not in self._bases:
            self._bases[folder] = self._bases_of(folder)
        for base in self._bases[folder]:
            found = _module_file(base, parts) or self._written_file(base, parts)
            if found is not None:
                return found
        return None

    def _written_file(self, base: Path, parts: list[str]) -> Path | None:
        file = base.joinpath(*parts).with_suffix(".py") if parts and self._written else None
        return file if str(file) in self._written else None

    def _bases_of(self, folder: Path) -> list[Path]:
        """Where an absolute import may start: the file's folder, its parents up to the project, and `src`."""
        bases = [folder]
        while (
            folder != self.root
            and folder.parent != folder
            and not any((folder / m).exists() for m in _PROJECT_MARKS)
        ):
            folder = folder.parent
            bases.append(folder)
        for extra in (self.root, self.root / "src", folder / "src"):
            if extra not in bases:
                bases.append(extra)
        return bases


def _is_imported(root: str, module: ModuleSyntax) -> bool:
    """Whether a name, as written or as it is called in the library it comes from, is imported by itself."""
    return root in module.imports or any(
        one.module.partition(".")[0] == root for one in module.imports.values()
    )


def _module_file(base: Path, parts: list[str]) -> Path | None:
    if not parts:
        package = base / "__init__.py"
        return package if package.is_file() else None
    stem = base.joinpath(*parts)
    for file in (stem.with_name(stem.name + ".py"), stem / "__init__.py"):
        if file.is_file():
            return file
    return None


def _lacks_import_of_cuda(module: ModuleSyntax) -> bool:
    """Whether a module uses `cuda.jit`, which only Numba has, and nothing in it binds `cuda`."""
    return (
        not module.star_imports and "cuda" not in module.bound_anywhere and "cuda.jit" in module.source.text
    )
