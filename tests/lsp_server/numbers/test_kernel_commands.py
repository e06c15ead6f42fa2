"""Commands behind lenses and actions: pages of rules and kernels, machine code, another device."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from kernel_pairs import STRAIGHT, TRANSPOSED

from advisor.model.devices import load_devices

SHOWS = {"showDocument": {"support": True}}
# What the compiler has to put into a kernel of two indices and one product.
LOADS, STORES = "LDG.", "STG."


def page(client, name, *arguments):
    """The text of the page that a command opens."""
    number = client.command(name, *arguments)
    request = client.received("window/showDocument")
    client.reply(request, {"success": True})
    assert "error" not in client.answer(number)
    file = Path(unquote(urlparse(request["params"]["uri"]).path))
    assert not file.is_relative_to(client.folder)
    return file.read_text("utf-8")


def told(client, name, *arguments):
    """What a command tells in a message."""
    number = client.command(name, *arguments)
    message = client.shown_message()
    assert "error" not in client.answer(number)
    return message


def test_a_rule_is_explained_on_a_page(client):
    client.start(window=SHOWS)
    uri = client.open("k.py", TRANSPOSED)
    text = page(client, "advisor.explain", uri, "transposed-index")
    assert text.startswith("# transposed-index: Transposed index order\n")
    assert "\n## Why\n" in text and "\n## Sources\n" in text
    # A line with a finding is explained by its rule.
    assert page(client, "advisor.explain", uri, 7) == text


def test_a_fix_is_explained_on_a_page(client):
    client.start(window=SHOWS)
    text = page(client, "advisor.explain", client.open("k.py", TRANSPOSED), "bounds-check")
    assert text.startswith("# bounds-check: ")
    assert "\n## Conditions\n" in text


@pytest.mark.parametrize("what", [4, 6, "scale"])
def test_a_kernel_is_explained_with_its_findings_and_accesses(client, what):
    client.start(window=SHOWS)
    text = page(client, "advisor.explain", client.open("k.py", TRANSPOSED), what)
    assert text.startswith("# Kernel scale on NVIDIA A100 80GB\n")
    assert "(line 8, `transposed-index`): " in text
    assert "| 8 | `b[i, j]` | load | global | 16 sectors/request | 4 to 8 sectors/request |" in text


def test_where_nothing_stands_nothing_is_explained(client):
    client.start(window=SHOWS)
    uri = client.open("k.py", STRAIGHT + "\n\nx = 1\n")
    for line in (0, 2, 10, 99):
        assert told(client, "advisor.explain", uri, line).endswith("There is no kernel at this place.")
    assert "there is no rule `transposed`" in told(client, "advisor.explain", uri, "transposed")
    for arguments in ((), (uri,), (5, 5), ((client.folder / "never.py").as_uri(), 3)):
        assert told(client, "advisor.explain", *arguments).endswith("needs an open document with kernels.")


def test_a_client_that_opens_nothing_is_told_in_short(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    message = told(client, "advisor.explain", uri, "transposed-index")
    assert message.startswith("Kernel Advisor: transposed-index: Transposed index order\n\n")
    assert "{" not in message and len(message) < 1600
    assert told(client, "advisor.explain", uri, 4).startswith("Kernel Advisor: scale kernel\n")


def test_the_machine_code_of_a_line_and_of_a_kernel(client):
    client.start(window=SHOWS)
    uri = client.open("k.py", STRAIGHT)
    line = page(client, "advisor.machineCode", uri, 7)
    assert line.startswith("# Machine code of scale, line 8\n")
    assert "// 8: a[i, j] = b[i, j] * 2\n" in line
    assert LOADS in line and STORES in line and "S2R" not in line
    whole = page(client, "advisor.machineCode", uri, 4)
    assert whole.startswith("# Machine code of scale\n")
    assert "for NVIDIA A100 80GB (sm_80)" in whole
    assert "// 6: j, i = cuda.grid(2)\n" in whole and "S2R" in whole and STORES in whole


def test_machine_code_that_cannot_be_had_is_told_with_the_reason(client):
    client.start(window=SHOWS)
    uri = client.open("k.py", STRAIGHT.replace("* 2", "* unknown(2)"))
    assert "unknown" in told(client, "advisor.machineCode", uri, 7)
    assert told(client, "advisor.machineCode", uri, 0).endswith("There is no kernel at this place.")
    assert told(client, "advisor.machineCode", uri, "scale").endswith("There is no kernel at this place.")


def lens(client, uri):
    found = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return found[-1]["command"]["title"]


def test_the_user_picks_another_device_and_goes_back(client):
    client.start()
    uri = client.open("k.py", STRAIGHT)
    for picked, expected in (("NVIDIA T4", "NVIDIA T4"), ("As configured", "NVIDIA A100 80GB")):
        number = client.command("advisor.chooseDevice")
        request = client.received("window/showMessageRequest")
        titles = [one["title"] for one in request["params"]["actions"]]
        assert titles == ["As configured", *(one.name for one in load_devices().values())]
        client.reply(request, {"title": picked})
        client.answer(number)
        assert lens(client, uri) == f"Device: {expected}"


def test_no_answer_and_an_unknown_name_change_nothing(client):
    client.start()
    uri = client.open("k.py", STRAIGHT)
    number = client.command("advisor.chooseDevice")
    client.reply(client.received("window/showMessageRequest"), None)
    assert "error" not in client.answer(number)
    assert "There is no device called 'H1000'" in told(client, "advisor.chooseDevice", "H1000")
    assert lens(client, uri) == "Device: NVIDIA A100 80GB"
    client.answer(client.command("advisor.chooseDevice", "H100"))
    assert lens(client, uri) == "Device: NVIDIA H100 SXM"
