"""Conditions over unknown values: the columns must say what a plain evaluator, row by row, says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writing import CONDITION, codes, errors, load, tables

from advisor.model.data_files import knowledge_folder
from advisor.rules import judge, load_rulebook, run_examples

# An expression is a tuple (operator, operands…); a condition is True, False or None for unknown.
NUMBERS = ("registers", "spilled", "time")
Expression = tuple[Any, ...]


def written(node: Expression) -> str:
    operator, *parts = node
    if operator == "metric":
        return f"k.{parts[0]}"
    if operator == "number":
        return f"{parts[0]}"
    if operator == "not":
        return f"(not {written(parts[0])})"
    if operator in ("known", "missing"):
        return f"({written(parts[0])} is {operator})"
    if operator == "text":
        return f'(k.limiter {parts[0]} "{parts[1]}")'
    if operator == "between":
        return f"({written(parts[0])} between {written(parts[1])} and {written(parts[2])})"
    if operator in ("min", "max"):
        return f"{operator}({written(parts[0])}, {written(parts[1])})"
    return f"({written(parts[0])} {operator} {written(parts[1])})"


def number(node: Expression, row: dict[str, Any]) -> float | None:
    operator, *parts = node
    if operator == "metric":
        return row[parts[0]]
    if operator == "number":
        return float(parts[0])
    left, right = number(parts[0], row), number(parts[1], row)
    if operator == "otherwise":
        return right if left is None else left
    if left is None or right is None:
        return None
    if operator == "/":
        return None if right == 0 else left / right
    return {"+": left + right, "-": left - right, "*": left * right, "min": min(left, right),
            "max": max(left, right)}[operator]  # fmt: skip


def truth(node: Expression, row: dict[str, Any]) -> bool | None:
    operator, *parts = node
    if operator == "metric":
        return row[parts[0]]
    if operator == "not":
        inner = truth(parts[0], row)
        return None if inner is None else not inner
    if operator in ("and", "or"):
        left, right = truth(parts[0], row), truth(parts[1], row)
        decisive = operator == "or"
        if left is decisive or right is decisive:
            return decisive
        return None if left is None or right is None else not decisive
    if operator in ("known", "missing"):
        return (number(parts[0], row) is None) == (operator == "missing")
    if operator == "text":
        text = row["limiter"]
        return None if text is None else (text == parts[1]) == (parts[0] == "=")
    if operator == "between":
        low = truth((">=", parts[0], parts[1]), row)
        high = truth(("<=", parts[0], parts[2]), row)
        if low is False or high is False:
            return False
        return None if low is None or high is None else True
    left, right = number(parts[0], row), number(parts[1], row)
    if left is None or right is None:
        return None
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
            "=": left == right, "!=": left != right}[operator]  # fmt: skip


# Only counts, so that units never stand in the way.
METRIC = st.just(("metric", "registers"))
LITERAL = st.integers(0, 9).map(lambda value: ("number", value))


def arithmetic(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.tuples(st.sampled_from(["+", "-", "otherwise", "min", "max"]), inner, inner)


NUMERIC = st.recursive(METRIC | LITERAL, arithmetic, max_leaves=4)
COMPARED = st.tuples(st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), NUMERIC, NUMERIC)
ATOMS = (
    COMPARED
    | st.just(("metric", "debug"))
    | st.tuples(st.sampled_from(["known", "missing"]), METRIC)
    | st.tuples(st.just("text"), st.sampled_from(["=", "!="]), st.sampled_from(["warps", "blocks"]))
    | st.tuples(st.just("between"), NUMERIC, NUMERIC, NUMERIC)
)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), inner, inner) | st.tuples(st.just("not"), inner),
    max_leaves=8,
)
ROWS = st.lists(
    st.fixed_dictionaries({
        "registers": st.none() | st.integers(0, 9).map(float),
        "debug": st.none() | st.booleans(),
        "limiter": st.none() | st.sampled_from(["warps", "blocks", "registers"]),
    }),
    min_size=1,
    max_size=6,
)  # fmt: skip


def verdicts(condition: str, rows: list[dict[str, Any]]) -> list[bool | None]:
    book = load((CONDITION, f"{condition} and most > 1"), ("{k.registers}", "some"))
    found = judge(book, tables(book, *(("kernel", f"k{at}", None, row) for at, row in enumerate(rows))))
    fired = {match.row for match in found.matches}
    undecided = sum(item.places for item in found.undecided)
    singles = []
    for at, row in enumerate(rows):
        alone = judge(book, tables(book, ("kernel", "k", None, row)))
        singles.append(True if alone.matches else None if alone.undecided else False)
        assert (singles[-1] is True) == (at in fired)
    assert undecided == singles.count(None)
    return singles


@settings(max_examples=150, deadline=None)
@given(CONDITIONS, ROWS)
def test_columns_agree_with_a_plain_evaluator(condition: Expression, rows: list[dict[str, Any]]) -> None:
    assert verdicts(written(condition), rows) == [truth(condition, row) for row in rows]


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        (True, True, True, True), (True, False, False, True), (True, None, None, True),
        (False, False, False, False), (False, None, False, None), (None, None, None, None),
    ],
)  # fmt: skip
def test_kleene_by_hand(left, right, both, either):
    names = {True: "1 < 2", False: "2 < 1", None: "k.registers > 3"}
    row = [{"registers": None, "debug": None, "limiter": None}]
    a, b = names[left], names[right]
    assert verdicts(f"({a}) and ({b})", row) == [both]
    assert verdicts(f"({b}) and ({a})", row) == [both]
    assert verdicts(f"(({a}) or ({b}))", row) == [either]
    assert verdicts(f"(({b}) or ({a}))", row) == [either]


def test_a_quotient_by_zero_is_unknown():
    row = {"registers": 4.0, "share": 0.0}
    book = load((CONDITION, "k.registers / k.registers > k.registers / (k.registers - 4) and most > 1"))
    found = judge(book, tables(book, ("kernel", "k", None, row)))
    assert not found.matches
    assert found.undecided[0].places == 1


ACCESSES = [{"guarded": True}, {"guarded": False}, {"guarded": None}]


@pytest.mark.parametrize(
    ("chosen", "some", "every", "no"),
    [
        ([], False, True, True), ([0], True, True, False), ([1], False, False, True), ([2], None, None, None),
        ([0, 1], True, False, False), ([0, 2], True, None, False), ([1, 2], None, False, None),
    ],
)  # fmt: skip
def test_quantifiers_over_the_rows_of_an_owner(chosen, some, every, no):
    # A second kernel with accesses of every kind must not be counted.
    rows = [
        ("kernel", "k", None, {"registers": 200.0}),
        ("kernel", "other", None, {"registers": 1.0}),
        *(("access", f"a{at}", "k", ACCESSES[at]) for at in chosen),
        *(("access", f"b{at}", "other", values) for at, values in enumerate(ACCESSES)),
    ]
    for quantifier, expected in (("some", some), ("every", every), ("no", no)):
        book = load((CONDITION, f"{quantifier} access a of k has (a.guarded) and k.registers > most"))
        found = judge(book, tables(book, *rows))
        seen = True if found.matches else None if found.undecided else False
        assert seen is expected, quantifier


def test_a_count_is_known_only_when_every_row_is():
    book = load((CONDITION, "number of access a of k with (a.guarded) >= 1 and k.registers > most"))
    for chosen, expected in (([0], True), ([1], False), ([0, 2], None), ([], False)):
        rows = [
            ("kernel", "k", None, {"registers": 200.0}),
            *(("access", f"a{at}", "k", ACCESSES[at]) for at in chosen),
            ("access", "elsewhere", "none", {"guarded": True}),
        ]
        found = judge(book, tables(book, *rows))
        assert (True if found.matches else None if found.undecided else False) is expected, chosen


def test_rows_that_no_source_told_of_are_unknown_and_not_none():
    for quantifier in ("some", "every", "no"):
        book = load((CONDITION, f"{quantifier} access a of k has (a.guarded) and k.registers > most"))
        found = judge(book, tables(book, ("kernel", "k", None, {"registers": 200.0})))
        assert not found.matches
        assert found.undecided


def test_a_rule_that_no_source_speaks_of_is_open_for_its_own_kind_of_kernels():
    """A rule about Triton's accesses is no open question of a project without Triton."""
    book = load_rulebook([knowledge_folder()])
    of_numba, of_triton = ("kernel", "k", None, {}), ("triton_kernel", "t", None, {"launched": True})

    def places(rule: str, *rows: tuple[str, str, None, dict[str, Any]]) -> int:
        return sum(one.places for one in judge(book, tables(book, *rows)).undecided if one.rule == rule)

    assert places("triton-bank-conflicts", of_numba) == 0
    assert places("triton-bank-conflicts", of_numba, of_triton) == 1
    assert places("shared-bank-conflict", of_numba, of_triton) == 1
    assert places("shared-bank-conflict", of_triton) == 0


def test_an_exception_silences_when_it_holds_and_is_told_when_it_cannot_be_checked():
    change = ("  severity", '  unless k.debug because "debug builds are slow anyway"\n  severity')
    book = load(change)
    for debug, fires, told in ((True, False, False), (False, True, False), (None, True, True)):
        found = judge(book, tables(book, ("kernel", "k", None, {"registers": 200.0, "debug": debug})))
        assert bool(found.matches) is fires
        if fires:
            (match,) = found.matches
            assert any("not checkable" in line for line in match.assumptions) is told


def test_metrics_of_owners_are_read_through_them():
    book = load(("for each kernel k", "for each access a of kernel k"), ("{k.registers}", "{k}"))
    rows = [
        ("kernel", "many", None, {"registers": 200.0}), ("kernel", "few", None, {"registers": 20.0}),
        ("access", "a", "many", {}), ("access", "b", "few", {}), ("access", "c", "nobody", {}),
    ]  # fmt: skip
    found = judge(book, tables(book, *rows))
    assert [match.row for match in found.matches] == [0]
    assert found.undecided[0].places == 1


ROW_OF_A_DEFINITION = 'example fires "many" { k.registers = 200, a1.space = "global" }'


def test_examples_name_the_rows_of_quantifiers_in_definitions():
    more = 'define far(k) = some access a of k has (a.space = "global")\n'
    changes = [
        (CONDITION, f"far(k) and {CONDITION}"),
        ('example fires "many" { k.registers = 200 }', ROW_OF_A_DEFINITION),
    ]
    assert not errors(*changes, more=more)
    assert not run_examples(load(*changes, more=more))
    wrong = ROW_OF_A_DEFINITION.replace("a1.space", "a1.spcae")
    assert codes(errors(changes[0], (changes[1][0], wrong), more=more)) == ["E310"]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("(k.debug otherwise false)", {True: True, False: False, None: False}),
        ("(k.debug otherwise true)", {True: True, False: False, None: True}),
        ("k.debug = (k.registers > most)", {True: True, False: False, None: None}),
        ("(k.debug and k.debug) is known", {True: True, False: True, None: False}),
    ],
)
def test_truth_values_as_values(condition, rows):
    book = load((CONDITION, f"{condition} and {CONDITION}"))
    for debug, expected in rows.items():
        found = judge(book, tables(book, ("kernel", "k", None, {"registers": 200.0, "debug": debug})))
        assert (True if found.matches else None if found.undecided else False) is expected


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("k.debug < true", "E209"), ('k.limiter + "x" = "y"', "E209"), ("min(k.debug, true)", "E209"),
        ("max(k.registers) > 3", "E215"), ("abs(k.registers, 2) > 3", "E215"),
        ("some access k of k has (k.guarded)", "E303"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(condition, code):
    assert set(codes(errors((CONDITION, f"{condition} and {CONDITION}")))) == {code}


def test_inside_a_quantifier_a_row_beside_it_is_not_spoken_of():
    each = ("for each kernel k", "for each access b of kernel k")
    inside = "some access a of k has (a.sectors > b.sectors)"
    (error,) = errors(each, (CONDITION, f"{inside} and {CONDITION}"), ("k.registers = ", "k.registers = "))
    assert error.code == "E205"
    assert "inside a quantifier" in error.help


def test_a_let_is_known_inside_a_quantifier():
    change = ("  when", "  let limit = 2 * k.share\n  when")
    inside = "some access a of k has (k.share < limit)"
    book = load(change, (CONDITION, f"{inside} and {CONDITION}"))
    rows = [("kernel", "k", None, {"registers": 200.0, "share": 0.5}), ("access", "a", "k", {})]
    assert len(judge(book, tables(book, *rows)).matches) == 1


@pytest.mark.parametrize(
    ("chosen", "some", "every", "no"),
    [([], None, None, None), ([0], True, None, False), ([1], None, False, None)],
)
def test_of_a_kernel_whose_text_nobody_reads_there_may_be_more_rows(chosen, some, every, no):
    rows = [
        ("kernel", "k", None, {"registers": 200.0, "text_unread": True}),
        ("kernel", "read", None, {"registers": 1.0}),
        *(("access", f"a{at}", "k", ACCESSES[at]) for at in chosen),
    ]
    for quantifier, expected in (("some", some), ("every", every), ("no", no)):
        book = load((CONDITION, f"{quantifier} access a of k has (a.guarded) and k.registers > most"))
        found = judge(book, tables(book, *rows))
        assert (True if found.matches else None if found.undecided else False) is expected, quantifier
    book = load((CONDITION, "number of access a of k with (a.guarded) >= 1 and k.registers > most"))
    assert judge(book, tables(book, *rows)).undecided
