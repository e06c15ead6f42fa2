"""`advisor check --diff`: what `--fix` would write in the end, found out on a copy of the project."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from advisor.cli.checking.fixing import allowed_safeties, apply_all, edited_texts
from advisor.cli.checking.request import Request
from advisor.cli.checking.source_files import unified_diff
from advisor.fixes.application import chosen
from advisor.model.errors import SourceProblem
from advisor.model.findings import Report
from advisor.model.settings.workspace_files import workspace_files
from advisor.model.text.source_text import read_source
from advisor.runs.verification.shadow_tree import ShadowTree

_OWN = ".advisor"


def differences(request: Request, report: Report, unsafe: bool, check: Callable[[Request], Report]) -> str:
    """What `fix_files` would change, as unified diffs; of the user's files nothing is written.

    Where no copy can be made the fixes that apply at once are shown, and a notice says so.
    """
    first = chosen(report.findings, allowed_safeties(unsafe))
    if not first:
        return ""
    try:
        with _copied(request) as (copy, moved):
            texts = {path: _text(moved.options.root / path, path) for path in _paths(moved)}
            # From a folder outside the project its files are called otherwise than in the copy.
            begun = report if _is_inside(request) else check(moved)
            refused: dict[str, str] = {}
            apply_all(moved, begun, unsafe, check, refused)
            after = {path: _text(moved.options.root / path, path) for path in texts}
            shown = {path: _shown(moved.options.root / path, copy, request) for path in texts}
    except OSError as error:
        report.notices.append(f"Only the fixes that apply at once are shown: {error}.")
        return unified_diff(report.texts, edited_texts(report.texts, first))
    report.notices += list(refused.values())
    changed = [path for path, text in texts.items() if after[path] != text]
    return unified_diff(
        {shown[path]: texts[path] for path in changed}, {shown[path]: after[path] for path in changed}
    )


@contextmanager
def _copied(request: Request) -> Iterator[tuple[Path, Request]]:
    """A copy of the project in which all files that fixes may touch are files of their own, and the request
    for it.
    """
    options = request.options
    root = options.settings.root.resolve()
    checked = [Path(os.path.realpath(file.parent), file.name) for file in request.files]
    every = [*checked, *workspace_files(checked, options.root)]
    inside = {file: file.relative_to(root).as_posix() for file in every if file.is_relative_to(root)}
    with ShadowTree(root, dict.fromkeys(inside.values(), "")) as copy:
        for file, path in inside.items():
            shutil.copy2(file, copy / path)
        if (root / _OWN).is_dir():
            shutil.copytree(root / _OWN, copy / _OWN)
        kept = options.cache_folder
        if kept is not None and kept.is_dir() and not kept.resolve().is_relative_to(root / _OWN):
            shutil.copytree(kept, copy / _OWN / "cache", dirs_exist_ok=True)
        home = copy / options.root.resolve().relative_to(root) if _is_inside(request) else copy
        moved = replace(
            options,
            root=home,
            settings=replace(options.settings, root=copy),
            cache_folder=copy / _OWN / "cache" if kept is not None else None,
            workspace_files=tuple(copy / inside[file] for file in every if file in inside),
        )
        files = tuple(copy / inside[file] for file in checked if file in inside)
        yield copy, replace(request, files=files, options=moved)


def _paths(moved: Request) -> list[str]:
    """The files of a copy that fixes may touch, as reports on it call them."""
    root = moved.options.root
    files = {*moved.files, *(moved.options.workspace_files or ())}
    return sorted(os.path.relpath(file, root).replace(os.sep, "/") for file in files)


def _shown(file: Path, copy: Path, request: Request) -> str:
    """What the report on the original calls a file of the copy."""
    inside = Path(os.path.normpath(file)).relative_to(copy)
    original = request.options.settings.root.resolve() / inside
    return os.path.relpath(original, request.options.root.resolve()).replace(os.sep, "/")


def _text(file: Path, path: str) -> str:
    try:
        return read_source(file, path).text
    except SourceProblem:
        return ""


def _is_inside(request: Request) -> bool:
    """Whether the working directory lies in the project."""
    return request.options.root.resolve().is_relative_to(request.options.settings.root.resolve())
