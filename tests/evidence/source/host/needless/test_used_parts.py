"""What the host uses of arrays that it copies."""

from __future__ import annotations

import pytest
from surveying import records, value

PROGRAM = "def main(x, n, some):\n    d = cuda.to_device(x)\n"


def copy(folder, body: str):
    text = PROGRAM + "\n".join("    " + line for line in body.splitlines()) + "\n"
    return [one for one in records(folder, "transfer", text) if one.label == "copy_to_host"][-1]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("return d.copy_to_host()[0]", "…[0]"),
        ("return d.copy_to_host()[-1]", "…[-1]"),
        ("return d.copy_to_host().sum()", "….sum()"),
        ("return np.max(d.copy_to_host())", "np.max(…)"),
        ("h = d.copy_to_host()\nreturn h.min(), h.max()", "….min(), ….max()"),
        ("h = d.copy_to_host()\nreturn h[:10]", "…[:10]"),
        ("h = d.copy_to_host()\nreturn h[n, 0]", "…[n, 0]"),
        ("h = d.copy_to_host()\nreturn h[n // 2, n - 1]", "…[n // 2, n - 1]"),
        ("h = d.copy_to_host()\nassert h.shape\nreturn h.mean()", "….mean()"),
        ("big = cuda.device_array(1 << 20)\nreturn big.copy_to_host()[0]", "…[0]"),
        ("big = cuda.device_array((n, some))\nreturn big.copy_to_host()[0, 0]", "…[0, 0]"),
    ],
)
def test_a_part(tmp_path, body, part):
    found = copy(tmp_path, body)
    assert (value(found, "used_part"), value(found, "shown_only")) == (part, False)


@pytest.mark.parametrize(
    "body",
    [
        "return d.copy_to_host()",
        "h = d.copy_to_host()\nreturn h.sum(), h",
        "h = d.copy_to_host()\nreturn [h[i] for i in range(n)]",
        "h = d.copy_to_host()\nreturn h[n:]",
        "h = d.copy_to_host()\nreturn h.sum(axis=0)",
        "h = d.copy_to_host()\nreturn np.sum(h, axis=0)",
        "h = d.copy_to_host()",
        "sums = cuda.device_array(n // 256)\nreturn sums.copy_to_host().sum()",
        "sums = cuda.device_array(some_blocks)\nreturn sums.copy_to_host().sum()",
        "for i in range(n):\n    h = d.copy_to_host()\n    some(h[i])",
        "for i in range(n):\n    h = d.copy_to_host()\n    some(h[2 * i])",
        "d.copy_to_host(x)\nreturn x[0]",
        "return d[:10].copy_to_host().sum()",
    ],
)
def test_all_of_it_or_an_array_of_few(tmp_path, body):
    assert value(copy(tmp_path, body), "used_part") == ""


@pytest.mark.parametrize(
    ("body", "used", "elements"),
    [
        ("one = cuda.device_array(1)\nreturn one.copy_to_host()[0]", 1, 1),
        ("big = cuda.device_array(1 << 20)\nreturn big.copy_to_host()[-5000:]", 5000, 1 << 20),
        ("h = d.copy_to_host()\nreturn h[3:10], h[:4], h[1]", 7, None),
        ("h = d.copy_to_host()\nreturn h[:4], h.sum()", 4, None),
        ("return d.copy_to_host().sum()", None, None),
    ],
)
def test_how_many_elements_are_used_of_how_many(tmp_path, body, used, elements):
    found = copy(tmp_path, body)
    assert (value(found, "used_elements"), value(found, "array_elements")) == (used, elements)


@pytest.mark.parametrize("body", ["print(d.copy_to_host()[:5])", "h = d.copy_to_host()\nassert h[0] == 1"])
def test_what_is_only_shown(tmp_path, body):
    assert value(copy(tmp_path, body), "shown_only") is True


def test_an_array_that_the_method_keeps_just_before(tmp_path):
    text = """
        class Sum:
            def run(self, x):
                self.total = np.zeros([1], dtype=np.float32)
                d = cuda.to_device(self.total)
                add[32, 256](x, d)
                self.total = d.copy_to_host()[0]
        """
    found = [one for one in records(tmp_path, "transfer", text) if one.label == "copy_to_host"][-1]
    assert (value(found, "used_elements"), value(found, "array_elements")) == (1, 1)
