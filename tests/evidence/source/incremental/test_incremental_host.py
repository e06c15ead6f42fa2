"""What a kept analysis says of host code, edit by edit, is what a new analysis says."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from kept_analyses import says_the_same, says_the_same_after_random_edits

from advisor.evidence.source.incremental_analysis import IncrementalAnalysis
from advisor.model.text.source_text import SourceText
from advisor.program.syntax.module import ModuleSyntax

FOLDER = Path(__file__).parents[3] / "annotated" / "examples"
EXAMPLES = [*sorted(FOLDER.glob("host_*.py")), FOLDER / "script_measurements.py"]


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_random_edits_of_host_code(file: Path, tmp_path: Path) -> None:
    says_the_same_after_random_edits(file, tmp_path, 8)


def test_a_word_that_speaks_of_the_whole_file_counts_wherever_it_stands(tmp_path: Path) -> None:
    text = "def run(loader):\n    for x in loader:\n        y = x.cuda()\n        print(y)\n"
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    assert says_the_same(kept, tmp_path, text)
    assert says_the_same(kept, tmp_path, text + "\n\nimport torch\n")
    assert says_the_same(kept, tmp_path, text)


def trees_of(path: str) -> int:
    """How many states of a file are alive."""
    gc.collect()
    return sum(isinstance(one, ModuleSyntax) and one.path == path for one in gc.get_objects())


def test_of_the_states_before_an_edit_nothing_is_kept(tmp_path: Path) -> None:
    text = (FOLDER.parents[2] / "kernels" / "matrix_multiply.py").read_text("utf-8")
    kept = IncrementalAnalysis(tmp_path, tmp_path / "k.py")
    counts = []
    for number in range(8):
        changed = text.replace("cuda.grid(2)\n", f"cuda.grid(2)\n    more = {number}\n")
        assert changed != text
        found = kept.analyse(SourceText("k.py", changed))
        assert found is not None and found.records
        counts.append(trees_of("k.py"))
    assert counts[-1] == counts[2], counts
