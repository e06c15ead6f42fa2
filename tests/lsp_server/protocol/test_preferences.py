"""What a client says that the user has chosen."""

from __future__ import annotations

import pytest
from diagnostic_codes import codes
from kernel_pairs import TRANSPOSED

from lsp_server.protocol.preferences import Preferences, read_preferences

EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


@pytest.mark.parametrize(
    "given",
    [
        {"kernelAdvisor": {"inlayHints": False, "device": "h100"}},
        {"inlayHints": False, "device": "h100"},
        {"inlayHints": False, "device": "h100", "simulate": None, "interpreter": ["python"]},
    ],
)
def test_settings_are_read_under_their_names(given):
    assert read_preferences(given) == (Preferences(inlay_hints=False, device="h100"), ())


def test_what_is_not_given_stays_as_it_was():
    before = Preferences(trusted=True, code_lenses=False)
    assert read_preferences({"codeLenses": True}, before)[0] == Preferences(trusted=True)
    assert read_preferences(None, before) == (before, ())
    assert read_preferences({}, before) == (before, ())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"inlayHints": "no"},
            "kernelAdvisor.inlayHints is a text, but must be true or false; it is not used.",
        ),
        ({"trusted": 1}, "kernelAdvisor.trusted is a number, but must be true or false; it is not used."),
        ({"device": 4}, "kernelAdvisor.device is a number, but must be a text; it is not used."),
        ({"inlayHint": True}, "There is no setting kernelAdvisor.inlayHint. Did you mean `inlayHints`?"),
        ([1], "The settings under kernelAdvisor are a list, not an object; they are not used."),
        (
            {"kernelAdvisor": 3},
            "The settings under kernelAdvisor are a number, not an object; they are not used.",
        ),
    ],
)
def test_what_is_wrong_is_told_and_the_default_kept(given, told):
    assert read_preferences(given) == (Preferences(), (told,))


def test_a_device_is_taken_at_the_start_changed_at_once_and_told_when_unknown(client):
    client.start(chosen={"device": "no-such-gpu", "inlayHints": 3})
    told = {client.shown_message(), client.shown_message()}
    assert any("There is no device called 'no-such-gpu'" in message for message in told)
    assert any("kernelAdvisor.inlayHints is a number" in message for message in told)
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    client.notify("workspace/didChangeConfiguration", {"settings": {"kernelAdvisor": {"device": "h100-sxm"}}})
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    assert client.kept("window/showMessage") == []
    assert client.stop() == 0


def test_a_client_that_can_be_asked_is_asked_and_told_of_changes(client):
    client.start(workspace={"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}})
    wish = client.received("client/registerCapability")
    assert [one["method"] for one in wish["params"]["registrations"]] == ["workspace/didChangeConfiguration"]
    client.reply(wish, None)
    asked = client.received("workspace/configuration")
    assert asked["params"] == {"items": [{"section": "kernelAdvisor"}]}
    client.reply(asked, [{"device": "nothing-like-it"}])
    assert "There is no device called 'nothing-like-it'" in client.shown_message()
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.reply(client.received("workspace/configuration"), [None])
    assert client.stop() == 0


def device(client, uri):
    found = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return found[-1]["command"]["title"].removeprefix("Device: ")


def settings(client, **chosen):
    client.notify("workspace/didChangeConfiguration", {"settings": {"kernelAdvisor": chosen}})


def test_a_device_chosen_by_command_holds_until_the_setting_itself_changes(client):
    client.start(chosen={"device": "t4"})
    uri = client.open("k.py", TRANSPOSED)
    assert device(client, uri) == "NVIDIA T4"
    client.answer(client.command("advisor.chooseDevice", "h100-sxm"))
    settings(client, inlayHints=False, device="t4")
    settings(client, inlayHints=False)
    assert device(client, uri) == "NVIDIA H100 SXM"
    assert not client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": EVERYTHING})
    settings(client, device="v100")
    assert device(client, uri) == "NVIDIA V100"
    settings(client, device="t4")
    assert device(client, uri) == "NVIDIA T4"
    # "As configured" is a choice too: the project's device, whatever the setting is.
    client.answer(client.command("advisor.chooseDevice", ""))
    settings(client, device="t4", codeLenses=True)
    assert device(client, uri) == "NVIDIA A100 80GB"
    assert client.stop() == 0
