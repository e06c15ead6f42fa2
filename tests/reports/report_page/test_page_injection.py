"""Names, paths, source and messages come from anybody: none becomes a tag, an attribute or a formula."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import histories
import pytest
from drawn_pages import html_of
from page_reading import Page

from advisor.__main__ import main
from advisor.model.history.fingerprint import LineMetrics, Run
from advisor.model.history.store import HistoryStore

HOSTILE = "<script>alert(1)</script>"
TEXTS = [
    HOSTILE,
    '"><img src=x onerror=alert(1)>',
    "'; --x: url(https://example.org/a); '",
    "</style></svg></details><b>",
    "]]> --><!-- &lt; &amp; {{ 7 * 7 }} {% raw %}",
    "$\\frac{1}{0}$ $x_{",
    "nul\x00 bell\x07 escape\x1b[31m turned\u202egnp.exe half\ud800",
    "linie 核 ядро 🚀",
]


def check(html: str) -> Page:
    found = Page(html)
    names = {tag for tag, _ in found.tags}
    assert not names & {"script", "img", "b", "iframe"}
    assert not [a for _, a in found.tags if any(name.startswith("on") for name in a)]
    styles = [str(a["style"]) for _, a in found.tags if "style" in a]
    assert not [text for text in styles if "http" in text]
    assert not {"\x00", "\x07", "\x1b", "\u202e", "\ud800"} & set(html)
    html.encode("utf-8")
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_a_hostile_history(project: Path, store: HistoryStore, text: str) -> None:
    kept = text.encode("utf-8", "replace").decode("utf-8")
    lines = (LineMetrics(kept, 3, "line", {"samples_share": 0.5, "stall_reason": kept}),)
    one = histories.fingerprint("blur", 2.0, metrics=histories.BLUR_METRICS, lines=lines, ranges=(kept,))
    hostile = replace(
        one, identity=replace(one.identity, name=kept, path=kept, source_hash=None, types=(kept,))
    )
    nowhere = replace(hostile, identity=replace(hostile.identity, path=None, grid=(7, 1, 1)))
    nvml = histories.nvml()
    nvml["facts"]["name"] = kept
    nvml["samples"][0]["reasons"] = [kept]
    for number in (1, 2):
        facts = replace(
            histories.facts(number), label=kept, command=kept, device=kept, executed_on=kept, commit=kept,
            toolchain={kept: kept},
        )  # fmt: skip
        store.add_run(Run(facts, {}, (one, hostile, nowhere), (kept,), {"nvml": nvml}))
    store.close()
    found = check(html_of(project))
    assert len(found.table("Kernels by their measured time").rows) == 3


def test_a_mark_stands_for_what_cannot_be_shown(project: Path, store: HistoryStore) -> None:
    one = histories.fingerprint("blur", 2.0)
    store.add_run(
        Run(histories.facts(1), {}, (replace(one, identity=replace(one.identity, name="a\u202eb\x1bc")),))
    )
    store.close()
    assert Page(html_of(project)).table("Kernels by").row("a�b�c")["time"] == "2 ms"


def test_hostile_source(project: Path, store: HistoryStore) -> None:
    source = histories.SOURCE.replace("total = 0.0", f"total = 0.0  # {HOSTILE} </code></td> \u202e")
    (project / histories.PATH).write_text(source, encoding="utf-8")
    from advisor.model.history.identity import functions

    known = next(one for one in functions(source) if one.name == "blur")
    one = histories.fingerprint("blur", 2.0, lines=histories.BLUR_LINES)
    one = replace(one, identity=replace(one.identity, source_hash=known.source_hash))
    store.add_run(Run(histories.facts(1), {}, (one,)))
    store.close()
    found = check(html_of(project))
    assert found.heat_maps[0].row("8")["source"] == f"        total = 0.0  # {HOSTILE} </code></td> �"


def test_a_hostile_project_folder(tmp_path: Path) -> None:
    root = histories.write_project(tmp_path / "<b>&amp;<i>")
    store = HistoryStore(root)
    histories.add_measured(store)
    store.close()
    assert "Kernels of <b>&amp;<i>" in check(html_of(root)).words


def test_a_hostile_report(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(__file__).parents[2] / "data/reports/ncu-raw.csv"
    text = data.read_text("utf-8").replace("transpose_naive", HOSTILE)
    assert HOSTILE in text
    (project / "report.csv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(project)
    assert main(["import", "report.csv"]) in (0, 1)
    assert main(["report", "--html", "page.html"]) == 0
    found = check((project / "page.html").read_text("utf-8"))
    assert any(HOSTILE in cell for table in found.tables for row in table.rows for cell in row)
