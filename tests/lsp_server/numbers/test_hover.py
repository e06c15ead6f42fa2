"""What is explained at a place of the text."""

from __future__ import annotations

import pytest
from kernel_pairs import CASES, SQUARE, STRAIGHT, TRANSPOSED


@pytest.mark.parametrize("pulls", [False, True])
def test_a_finding_is_explained_on_its_line_and_nowhere_else(client, pulls):
    client.start(pulls=pulls)
    uri = client.open("k.py", TRANSPOSED + SQUARE)
    # Before any is known to be one that can be applied, no fix is listed.
    client.actions_with_fixes(uri, 7)
    shown = client.hover(uri, 7, 19)
    assert shown["range"]["start"] == {"line": 7, "character": 18}
    assert shown["contents"]["kind"] == "markdown"
    text = shown["contents"]["value"]
    assert text.startswith("**Transposed index order** · warning · `transposed-index` · kernel `scale`\n")
    for part in (
        "**Why** ",
        "**Gain** predicted at most 4 times as fast",
        "**Fixes**\n\n- ",
        "in the kernel and its launches. Conditions: all launches of the kernel are seen here",
    ):
        assert part in text
    # 16 rows in a warp of a (16, 16) block; the rule fires at twice the ideal 4.
    assert "| `sectors_per_request` | 16 sectors/request | 8 sectors/request | source |" in text
    assert "**Source** [CUDA C++ Best Practices Guide, " in text
    assert "\n\n---\n\n`b[i, j]` load in global memory, kernel `scale`\n" in text
    # At the line's beginning too, without the numbers of the access, but not on the lines around it.
    assert "`transposed-index`" in client.hover(uri, 7, 0)["contents"]["value"]
    assert client.hover(uri, 6, 19) is None
    assert client.hover(uri, 8, 0) is None
    assert client.hover(uri, 99, 99) is None


def test_what_the_diagnostic_says_is_not_said_again_where_it_is_shown(client):
    client.start(chosen={"numberHovers": False})
    uri = client.open("k.py", TRANSPOSED)
    [diagnostic] = client.published(uri, 1)
    message, tried, assumed = diagnostic["message"].split("\n")
    tried = tried.removeprefix("Try: ")
    inside = client.hover(uri, 7, 19)["contents"]["value"]
    assert not any(said in inside for said in (message, tried, assumed, "**Assumed**"))
    # Beside the squiggle no editor shows its message.
    beside = client.hover(uri, 7, 0)["contents"]["value"]
    assert message in beside
    assert f"**What to try**\n\n- {tried}\n" in beside
    assert "**Assumed**\n\n- " in beside
    assert len(inside) < len(beside)
    # What the message leaves out stands in both.
    for part in ("**Evidence**", "**Why** ", "**Gain** ", "**Source** "):
        assert part in inside
        assert part in beside
    assert "**Also to try**\n\n- " in inside


def test_a_fix_that_cannot_be_written_is_not_listed(client):
    client.start()
    power = "import math\nfrom numba import cuda\n\n\n@cuda.jit\ndef root(a):\n    i = cuda.grid(1)\n"
    power += "    if i < a.size:\n        a[i] = a[i] ** 2.5\n"
    uri = client.open("k.py", power)
    client.actions(uri, 8)
    assert "slow-power" in (text := client.hover(uri, 8, 18)["contents"]["value"])
    assert "**Fixes**" not in text


def test_the_present_text_is_explained(client):
    client.start(chosen={"numberHovers": False})
    uri = client.open("k.py", TRANSPOSED)
    assert client.hover(uri, 7, 19) is not None
    client.change(uri, 2, STRAIGHT)
    assert client.hover(uri, 7, 19) is None
    client.change(uri, 3, "\n" + TRANSPOSED)
    assert client.hover(uri, 7, 19) is None
    assert client.hover(uri, 8, 19) is not None
    client.close(uri)
    assert client.hover(uri, 8, 19) is None


def test_a_remark_about_a_suppression_is_explained(client):
    client.start()
    uri = client.open("k.py", STRAIGHT.replace("* 2\n", "* 2  # advisor: ignore[transposed-index] small\n"))
    text = client.hover(uri, 7, 40)["contents"]["value"]
    assert "`unused-suppression`" in text
    assert "**Why** What it was written for has gone" in text


def test_two_findings_of_a_line_are_explained_at_their_own_places(client):
    client.start()
    text = TRANSPOSED.replace("b[i, j] * 2", "b[int(i / 4), j] * 2")
    uri = client.open("k.py", text)
    both = client.hover(uri, 7, 0)["contents"]["value"].split("\n\n---\n\n")
    assert len(both) > 1
    inner = client.hover(uri, 7, 25)
    assert inner["contents"]["value"].startswith("**Whole number through a float division**")


@pytest.mark.parametrize(
    ("formats", "kind"), [(["plaintext"], "plaintext"), (["plaintext", "markdown"], "markdown")]
)
def test_the_client_gets_a_format_that_it_reads(client, formats, kind):
    client.start(hover=formats)
    assert client.hover(client.open("k.py", TRANSPOSED), 7, 19)["contents"]["kind"] == kind


def test_every_pair_is_explained_before_it_is_fixed_and_silent_after(client):
    client.start()
    for number, case in enumerate(CASES):
        uri = client.open(f"k{number}.py", case.text)
        assert f"`{case.rule}`" in client.hover(uri, case.line - 1, 0)["contents"]["value"]
        client.change(uri, 2, case.fixed)
        assert client.hover(uri, case.line - 1, 0) is None
