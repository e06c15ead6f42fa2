"""Pages of the repository's root on the site, and links that lead out of the documents.

The documents are read in the repository as well, so their links are those of its files. Here README.md of the
root becomes the first page, and a link to a source leads to where `extra.sources` says, or is plain text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_AT_ROOT = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
}
# Folders whose pages stand in the order of their names, with what is to be their section's name.
_LISTED = {"Benchmarks": "benchmarks", "Decisions": "decisions"}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def on_config(config: Any) -> Any:
    """The configuration with the pages of whole folders in its navigation."""
    for section in config["nav"]:
        for name, folder in _LISTED.items():
            if name in section:
                pages = sorted(page.name for page in (ROOT / "docs" / folder).glob("*.md"))
                pages.sort(key=lambda page: page != "README.md")
                section[name] = [f"{folder}/{page}" for page in pages]
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """The documents, and the pages of the repository's root."""
    from mkdocs.structure.files import File

    for source, page in _AT_ROOT.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """The text of a page, its links as the site has them; what stands in blocks of code is left alone."""
    names = {name: source for source, name in _AT_ROOT.items()}
    uri = page.file.src_uri
    here = names.get(uri, f"docs/{uri}")
    sources = str(config["extra"]["sources"]).rstrip("/")

    def link(found: re.Match[str]) -> str:
        image, text, target, anchor = found.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        if (ROOT / path).is_dir() and (ROOT / path / "README.md").is_file():
            path = f"{path}/README.md"
        on_site = _AT_ROOT.get(path) or path.removeprefix("docs/")
        if files.get_file_from_path(on_site) is not None:
            to = posixpath.relpath(on_site, posixpath.dirname(uri) or ".")
            return f"{image}[{text}]({to}{anchor or ''})"
        if not (ROOT / path).exists():
            return found[0]  # which the build then complains of
        return f"[{text}]({sources}/{path}{anchor or ''})" if sources else text

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(link, part) for part in parts)
