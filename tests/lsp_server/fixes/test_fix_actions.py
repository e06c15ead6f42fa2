"""Fixes as code actions: the edits of the rule's fix, in the client's own units."""

from __future__ import annotations

SLOW = """\
import math
from numba import cuda


@cuda.jit
def root(a, out):
    i = cuda.grid(1)
    if i < out.size:
        label = "🌍"; out[i] = a[i] ** 0.5  # kept
"""


def replaced(text, edits):
    """A text after edits whose columns count UTF-16 units."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda one: -one["range"]["start"]["line"]):
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["line"] == end["line"]
        line = lines[start["line"]].encode("utf-16-le")
        before, behind = line[: 2 * start["character"]], line[2 * end["character"] :]
        lines[start["line"]] = (before + edit["newText"].encode("utf-16-le") + behind).decode("utf-16-le")
    return "".join(lines)


def test_a_fix_is_offered_and_fixes_the_finding(client):
    client.start(pulls=True)
    uri = client.open("k.py", SLOW)
    sent = client.pulled(uri)
    fix, silence, _ = client.actions_with_fixes(uri, 8, 40, diagnostics=sent)
    assert fix["title"] == "Write the power as a product or a square root (needs review)"
    assert silence["title"] == "Ignore slow-power here, with a reason"
    assert (fix["kind"], fix["diagnostics"]) == ("quickfix", sent)
    changed = replaced(SLOW, fix["edit"]["changes"][uri])
    assert changed == SLOW.replace("a[i] ** 0.5", "math.sqrt(a[i])")
    client.change(uri, 2, changed)
    assert client.pulled(uri) == []


def test_a_fix_with_an_import_has_two_edits(client):
    client.start(pulls=True)
    text = SLOW.replace("import math\n", "")
    uri = client.open("k.py", text)
    fix, *_ = client.actions_with_fixes(uri, 7, 40, diagnostics=client.pulled(uri))
    assert replaced(text, fix["edit"]["changes"][uri]) == SLOW.replace("a[i] ** 0.5", "math.sqrt(a[i])")


def test_no_fix_where_none_can_be_written(client):
    client.start(pulls=True)
    uri = client.open("k.py", SLOW.replace("0.5", "2.5"))
    silence, _ = client.actions(uri, 8, 40, diagnostics=client.pulled(uri))
    assert silence["title"].startswith("Ignore")
