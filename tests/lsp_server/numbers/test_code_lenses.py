"""What stands over kernels, and the commands there."""

from __future__ import annotations

import time

import pytest
from kernel_pairs import HEAD, STRAIGHT, TRANSPOSED
from known_analyses import analysis, kernel

from advisor.model.records import Record
from advisor.model.text.source_text import SourceText, Span
from lsp_server.numbers.lenses import first_line, lenses

TEXT = "@cuda.jit\ndef scale(a):\n    pass\n"


def numbers(*records, **more):
    (lens,) = lenses(analysis(TEXT, *records, **more))
    return lens.numbers


COMPILED = {
    "registers": 48.0,
    "spill_store_bytes": 0.0,
    "theoretical_occupancy": 0.625,
    "occupancy_limiter": "registers",
}
PARTS = {
    "nothing": ({}, ""),
    "what the source says of the block": ({"block_threads": 256.0}, ""),
    "a compiled kernel": (COMPILED, "48 registers · occupancy 62.5% (registers)"),
    "spills": (
        {**COMPILED, "spill_store_bytes": 128.0},
        "48 registers · spills 128 B · occupancy 62.5% (registers)",
    ),
    "an unknown limiter": ({"theoretical_occupancy": 1.0}, "occupancy 100%"),
    "intensity": ({"ai_flops_per_byte": 42.6667}, "42.7 FLOP/byte"),
    "a predicted time": (
        {"predicted_ms": 0.0297, "time_limiter": "latency"},
        "predicted 29.7 us on NVIDIA H100 SXM (latency)",
    ),
    "an unknown run": ({"launches": 3.0}, ""),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_lens_tells_what_is_known_and_nothing_else(name):
    values, expected = PARTS[name]
    assert numbers(kernel(**values)) == expected


def run(key, label="python train.py"):
    return Record("run", key, label, Span(1), label)


def test_the_age_of_a_recorded_run_is_told():
    two_hours = f"run {time.time() - 2 * 3600} 1"
    recorded = kernel(owner=two_hours, launches=3.0)
    assert numbers(recorded, run(two_hours)) == "from recorded run, 2 h old"
    assert numbers(recorded, run(two_hours, "workload k.py::workload")) == "from its workload, 2 h old"
    # A run without counts gave no numbers, and another program's key tells no age.
    assert numbers(kernel(owner=two_hours), run(two_hours)) == ""
    assert numbers(kernel(owner="elsewhere", launches=1.0), run("elsewhere")) == "from recorded run"


ABOVE = {
    "a decorator": ("x = 1\n@cuda.jit\ndef f():\n", 3, 2),
    "two": ("@other\n@cuda.jit\ndef f():\n", 3, 1),
    "one over several lines": ("@cuda.jit(\n    fastmath=True,\n)\ndef f():\n", 4, 1),
    "a comment between": ("@cuda.jit\n# fast\ndef f():\n", 3, 1),
    "none": ("x = 1\ndef f():\n", 2, 2),
    "an empty line between": ("@cuda.jit\n\ndef f():\n", 3, 3),
    "that of the function before": ("@cuda.jit\ndef e():\n    pass\ndef f():\n", 4, 4),
    "inside a function": ("def make():\n    @cuda.jit\n    def f():\n", 3, 2),
    "no such line": ("", 7, 7),
}


@pytest.mark.parametrize("name", ABOVE)
def test_a_lens_stands_over_the_decorators(name):
    text, line, expected = ABOVE[name]
    assert first_line(SourceText("k.py", text), Span(line)) == expected


def asked(client, uri):
    return client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})


def test_each_kernel_has_its_numbers_and_commands(client):
    client.start()
    two = TRANSPOSED + "\n\n" + STRAIGHT.removeprefix(HEAD).replace("scale", "scaled")
    uri = client.open("k.py", two)
    found = asked(client, uri)
    # The decorators stand on the lines 4 and 11, the kernels one line below.
    places = [(one["range"]["start"]["line"], one["command"]["arguments"]) for one in found]
    first, second = [uri, 4], [uri, 11]
    assert places == [(3, first), (3, first), (3, first), (3, []), *[(10, second)] * 3, (10, [])]
    assert [one["command"]["command"] for one in found[:4]] == [
        "advisor.explain",
        "advisor.simulate",
        "advisor.machineCode",
        "advisor.chooseDevice",
    ]
    titles = [one["command"]["title"] for one in found[:4]]
    assert titles == ["Explain", "Simulate", "Machine code", "Device: NVIDIA A100 80GB"]


def test_the_compiled_kernels_numbers_replace_the_word(client):
    client.start(pulls=True, workspace={"codeLens": {"refreshSupport": True}})
    uri = client.open("k.py", STRAIGHT)
    assert asked(client, uri)[0]["command"]["title"] == "Explain"
    client.save(uri)
    for _ in range(5):
        refresh = client.received("workspace/codeLens/refresh")
        client.reply(refresh, None)
        title = asked(client, uri)[0]["command"]["title"]
        if title != "Explain":
            break
    assert title.split(" · ")[0].endswith(" registers")
    assert title.split(" · ")[1] == "occupancy 100% (warps)"


def test_none_without_kernels_or_where_the_user_wants_none(client, connect):
    client.start()
    assert not asked(client, client.open("k.py", "x = 1\n"))
    assert not asked(client, (client.folder / "never.py").as_uri())
    other = connect()
    other.start(chosen={"codeLenses": False})
    assert not asked(other, other.open("k.py", TRANSPOSED))
