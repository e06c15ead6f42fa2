"""Edits that a client proposes, in a copy of the workspace that is made of links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from advisor.cli.mcp_server.workspace import Workspace
from advisor.fixes.application import edited
from advisor.model.errors import UsageError
from advisor.model.findings import Edit
from advisor.model.settings.config import command_config, prepare_cache_folder
from advisor.runs.verification.shadow_tree import ShadowTree


@dataclass(frozen=True)
class ProposedEdit:
    """A text in the place of another one of a file.

    That is `old`, which must stand in the file once, or the characters `start` to `end` (exclusive) as the
    edits of findings give them.
    """

    path: str
    text: str
    old: str = ""
    start: int = -1
    end: int = -1


def edited_texts(workspace: Workspace, edits: Sequence[ProposedEdit]) -> dict[str, str]:
    """The new texts of the files that edits are of, by path. Raises UsageError for edits that do not fit."""
    by_path: dict[str, list[ProposedEdit]] = {}
    for one in edits:
        by_path.setdefault(workspace.path(one.path), []).append(one)
    found = {}
    for path, own in by_path.items():
        text = workspace.text(path)
        if text is None:
            raise UsageError(f"{path}: is no text in UTF-8 that can be edited.")
        places = sorted(_place(path, text, one) for one in own)
        if any(first.end > second.start for first, second in pairwise(places)):
            raise UsageError(f"{path}: two of the edits change the same characters.")
        found[path] = edited(text, places)
    return found


def _place(path: str, text: str, edit: ProposedEdit) -> Edit:
    if edit.old:
        count = text.count(edit.old)
        if count != 1:
            raise UsageError(
                f"{path}: the text to replace stands there {count} times; `old` has to be there once, or "
                "give `start` and `end`."
            )
        start = text.index(edit.old)
        return Edit(start, start + len(edit.old), edit.text)
    if not 0 <= edit.start <= edit.end <= len(text):
        raise UsageError(f"{path}: characters {edit.start} to {edit.end} are no part of its {len(text)}.")
    return Edit(edit.start, edit.end, edit.text)


@contextmanager
def edited_copy(workspace: Workspace, texts: Mapping[str, str]) -> Iterator[Path]:
    """A folder that reads like the workspace with other texts in the place of some files.

    What is kept of compiled kernels serves the copy as well.
    """
    config = command_config(workspace.root)
    project = config.root if workspace.root.is_relative_to(config.root) else workspace.root
    inside = workspace.root.relative_to(project)
    with ShadowTree(project, {(inside / path).as_posix(): text for path, text in texts.items()}) as copy:
        kept = prepare_cache_folder(config)
        if config.cache_dir is None and kept is not None:
            own = copy / kept.parent.name
            own.mkdir(exist_ok=True)
            (own / kept.name).symlink_to(kept)
        yield copy / inside
