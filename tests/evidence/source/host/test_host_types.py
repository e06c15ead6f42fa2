"""Types of arguments as host code shows them, and what the kernel's analysis makes of them."""

from __future__ import annotations

import pytest
from surveying import records, survey_text, value

KERNEL = "@cuda.jit\ndef k(a):\n    a[0] = 1\n"


def typed(tmp_path, host):
    text = KERNEL + "def run(p, n):\n" + "".join(f"    {line}\n" for line in host.splitlines())
    files = {"program": text}
    from advisor.evidence.source.analysis import analyse

    survey_text(tmp_path, **files)
    found = analyse([tmp_path / "program.py"], tmp_path, with_units=True)
    first = found.units[0].candidates[0]
    return first.types[0] if not first.assumed else None


@pytest.mark.parametrize(
    ("host", "type_"),
    [
        ("k[1, 32](np.zeros(8, dtype=np.float32))", "float32[::1]"),
        ("k[1, 32](np.zeros((4, 8)))", "float64[:,::1]"),
        ("a = np.ones((4, 8), np.int32)\nk[1, 32](cuda.to_device(a))", "int32[:,::1]"),
        ("d = cuda.device_array((2, 2, 2), dtype='float32')\nk[1, 32](d)", "float32[:,:,::1]"),
        ("d = cuda.device_array_like(np.zeros(3))\nk[1, 32](d)", "float64[::1]"),
        ("a = np.random.rand(4, 4).astype(np.float32)\nk[1, 32](a)", "float32[:,::1]"),
        ("g = np.random.default_rng(1)\nk[1, 32](g.random(8, dtype=np.float32))", "float32[::1]"),
        ("k[1, 32](np.random.randint(9))", "int64"),
        ("k[1, 32](np.random.uniform(0.0, 1.0))", "float64"),
        ("k[1, 32](np.random.uniform(0.0, 1.0, 8))", "float64[::1]"),
        ("k[1, 32](np.random.uniform(p, 1.0))", None),
        ("k[1, 32](np.random.rand())", "float64"),
        ("k[1, 32](np.arange(8))", "int64[::1]"),
        ("k[1, 32](np.arange(8, dtype=np.float32))", "float32[::1]"),
        ("k[1, 32](np.linspace(0, 1, 8))", "float64[::1]"),
        ("k[1, 32](np.array([[1.0, 2.0], [3.0, 4.0]]))", "float64[:,::1]"),
        ("k[1, 32](np.zeros((4, 8), dtype=np.float32).ravel())", "float32[::1]"),
        ("k[1, 32](np.zeros(8, dtype=np.float32) * 2)", "float32[::1]"),
        ("k[1, 32](np.array([1, 2] + [3]))", None),
        ("k[1, 32]([1.0, 2.0])", None),
        ("k[1, 32](p)", None),
        ("k[1, 32](np.zeros(n, dtype=p))", None),
        # The kernel shows how many dimensions it has.
        ("k[1, 32](np.zeros(p.shape, dtype=np.float32))", "float32[::1]"),
        ("k[1, 32](np.zeros(p.shape, dtype=np.float32, order=n))", None),
        ("k[1, 32](np.zeros((4, 8), order='F'))", "float64[::1,:]"),
        ("k[1, 32](np.zeros((4, 8)).T)", "float64[::1,:]"),
        ("k[1, 32](p.T)", None),
        ("k[1, 32](np.zeros((4, 8), order=p))", None),
        ("a = np.zeros(8)\nif n:\n    a = np.zeros(8, dtype=np.float32)\nk[1, 32](a)", None),
        ("k[1, 32](np.zeros(8))\nk[1, 32](np.zeros(8, dtype=np.float32))", None),
        ("k[1, 32](*p)", None),
    ],
)
def test_types_at_the_launch(tmp_path, host, type_):
    assert typed(tmp_path, host) == type_


@pytest.mark.parametrize(
    ("argument", "known"), [("1000", True), ("2.5", False), ("p", None), ("len(p)", True), ("7 // 2", True)]
)
def test_a_scalar_argument_decides_what_a_division_is(tmp_path, argument, known):
    text = (
        "@cuda.jit\ndef k(a, n):\n    for j in range(9):\n        a[0] += j % n\n"
        f"def run(p):\n    k[1, 32](np.zeros(8), {argument})\n"
    )
    (found,) = records(tmp_path, "operation", text)
    assert value(found, "integer_operands") is known


def test_the_size_of_an_element_comes_from_the_launch(tmp_path):
    text = (
        "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] = 1\n"
        "def run(n):\n    k[8, 32](np.zeros(256, dtype=np.float64))\n"
    )
    (found,) = records(tmp_path, "access", text)
    assert value(found, "itemsize") == 8
    # 32 lanes times 8 bytes are 256 bytes, 8 sectors of 32.
    assert value(found, "sectors_per_request") == 8


@pytest.mark.parametrize(
    ("made", "itemsize"),
    [
        ("np.zeros(p, dtype=np.uint8)", 1),
        ("np.zeros_like(p, dtype=np.int8)", 1),
        ("np.asarray(p, dtype=np.float64)", 8),
        ("p.astype(np.float32)", 4),
        ("p.astype(np.float64) * 0.2 + 0.3", 8),
        ("-1.5 * p.astype(np.float32)", 4),
        ("np.zeros(p)", 8),
        ("p * 2.0", None),
        ("np.zeros(p, dtype=q)", None),
        ("p.astype(q)", None),
        ("np.zeros_like(p)", None),
    ],
)
def test_the_size_of_an_element_needs_no_dimensions(tmp_path, made, itemsize):
    text = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[i] = 1\n"
    (access,) = records(tmp_path, "access", text + f"def run(p, q):\n    a = {made}\n    k[1, 32](a)\n")
    assert value(access, "itemsize") == itemsize


def test_with_the_element_known_the_compiler_is_given_the_dimensions_that_the_kernel_shows(tmp_path):
    from advisor.evidence.source.analysis import analyse

    text = "@cuda.jit\ndef k(a, b):\n    i, j = cuda.grid(2)\n    a[i, j] = b[i]\n"
    survey_text(tmp_path, program=text + "def run(p):\n    k[1, 32](p.astype(np.float64), p)\n")
    found = analyse([tmp_path / "program.py"], tmp_path, with_units=True)
    first = found.units[0].candidates[0]
    assert first.types == ("float64[:,::1]", "float32[::1]")
    assert (first.known_elements, first.assumed_elements) == (("a",), ("b",))


FLOATS = "def set(self, n):\n    self.a = np.zeros(n, np.float32)\n"


@pytest.mark.parametrize(
    ("methods", "itemsize"),
    [
        ("def set(self, n):\n    self.a = np.zeros(n, dtype=np.uint64)", 8),
        (FLOATS + "def put(self):\n    self.a = cuda.to_device(self.a)", 4),
        (FLOATS + "def put(self):\n    self.a = self.a.copy_to_host()", 4),
        (FLOATS + "def put(self, n):\n    self.a = np.zeros(n)", None),
        (FLOATS + "def put(self, b):\n    self.a = b", None),
        (FLOATS.replace("self.a", "self.b"), None),
    ],
)
def test_attributes_have_the_type_that_all_methods_give_them(tmp_path, methods, itemsize):
    text = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[i] = 1\n\nclass Owner:\n"
    body = "\n".join(f"    {line}" for line in methods.splitlines())
    (access,) = records(tmp_path, "access", f"{text}{body}\n    def run(self):\n        k[1, 32](self.a)\n")
    assert value(access, "itemsize") == itemsize


@pytest.mark.parametrize(
    ("callers", "itemsize"),
    [
        ("def one():\n    run(np.zeros(9, dtype=np.uint8))", 1),
        ("def one():\n    run(x=np.zeros(9))\ndef two(n):\n    run(np.zeros(n))", 8),
        ("def one():\n    run(np.zeros(9))\ndef two(n):\n    run(np.zeros(n, dtype=np.float32))", None),
        ("def one():\n    run(np.zeros(9))\ndef two(a):\n    run(a)", None),
        ("", None),
    ],
)
def test_a_parameter_has_the_type_that_all_calls_in_the_module_give(tmp_path, callers, itemsize):
    text = "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    a[i] = 1\n\ndef run(x):\n    k[1, 32](x)\n"
    (access,) = records(tmp_path, "access", f"{text}\n{callers}\n")
    assert value(access, "itemsize") == itemsize


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("np.zeros(8)", ("float64[::1]", "float64[::1]")),
        ("np.zeros(8, np.float32)", ("float32[::1]", "float32[::1]")),
        ("np.zeros(8, np.int32)", ("int32[::1]", "float32[::1]")),
        ("p", ("float32[::1]", "float32[::1]")),
    ],
)
def test_arrays_of_unknown_type_are_like_the_known_float_ones(tmp_path, made, expected):
    from advisor.evidence.source.analysis import analyse

    text = "@cuda.jit\ndef k(x, y):\n    i = cuda.grid(1)\n    x[i] = y[i]\n"
    survey_text(tmp_path, program=f"{text}\ndef run(p):\n    k[1, 32]({made}, p)\n")
    found = analyse([tmp_path / "program.py"], tmp_path, with_units=True)
    assert found.units[0].candidates[0].types == expected
