"""Code actions while a line does not parse: for intact functions, as edits of the client's text."""

from __future__ import annotations

from fix_titles import fixes, titled
from test_fix_actions import SLOW, replaced

OTHER = "\n\ndef other(b):\n    c = ('größe 🚀\n    return b\n"
BROKEN = SLOW + OTHER


def test_a_fix_of_an_intact_kernel_is_offered_and_leaves_the_broken_line_alone(client):
    client.start()
    uri = client.open("k.py", BROKEN)
    (fix,) = fixes(client.actions_with_fixes(uri, 8))
    changed = replaced(BROKEN, fix["edit"]["changes"][uri])
    assert changed == SLOW.replace("a[i] ** 0.5", "math.sqrt(a[i])") + OTHER


def test_it_is_offered_too_after_the_line_was_broken_in_an_open_text(client):
    client.start(workspace={"workspaceEdit": {"documentChanges": True}})
    uri = client.open("k.py", SLOW)
    client.actions_with_fixes(uri, 8)
    text = "#\n" + BROKEN
    client.change(uri, 2, text)
    (fix,) = fixes(client.actions_with_fixes(uri, 9))
    (change,) = fix["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 2}
    assert replaced(text, change["edits"]) == "#\n" + SLOW.replace("a[i] ** 0.5", "math.sqrt(a[i])") + OTHER


def test_the_finding_can_be_ignored_too(client):
    client.start()
    uri = client.open("k.py", BROKEN)
    (ignore,) = titled(client.actions(uri, 8), "Ignore")
    (edit,) = ignore["edit"]["changes"][uri]
    assert edit["newText"].startswith("  # advisor: ignore[slow-power]")
    assert edit["range"]["start"]["line"] == 8


def test_nothing_is_offered_in_the_function_with_the_broken_line(client):
    client.start()
    uri = client.open("k.py", SLOW)
    client.actions_with_fixes(uri, 8)
    client.change(uri, 2, SLOW + "        x = (\n")
    assert [one["code"] for one in client.published(uri, 2)] == ["not-checked", "slow-power"]
    assert client.actions(uri, 8) == []


def test_the_hover_names_a_fix_of_an_intact_kernel(client):
    client.start(hover=["markdown"])
    uri = client.open("k.py", BROKEN)
    client.actions_with_fixes(uri, 8)
    assert "**Fixes**" in client.hover(uri, 8, 40)["contents"]["value"]
