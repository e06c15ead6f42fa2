"""Files without kernels that use a GPU through torch or cupy: what a check says of them, and no more work."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostic_codes import codes

from advisor.check.pipeline import check
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import load_config
from lsp_server.analysis.analyst import Analyst
from lsp_server.analysis.refinement import Stop
from lsp_server.documents.document import Document
from lsp_server.documents.workspace import WorkspaceFiles, concerns_gpu

EXAMPLES = Path(__file__).parents[2] / "annotated" / "examples"
TRAINING = """import torch
from torch import nn


def losses(batches):
    model = nn.Linear(512, 512).cuda()
    total = 0.0
    for x in batches:
        total += model(x).sum().item()
    return total
"""
READ = "value-read-in-host-loop"
PLAIN = "import json\n\n\ndef total(rows):\n    return sum(json.loads(row)['n'] for row in rows)\n"
# It names a GPU, and does nothing that a rule speaks of.
DEVICE_ONLY = "import torch\n\n\ndef device():\n    return 'cuda' if torch.cuda.is_available() else 'cpu'\n"


def document(folder: Path, text: str, name: str = "train.py", version: int = 1) -> Document:
    file = folder / name
    return Document(file.as_uri(), version, file, folder, False, text)


@pytest.fixture
def analysed(monkeypatch):
    """The texts that a check is made of."""
    import advisor.check.pipeline as pipeline

    real, seen = pipeline.check_with_tables, []

    def note(files, options, *rest):
        seen.append(options.stdin.text)
        return real(files, options, *rest)

    monkeypatch.setattr(pipeline, "check_with_tables", note)
    return seen


@pytest.mark.parametrize("name", ["host_torch_loops.py", "host_cupy.py"])
def test_the_findings_are_those_of_a_check_of_the_file(name):
    file = EXAMPLES / name
    settings = load_config(EXAMPLES)
    options = CheckOptions(device=settings.device, root=EXAMPLES, evidence="source", settings=settings)
    told = {(one.rule, one.span, one.message) for one in check([file], options).findings}
    assert len(told) > 5
    found = Analyst().from_source(document(EXAMPLES, file.read_text("utf-8"), name)).findings
    assert {(one.rule, one.span, one.message) for one in found} == told


def test_an_edit_brings_and_takes_away_a_finding(tmp_path):
    analyst = Analyst()
    (found,) = analyst.from_source(document(tmp_path, TRAINING)).findings
    assert (found.rule, found.span.line) == (READ, 9)
    without = TRAINING.replace(".item()", "")
    assert analyst.from_source(document(tmp_path, without, version=2)).findings == ()
    lower = analyst.from_source(document(tmp_path, f"\n{TRAINING}", version=3))
    assert [one.span.line for one in lower.findings] == [10]


def test_a_half_written_line_keeps_the_findings(tmp_path):
    analyst = Analyst()
    broken = TRAINING + "x = (\n"
    alone = analyst.from_source(document(tmp_path, broken))
    assert [one.message for one in alone.problems] == ["syntax error: '(' was never closed"]
    assert not alone.parsed
    analyst.from_source(document(tmp_path, TRAINING, version=2))
    carried = analyst.from_source(document(tmp_path, broken, version=3))
    assert [one.message for one in carried.problems] == ["syntax error: '(' was never closed"]
    assert [one.rule for one in carried.findings] == [READ]


@pytest.mark.parametrize("text", [PLAIN, DEVICE_ONLY, PLAIN + "def broken(\n"])
def test_other_python_is_not_even_parsed(text, tmp_path, analysed, monkeypatch):
    monkeypatch.setattr(WorkspaceFiles, "of", lambda *given: pytest.fail("other files were looked for"))
    analyst = Analyst()
    opened = document(tmp_path, text)
    assert not concerns_gpu(opened)
    found = analyst.from_source(opened)
    assert (found.findings, found.problems, found.tables) == ((), (), {})
    assert analyst.later(opened, "recorded", Stop()) is None
    assert analyst.later(opened, "compiled", Stop()) is None
    assert analysed == []


def test_without_kernels_other_files_are_not_read_and_nothing_is_compiled(tmp_path, analysed, monkeypatch):
    monkeypatch.setattr(WorkspaceFiles, "_words_of", lambda *given: pytest.fail("a file was read"))
    (tmp_path / "other.py").write_text("from numba import cuda\n", encoding="utf-8")
    analyst = Analyst()
    opened = document(tmp_path, TRAINING)
    assert [one.rule for one in analyst.from_source(opened).findings] == [READ]
    assert analyst.later(opened, "compiled", Stop()) is None
    assert len(analysed) == 1


def test_in_a_test_only_measurements_are_told_about(tmp_path):
    analyst = Analyst()
    assert analyst.from_source(document(tmp_path, TRAINING, "test_train.py")).findings == ()
    timed = (
        "import time\n\nimport torch\n\n\n"
        "def measured(n):\n"
        '    x = torch.rand(n, n, device="cuda")\n'
        "    began = time.perf_counter()\n"
        "    y = x @ x\n"
        "    return y, time.perf_counter() - began\n"
    )
    found = analyst.from_source(document(tmp_path, timed, "test_speed.py")).findings
    assert [one.rule for one in found] == ["measured-without-wait"]


def test_a_training_loop_is_told_about_at_its_line_in_the_editor(client):
    client.start()
    uri = client.open("train.py", TRAINING)
    (found,) = client.published(uri, 1)
    assert found["code"] == READ
    assert found["range"]["start"]["line"] == 8
    client.change(uri, 2, TRAINING.replace(".item()", ""))
    assert codes(client.published(uri, 2)) == []
    plain = client.open("plain.py", PLAIN)
    assert client.published(plain, 1) == []
    assert client.stop() == 0
