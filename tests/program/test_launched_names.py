"""Names that a file seems to launch, told from its bytes without parsing."""

from __future__ import annotations

import pytest

from advisor.program.syntax.gate import launched_names

FOUND = {
    "k[grid, block](a)": {"k"},
    "k[a.shape[0] // 256 + 1, 256](a)": {"k"},
    "k[(a.shape[0] // 16 + 1, a.shape[1] // 16 + 1), (16, 16)](a, b)": {"k"},
    "k [\n    blocks[0], 128\n] (a)": {"k"},
    "one[1, 32](a); two[n[0], 32](b)": {"one", "two"},
    "k[1, 32]; a[0]": set(),
    "a[0] + f(b)": set(),
    "[1, 2](a)": set(),
    "k[](a)": set(),
    "k[[[1]]](a)": set(),
}


@pytest.mark.parametrize("text", FOUND)
def test_what_is_subscripted_and_called_may_be_a_launch(text):
    assert launched_names(b"# for cuda.\n" + text.encode()) == FOUND[text]


def test_files_that_never_speak_of_gpus_launch_nothing():
    assert launched_names(b"k[1, 32](a)\n") == frozenset()
