"""Cards of numbers: over a kernel's def line, an access, a launch."""

from __future__ import annotations

import pytest
from kernel_pairs import STRAIGHT, TRANSPOSED
from known_analyses import analysis, kernel, record

from advisor.model.text.source_text import Span
from lsp_server.numbers.at_place import cards_at
from lsp_server.numbers.cards import Card, Grid, joined

TEXT = "@cuda.jit\ndef scale(a):\n    a[i, j] = b[c[i]]\n\nscale[n, 128](x)\n"
STORE, OUTER, INNER, LAUNCH = (
    Span(3, 5, 3, 12),
    Span(3, 15, 3, 22),
    Span(3, 17, 3, 21),
    Span(5, 1, 5, 14),
)
AFFINE = {"index_kind": "affine", "space": "global", "kind": "load"}


def card(place, *records, **more):
    (found,) = cards_at(analysis(TEXT, *records, **more), place)
    return found[0]


def access(span=STORE, source="source", **values):
    return record("access", span, source, **{**AFFINE, "sectors_per_request": 4.0, **values})


PATTERNS = {
    "Neighbouring lanes use neighbouring elements.": {"lane_stride": 1.0},
    "All lanes of a warp use one element.": {"lane_stride": 0.0},
    "Neighbouring lanes use elements that lie 256 apart.": {"lane_stride": 256.0, "lane_axis": "slow"},
    "Neighbouring lanes use elements that lie a row of the array apart.": {"lane_axis": "slow"},
    "The index was loaded from memory: neighbouring lanes may touch elements anywhere.": {
        "index_kind": "indirect",
        "lane_stride": 1.0,
    },
}


@pytest.mark.parametrize("sentence", PATTERNS)
def test_an_access_is_told_by_how_its_lanes_lie(sentence):
    found = card((3, 7), kernel(), access(**PATTERNS[sentence]))
    assert (found.name, found.kind) == ("a[i, j]", "load in global memory, kernel `scale`")
    assert found.sentences == (sentence,)


def test_no_pattern_is_made_up():
    assert card((3, 7), kernel(), access()).sentences == ()
    assert card((3, 7), kernel(), access(space="unknown")).kind == "load, kernel `scale`"


def test_an_access_has_its_sectors_stride_and_bytes_with_their_sources():
    measured = access(source="simulated", ideal_sectors_per_request=2.0, lane_stride=256.0, moved_bytes=3e6)
    (grid,) = card((3, 7), kernel(), measured).grids
    assert grid.rows == (
        ("metric", "value", "evidence"),
        ("sectors_per_request", "4 sectors/request", "simulated"),
        ("ideal_sectors_per_request", "2 sectors/request", "simulated"),
        ("lane_stride", "256", "simulated"),
        ("moved_bytes", "2.86 MiB", "simulated"),
    )


def test_the_inner_of_two_accesses_is_told():
    both = [access(OUTER), access(INNER)]
    assert card((3, 18), kernel(), *both).name == "c[i]"
    assert card((3, 15), kernel(), *both).name == "b[c[i]]"


def test_nothing_is_told_beside_an_access_or_of_what_a_run_saw_somewhere():
    assert cards_at(analysis(TEXT, kernel(), access()), (3, 13)) == []
    assert cards_at(analysis(TEXT, kernel(), access()), (4, 1)) == []
    somewhere = record("access", STORE, "simulated", bank_conflict_ways=4.0)
    assert cards_at(analysis(TEXT, kernel(), somewhere), (3, 7)) == []
    assert cards_at(analysis(TEXT, kernel(), record("access", STORE, **AFFINE)), (3, 7)) == []


def test_a_compiled_kernel_has_its_occupancy_on_every_device():
    found = card(
        (2, 1),
        kernel(registers=64.0, shared_bytes=0.0, spill_store_bytes=128.0, block_threads=256.0),
    )
    assert (found.name, found.kind, found.sentences) == ("scale", "kernel", ())
    resources, threads, devices = found.grids
    assert ("registers", "64", "compiled") in resources.rows
    # What a kernel has none of is not told.
    assert resources.rows[1:] == (("registers", "64", "compiled"), ("spill_store_bytes", "128 B", "compiled"))
    assert threads.rows[1:] == (("block_threads", "256", "compiled"),)
    rows = {row[0]: row[1:] for row in devices.rows}
    # 64 registers of 32 lanes are 2,048 a warp: 65,536 hold 32 warps, or 4 blocks of 8, of 64 on an H100.
    assert rows["NVIDIA H100 SXM"] == ("4", "32", "50%", "registers")
    # A T4 has as many registers for 32 warps at most.
    assert rows["NVIDIA T4"] == ("4", "32", "100%", "warps")


def test_a_kernel_that_was_not_compiled_has_none():
    found = card((2, 5), kernel(source="source", block_threads=256.0))
    assert found.sentences == ("Registers and occupancy are known once the kernel has been compiled.",)
    assert [grid.heading for grid in found.grids] == ["Occupancy"]
    assert cards_at(analysis(TEXT, kernel(name="scale")), (2, 5)) == []
    assert cards_at(analysis(TEXT, kernel(block_threads=256.0)), (1, 1)) == []


def launch(**values):
    return record("launch", LAUNCH, label="scale", **values)


def lines(*records, **more):
    (grid,) = card((5, 3), *records, **more).grids
    return {row[0]: row[1:] for row in grid.rows[1:]}


def test_a_launch_has_its_waves_and_tail():
    compiled = kernel(registers=32.0)
    shape = {"block_threads": 256.0, "block_x": 32.0, "block_y": 8.0, "block_z": 1.0}
    found = lines(compiled, launch(blocks=1584.0, **shape))
    # 132 SMs of 2,048 threads hold 8 blocks of 256 each: 1,056 at a time, then 528 more.
    assert found == {
        "grid": ("1,584 blocks", "source"),
        "block": ("32 x 8 = 256 threads, 8 warps", "source"),
        "occupancy on NVIDIA H100 SXM": ("100%, limited by warps", "compiled"),
        "resident at a time": ("8 blocks on each SM", "compiled"),
        "waves": ("1.5", "compiled"),
        "tail": ("the last wave fills 50% of the SMs", "compiled"),
    }


def test_a_launch_tells_only_what_is_known():
    assert lines(kernel(), launch(block_threads=100.0, partial_warp_lanes=4.0)) == {
        "block": ("100 threads, 4 warps", "source"),
        "last warp of each block": ("4 lanes in use", "source"),
    }
    assert cards_at(analysis(TEXT, kernel(), launch(grid_constant=False)), (5, 3)) == []
    whole = lines(kernel(registers=32.0), launch(blocks=1056.0, block_threads=256.0))
    assert whole["tail"] == ("the last wave fills 100% of the SMs", "compiled")


def test_the_grid_of_a_run_is_that_of_the_only_launch():
    recorded = kernel(source="simulated", grid_blocks=40.0)
    one, other = launch(block_threads=64.0), record("launch", Span(6, 1, 6, 9), label="scale")
    assert lines(recorded, one)["grid"] == ("40 blocks", "simulated")
    assert "grid" not in lines(recorded, one, other)


def test_markdown_and_plain_text_say_the_same():
    grid = Grid("Title", (("metric", "value"), ("a|b", "1"), ("long_name", "22")))
    shown = Card("f`x`", "kernel", ("Two * three.",), (grid,), ("`a` is *taken* so.",))
    assert shown.markdown() == (
        "`` f`x` `` kernel\n\nTwo \\* three.\n\n**Title**\n\n| metric | value |\n| --- | --- |\n"
        "| a\\|b | 1 |\n| long_name | 22 |\n\n**Assumed**\n\n- `a` is \\*taken\\* so."
    )
    assert shown.plain() == (
        "f`x` kernel\n\nTwo * three.\n\nTitle\nmetric     value\na|b        1\nlong_name  22\n\n"
        "Assumed\n- `a` is *taken* so."
    )
    assert joined([shown, shown], markdown=False) == shown.plain()


LAUNCHED = STRAIGHT + (
    "\n\ndef run(x, y):\n    side = max(x.shape) // 8 + 1\n    scale[(side, side), (32, 8)](x, y)\n"
)


def test_hovers_tell_numbers_behind_the_explanation_of_findings(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    parts = client.hover(uri, 7, 19)["contents"]["value"].split("\n\n---\n\n")
    assert parts[0].startswith("**Transposed index order**")
    assert parts[1].startswith("`b[i, j]` load in global memory, kernel `scale`\n")
    assert "| ideal_sectors_per_request | 4 to 8 sectors/request | source |" in parts[1]
    # The whole of the access is what the hover is about.
    client.change(uri, 2, STRAIGHT)
    shown = client.hover(uri, 7, 19)
    assert shown["range"] == {"start": {"line": 7, "character": 18}, "end": {"line": 7, "character": 25}}


def test_hovers_over_a_launch_and_over_plain_text(client):
    client.start()
    uri = client.open("k.py", LAUNCHED)
    told = client.hover(uri, 12, 8)["contents"]["value"]
    assert told.startswith("`scale[(side, side), (32, 8)]` launch of `scale`\n")
    assert "| block | 32 x 8 = 256 threads, 8 warps | source |" in told
    assert "waves" not in told  # the kernel was not compiled
    assert "block\\_threads" not in client.hover(uri, 4, 5)["contents"]["value"]
    for line, character in ((0, 0), (3, 1), (5, 8), (10, 5), (99, 0)):
        assert client.hover(uri, line, character) is None, (line, character)


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_places_count_in_the_clients_units(client, encoding, units):
    client.start([encoding])
    uri = client.open("k.py", STRAIGHT.replace("a[i, j] = b", "x = '🌍'; a[i, j] = b"))
    # `        x = '` are 13 characters, `'; a[i, j] = ` are 13 more.
    begin = 26 + units
    assert client.hover(uri, 7, begin - 1) is None
    shown = client.hover(uri, 7, begin)
    assert shown["contents"]["value"].startswith("`b[i, j]`")
    assert (shown["range"]["start"]["character"], shown["range"]["end"]["character"]) == (begin, begin + 7)


def test_a_client_of_plain_text_gets_no_marks(client):
    client.start(hover=["plaintext"])
    contents = client.hover(client.open("k.py", STRAIGHT), 7, 19)["contents"]
    assert contents["kind"] == "plaintext"
    assert contents["value"].startswith("b[i, j] load in global memory, kernel scale\n")
    assert "|" not in contents["value"]


def test_the_user_can_turn_them_off(client):
    client.start(chosen={"numberHovers": False})
    uri = client.open("k.py", STRAIGHT)
    assert client.hover(uri, 7, 19) is None
    client.change(uri, 2, TRANSPOSED)
    assert client.hover(uri, 7, 19)["contents"]["value"].startswith("**Transposed index order**")
