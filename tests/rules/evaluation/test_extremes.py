"""Rule files that are deep, long or odd: a clear error or none, and never more than a second."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest
from damage import MOST_SECONDS, told_well
from writing import CONDITION, RULE, VOCABULARY, codes

from advisor.rules import Rulebook, RuleError, RuleErrors, load_rulebook, rulebook_from_texts, run_examples
from advisor.rules.formatting import format_text
from advisor.rules.lint import lint

_PATH = "occupancy/many-registers.rules"
_DEEP = 10_000
_LONG = 1_000_000


def when(condition: str) -> str:
    return RULE.replace(CONDITION, f"{condition} and {CONDITION}")


def lets(*values: str) -> str:
    written = "".join(f"  let l{at} = {value}\n" for at, value in enumerate(values))
    return RULE.replace("  when", f"{written}  when").replace(
        CONDITION, f"l{len(values) - 1} > 1 and {CONDITION}"
    )


def defines(body: str, number: int, last: str = "k.debug") -> str:
    """Definitions d0, d1 … that each call the next where `body` says `next`."""
    written = "".join(f"define d{at}(k) = {body.replace('next', f'd{at + 1}(k)')}\n" for at in range(number))
    return f"{written}define d{number}(k) = {last}\n"


# The text and the codes of its errors, none when it loads.
CASES: dict[str, tuple[str, set[str]]] = {
    "brackets": (when("(" * _DEEP + "k.debug" + ")" * _DEEP), {"E111"}),
    "open brackets": (when("(" * _DEEP), {"E102"}),
    "not": (when("not " * _DEEP + "k.debug"), {"E111"}),
    "signs": (when("- " * _DEEP + "1 < 0"), {"E111"}),
    "a long sum": (when("1" + " + 1" * 5_000 + " > 3"), {"E111"}),
    "many and": (when(" and ".join(["k.debug"] * 5_000)), {"E317"}),
    "many or": (when(f"({' or '.join(['k.debug'] * 5_000)})"), {"E317"}),
    "functions": (when("max(k.registers, " * 1_000 + "1" + ")" * 1_000 + " > 3"), {"E111"}),
    "quantifiers": (when("some access a of k has (" * 500 + "k.debug" + ")" * 500), {"E111"}),
    "a chain of lets": (lets("k.registers", *(f"l{at} + 1" for at in range(500))), {"E111"}),
    "lets that double": (lets("k.registers", *(f"l{at} + l{at}" for at in range(60))), {"E317"}),
    "a let from itself": (lets("1", "l0 + 1").replace("l0", "x").replace("l1", "x"), {"E303"}),
    "a chain of definitions": (defines("next", 1_000) + when("d0(k)"), {"E111"}),
    "deep definitions": (defines("not (" * 20 + "next" + ")" * 20, 60) + when("d0(k)"), {"E111"}),
    "a suppression that doubles": (
        f'{defines("next and next", 25)}{RULE}suppress many-registers where d0(k) because "x"\n', {"E317"},
    ),
    "a metric that doubles": (
        f"{defines('next and next', 25)}{RULE}metric q : truth of kernel k = d0(k)\n", {"E317"},
    ),
    "a long text": (RULE.replace("Split", "x" * _LONG), {"E114"}),
    "a long name": (when("k." + "x" * 200_000), {"E201"}),
    "many fields": (RULE.replace("Split", "{mots}" * 30_000), {"E311"}),
    "lines of words": ("x\n" * 100_000 + RULE, {"E105"}),
    "much space before a stray sign": (when("k.debug" + " " * 5_000 + "@ "), {"E104"}),
    "much space in broken clauses": (RULE.replace("effort low", " " * 400 + "\x1c" + "effort low"), {"E104"}),
    "NUL": (RULE.replace("effort low", "effort\0low"), {"E104"}),
    "NUL in a text": (RULE.replace("Split", "\0"), set()),
    "a surrogate": (RULE.replace("Split", "\ud800"), set()),
    "a large number": (when("k.registers < 1e999"), {"E325"}),
    "a large default": (RULE.replace("most = 128 range 32 .. 255", "most = 1e999"), {"E325"}),
    "CR": (RULE.replace("\n", "\r"), set()),
    "CR and newline": (RULE.replace("\n", "\r\n"), set()),
}  # fmt: skip


def read(text: str) -> tuple[Rulebook | None, list[RuleError]]:
    try:
        return rulebook_from_texts([("metrics/words.rules", VOCABULARY), (_PATH, text)]), []
    except RuleErrors as found:
        return None, found.errors


@pytest.fixture
def own_garbage() -> None:
    """What earlier tests left on the heap is not searched for garbage while a test takes its time."""
    gc.collect()


@pytest.mark.usefixtures("own_garbage")
@pytest.mark.parametrize("name", CASES)
def test_extremes_are_told_or_fine_and_quick(name: str) -> None:
    text, expected = CASES[name]
    began = time.process_time()
    book, errors = read(text)
    assert time.process_time() - began < MOST_SECONDS
    assert set(codes(errors)) == expected
    told_well(errors, _PATH, text)
    if book is not None:
        (rule,) = book.rules
        assert rule.id == "many-registers"
        lint(book)
        run_examples(book)
    began = time.process_time()
    try:
        format_text(_PATH, text)
    except RuleErrors as found:
        assert found.errors
    assert time.process_time() - began < MOST_SECONDS * 3


def test_one_deep_let_is_one_error() -> None:
    _, errors = read(lets("k.registers", *(f"l{at} + 1" for at in range(150))))
    assert codes(errors) == ["E111"]


def test_a_name_that_is_no_unicode(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    try:
        (folder / "odd-\udcff").mkdir(parents=True)
    except OSError:
        pytest.skip("this file system takes Unicode only")
    (folder / "words.rules").write_text(VOCABULARY)
    (folder / "odd-\udcff" / "many-registers.rules").write_text(RULE.replace("k.registers >", "k.registrs >"))
    with pytest.raises(RuleErrors) as found:
        load_rulebook([folder], tmp_path / "cache")
    assert codes(found.value.errors) == ["E201"]


def test_many_errors_are_told_up_to_a_bound() -> None:
    _, errors = read("".join(f"word{at}\n" for at in range(5_000)))
    assert len(errors) == 200
