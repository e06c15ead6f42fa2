"""Numbers of workloads of `kernels/` that are really simulated, where the user reads them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from diagnostic_codes import codes

KERNELS = Path(__file__).parents[3] / "kernels"
CHOSEN = {"trusted": True}
SHOWN = {"codeLens": {"refreshSupport": True}}
# A warp of `vector_add_first` reads floats that lie 10 apart, 40 bytes: each lane has a sector of its own,
# where 32 floats fill 4. With 40 blocks of 2,560 elements each, no request is cut short.
ELEMENTS = 102_400
HINT = "32 sectors/request, ideal 4"
# One addition for 12 bytes: two floats read, one written.
INTENSITY = "0.0833 FLOP/byte"
# Counted from 0.
KERNEL, ACCESS, LAUNCH = 22, 26, 45


@pytest.fixture
def opened(client):
    """A client with the kernels in its folder, and the URI of one that it has open."""
    shutil.copytree(KERNELS, client.folder / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    file = client.folder / "kernels" / "vector_add.py"
    text = file.read_text("utf-8").replace("100_000", str(ELEMENTS))
    file.write_text(text, "utf-8")
    client.start(chosen=CHOSEN, workspace=SHOWN, pulls=True)
    uri = client.open("kernels/vector_add.py", text)
    return client, uri, text


def lens(client, uri):
    """The numbers over the first kernel."""
    found = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return next(one["command"]["title"] for one in found if one["command"]["command"] == "advisor.explain")


def once(client, uri, wanted):
    """The lens once it is as wanted, asked for as an editor asks: when the server says that it is another."""
    while not wanted(title := lens(client, uri)):
        client.reply(client.received("workspace/codeLens/refresh"), None)
    return title


def hints(client, uri):
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    found = client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": everything})
    return [(one["position"]["line"], one["label"]) for one in found]


def without_age(title):
    """A lens without its last part, which says how old the numbers are and changes every second."""
    return title.split(" · ")[:-1]


def simulated(client, uri):
    """The lens after the user has asked for a simulation."""
    assert "error" not in client.answer(client.command("advisor.simulate", uri))
    assert client.kept("window/showMessage") == []
    return once(client, uri, lambda title: "workload" in title and "registers" in title)


def test_lens_hints_hover_and_findings_tell_what_the_simulated_gpu_counted(opened):
    client, uri, _ = opened
    assert "predicted" not in lens(client, uri)
    title = simulated(client, uri)
    assert re.fullmatch(
        rf"\d+ registers · occupancy 100% \(warps\) · {INTENSITY} · predicted [\d.]+ us on NVIDIA A100 80GB "
        r"\([\w ]+\) · from its workload, \d+ (s|min) old",
        title,
    )
    assert hints(client, uri) == [(ACCESS, HINT)]
    card = client.hover(uri, ACCESS, 21)["contents"]["value"]
    assert "Neighbouring lanes use elements that lie 10 apart." in card
    assert "| sectors_per_request | 32 sectors/request | simulated |" in card
    # 102,400 elements, 32 to a request.
    assert re.search(r"\| requests \| 3\D?200 \| simulated \|", card), card
    assert "Simulated without a GPU: kernels/vector_add.py:46, grid 40, block 256." in card
    kernel = client.hover(uri, KERNEL, 8)["contents"]["value"]
    assert "| grid_blocks | 40 | simulated |" in kernel
    launch = client.hover(uri, LAUNCH, 6)["contents"]["value"]
    assert "| grid | 40 blocks | simulated |" in launch
    found = [one for one in client.pulled(uri) if one["code"] == "uncoalesced-access"]
    assert found and all("32 sectors/request where 4" in one["message"] for one in found)
    assert client.stop() == 0


def test_after_an_edit_the_last_numbers_stay_and_are_called_so(opened):
    client, uri, text = opened
    title = simulated(client, uri)
    # Another kernel, one line higher, that has not been compiled or run.
    edited = "\n" + text.replace("out[i] = a[i] + b[i]", "out[i] = b[i] - a[i]", 1)
    client.change(uri, 2, edited)
    now = without_age(lens(client, uri))
    assert now == without_age(f"before the edit: {title}")
    kernel = client.hover(uri, KERNEL + 1, 8)["contents"]["value"]
    assert "| registers | " in kernel and "| compiled, before the edit |" in kernel
    assert "| grid_blocks | 40 | simulated, before the edit |" in kernel
    # The source says that by itself, of one array for elements of 4 or 8 bytes: nothing there is from before.
    assert hints(client, uri) == [(ACCESS + 1, HINT), (ACCESS + 1, f"{HINT} to 8")]
    client.change(uri, 3, edited + "x = (\n")
    assert without_age(lens(client, uri)) == now
    client.change(uri, 4, edited)
    (client.folder / "kernels" / "vector_add.py").write_text(edited, "utf-8")
    client.save(uri)
    compiled = once(client, uri, lambda title: not title.startswith("before"))
    # It has registers again; the run is still that of the former text.
    former = rf"before the edit: {INTENSITY} · predicted"
    assert re.match(rf"\d+ registers · occupancy 100% \(warps\) · {former}", compiled)
    assert "from its workload" in compiled
    again = simulated_anew(client, uri)
    assert "before" not in again and INTENSITY in again
    assert client.stop() == 0


def simulated_anew(client, uri):
    assert "error" not in client.answer(client.command("advisor.simulate", uri))
    return once(client, uri, lambda title: "before" not in title)


def test_what_stood_on_a_line_that_changed_has_no_hint_any_more(opened):
    client, uri, text = opened
    simulated(client, uri)
    client.change(uri, 2, text.replace("out[i] = a[i] + b[i]", "pass", 1))
    assert hints(client, uri) == []
    assert lens(client, uri).startswith("before the edit: ")
    assert "uncoalesced-access" not in codes(client.pulled(uri))
    assert client.stop() == 0


def test_another_device_takes_no_number_of_the_former_one(opened):
    client, uri, text = opened
    simulated(client, uri)
    client.change(uri, 2, text + "\n")
    assert lens(client, uri).startswith("before the edit: ")
    client.answer(client.command("advisor.chooseDevice", "h100-sxm"))
    assert lens(client, uri) == "Explain"
    assert client.stop() == 0
