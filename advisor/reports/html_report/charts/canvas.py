"""Drawing with Matplotlib, three times for each chart: for full and wide windows and for telephones."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from advisor.model.errors import UsageError
from advisor.reports.html_report.charts.themed_svg import themed
from advisor.reports.html_report.parts import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

# Widths are of the page's text column, in pixels of the style sheet; sizes of letters are in the same unit.
FULL, WIDE, NARROW = 1_360.0, 860.0, 358.0
_LETTERS = 12.0
_POINTS_PER_INCH = 72.0
_FEW_DECADES = 300.0


@dataclass(frozen=True)
class Sheet:
    """What a chart is drawn on: one figure with its size, and the words that are shown over its parts."""

    figure: Figure
    is_wide: bool
    width: float
    height: float
    hints: dict[str, str]

    def hint(self, artist: Any, text: str) -> None:
        """Show the text where the mouse rests on the artist."""
        name = f"hint{len(self.hints)}"
        artist.set_gid(name)
        self.hints[name] = text


Draw = Callable[[Sheet], None]


def require_matplotlib() -> None:
    """Raise UsageError that says what to install where Matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError(
            "The charts of the HTML report need Matplotlib, which is not installed: "
            "`pip install 'kernel-advisor[report]'`."
        ) from None


def picture(name: str, alt: str, caption: str, heights: tuple[float, float], draw: Draw) -> Picture:
    """The chart that `draw` makes, `heights` being those of the wide ones and of the narrow one."""
    full = _drawn(f"{name}-f", True, FULL, heights[0], draw)
    wide = _drawn(f"{name}-w", True, WIDE, heights[0], draw)
    narrow = _drawn(f"{name}-n", False, NARROW, heights[1], draw)
    return Picture(name, alt, caption, full, wide, narrow)


def _drawn(name: str, is_wide: bool, width: float, height: float, draw: Draw) -> str:
    from matplotlib.figure import Figure

    with _settings():
        figure = Figure(figsize=(width / _POINTS_PER_INCH, height / _POINTS_PER_INCH), dpi=_POINTS_PER_INCH)
        sheet = Sheet(figure, is_wide, width, height, {})
        draw(sheet)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata=_NO_METADATA)
    return themed(stream.getvalue(), name, sheet.hints)


_NO_METADATA: Mapping[str, None] = {"Date": None, "Creator": None, "Format": None, "Type": None}


@contextmanager
def _settings() -> Iterator[None]:
    """A block that draws alike on all machines: without the user's settings, texts as they are."""
    import matplotlib

    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), matplotlib.rc_context():
            # The browser has letters that the measuring font lacks.
            warnings.simplefilter("ignore")
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(
                {
                    "svg.fonttype": "none",
                    "svg.hashsalt": "kernel-advisor",
                    "text.parse_math": False,
                    "font.size": _LETTERS,
                    "axes.unicode_minus": False,
                    "axes.linewidth": 1.0,
                    "figure.facecolor": "none",
                    "axes.facecolor": "none",
                }
            )
            yield
    finally:
        log.setLevel(level)


def plain_axes(axes: Axes) -> None:
    """Take what is not needed from axes, and give the rest the page's colours."""
    from advisor.reports.html_report.charts.themed_svg import FAINT, LINE, TEXT

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(which="both", color=LINE, labelcolor=FAINT, labelsize=_LETTERS - 1)
    axes.xaxis.label.set_color(TEXT)
    axes.yaxis.label.set_color(TEXT)
    axes.set_axisbelow(True)


def decades(least: float, most: float) -> Locator:
    """Where a logarithmic axis over those values has its ticks: of few decades also at 2 and 5."""
    from matplotlib.ticker import LogLocator

    return LogLocator(subs=(1.0, 2.0, 5.0) if most / least < _FEW_DECADES else (1.0,))
