"""Fixes that are written when the client asks for one: found again by data, for the present text."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from pathlib import Path

import pytest
from kernel_pairs import HEAD, STRAIGHT, TRANSPOSED
from test_fix_actions import SLOW, replaced

from advisor.check_options import CheckOptions
from advisor.config import Config
from advisor.findings import Proof
from advisor.fixes.proofs import ProofStore, place_digest
from advisor.pipeline import check
from advisor.text import SourceText
from lsp_server.analysis import analyse
from lsp_server.documents import Document
from lsp_server.fix_desk import FixDesk
from lsp_server.surroundings import Surroundings

LAZY = {"codeAction": {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}}
VERSIONS = {"workspaceEdit": {"documentChanges": True}}
ROOT = "Write the power as a product or a square root"
MODIFIED, FAILED = -32801, -32803
UNGUARDED = HEAD + (
    "@cuda.jit\n"
    "def double(a):\n"
    "    i = cuda.grid(1)\n"
    "    a[i] = a[i] * 2\n"
    "\n\n"
    "@cuda.jit\n"
    "def halve(a):\n"
    "    i = cuda.grid(1)\n"
    "    a[i] = a[i] ** 0.5\n"
    "\n\n"
    "def run(a):\n"
    "    d = cuda.to_device(a)\n"
    "    double[(a.size + 127) // 128, 128](d)\n"
    "    halve[(a.size + 127) // 128, 128](d)\n"
    "    return d.copy_to_host()\n"
)


def titled(actions, start):
    return [one for one in actions if one["title"].startswith(start)]


def resolved(client, action):
    return client.ask("codeAction/resolve", action)


def refusal(client, action):
    return client.answer(client.send_request("codeAction/resolve", action))["error"]["code"]


def once_written(client, uri, line, wanted):
    """The actions of a line once they are as `wanted`; the writing process takes a while to begin."""
    for _ in range(400):
        actions = client.actions(uri, line)
        if wanted(actions):
            return actions
        time.sleep(0.05)
    raise AssertionError(actions)


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_an_action_gets_its_edit_when_it_is_asked_for(client, encoding, units):
    client.start([encoding], text_document=LAZY)
    uri = client.open("k.py", SLOW)
    (fix,) = titled(client.actions(uri, 8), ROOT)
    (ignore,) = titled(client.actions(uri, 8), "Ignore")
    assert "edit" not in fix and "edit" not in ignore
    assert fix["data"]["fix"] == "power-to-product"
    (edit,) = resolved(client, fix)["edit"]["changes"][uri]
    # `        label = "` are 17 characters, `"; out[i] = ` 12 more.
    begin = 29 + units
    assert edit["range"]["start"] == {"line": 8, "character": begin}
    assert edit["newText"] == "math.sqrt(a[i])"
    (comment,) = resolved(client, ignore)["edit"]["changes"][uri]
    assert comment["newText"] == "  # advisor: ignore[slow-power]"


def test_what_is_resolved_is_what_others_get_at_once(client, connect):
    client.start(text_document=LAZY)
    eager = connect()
    eager.start()
    uri = client.open("k.py", SLOW)
    eager.open("k.py", SLOW)
    late = [resolved(client, one) for one in client.actions(uri, 8) if "data" in one]
    at_once = [one for one in eager.actions(uri, 8) if "edit" in one]
    assert [(one["title"], one["edit"]) for one in late] == [(one["title"], one["edit"]) for one in at_once]
    assert all("data" not in one for one in at_once)


def test_what_the_client_sends_back_is_not_believed(client):
    client.start(text_document=LAZY)
    uri = client.open("k.py", SLOW)
    (fix,) = titled(client.actions(uri, 8), ROOT)
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    echoed = {**fix, "title": "?", "diagnostics": [{"range": nowhere, "message": "?"}]}
    (edit,) = resolved(client, echoed)["edit"]["changes"][uri]
    assert replaced(SLOW, [edit]) == SLOW.replace("a[i] ** 0.5", "math.sqrt(a[i])")


def test_an_action_for_a_text_that_is_gone_is_refused(client):
    client.start(text_document=LAZY)
    uri = client.open("k.py", SLOW)
    actions = [one for one in client.actions(uri, 8) if "data" in one]
    assert len(actions) == 2
    client.change(uri, 2, SLOW.replace(" ** 0.5", ""))
    assert [refusal(client, one) for one in actions] == [MODIFIED, MODIFIED]
    # The same finding at another place may need another edit.
    client.change(uri, 3, "\n" + SLOW)
    assert [refusal(client, one) for one in actions] == [MODIFIED, MODIFIED]
    client.change(uri, 4, SLOW)
    assert [bool(resolved(client, one)["edit"]) for one in actions] == [True, True]
    client.close(uri)
    assert [refusal(client, one) for one in actions] == [MODIFIED, MODIFIED]


def test_a_fix_that_cannot_be_written_is_not_offered_once_that_is_known(client):
    client.start(text_document=LAZY)
    uri = client.open("k.py", SLOW.replace("0.5", "2.5"))
    (ignore, _) = once_written(client, uri, 8, lambda actions: not titled(actions, ROOT))
    hoped = {**ignore, "data": {**ignore["data"], "fix": "power-to-product"}}
    assert refusal(client, hoped) == FAILED
    assert resolved(client, ignore)["edit"]


def test_the_first_menu_offers_only_what_can_be_written_once_the_text_is_quiet(client):
    client.start(text_document=LAZY, chosen={"compiledEvidence": False})
    # Each text is asked about once, so nothing but its rest can have told which fixes there are.
    first_menus = []
    for number in range(12):
        uri = client.open(f"k{number}.py", SLOW.replace("0.5", f"{number}.7"))
        time.sleep(1.0)
        first_menus.append(client.actions(uri, 8))
        if not titled(first_menus[-1], ROOT):
            break
    assert titled(first_menus[-1], "Ignore") and not titled(first_menus[-1], ROOT)
    assert client.stop() == 0


@pytest.mark.parametrize("data", [None, "x", 5, [1], {}, {"uri": 1, "finding": "", "fix": ""}])
def test_actions_of_others_come_back_as_they_are(client, data):
    client.start(text_document=LAZY)
    action = {"title": "Other", "kind": "quickfix", **({} if data is None else {"data": data})}
    assert resolved(client, action) == action


def test_a_fix_of_two_files_edits_both_and_only_the_open_one_has_a_version(client):
    (client.folder / "run.py").write_text(
        "from numba import cuda\n\nfrom k import scale\n\n\ndef run(x, y):\n"
        "    scale[(x.shape[0] // 16 + 1, x.shape[1] // 16 + 1), (16, 16)](x, y)\n",
        "utf-8",
    )
    (client.folder / "k.py").write_text(TRANSPOSED, "utf-8")
    client.start(text_document=LAZY, workspace=VERSIONS)
    uri = client.open("k.py", TRANSPOSED, version=7)
    (fix,) = titled(
        once_written(client, uri, 7, lambda found: len(titled(found, "Exchange")) == 1), "Exchange"
    )
    own, other = resolved(client, fix)["edit"]["documentChanges"]
    assert own["textDocument"] == {"uri": uri, "version": 7}
    assert other["textDocument"] == {"uri": (client.folder / "run.py").as_uri(), "version": None}
    assert replaced(TRANSPOSED, own["edits"]) == STRAIGHT
    assert {one["range"]["start"]["line"] for one in other["edits"]} == {6}


def proven(folder, proof):
    """Keeps a proof of the fix of SLOW as `advisor verify` would."""
    (folder / "pyproject.toml").write_text("[tool.advisor]\n", "utf-8")
    options = CheckOptions(
        "a100-80gb", folder, "source", settings=Config(root=folder), stdin=SourceText("k.py", SLOW)
    )
    (finding,) = (one for one in check([], options).findings if one.rule == "slow-power")
    (fix,) = (one for one in finding.fixes if one.edits)
    digest = place_digest(finding, fix, {"k.py": SLOW})
    ProofStore(folder).add("a100-80gb", [digest], fix.id, proof, [])


@pytest.mark.parametrize("lazily", [False, True])
def test_a_proven_fix_says_so_and_a_withdrawn_one_is_not_offered(client, lazily):
    proven(client.folder, Proof("proven faster", 1.4, "simulated", "both versions were run"))
    client.start(text_document=LAZY if lazily else None)
    uri = client.open("k.py", SLOW)
    verdict = "(proven faster (1.40 x), simulated: both versions were run)"
    actions = once_written(client, uri, 8, lambda found: titled(found, ROOT)[0]["title"].endswith(verdict))
    assert len(titled(actions, ROOT)) == 1
    proven(client.folder, Proof("results differ", None, "simulated", "out[3]"))
    client.change(uri, 2, SLOW + "\n")
    once_written(client, uri, 8, lambda found: not titled(found, ROOT))


def test_all_safe_fixes_at_once(client):
    client.start(text_document=LAZY, pulls=True)
    uri = client.open("k.py", UNGUARDED)
    for only in (["source"], ["source.fixAll"], ["source.fixAll.advisor"]):
        (action,) = client.actions(uri, 0, only=only)
        assert (action["kind"], "edit" in action) == ("source.fixAll.advisor", False)
    changed = replaced(UNGUARDED, resolved(client, action)["edit"]["changes"][uri])
    assert changed.count("if i < ") == 2
    assert "** 0.5" in changed  # what needs review stays
    client.change(uri, 2, changed)
    assert "missing-bounds-check" not in {one["code"] for one in client.pulled(uri)}
    assert client.actions(uri, 0, only=["source.fixAll"]) == []


def test_all_safe_fixes_are_offered_among_others_where_there_are_several(client):
    client.start()
    uri = client.open("k.py", UNGUARDED)
    (action,) = titled(client.actions(uri, 6), "Apply all")
    assert replaced(UNGUARDED, action["edit"]["changes"][uri]).count("if i < ") == 2
    assert not titled(client.actions(uri, 0), "Apply all")
    assert not titled(client.actions(uri, 6, only=["quickfix"]), "Apply all")
    assert not titled(client.actions(client.open("l.py", SLOW), 8), "Apply all")
    for only in (["source.organizeImports"], ["source.fixAll.ruff"], ["refactor"]):
        assert client.actions(uri, 6, only=only) == []


def test_the_reason_is_a_place_to_fill_in_where_the_client_has_such(client):
    client.start(workspace={"workspaceEdit": {"documentChanges": True, "snippetEditSupport": True}})
    uri = client.open("k.py", TRANSPOSED, version=3)
    (ignore,) = titled(client.actions(uri, 7), "Ignore")
    (change,) = ignore["edit"]["documentChanges"]
    (edit,) = change["edits"]
    assert change["textDocument"]["version"] == 3
    assert edit["snippet"] == {
        "kind": "snippet",
        "value": "  # advisor: ignore[transposed-index] ${1:reason}",
    }
    # A second rule joins the list of a comment that has a reason already.
    text = TRANSPOSED.replace("b[i, j] * 2\n", "b[i, j] * 2  # advisor: ignore[slow-power] it is small\n")
    client.change(uri, 4, text)
    (ignore,) = titled(client.actions(uri, 7), "Ignore transposed")
    assert ignore["edit"]["documentChanges"][0]["edits"][0]["newText"] == ", transposed-index"


def test_a_lost_writing_process_is_begun_again(tmp_path):
    document = Document((tmp_path / "k.py").as_uri(), 1, tmp_path / "k.py", tmp_path, False, SLOW)
    analysis = analyse(document, Surroundings())
    again = analyse(document, Surroundings())
    (finding,) = analysis.findings

    async def both():
        desk = FixDesk()
        first = await desk.written(analysis, [finding])
        process = desk._writer._process
        process.kill()
        process.wait()
        second = await desk.written(again, [finding])
        desk._thread.shutdown()
        desk._writer.end()
        return first, second

    first, second = asyncio.run(both())
    assert [fix.id for fix in first[0].finding.fixes if fix.edits] == ["power-to-product"]
    assert second == first


def test_who_waits_gets_the_fixes_of_an_analysis_that_is_no_longer_the_latest(tmp_path):
    document = Document((tmp_path / "k.py").as_uri(), 1, tmp_path / "k.py", tmp_path, False, SLOW)
    analysis = analyse(document, Surroundings())
    (finding,) = analysis.findings
    may_end = threading.Event()

    async def ask():
        desk = FixDesk()
        desk._thread.submit(may_end.wait, 60)
        first = asyncio.create_task(desk.written(analysis, [finding]))
        await asyncio.sleep(0)
        # Better evidence comes before anything is written, and is asked about in vain and in patience.
        better = dataclasses.replace(analysis)
        await desk.prepare(better)
        assert desk.last(analysis.document.uri) is analysis
        second = asyncio.create_task(desk.written(better, [finding]))
        await asyncio.sleep(0)
        may_end.set()
        found = await asyncio.gather(first, second)
        # Nobody waits any more, so the next analysis is prepared.
        third = dataclasses.replace(analysis)
        await desk.prepare(third)
        at_once = await desk.written(third, [finding], 0.0)
        desk._thread.shutdown()
        desk._writer.end()
        return [*found, at_once]

    for written in asyncio.run(ask()):
        assert [fix.id for fix in written[0].finding.fixes if fix.edits] == ["power-to-product"]


def test_who_is_impatient_gets_nothing_and_finds_it_done_later(tmp_path, monkeypatch):
    document = Document((tmp_path / "k.py").as_uri(), 1, tmp_path / "k.py", tmp_path, False, SLOW)
    analysis = analyse(document, Surroundings())
    (finding,) = analysis.findings
    may_end = threading.Event()

    async def ask():
        desk = FixDesk()
        write = desk._writer.write
        monkeypatch.setattr(desk._writer, "write", lambda *given: (may_end.wait(60), write(*given))[1])
        early = await desk.written(analysis, [finding], 0.01)
        may_end.set()
        late = await desk.written(analysis, [finding])
        desk._thread.shutdown()
        desk._writer.end()
        return early, late

    early, late = asyncio.run(ask())
    assert early is None
    assert [fix.id for fix in late[0].finding.fixes if fix.edits] == ["power-to-product"]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked up in /proc")
@pytest.mark.parametrize("properly", [True, False])
def test_the_writing_process_ends_with_the_server(client, properly):
    client.start(text_document=LAZY)
    uri = client.open("k.py", SLOW)
    (fix,) = titled(client.actions(uri, 8), ROOT)
    assert resolved(client, fix)["edit"]
    tasks = Path(f"/proc/{client.process.pid}/task").glob("*/children")
    children = [Path("/proc", pid) for task in tasks for pid in task.read_text().split()]
    writing = [one for one in children if b"fix_writing" in (one / "cmdline").read_bytes()]
    assert len(writing) == 1
    if properly:
        assert client.stop() == 0
    else:
        client.process.kill()
        client.process.wait()
    for _ in range(200):
        if not _runs(writing[0]):
            return
        time.sleep(0.05)
    raise AssertionError("the process that writes fixes still runs")


def _runs(process):
    """Whether a process is there and not one that nobody has asked for its end."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
