"""The page in Chromium: nothing is cut off or too wide, in light and dark, on a desk and on a telephone.

Screenshots go to a temporary folder, or to the one that the environment names in REPORT_SCREENSHOTS.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest

_BROWSER = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(_BROWSER is None, reason="there is no Chromium to look at the page with")

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions",
)  # fmt: skip
_DARK, _LIGHT = 0, 1
# What the browser says of its own layout: a script in a copy of the page, whose own policy forbids scripts,
# tells the document around it. That gives it the wanted width; a window of Chromium has at least 500 pixels.
_ASK = """
<script>
addEventListener("load", () => {
  document.querySelectorAll("details").forEach(one => one.open = true);
  const boxed = selector =>
    [...document.querySelectorAll(selector)].filter(one => one.getBoundingClientRect().width);
  const outside = boxed("svg text").filter(one => {
    const box = one.getBoundingClientRect(), frame = one.ownerSVGElement.getBoundingClientRect();
    return box.left < frame.left - 2 || box.right > frame.right + 2
      || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
  });
  const wide = boxed("main *").filter(
    one => !one.closest(".scroll, svg") && one.getBoundingClientRect().right > innerWidth + 1
  );
  const letters = boxed("svg text").map(
    one => parseFloat(getComputedStyle(one).fontSize) * one.ownerSVGElement.getScreenCTM().a
  );
  const svgs = boxed("svg");
  parent.postMessage({
    width: innerWidth, outside: outside.map(one => one.textContent), pictures: svgs.length,
    wide: wide.map(one => one.outerHTML.slice(0, 120)), letters: Math.min(...letters),
    empty: svgs.filter(one => !one.querySelector("text")).length,
    background: getComputedStyle(document.body).backgroundColor,
  }, "*");
});
</script>
"""
_AROUND = """<!DOCTYPE html><title>asks</title><pre id="answer"></pre>
<script>addEventListener("message", event => answer.textContent = JSON.stringify(event.data))</script>
<iframe src="{name}" style="width: {width}px; height: {height}px; border: 0"></iframe>
"""


@dataclass(frozen=True)
class Window:
    """A window of the browser, in pixels."""

    name: str
    width: int
    height: int
    scheme: int


WINDOWS = (
    Window("full-light", 1600, 1600, _LIGHT),
    Window("full-dark", 1600, 1600, _DARK),
    Window("desktop-light", 1200, 1600, _LIGHT),
    Window("desktop-dark", 1200, 1600, _DARK),
    Window("phone-light", 390, 844, _LIGHT),
    Window("phone-dark", 390, 844, _DARK),
)


def browse(file: Path, window: Window, *more: str) -> str:
    """What the browser prints when it opens a file."""
    assert _BROWSER is not None
    with tempfile.TemporaryDirectory() as profile:
        command = [
            _BROWSER, *_FLAGS, f"--user-data-dir={profile}", f"--window-size={window.width},{window.height}",
            f"--blink-settings=preferredColorScheme={window.scheme}", "--virtual-time-budget=4000", *more,
            file.as_uri(),
        ]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture(scope="module")
def page_file(whole: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("browser") / "page.html"
    file.write_text(whole, encoding="utf-8")
    return file


def asked(page_file: Path, window: Window) -> dict[str, Any]:
    text = re.sub(r"<meta http-equiv[^>]*>", "", page_file.read_text("utf-8"))
    copy = page_file.with_name(f"asked-{window.name}.html")
    copy.write_text(text.replace("</body>", f"{_ASK}</body>"), encoding="utf-8")
    around = page_file.with_name(f"around-{window.name}.html")
    around.write_text(
        _AROUND.format(name=copy.name, width=window.width, height=window.height), encoding="utf-8"
    )
    answer = re.search(r'<pre id="answer">(.+?)</pre>', browse(around, window, "--dump-dom"), re.DOTALL)
    assert answer is not None
    found: dict[str, Any] = json.loads(unescape(answer[1]))
    return found


@pytest.mark.parametrize("window", WINDOWS, ids=lambda one: one.name)
def test_nothing_is_cut_off(page_file: Path, window: Window) -> None:
    found = asked(page_file, window)
    assert found["width"] == window.width
    assert found["outside"] == [] and found["wide"] == []
    # Of each chart one of the two drawings is shown.
    assert (found["pictures"], found["empty"]) == (page_file.read_text("utf-8").count("<figure>"), 0)
    assert found["letters"] > 10.0
    light = sum(map(int, re.findall(r"\d+", found["background"])[:3])) / 3
    assert light > 200 if window.scheme == _LIGHT else light < 60


def test_the_policy_holds(page_file: Path) -> None:
    text = page_file.read_text("utf-8")
    copy = page_file.with_name("with-script.html")
    copy.write_text(
        text.replace("</body>", "<script>document.title = 'ran'</script></body>"), encoding="utf-8"
    )
    assert "<title>ran</title>" not in browse(copy, WINDOWS[0], "--dump-dom")


@pytest.mark.parametrize("window", WINDOWS, ids=lambda one: one.name)
def test_screenshots(page_file: Path, window: Window, tmp_path: Path) -> None:
    pictures = pytest.importorskip("PIL.Image", reason="screenshots are looked into with Pillow")
    folder = Path(os.environ.get("REPORT_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    shot = folder / f"report-{window.name}.png"
    browse(page_file, window, f"--screenshot={shot}")
    with pictures.open(shot) as found:
        assert found.size == (window.width, window.height)
        colors = found.convert("RGB").getcolors(2**24)
    most = max(colors)[1]
    assert len(colors) > 50
    assert most == ((255, 255, 255) if window.scheme == _LIGHT else (0x14, 0x17, 0x1D))
