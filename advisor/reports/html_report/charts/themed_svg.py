"""From Matplotlib's SVG to a picture inside of a page: the style sheet's colours, ids of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from advisor.reports.html_report.wording import shown

# Colours that Matplotlib is given; each stands for a variable of the style sheet.
TEXT, FAINT, LINE, PAGE, MARK = "#a10001", "#a20001", "#a30001", "#a40001", "#a50001"
SERIES = ("#b00001", "#b10001", "#b20001", "#b30001", "#b40001", "#b50001")
_NAMES = {TEXT: "text", FAINT: "faint", LINE: "line", PAGE: "page", MARK: "alert"}
_VARIABLES = {**_NAMES, **{color: f"series-{number}" for number, color in enumerate(SERIES)}}

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOR = re.compile("|".join(_VARIABLES))
_FONT = re.compile(r"font: ([\d.]+)px [^;]*")
_LONG = re.compile(r"(\d+\.\d)\d+")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_DROPPED = ("metadata", "title", "style")


def themed(svg: str, name: str, hints: Mapping[str, str]) -> str:
    """The SVG element with ids that begin with `name`; what has an id in `hints` gets its text as title."""
    root = ElementTree.fromstring(shown(svg))
    used = _references(root)
    for parent in list(root.iter()):
        for child in [one for one in parent if _tag(one) in _DROPPED]:
            parent.remove(child)
    for element in root.iter():
        _rewrite(element, name, used, hints)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("aria-hidden", "true")
    root.set("focusable", "false")
    return shown(_written(root))


def _references(root: ElementTree.Element) -> set[str]:
    """The ids that something refers to."""
    found = set()
    for element in root.iter():
        for key, value in element.attrib.items():
            found.update(_REFERENCE.findall(value))
            if key == _LINK:
                found.add(value.lstrip("#"))
    return found


def _rewrite(element: ElementTree.Element, name: str, used: set[str], hints: Mapping[str, str]) -> None:
    own = element.attrib.pop("id", None)
    if own in used:
        element.set("id", f"{name}-{own}")
    if own is not None and own in hints:
        title = ElementTree.Element(f"{{{_SVG}}}title")
        title.text = hints[own]
        element.insert(0, title)
    if _LINK in element.attrib:
        element.set("href", f"#{name}-{element.attrib.pop(_LINK).lstrip('#')}")
    for key, value in list(element.attrib.items()):
        value = _REFERENCE.sub(rf"url(#{name}-\1)", value)
        if key == "style":
            value = _FONT.sub(r"font-size: \1px", value)
            value = _COLOR.sub(lambda found: f"var(--{_VARIABLES[found[0]]})", value)
        elif key in ("d", "x", "y", "transform"):
            value = _LONG.sub(r"\1", value)
        element.set(key, value)


def _tag(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _written(root: ElementTree.Element) -> str:
    for element in root.iter():
        element.tag = _tag(element)
        if element.text is not None and not element.text.strip():
            element.text = None
        element.tail = None
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
