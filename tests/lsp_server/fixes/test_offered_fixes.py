"""Fixes are offered with their edits, which are known and for the present version of the text."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from pathlib import Path

import pytest
from fix_titles import fixes, titled
from kernel_pairs import HEAD, STRAIGHT, TRANSPOSED
from lsprotocol import types
from pygls.workspace import PositionCodec
from test_fix_actions import SLOW, replaced

from advisor.check.pipeline import check
from advisor.fixes.proofs import ProofStore, place_digest
from advisor.model.findings import Edit, Fix, Proof
from advisor.model.settings.check_options import CheckOptions
from advisor.model.settings.config import Config
from advisor.model.text.source_text import SourceText
from lsp_server.analysis.checked_text import analyse
from lsp_server.answers.actions import CodeActions
from lsp_server.documents.document import Document
from lsp_server.documents.open_documents import OpenText
from lsp_server.documents.workspace import WorkspaceFiles
from lsp_server.fixes.fix_service import FixService
from lsp_server.fixes.fix_writing import Written
from lsp_server.protocol.edits import Writes
from lsp_server.protocol.positions import Positions

VERSIONS = {"workspaceEdit": {"documentChanges": True}}
ROOT = "Write the power as a product or a square root"
OTHER = {"other.py": "x = 1\n"}
ALL = types.Range(types.Position(0, 0), types.Position(1_000, 0))
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


def with_safe_fixes_known(client, uri, line):
    """The actions of a line once all safe fixes of the text are known."""
    return client.actions_once(lambda actions: titled(actions, "Apply all"), uri, line)


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
@pytest.mark.parametrize("able", [None, ["edit"]])
def test_an_action_has_its_edit_whatever_the_client_could_resolve(client, encoding, units, able):
    resolving = {"codeAction": {"dataSupport": True, "resolveSupport": {"properties": able}}}
    client.start([encoding], text_document=resolving if able else None)
    uri = client.open("k.py", SLOW)
    fix, ignore, _ = client.actions_with_fixes(uri, 8)
    (edit,) = fix["edit"]["changes"][uri]
    # `        label = "` are 17 characters, `"; out[i] = ` 12 more.
    begin = 29 + units
    assert edit["range"]["start"] == {"line": 8, "character": begin}
    assert edit["newText"] == "math.sqrt(a[i])"
    (comment,) = ignore["edit"]["changes"][uri]
    assert comment["newText"].startswith("  # advisor: ignore[slow-power]")


def test_the_server_does_not_say_that_it_resolves_actions(client):
    offers = client.start()["capabilities"]
    assert offers["codeActionProvider"].get("resolveProvider") in (None, False)


def test_the_safe_fix_comes_first_and_is_preferred(client):
    client.start()
    uri = client.open("k.py", UNGUARDED)
    actions = client.actions_once(lambda found: len(fixes(found)) > 1, uri, 12)
    preferred = [one["title"] for one in actions if one.get("isPreferred")]
    assert preferred == [actions[0]["title"]]
    assert "needs review" not in preferred[0]
    reviewed = [one["title"].endswith("(needs review)") for one in fixes(actions)]
    assert reviewed == sorted(reviewed) and f"{ROOT} (needs review)" in [one["title"] for one in actions]
    kinds = [one["title"].split()[0] for one in actions[len(reviewed) :]]
    assert kinds == sorted(kinds, key=["Ignore", "Explain", "Apply"].index)


def test_a_fix_that_needs_review_is_never_preferred(client):
    client.start()
    uri = client.open("k.py", SLOW)
    (fix,) = fixes(client.actions_with_fixes(uri, 8))
    assert not fix.get("isPreferred")


def test_edits_are_for_the_text_that_the_client_has(client):
    client.start(workspace=VERSIONS)
    uri = client.open("k.py", SLOW)
    client.actions_with_fixes(uri, 8)
    for version in range(2, 8):
        text = "\n" * version + SLOW
        client.change(uri, version, text)
        for fix in fixes(client.actions_with_fixes(uri, 8 + version)):
            (change,) = fix["edit"]["documentChanges"]
            assert change["textDocument"] == {"uri": uri, "version": version}
            assert replaced(text, change["edits"]) == text.replace("a[i] ** 0.5", "math.sqrt(a[i])")


def test_edits_fit_the_version_that_they_name_when_the_text_changes_meanwhile(client):
    client.start(workspace=VERSIONS)
    uri = client.open("k.py", SLOW)
    client.actions_with_fixes(uri, 8)
    texts = {version: "#\n" * version + SLOW for version in range(2, 12)} | {1: SLOW}
    offered = []
    for version in range(2, 12):
        place = {"start": {"line": 0, "character": 0}, "end": {"line": 30, "character": 0}}
        params = {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": []}}
        number = client.send_request("textDocument/codeAction", params)
        client.change(uri, version, texts[version])
        offered += fixes(client.answer(number)["result"])
    # Of the last text at the latest, which nothing changes any more.
    offered += fixes(client.actions_with_fixes(uri, 8 + 11))
    for fix in offered:
        (change,) = fix["edit"]["documentChanges"]
        text = texts[change["textDocument"]["version"]]
        assert replaced(text, change["edits"]) == text.replace("a[i] ** 0.5", "math.sqrt(a[i])")


def test_a_fix_that_cannot_be_written_is_not_offered(client):
    client.start(text_document={"codeAction": {"disabledSupport": True}})
    uri = client.open("k.py", SLOW.replace("0.5", "2.5"))
    # As long as that is not known the client shows why there is no fix to take.
    actions = client.actions_once(lambda found: len(found) == 2, uri, 8)
    assert [one["title"].split()[0] for one in actions] == ["Ignore", "Explain"]


def test_a_fix_whose_edit_takes_long_is_shown_as_disabled_where_the_client_can():
    analysis = analysed(Path("/w"))
    for disabled in (False, True):
        found = desk_of(analysis, disabled).actions(analysis.findings, [], [], ALL)
        reasons = [one.disabled.reason for one in found if one.disabled]
        assert reasons == ["The edit is still being computed; ask again in a moment."] * disabled
        assert [one.title for one in found if not one.disabled] == [
            "Ignore slow-power here, with a reason",
            "Explain slow-power",
        ]
        assert all(one.edit or one.command for one in found if not one.disabled)


def test_a_withdrawn_fix_is_disabled_with_what_was_proven():
    analysis = analysed(Path("/w"))
    (finding,) = analysis.findings
    proof = Proof("results differ", None, "simulated", "out[3]")
    withdrawn = dataclasses.replace(finding, fixes=(Fix("Do it", "safe", "f", "never", (), proof),))
    found = desk_of(analysis, disabled=True).actions(analysis.findings, [Written(withdrawn)], [], ALL)
    assert [one.disabled.reason for one in found if one.disabled] == ["Results differ, simulated: out[3]."]


def test_a_file_that_the_editor_holds_with_another_text_is_not_edited():
    analysis = analysed(Path("/w"))
    (finding,) = analysis.findings
    edits = (Edit(0, 0, "import math\n"), Edit(0, 1, "y", "other.py"))
    written = [Written(dataclasses.replace(finding, fixes=(Fix("Both", "safe", "f", "", edits),)), OTHER)]
    for text, offered in (("x = 1\n", [5]), ("x = 2\n", [])):
        opened = {"other.py": OpenText("file:///w/other.py", 5, text)}
        found = desk_of(analysis, opened=opened).actions(analysis.findings, written, [], ALL)
        changes = [one.edit.document_changes for one in found if one.title == "Both"]
        assert [other.text_document.version for _, other in changes] == offered


def analysed(folder):
    document = Document((folder / "k.py").as_uri(), 1, folder / "k.py", folder, False, SLOW)
    return analyse(document, WorkspaceFiles())


def desk_of(analysis, disabled=False, opened=()):
    positions = Positions(analysis.document.source, PositionCodec())
    return CodeActions(analysis, positions, Writes(versions=True, disabled=disabled), dict(opened))


def test_the_fixes_of_a_quiet_text_are_known_before_anybody_asks(client):
    client.start(chosen={"compiledEvidence": False})
    uri = client.open("k.py", SLOW)
    client.actions_with_fixes(uri, 8)
    # The process has begun, and nobody asks for the actions of the next text before it has been quiet.
    client.change(uri, 2, "\n" + SLOW)
    time.sleep(2.0)
    (fix,) = fixes(client.actions(uri, 9))
    assert fix["edit"]
    assert client.stop() == 0


def test_a_fix_of_two_files_edits_both_and_only_the_open_one_has_a_version(client):
    (client.folder / "run.py").write_text(
        "from numba import cuda\n\nfrom k import scale\n\n\ndef run(x, y):\n"
        "    scale[(x.shape[0] // 16 + 1, x.shape[1] // 16 + 1), (16, 16)](x, y)\n",
        "utf-8",
    )
    (client.folder / "k.py").write_text(TRANSPOSED, "utf-8")
    client.start(workspace=VERSIONS)
    uri = client.open("k.py", TRANSPOSED, version=7)
    (fix,) = titled(client.actions_with_fixes(uri, 7), "Exchange")
    own, other = fix["edit"]["documentChanges"]
    assert own["textDocument"] == {"uri": uri, "version": 7}
    assert other["textDocument"] == {"uri": (client.folder / "run.py").as_uri(), "version": None}
    assert replaced(TRANSPOSED, own["edits"]) == STRAIGHT
    assert {one["range"]["start"]["line"] for one in other["edits"]} == {6}


def proven(folder, proof):
    """Keep a proof of the fix of SLOW as `advisor verify` would."""
    (folder / "pyproject.toml").write_text("[tool.advisor]\n", "utf-8")
    options = CheckOptions(
        "a100-80gb", folder, "source", settings=Config(root=folder), stdin=SourceText("k.py", SLOW)
    )
    (finding,) = (one for one in check([], options).findings if one.rule == "slow-power")
    (fix,) = (one for one in finding.fixes if one.edits)
    digest = place_digest(finding, fix, {"k.py": SLOW})
    ProofStore(folder).add("a100-80gb", [digest], fix.id, proof, [])


def test_a_proven_fix_says_so_and_a_withdrawn_one_is_not_offered(client):
    proven(client.folder, Proof("predicted faster", 1.4, "simulated", "both versions were run"))
    client.start()
    uri = client.open("k.py", SLOW)
    verdict = "(predicted faster (1.40 x), simulated: both versions were run)"
    actions = client.actions_with_fixes(uri, 8)
    assert [one["title"].endswith(verdict) for one in fixes(actions)] == [True]
    proven(client.folder, Proof("results differ", None, "simulated", "out[3]"))
    client.change(uri, 2, SLOW + "\n")
    client.actions_once(lambda found: not fixes(found), uri, 8)


def test_all_safe_fixes_at_once(client):
    client.start(pulls=True)
    uri = client.open("k.py", UNGUARDED)
    for only in (["source"], ["source.fixAll"], ["source.fixAll.advisor"]):
        (action,) = client.actions(uri, 0, only=only)
        assert action["kind"] == "source.fixAll.advisor"
    changed = replaced(UNGUARDED, action["edit"]["changes"][uri])
    assert changed.count("if i < ") == 2
    assert "** 0.5" in changed  # what needs review stays
    client.change(uri, 2, changed)
    assert "missing-bounds-check" not in {one["code"] for one in client.pulled(uri)}
    assert client.actions(uri, 0, only=["source.fixAll"]) == []


def test_all_safe_fixes_are_offered_among_others_where_there_are_several(client):
    client.start()
    uri = client.open("k.py", UNGUARDED)
    (action,) = titled(with_safe_fixes_known(client, uri, 6), "Apply all")
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
        "value": "  # advisor: ignore[transposed-index] $1",
    }
    # A second rule joins the list of a comment that has a reason already.
    text = TRANSPOSED.replace("b[i, j] * 2\n", "b[i, j] * 2  # advisor: ignore[slow-power] it is small\n")
    client.change(uri, 4, text)
    (ignore,) = titled(client.actions(uri, 7), "Ignore transposed")
    assert ignore["edit"]["documentChanges"][0]["edits"][0]["newText"] == ", transposed-index"


def test_a_lost_writing_process_is_begun_again(tmp_path):
    analysis = analysed(tmp_path)
    again = dataclasses.replace(analysis, notices=("other",), texts={**analysis.texts, "o.py": ""})
    (finding,) = analysis.findings

    async def both():
        service = FixService()
        first = await service.written(analysis, [finding])
        process = service._process._process
        process.kill()
        process.wait()
        second = await service.written(again, [finding])
        service._thread.shutdown()
        service._process.end()
        return first, second

    first, second = asyncio.run(both())
    assert [fix.id for fix in first[0].finding.fixes if fix.edits] == ["power-to-product"]
    assert second == first


def test_what_is_known_of_a_content_is_known_of_a_later_version_with_the_same(tmp_path):
    analysis = analysed(tmp_path)
    (finding,) = analysis.findings
    later = dataclasses.replace(
        analysed(tmp_path), document=dataclasses.replace(analysis.document, version=9)
    )

    async def ask():
        service = FixService()
        first = await service.written(analysis, [finding])
        service._process.write = None  # nothing is written a second time
        second = await service.written(later, list(later.findings), 0.0)
        service._thread.shutdown()
        service._process.end()
        return first, second

    first, second = asyncio.run(ask())
    assert second == first != []


def test_who_waits_gets_the_fixes_of_an_analysis_that_is_no_longer_the_latest(tmp_path):
    analysis = analysed(tmp_path)
    (finding,) = analysis.findings
    may_end = threading.Event()

    async def ask():
        service = FixService()
        service._thread.submit(may_end.wait, 60)
        first = asyncio.create_task(service.written(analysis, [finding]))
        await waited_for(service, 1)
        # Better evidence comes before anything is written, and is asked about in vain and in patience.
        better = dataclasses.replace(analysis, device=dataclasses.replace(analysis.device, id="h100"))
        await service.prepare(better)
        second = asyncio.create_task(service.written(better, [finding]))
        await waited_for(service, 2)
        may_end.set()
        found = await asyncio.gather(first, second)
        # Nobody waits any more, so the next analysis is prepared.
        third = dataclasses.replace(analysis, device=dataclasses.replace(analysis.device, id="l4"))
        await service.prepare(third)
        at_once = await service.written(third, [finding], 0.0)
        service._thread.shutdown()
        service._process.end()
        return [*found, at_once]

    for written in asyncio.run(ask()):
        assert [fix.id for fix in written[0].finding.fixes if fix.edits] == ["power-to-product"]


async def waited_for(service, number):
    while sum(one.waiting for one in service._contents.values()) < number:
        await asyncio.sleep(0.01)


def test_who_is_impatient_gets_nothing_and_finds_it_done_later(tmp_path, monkeypatch):
    analysis = analysed(tmp_path)
    (finding,) = analysis.findings
    may_end = threading.Event()

    async def ask():
        service = FixService()
        write = service._process.write
        monkeypatch.setattr(service._process, "write", lambda *given: (may_end.wait(60), write(*given))[1])
        early = await service.written(analysis, [finding], 0.01)
        may_end.set()
        late = await service.written(analysis, [finding])
        service._thread.shutdown()
        service._process.end()
        return early, late

    early, late = asyncio.run(ask())
    assert early == []
    assert [fix.id for fix in late[0].finding.fixes if fix.edits] == ["power-to-product"]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are looked up in /proc")
@pytest.mark.parametrize("properly", [True, False])
def test_the_writing_process_ends_with_the_server(client, properly):
    client.start()
    client.actions_with_fixes(client.open("k.py", SLOW), 8)
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
