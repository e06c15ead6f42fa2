"""How the server behaves as a program: what it never does, what it survives, how it ends."""

from __future__ import annotations

import time

import pytest
from diagnostic_codes import codes
from kernel_pairs import SQUARE, STRAIGHT, TRANSPOSED

# The server with its analysis replaced by one that does what the test needs.
_CHANGED = """
import lsp_server.analysis.analyst as analyst
from lsp_server.server import main
real = analyst.analyse
def analyse(document, *rest, **more):
    {body}
    return real(document, *rest, **more)
analyst.analyse = analyse
raise SystemExit(main())
"""


def changed_server(body):
    return "-c", _CHANGED.format(body=body)


def test_workspace_code_is_never_run(client):
    mark = client.folder / "mark"
    effect = f"open({str(mark)!r}, 'w').close()\n"
    for name in ("sizes", "conftest", "sitecustomize", "setup"):
        (client.folder / f"{name}.py").write_text(effect + "N = 4\n", encoding="utf-8")
    text = "from sizes import N\n" + effect + TRANSPOSED.replace("* 2", "* N")
    (client.folder / "k.py").write_text(text, encoding="utf-8")
    client.start()
    uri = client.open("k.py", text)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    client.hover(uri, 9, 20)
    client.actions(uri, 9)
    client.save(uri)
    assert client.stop() == 0
    assert not mark.exists()


def test_nothing_is_written_into_the_workspace(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    client.published(uri, 1)
    client.hover(uri, 7, 19)
    assert client.stop() == 0
    assert list(client.folder.iterdir()) == []


def test_prints_do_not_reach_the_protocol(connect):
    noisy = connect(*changed_server("import os; print('noise'); os.write(1, b'more noise\\n')"))
    noisy.start()
    assert codes(noisy.published(noisy.open("k.py", TRANSPOSED), 1)) == ["transposed-index"]
    assert noisy.stop() == 0
    assert "noise" in noisy.told_log()
    assert "more noise" in noisy.told_log()


def test_a_fault_is_logged_and_told_once_and_the_server_goes_on(connect):
    client = connect(*changed_server("if 'boom' in document.text: raise KeyError('a fault')"))
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert len(client.published(uri, 1)) == 1
    for version in (2, 3):
        client.change(uri, version, TRANSPOSED + f"# boom {version}\n")
        assert client.published(uri, version) == []
    assert "the analysis of k.py failed. Please report this" in client.shown_message()
    assert client.hover(uri, 7, 19) is None
    assert client.actions(uri, 7) == []
    client.change(uri, 4, TRANSPOSED)
    assert codes(client.published(uri, 4)) == ["transposed-index"]
    assert client.kept("window/showMessage") == []
    assert client.stop() == 0
    assert "Traceback" in client.told_log()
    assert "KeyError: 'a fault'" in client.told_log()


# Leaves the file "begun", and goes on when there is a file "go"; both lie in the client's folder.
_WAITING = """
    import pathlib, time
    if document.text.startswith("# wait"):
        pathlib.Path("begun").touch()
        while not pathlib.Path("go").exists(): time.sleep(0.01)
"""


def wait_for(file):
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline, f"{file.name} was never made"
        time.sleep(0.01)


def test_an_analysis_under_way_keeps_no_request_waiting_and_is_dropped_when_the_text_changes(connect):
    client = connect(*changed_server(_WAITING))
    client.start()
    uri = client.open("k.py", "# wait\n" + TRANSPOSED)
    wait_for(client.folder / "begun")
    assert client.hover("untitled:x", 0, 0) is None
    client.change(uri, 2, STRAIGHT)
    client.hover("untitled:x", 0, 0)  # answered, so the change has arrived
    (client.folder / "go").touch()
    assert client.published(uri, 2) == []
    assert client.kept("textDocument/publishDiagnostics") == []


def test_a_pull_under_way_is_answered_for_the_newest_text(connect):
    client = connect(*changed_server(_WAITING))
    client.start(pulls=True)
    uri = client.open("k.py", "# wait\n" + TRANSPOSED)
    number = client.send_request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    wait_for(client.folder / "begun")
    client.change(uri, 2, STRAIGHT)
    client.hover("untitled:x", 0, 0)
    (client.folder / "go").touch()
    assert client.answer(number)["result"]["items"] == []


def test_requests_about_an_older_text_are_answered_for_the_newest(connect):
    client = connect(*changed_server(_WAITING))
    client.start(pulls=True)
    uri = client.open("k.py", "# wait\n" + TRANSPOSED)
    pull = client.send_request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    wait_for(client.folder / "begun")
    client.change(uri, 2, TRANSPOSED)
    place = {"line": 7, "character": 19}
    hover = client.send_request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    client.hover("untitled:x", 0, 0)
    (client.folder / "go").touch()
    (found,) = client.answer(pull)["result"]["items"]
    assert found["range"]["start"] == {"line": 7, "character": 18}
    assert "transposed-index" in client.answer(hover)["result"]["contents"]["value"]


def test_a_cancelled_pull_is_answered_as_cancelled_and_the_next_one_in_full(connect):
    client = connect(*changed_server(_WAITING))
    client.start(pulls=True)
    uri = client.open("k.py", "# wait\n" + TRANSPOSED)
    number = client.send_request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    wait_for(client.folder / "begun")
    client.notify("$/cancelRequest", {"id": number})
    assert client.answer(number)["error"]["code"] == -32800
    (client.folder / "go").touch()
    assert codes(client.pulled(uri)) == ["transposed-index"]


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("pyproject.toml", "[tool.advisor]\nseverty = 1\n", "severty"),
        ("pyproject.toml", "[tool.advisor\n", "is not valid TOML"),
        ("advisor.toml", 'device = "no-such-device"\n', "no-such-device"),
        ("advisor.toml", 'packs = ["missing"]\n', "missing"),
    ],
)
def test_a_wrong_configuration_is_told_once_until_it_is_fixed(client, file, content, said):
    configuration = client.folder / file
    configuration.write_text(content, encoding="utf-8")
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    # What holds instead are the defaults, later the last settings that were right.
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    assert said in client.shown_message()
    client.change(uri, 2, TRANSPOSED + "\n")
    assert codes(client.published(uri, 2)) == ["transposed-index"]
    configuration.write_text('device = "h100-sxm"\n' if file == "advisor.toml" else "", encoding="utf-8")
    client.save(uri)
    assert codes(client.published(uri, 2)) == ["transposed-index"]
    assert client.kept("window/showMessage") == []
    configuration.write_text(content, encoding="utf-8")
    client.save(uri)
    assert codes(client.published(uri, 2)) == ["transposed-index"]
    assert said in client.shown_message()


def test_a_rule_that_does_not_load_is_told_once_and_the_others_work(client):
    (client.folder / "pack").mkdir()
    broken = client.folder / "pack" / "broken.rules"
    broken.write_text("rule x {\n", encoding="utf-8")
    (client.folder / "advisor.toml").write_text('packs = ["pack"]\n', encoding="utf-8")
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    assert "pack/broken.rules:1: E106" in client.shown_message()
    client.change(uri, 2, TRANSPOSED + "\n")
    assert codes(client.published(uri, 2)) == ["transposed-index"]
    assert client.kept("window/showMessage") == []


def test_the_configuration_nearest_to_the_file_holds(client):
    (client.folder / "pyproject.toml").write_text('[tool.advisor]\nignore = ["memory"]\n', encoding="utf-8")
    near = client.folder / "near"
    near.mkdir()
    (near / "advisor.toml").write_text(
        'exclude = ["old"]\n[rules.transposed-index]\nlevel = "error"\n', encoding="utf-8"
    )
    client.start(pulls=True)
    assert client.pulled(client.open("k.py", TRANSPOSED)) == []
    (found,) = client.pulled(client.open("near/k.py", TRANSPOSED + SQUARE))
    assert (found["code"], found["severity"]) == ("transposed-index", 1)
    assert client.pulled(client.open("near/old/k.py", TRANSPOSED)) == []


def test_a_client_that_watches_files_is_asked_to_and_heard(client):
    client.start(workspace={"didChangeWatchedFiles": {"dynamicRegistration": True}})
    (wish,) = client.received("client/registerCapability")["params"]["registrations"]
    assert wish["method"] == "workspace/didChangeWatchedFiles"
    assert {"globPattern": "**/pyproject.toml"} in wish["registerOptions"]["watchers"]
    uri = client.open("k.py", TRANSPOSED)
    assert len(client.published(uri, 1)) == 1
    file = client.folder / "pyproject.toml"
    file.write_text('[tool.advisor]\nignore = ["transposed-index"]\n', encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": file.as_uri(), "type": 1}]})
    # The compiler's evidence may have brought the finding once more before.
    while client.published(uri, 1):
        pass


def test_a_client_that_pulls_is_told_to_ask_again_after_a_save(client):
    client.start(pulls=True, workspace={"diagnostics": {"refreshSupport": True}})
    uri = client.open("k.py", TRANSPOSED)
    assert len(client.pulled(uri)) == 1
    client.save(uri)
    assert client.received("workspace/diagnostic/refresh")


def test_the_end_comes_in_due_form(client):
    client.start()
    client.open("k.py", TRANSPOSED)
    assert client.stop() == 0
    assert client.told_log() == ""


def test_an_end_without_shutdown_is_a_failure(client):
    client.start()
    client.notify("exit", None)
    assert client.process.wait(60) == 1


def test_the_server_ends_with_its_client(client):
    client.start()
    client.process.stdin.close()
    assert client.process.wait(60) == 1
