"""What the editor holds open, as far as it concerns this server: Python text that stands for a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from pygls.uris import to_fs_path
from pygls.workspace import TextDocument, Workspace

from lsp_server.documents.document import Document

_LANGUAGE = "python"
_UNTITLED = "untitled"


@dataclass(frozen=True)
class OpenText:
    """The text that the client holds of a file, without a byte order mark, and its version."""

    uri: str
    version: int | None
    text: str


def held_document(workspace: Workspace, uri: str) -> TextDocument | None:
    """The document that the client holds open under a URI, whatever it is."""
    held: TextDocument | None = workspace.text_documents.get(unquote(uri))
    return held


def open_document(workspace: Workspace, uri: str) -> Document | None:
    """The document as it is now; None when it is not open, not Python, or neither a file's nor new.

    A cell is none: its notebook is one, with the text of all cells.
    """
    held = held_document(workspace, uri)
    if workspace.get_notebook_document(cell_uri=uri) is not None:
        return None
    file = None if held is None else _file_of(held, workspace)
    if held is None or file is None or not _is_python(held):
        return None
    root = _folder_around(workspace, file)
    return Document(held.uri, held.version, file, root or file.parent, root is None, held.source)


def _file_of(held: TextDocument, workspace: Workspace) -> Path | None:
    """The file of a document; of one that was never saved the place where it would be saved first."""
    scheme, _, name = held.uri.partition(":")
    if scheme == _UNTITLED:
        stem = unquote(name).replace("\\", "/").rpartition("/")[2] or _UNTITLED
        return first_folder(workspace) / (stem if stem.endswith(".py") else f"{stem}.py")
    path = to_fs_path(held.uri)
    return None if path is None else Path(path)


def first_folder(workspace: Workspace) -> Path:
    """The first folder of the workspace; the current one where there is none."""
    uris = [folder.uri for folder in workspace.folders.values()]
    paths = [to_fs_path(uri) for uri in uris] or [workspace.root_path]
    return next((Path(path) for path in paths if path), Path.cwd())


def open_documents(workspace: Workspace) -> list[Document]:
    """All open documents that concern this server."""
    found = (open_document(workspace, held.uri) for held in list(workspace.text_documents.values()))
    return [document for document in found if document is not None]


def open_texts(workspace: Workspace, root: Path) -> dict[str, OpenText]:
    """The open files below a folder, whatever their language, by path from there."""
    found = {}
    for held in list(workspace.text_documents.values()):
        file = to_fs_path(held.uri) if held.uri.startswith("file:") else None
        if file is not None and Path(file).is_relative_to(root):
            path = Path(file).relative_to(root).as_posix()
            found[path] = OpenText(held.uri, held.version, held.source.removeprefix("\ufeff"))
    return found


def _is_python(held: TextDocument) -> bool:
    return held.language_id == _LANGUAGE if held.language_id else held.uri.endswith((".py", ".pyi"))


def _folder_around(workspace: Workspace, file: Path) -> Path | None:
    """The innermost folder of the workspace that holds the file."""
    paths = [to_fs_path(folder.uri) for folder in workspace.folders.values()] or [workspace.root_path]
    around = [Path(path) for path in paths if path and file.is_relative_to(path) and Path(path) != file]
    return max(around, key=lambda folder: len(folder.parts), default=None)
