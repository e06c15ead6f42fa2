"""Triton kernels in the editor: the findings of the command line, until they are fixed or silenced."""

from __future__ import annotations

from diagnostic_codes import codes

HEAD = "import triton\nimport triton.language as tl\n\n\n"
KERNEL = HEAD + (
    "@triton.jit\n"
    "def total(x, out, n, BLOCK: tl.constexpr):\n"
    "    at = tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + at, mask=at < n)\n"
    "    tl.store(out, tl.max(v, axis=0))\n"
)
LOAD = "tl.load(x + at, mask=at < n)"


def test_a_kernel_is_told_about_at_its_line_until_it_is_fixed(client):
    client.start()
    uri = client.open("k.py", KERNEL)
    (found,) = client.published(uri, 1)
    assert found["code"] == "triton-masked-load-in-maximum"
    # `tl.load(…)` in "    v = tl.load(x + at, mask=at < n)".
    assert found["range"] == {"start": {"line": 7, "character": 8}, "end": {"line": 7, "character": 36}}
    client.change(uri, 2, KERNEL.replace(LOAD, 'tl.load(x + at, mask=at < n, other=-float("inf"))'))
    assert client.published(uri, 2) == []


def test_a_comment_silences_a_rule(client):
    client.start()
    silenced = LOAD + "  # advisor: ignore[triton-masked-load-in-maximum] n is a multiple of BLOCK"
    assert codes(client.published(client.open("k.py", KERNEL.replace(LOAD, silenced)), 1)) == []


def test_a_half_written_kernel_is_told_about_when_it_can_be_read(client):
    client.start()
    uri = client.open("k.py", KERNEL.replace(LOAD, "tl.load(x + at, mask=at <"))
    client.published(uri, 1)
    client.change(uri, 2, KERNEL)
    assert codes(client.published(uri, 2)) == ["triton-masked-load-in-maximum"]


def test_a_launch_is_told_about_with_its_kernel(client):
    client.start()
    text = HEAD + (
        "@triton.autotune([triton.Config({'BLOCK': 256}), triton.Config({'BLOCK': 512})], key=['n'])\n"
        "@triton.jit\n"
        "def fill(x, n, BLOCK: tl.constexpr):\n"
        "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    tl.store(x + at, 0, mask=at < n)\n"
        "\n\n"
        "def run(x, n):\n"
        "    fill[(8,)](x, n, BLOCK=256)\n"
    )
    uri = client.open("k.py", text)
    (found,) = client.published(uri, 1)
    assert (found["code"], found["range"]["start"]["line"]) == ("triton-parameter-given-twice", 12)
    (related,) = found["relatedInformation"]
    assert related["location"]["range"]["start"] == {"line": 6, "character": 4}
