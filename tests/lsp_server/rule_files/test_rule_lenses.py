"""What the lenses over rules say, and when it is found out again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kernel_pairs import STRAIGHT, TRANSPOSED
from rule_texts import HUNGRY
from rule_workspace import RuleWorkspace

from advisor.model.data_files import knowledge_folder
from lsp_server.rule_files.explaining.firing import Stopped, WorkspaceKernels, firing_of
from lsp_server.rule_files.explaining.lenses import message_of, said

TURNED = (
    (knowledge_folder() / "rules" / "memory" / "transposed-index.rules")
    .read_text("utf-8")
    .replace("rule transposed-index ", "rule turned ")
    # What is excepted for several rules at once names each of them.
    + '\nexcept turned for access a when a.repeated because "a register holds it"\n'
)


def never() -> bool:
    return False


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> RuleWorkspace:
    return RuleWorkspace(tmp_path_factory.mktemp("work"))


def test_examples_and_mutants_are_counted(workspace):
    snapshot = workspace.snapshot("hungry-kernel.rules", HUNGRY)
    assert said("examples", "hungry-kernel", snapshot).title == "3 of 3 examples hold"
    told = said("mutants", "hungry-kernel", snapshot)
    # The only silent example is so for two reasons at once, and nothing has debug enabled.
    assert told.title == "7 of 14 mutants killed"
    assert len(told.lines) == 7
    assert told.lines[0] == "Line 7: without `k.registers > most`: every example keeps its verdict."
    turned = workspace.snapshot("turned.rules", TURNED)
    told = said("mutants", "turned", turned)
    assert re.fullmatch(r"([1-9]\d) of \1 mutants killed", told.title)
    assert told.lines == ()


def test_an_example_that_fails_is_told_and_no_mutants_are_made(workspace):
    text = HUNGRY.replace("k.registers = 40", "k.registers = 240").replace(
        "k.theoretical_occupancy = 100%", "k.theoretical_occupancy = 10%"
    )
    snapshot = workspace.snapshot("hungry-kernel.rules", text)
    told = said("examples", "hungry-kernel", snapshot)
    assert told.title == "2 of 3 examples hold"
    assert "should be silent, but the rule is unknown" in told.lines[0]
    assert said("mutants", "hungry-kernel", snapshot).title == "no mutants made while an example fails"
    assert message_of("hungry-kernel", told).startswith("hungry-kernel: 2 of 3 examples hold.\n")


def test_a_rule_with_errors_says_so(workspace):
    snapshot = workspace.snapshot("hungry-kernel.rules", HUNGRY.replace("50%", "50"))
    for kind in ("examples", "mutants", "kernels"):
        assert said(kind, "hungry-kernel", snapshot).title == "not loaded, for it has errors"


def firing(folder: Path, text: str, name: str):
    workspace = RuleWorkspace(folder)
    snapshot = workspace.snapshot(f"{name}.rules", text)
    evidence = WorkspaceKernels().evidence(folder, snapshot.book, never)
    rule = snapshot.book.rule(name)
    assert rule is not None
    return firing_of(rule, snapshot.book, evidence), said("kernels", name, snapshot, evidence).title


def test_the_kernels_of_the_workspace_are_those_of_its_source(tmp_path):
    assert firing(tmp_path, TURNED, "turned")[1] == "no kernels in this workspace"
    (tmp_path / "a.py").write_text(TRANSPOSED, "utf-8")
    (tmp_path / "b.py").write_text(STRAIGHT, "utf-8")
    found, title = firing(tmp_path, TURNED, "turned")
    assert (found.kernels, found.fires_on) == (2, ("scale (a.py:5)",))
    assert title == "fires on 1 of 2 kernels of this workspace"
    # What the compiler has to tell stays open.
    text = HUNGRY.replace('   and some access a of k has (a.space = "global" and a.loop_depth >= 1)\n', "")
    text = "\n".join(line for line in text.splitlines() if "a1." not in line) + "\n"
    text = text.replace(
        "example silent",
        'example fires "f" { k.registers = 200, k.theoretical_occupancy = 25%, k.debug_enabled = false }\n'
        "  example silent",
    )
    found, title = firing(tmp_path, text, "hungry-kernel")
    assert title == "fires on 0 of 2 kernels of this workspace, undecided on 2"


def test_a_rule_about_the_host_fires_at_places(tmp_path):
    rule = knowledge_folder() / "rules" / "host" / "launch-in-host-loop.rules"
    text = rule.read_text("utf-8").replace("rule launch-in-host-loop ", "rule looped ")
    loop = (
        TRANSPOSED + "\n\ndef run(a, b):\n    for _ in range(100):\n        scale[(4, 4), (16, 16)](a, b)\n"
    )
    (tmp_path / "a.py").write_text(loop, "utf-8")
    assert "of this workspace" in firing(tmp_path, text, "looped")[1]


def test_evidence_is_kept_until_a_file_changes(tmp_path, workspace):
    book = workspace.snapshot("turned.rules", TURNED).book
    (tmp_path / "a.py").write_text(TRANSPOSED, "utf-8")
    kernels = WorkspaceKernels()
    first = kernels.evidence(tmp_path, book, never)
    (tmp_path / "b.py").write_text(STRAIGHT, "utf-8")
    assert kernels.evidence(tmp_path, book, never) is first
    kernels.forget()
    second = kernels.evidence(tmp_path, book, never)
    assert [len(one.tables["kernel"]) for one in (first, second)] == [1, 2]
    kernels.forget()
    assert kernels.evidence(tmp_path, book, never) is second


def test_who_ends_the_server_does_not_wait_for_it(tmp_path, workspace):
    (tmp_path / "a.py").write_text(TRANSPOSED, "utf-8")
    book = workspace.snapshot("turned.rules", TURNED).book
    kernels = WorkspaceKernels()
    with pytest.raises(Stopped):
        kernels.evidence(tmp_path, book, lambda: True)
    assert len(kernels.evidence(tmp_path, book, never).tables["kernel"]) == 1


def test_computed_metrics_are_those_of_the_text_in_the_editor(tmp_path):
    (tmp_path / "a.py").write_text(TRANSPOSED, "utf-8")
    text = TURNED.replace("edition 1\n", "")
    metric = 'metric doubled : sectors/request of access a range 0 .. "x" = 2 * a.sectors_per_request\n'
    rule = (
        'rule twice "T" {\n  for each access a of kernel k\n  param most = 31 sectors/request\n'
        "  when a.doubled > most\n  severity info  confidence low  effort low\n"
        '  say "{a.doubled}"  why "x"\n  try "x"\n  source "x" at "y"\n'
        '  example fires "a" { a.doubled = 32 sectors/request }\n'
        '  example silent "b" { a.doubled = 2 sectors/request }\n}\n'
    )
    workspace = RuleWorkspace(tmp_path)
    kernels = WorkspaceKernels()
    titles = []
    for factor in ("2", "0.1"):
        texts = {"twice.rules": rule, "m.rules": metric.replace("2 *", f"{factor} *"), "turned.rules": text}
        snapshot = workspace.snapshot("twice.rules", texts)
        assert not snapshot.book.errors
        evidence = kernels.evidence(tmp_path, snapshot.book, never)
        titles.append(said("kernels", "twice", snapshot, evidence).title)
    # 16 sectors a request: twice that is more than 31, a tenth is not.
    assert titles == [
        "fires on 1 of 1 kernel of this workspace",
        "fires on 0 of 1 kernel of this workspace",
    ]


def test_over_the_protocol(client):
    (client.folder / "a.py").write_text(TRANSPOSED, "utf-8")
    client.start()
    uri = client.open("turned.rules", TURNED, "advisor-rules")
    lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert all("command" not in lens for lens in lenses)
    told = [client.ask("codeLens/resolve", lens)["command"] for lens in lenses]
    titles = [one["title"] for one in told]
    count = TURNED.count("\n  example ")
    assert titles[0::2] == [f"{count} of {count} examples hold", "fires on 1 of 1 kernel of this workspace"]
    assert re.fullmatch(r"([1-9]\d) of \1 mutants killed", titles[1])
    client.ask("workspace/executeCommand", {"command": told[2]["command"], "arguments": told[2]["arguments"]})
    assert client.shown_message().endswith(
        "turned: fires on 1 of 1 kernel of this workspace.\nscale (a.py:5)"
    )
    (client.folder / "a.py").write_text(STRAIGHT, "utf-8")
    client.notify("textDocument/didSave", {"textDocument": {"uri": (client.folder / "a.py").as_uri()}})
    title = client.ask("codeLens/resolve", lenses[2])["command"]["title"]
    assert title == "fires on 0 of 1 kernel of this workspace"
    # A lens of what is no rule any more, and one that nobody made.
    client.change(uri, 2, "")
    assert client.ask("codeLens/resolve", lenses[0])["command"]["title"] == "not loaded, for it has errors"
    odd = {**lenses[0], "data": {"language": "advisor-rules"}}
    assert client.ask("codeLens/resolve", odd)["command"]["title"] == "nothing is known"
    assert client.stop() == 0
    assert "Traceback" not in client.told_log()
