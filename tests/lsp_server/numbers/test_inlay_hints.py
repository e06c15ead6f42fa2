"""Numbers in the lines: what is worth telling stands behind its place, all else stays unsaid."""

from __future__ import annotations

import pytest
from kernel_pairs import CASES, STRAIGHT, TRANSPOSED
from known_analyses import analysis, kernel, record

from advisor.model.text.source_text import Span
from lsp_server.numbers.hints import hints

PLACE = Span(3, 5, 3, 12)
TEXT = "@cuda.jit\ndef scale(a):\n    a[i, j] = 0\n"
EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}


def labels(*records):
    return [(one.line, one.column, one.label) for one in hints(analysis(TEXT, kernel(), *records), 1, 9)]


SHOWN = {
    "16 sectors/request, ideal 4": (
        "access",
        {"sectors_per_request": 16.0, "ideal_sectors_per_request": 4.0},
    ),
    "7.5 sectors/request, ideal 3.3": (
        "access",
        {"sectors_per_request": 7.5, "ideal_sectors_per_request": 3.26},
    ),
    "32-way bank conflict": ("access", {"bank_conflict_ways": 32.0}),
    "31 lanes/address": ("atomic", {"lanes_per_address": 31.0}),
    "only a part of the block gets here": ("barrier", {"divergent": True}),
    "a part of the block has left before": ("barrier", {"after_divergent_exit": True}),
    "diverges 96%": ("branch", {"divided": 0.959, "lane_dependent": True}),
    "may diverge": ("branch", {"lane_dependent": True, "data_dependent": True}),
    "5 float64": ("line", {"fp64_instructions": 5.0}),
    "1 float64": ("line", {"fp64_instructions": 1.0}),
}
SILENT = {
    "an ideal access": ("access", {"sectors_per_request": 4.0, "ideal_sectors_per_request": 4.0}),
    "an unaligned row": ("access", {"sectors_per_request": 5.0, "ideal_sectors_per_request": 4.0}),
    "an unknown ideal": ("access", {"sectors_per_request": 16.0}),
    "unknown sectors": ("access", {"ideal_sectors_per_request": 4.0}),
    "no conflict": ("access", {"bank_conflict_ways": 1.0}),
    "one lane an address": ("atomic", {"lanes_per_address": 1.0}),
    "one thread adds": ("atomic", {"lanes_per_address": 32.0, "single_thread": True}),
    "an unmeasured atomic": ("atomic", {"target": "one"}),
    "a barrier that all reach": ("barrier", {"divergent": False, "after_divergent_exit": False}),
    "a bounds check": ("branch", {"lane_dependent": True, "data_dependent": False}),
    "a branch that warps take together": (
        "branch",
        {"divided": 0.0, "data_dependent": True, "lane_dependent": True},
    ),
    "the last warp of a grid": ("branch", {"divided": 0.01}),
    "one lane's work": ("branch", {"divided": 0.125, "single_lane": True}),
    "float32 alone": ("line", {"fp64_instructions": 0.0, "instructions": 12.0}),
    "an uncompiled line": ("line", {}),
}


@pytest.mark.parametrize("label", SHOWN)
def test_what_is_not_as_it_should_be_stands_behind_its_line(label):
    entity, values = SHOWN[label]
    assert labels(record(entity, PLACE, index_kind="affine", **values)) == [(3, 16, label)]


@pytest.mark.parametrize("name", SILENT)
def test_what_is_as_it_should_be_stays_unsaid(name):
    entity, values = SILENT[name]
    assert labels(record(entity, PLACE, index_kind="affine", **values)) == []


def test_float64_is_no_surprise_where_it_was_asked_for():
    line = record("line", PLACE, fp64_instructions=5.0)
    assert len(hints(analysis(TEXT, kernel(stated_float64=False), line), 1, 9)) == 1
    assert hints(analysis(TEXT, kernel(stated_float64=True), line), 1, 9) == []


def test_a_lone_barrier_tells_how_often_it_is_passed():
    looped, once = kernel(barriers_per_block=16.0), kernel(barriers_per_block=1.0)
    barrier, other = record("barrier", PLACE), record("barrier", Span(4, 5, 4, 9))
    assert [one.label for one in hints(analysis(TEXT, looped, barrier), 1, 9)] == ["16 times each block"]
    assert hints(analysis(TEXT, once, barrier), 1, 9) == []
    # Of two barriers the sum says nothing of either.
    assert hints(analysis(TEXT, looped, barrier, other), 1, 9) == []


def test_kernels_that_share_a_device_function_do_not_repeat_its_numbers():
    values = {"index_kind": "affine", "sectors_per_request": 8.0, "ideal_sectors_per_request": 4.0}
    one = record("access", PLACE, assumptions=["One."], **values)
    other = record("access", PLACE, assumptions=["Two."], owner="l", **values)
    (hint,) = hints(analysis(TEXT, kernel(), kernel(label="other", key="l"), one, other), 1, 9)
    assert hint.cards[0].assumed == ("One.", "Two.")


def test_what_a_run_saw_somewhere_in_the_line_is_called_by_its_array():
    values = {"bank_conflict_ways": 4.0}
    assert labels(record("access", PLACE, "simulated", label="_cudapy_smem_1", **values)) == [
        (3, 16, "shared memory: 4-way bank conflict")
    ]
    assert labels(record("access", PLACE, "simulated", label="tile", **values)) == [
        (3, 16, "tile: 4-way bank conflict")
    ]
    # A line that is not known is shown nowhere.
    assert labels(record("access", Span(0, 1, 0, 2), "simulated", **values)) == []


def test_the_tooltip_tells_metrics_sources_and_assumptions():
    access = record(
        "access",
        PLACE,
        "simulated",
        assumptions=["Array `a` is taken to be C-contiguous."],
        index_kind="affine",
        sectors_per_request=16.0,
        ideal_sectors_per_request=4.0,
        moved_bytes=2048.0,
    )
    (hint,) = hints(analysis(TEXT, kernel(), access), 1, 9)
    told = hint.cards[0].markdown()
    assert told.startswith("`a` access of kernel `scale`\n")
    assert "| sectors_per_request | 16 sectors/request | simulated |" in told
    assert "| moved_bytes | 2 KiB | simulated |" in told
    assert "l1_hit_rate" not in told
    assert told.endswith("**Assumed**\n\n- Array `a` is taken to be C-contiguous.")


def asked(client, uri, wanted=EVERYTHING):
    return client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": wanted})


def test_one_hint_stands_behind_a_line_with_two_such_accesses_and_goes_when_it_is_fixed(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    # 16 rows in a warp of a (16, 16) block, each 4 bytes wide: 16 sectors where 128 bytes need 4.
    (hint,) = asked(client, uri)
    end = len(TRANSPOSED.split("\n")[7])
    assert (hint["position"], hint["paddingLeft"]) == ({"line": 7, "character": end}, True)
    # Elements of 4 or of 8 bytes: the type is not known.
    assert hint["label"] == "16 sectors/request, ideal 4 to 8"
    # The tooltip tells of both.
    told = hint["tooltip"]["value"].split("\n\n---\n\n")
    assert [one.split()[0] for one in told] == ["`a`", "`b`"]
    client.change(uri, 2, STRAIGHT)
    assert asked(client, uri) == []
    client.change(uri, 3, "def (:\n" + TRANSPOSED)
    client.change(uri, 4, TRANSPOSED)
    assert len(asked(client, uri)) == 1


@pytest.mark.parametrize(
    ("first", "last", "count"),
    [
        ((7, 0), (8, 0), 1),
        ((7, 29), (7, 29), 1),
        ((7, 0), (7, 28), 0),
        ((0, 0), (7, 0), 0),
        ((8, 0), (99, 0), 0),
        ((99, 0), (0, 0), 0),
    ],
)
def test_only_the_range_asked_for_is_told_of(client, first, last, count):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    start, end = ({"line": line, "character": character} for line, character in (first, last))
    assert len(asked(client, uri, {"start": start, "end": end})) == count


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_places_count_in_the_clients_units(client, encoding, units):
    client.start([encoding])
    uri = client.open("k.py", TRANSPOSED.replace("a[i, j] = b", "x = '🌍'; a[i, j] = b"))
    # `        x = '` are 13 characters, `'; a[i, j] = b[i, j] * 2` 24 more.
    assert [one["position"]["character"] for one in asked(client, uri)] == [37 + units]


def test_while_the_text_does_not_parse_hints_stay_on_the_lines_that_did_not_change(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED + "        b[j, i] = a[j, i]\n")
    assert [one["position"]["line"] for one in asked(client, uri)] == [7]
    client.change(uri, 2, "\n" + TRANSPOSED + "        b[j, i] = a[j, \n")
    assert [one["position"]["line"] for one in asked(client, uri)] == [8]
    client.change(uri, 3, TRANSPOSED.replace("b[i, j] * 2", "b[i, j * 2"))
    assert asked(client, uri) == []
    assert client.hover(uri, 6, 0) is None


def test_the_user_can_turn_them_off(client):
    client.start(chosen={"inlayHints": False})
    assert asked(client, client.open("k.py", TRANSPOSED)) == []


def test_other_documents_have_none(client):
    client.start()
    assert not asked(client, client.open("k.py", "x = 1\n"))
    assert not asked(client, client.open("k.txt", TRANSPOSED, "plaintext"))
    assert not asked(client, (client.folder / "never.py").as_uri())


def test_fixed_kernels_are_quieter_than_those_with_findings(client):
    client.start()
    for number, case in enumerate(CASES):
        uri = client.open(f"k{number}.py", case.text)
        before = asked(client, uri)
        client.change(uri, 2, case.fixed)
        assert len(asked(client, uri)) <= len(before)


@pytest.mark.parametrize(
    ("entity", "values", "most", "label"),
    [
        (
            "access",
            {"sectors_per_request": 8.0, "ideal_sectors_per_request": 4.0},
            {"sectors_per_request": 32.0, "ideal_sectors_per_request": 8.0},
            "8 to 32 sectors/request, ideal 4 to 8",
        ),
        ("access", {"bank_conflict_ways": 16.0}, {"bank_conflict_ways": 32.0}, "16 to 32-way bank conflict"),
        ("atomic", {"lanes_per_address": 16.0}, {"lanes_per_address": 16.01}, "16 lanes/address"),
        ("branch", {"divided": 0.5}, {"divided": 1.0}, "diverges 50% to 100%"),
    ],
)
def test_an_interval_is_told_whole(entity, values, most, label):
    one = record(entity, PLACE, index_kind="affine", **values)
    one.may_be(**most)
    assert labels(one) == [(3, 16, label)]


def test_the_card_tells_an_interval_whole():
    one = record("access", PLACE, sectors_per_request=8.0, ideal_sectors_per_request=4.0)
    one.may_be(sectors_per_request=32.0)
    (hint,) = hints(analysis(TEXT, kernel(), one), 1, 9)
    assert "| sectors_per_request | 8 to 32 sectors/request | source |" in hint.cards[0].markdown()
