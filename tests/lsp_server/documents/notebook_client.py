"""A notebook as an editor holds it open: cells with URIs of their own, edited one by one."""

from __future__ import annotations

from typing import Any


class OpenNotebook:
    """A notebook whose cells are told to the server as VS Code tells them."""

    def __init__(self, client: Any, *sources: str, name: str = "n.ipynb", language: str = "python") -> None:
        self.client, self.uri, self.version = client, (client.folder / name).as_uri(), 1
        self.made = 0
        self.cells: list[str] = []
        self.texts: dict[str, str] = {}
        made = [self._cell(source) for source in sources]
        self.cells = made
        client.notify(
            "notebookDocument/didOpen",
            {
                "notebookDocument": {
                    "uri": self.uri,
                    "notebookType": "jupyter-notebook",
                    "version": self.version,
                    "cells": [{"kind": 2, "document": cell} for cell in made],
                },
                "cellTextDocuments": [self._item(cell, language) for cell in made],
            },
        )

    def _cell(self, source: str) -> str:
        uri = self.uri.replace("file:", "vscode-notebook-cell:") + f"#W{self.made}sZmlsZQ%3D%3D"
        self.made += 1
        self.texts[uri] = source
        return uri

    def _item(self, cell: str, language: str = "python") -> dict[str, Any]:
        return {"uri": cell, "languageId": language, "version": 1, "text": self.texts[cell]}

    def _changed(self, cells: dict[str, Any]) -> None:
        self.version += 1
        named = {"uri": self.uri, "version": self.version}
        self.client.notify(
            "notebookDocument/didChange", {"notebookDocument": named, "change": {"cells": cells}}
        )

    def write(self, number: int, text: str, version: int = 2) -> None:
        """Replaces the text of a cell, counted from 0."""
        uri = self.cells[number]
        self.texts[uri] = text
        document = {"uri": uri, "version": version}
        self._changed({"textContent": [{"document": document, "changes": [{"text": text}]}]})

    def insert(self, number: int, text: str) -> str:
        """Put a new cell at a place; its URI."""
        cell = self._cell(text)
        self.cells.insert(number, cell)
        array = {"start": number, "deleteCount": 0, "cells": [{"kind": 2, "document": cell}]}
        self._changed({"structure": {"array": array, "didOpen": [self._item(cell)], "didClose": []}})
        return cell

    def remove(self, number: int) -> str:
        """Take a cell away; its former URI."""
        cell = self.cells.pop(number)
        array = {"start": number, "deleteCount": 1, "cells": []}
        self._changed({"structure": {"array": array, "didOpen": [], "didClose": [{"uri": cell}]}})
        return cell

    def save(self) -> None:
        """Tells that it was saved."""
        self.client.notify("notebookDocument/didSave", {"notebookDocument": {"uri": self.uri}})

    def close(self) -> None:
        """Closes it with all its cells."""
        self.client.notify(
            "notebookDocument/didClose",
            {
                "notebookDocument": {"uri": self.uri},
                "cellTextDocuments": [{"uri": cell} for cell in self.cells],
            },
        )

    def with_edit(self, edit: dict[str, Any]) -> dict[int, str]:
        """The texts of the cells that a workspace edit changes, by number, with UTF-16 positions."""
        changes = dict(edit.get("changes") or {})
        for one in edit.get("documentChanges") or []:
            changes.setdefault(one["textDocument"]["uri"], []).extend(one["edits"])
        return {self.cells.index(uri): edited(self.texts[uri], edits) for uri, edits in changes.items()}


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """A text with edits whose positions count in UTF-16 units."""
    lines = text.split("\n")

    def offset(place: dict[str, int]) -> int:
        before = sum(len(line) + 1 for line in lines[: place["line"]])
        line = lines[place["line"]].encode("utf-16-le")[: 2 * place["character"]]
        return before + len(line.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda one: -offset(one["range"]["start"])):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text
