"""Values of names where branches part and meet, and values beyond what is worth carrying."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.source.kernel_walk.affine_forms import atom
from advisor.evidence.source.kernel_walk.kernel_facts import Opaque
from advisor.evidence.source.kernel_walk.named_values import NamedValues
from advisor.fixes.support.edits.source_module import read_module
from advisor.fixes.support.kernel.walked_kernel import walked_kernel

ASSIGNMENTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123").map(Opaque)), max_size=5)
# Assignments, and branches with more of both.
BODIES = st.recursive(ASSIGNMENTS, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


def follow(names: NamedValues, expected: dict[str, Opaque], body: Sequence[object]) -> None:
    """Follow a body by itself, and with each list in it as a branch that is taken back."""
    for one in body:
        if isinstance(one, tuple):
            names[one[0]] = expected[one[0]] = one[1]
        elif isinstance(one, list):
            entry, before = names.entry(), dict(expected)
            follow(names, expected, one)
            changed = {name: known for name, known in expected.items() if name in names.before(entry)}
            assert {name: before.get(name) for name in changed} == names.before(entry)
            assert names.taken_back_to(entry) == changed
            assert names == before
            names.update(changed)
        assert names == expected


@given(BODIES, st.dictionaries(st.sampled_from("ab"), st.just(Opaque("given"))))
def test_a_branch_is_taken_back_to_where_it_began(body: list[object], given: dict[str, Opaque]) -> None:
    follow(NamedValues(dict(given)), dict(given), body)


def dependences_of_the_store(body: str) -> frozenset[str]:
    """What the index of a kernel's last access depends on."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"from numba import cuda\n\n@cuda.jit\ndef k(a, b, n):\n    i = cuda.grid(1)\n{lines}"
    module = read_module(text)
    assert module is not None
    facts = walked_kernel(module, module.syntax.functions[0])
    (index,) = facts.accesses[-1].indices
    return facts.atoms.depends(index.form)


@pytest.mark.parametrize(
    ("then", "other", "depends"),
    [
        ("j = i", "pass", True),
        ("pass", "j = i", True),
        ("j = i\n    return", "pass", False),
        ("pass", "j = i\n    return", False),
        ("j = i", "return", True),
        ("return", "j = i", True),
        ("j = i\n    if n > 5:\n        j = 0\n    else:\n        j = 1", "pass", False),
        ("j = i\n    if n > 5:\n        j = 0", "pass", True),
        ("j = 1", "j = 2", False),
    ],
)
def test_the_value_after_branches_is_that_of_those_that_go_on(then: str, other: str, depends: bool) -> None:
    found = dependences_of_the_store(f"j = 0\nif n > 3:\n    {then}\nelse:\n    {other}\nb[j] = 1")
    assert ("tid.x" in found) is depends


@pytest.mark.parametrize("factors", [2, 20, 30, 300])
@pytest.mark.parametrize(("first", "depends"), [("a[i]", True), ("a[0]", False)])
def test_a_product_of_any_length_depends_on_what_its_factors_do(
    factors: int, first: str, depends: bool
) -> None:
    product = "v = v * a[1]\n" * factors
    found = dependences_of_the_store(f"v = {first}\n{product}b[v] = 1")
    assert ("tid.x" in found) is depends


def test_a_product_is_followed_up_to_what_is_worth_carrying() -> None:
    factor = atom("n")
    product = factor
    for _ in range(23):
        product = product * factor
    assert product.terms == ((("n",) * 24, 1),) and not product.too_large
    assert (product * factor).too_large
