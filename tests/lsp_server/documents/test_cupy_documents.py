"""Programs with CuPy in the editor: what the command line says, from machine code and from recorded runs."""

from __future__ import annotations

from pathlib import Path

from diagnostic_codes import codes

from advisor.check.pipeline import check
from advisor.evidence.simulated.launches.recording.statement_text import statements
from advisor.evidence.simulated.launches.store import ArrayStatementRow, LaunchStore, StatementCounts
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config

RAW = """\
import cupy as cp

CODE = r'''
extern "C" __global__ void spread(const float* x, float* y, int n) {
    float kept[64];
    for (int k = 0; k < 64; k++) kept[k] = x[k] * n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = kept[i % 64] / 3.0;
}
'''
spread = cp.RawKernel(CODE, "spread")
"""
FORMULA = """\
import cupy as cp

x = cp.arange(1000.0)
y = (x * 2 + 1) / cp.sqrt(x + 3)
"""


def told_at_last(client, uri):
    """Rules and lines of the first findings that are published and not empty, as better evidence arrives."""
    while not (found := client.published(uri, 1)):
        pass
    return [(one["code"], one["range"]["start"]["line"] + 1) for one in found]


def by_check(folder: Path, name: str) -> list[tuple[str, int]]:
    options = CheckOptions(
        "a100-80gb",
        root=folder,
        evidence="simulated",
        no_run=True,
        synthesis=True,
        settings=load_config(folder),
    )
    return [(one.rule, one.span.line) for one in check([folder / name], options).findings]


def test_a_kernel_in_a_literal_is_told_about_at_its_line_once_it_is_compiled(client):
    (client.folder / "raw.py").write_text(RAW)
    client.start()
    uri = client.open("raw.py", RAW)
    assert codes(client.published(uri, 1)) == []
    client.save(uri)
    expected = [("occupancy-limited-by-registers", 4)]
    assert told_at_last(client, uri) == expected == by_check(client.folder, "raw.py")


def test_what_a_run_counted_of_a_statement_is_told_at_it(client):
    (client.folder / "formula.py").write_text(FORMULA)
    store = LaunchStore(load_config(client.folder).root)
    run = store.begin_run("formula.py", "a100-80gb", "simt")
    counts = StatementCounts(10, 50, 880, 880, 640, 4, 5, 1000)
    row = ArrayStatementRow("formula.py", 4, statements(FORMULA)[4].text_hash, counts)
    store.add_array_statements(run, [row])
    store.end_run(run, "done")
    store.close()
    client.start()
    uri = client.open("formula.py", FORMULA)
    client.save(uri)
    expected = [("intermediate-arrays", 4)]
    assert told_at_last(client, uri) == expected == by_check(client.folder, "formula.py")
