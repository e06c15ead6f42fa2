"""What was known of an earlier text fills what the present one does not know, and is called so."""

from __future__ import annotations

from dataclasses import replace

from known_analyses import analysis, kernel, record

from advisor.model.text.source_text import Span
from lsp_server.analysis.earlier_results import Measured
from lsp_server.numbers.hints import hints
from lsp_server.numbers.known import known_of
from lsp_server.numbers.lenses import lenses

TEXT = "@cuda.jit\ndef scale(a):\n    a[0] = 1\n"
LOWER = "\n" + TEXT
HERE = Span(3, 5, 3, 9)


def key(line, name="scale"):
    return f"k.py::{name}@{line}"


def former(*records, text=TEXT):
    return analysis(text, *records)


def present(*records, before, text=LOWER):
    return replace(analysis(text, *records), former=before)


def source_kernel(line, **values):
    return kernel(Span(line, 5, line, 10), "source", key=key(line), **values)


def compiled_kernel(line, **values):
    return kernel(Span(line, 5, line, 10), key=key(line), **values)


def told(now):
    return [one.numbers for one in lenses(now)]


def test_what_the_present_text_knows_goes_before_what_was_known():
    before = former(compiled_kernel(2, registers=40.0, theoretical_occupancy=0.5))
    assert told(present(source_kernel(3), before=before)) == ["before the edit: 40 registers · occupancy 50%"]
    now = present(compiled_kernel(3, registers=32.0), before=before)
    assert told(now) == ["32 registers · before the edit: occupancy 50%"]


def test_what_the_source_said_before_is_not_said_again():
    before = former(source_kernel(2, registers=40.0))
    assert told(present(source_kernel(3), before=before)) == [""]


def test_kernels_of_one_name_keep_their_order_and_other_names_their_silence():
    before = former(
        kernel(Span(2, 5, 2, 10), key=key(2), registers=20.0),
        kernel(Span(9, 5, 9, 10), key=key(9), registers=90.0),
        kernel(Span(12, 5, 12, 10), key=key(12, "gone"), label="gone", registers=12.0),
    )
    new = kernel(Span(20, 5), "source", "new", key=key(20, "new"))
    now = present(source_kernel(3), source_kernel(10), new, before=before)
    assert told(now) == ["before the edit: 20 registers", "before the edit: 90 registers", ""]


def access(line, source="simulated", **values):
    owner = key(line - 1)
    return record(
        "access", Span(line, 5, line, 9), source, owner=owner, key=f"{owner}:k.py:{line}:4:a:store", **values
    )


def test_hints_follow_their_lines_and_go_with_them():
    far = {"sectors_per_request": 32.0, "ideal_sectors_per_request": 4.0}
    before = former(compiled_kernel(2), access(3, **far))
    seen = access(4, "source", index_kind="affine")
    (hint,) = hints(present(source_kernel(3), seen, before=before), 1, 9)
    assert (hint.line, hint.label) == (4, "32 sectors/request, ideal 4 (before the edit)")
    assert "simulated, before the edit" in hint.cards[0].markdown()
    changed = LOWER.replace("a[0]", "a[1]")
    assert not hints(present(source_kernel(3), seen, before=before, text=changed), 1, 9)


def test_records_that_no_source_shows_are_there_until_their_line_changes():
    name = f"{key(2)}:k.py:3:line"
    line = record("line", HERE, "compiled", "line 3", owner=key(2), key=name, fp64_instructions=5.0)
    before = former(compiled_kernel(2), line)
    now = present(source_kernel(3), before=before)
    assert [(one.line, one.label) for one in hints(now, 1, 9)] == [(4, "5 float64 (before the edit)")]
    known = known_of(now)
    (row,) = known.rows("line")
    assert known.owner(row, "kernel").span == Span(3, 5, 3, 10)
    assert [one.key for one in known.owned("line", known.owner(row, "kernel"))] == [row.key]
    changed = LOWER.replace("a[0]", "a[1]")
    assert not hints(present(source_kernel(3), before=before, text=changed), 1, 9)


def test_numbers_of_another_device_are_not_shown():
    before = analysis(TEXT, compiled_kernel(2, registers=40.0), device="t4")
    assert told(present(source_kernel(3), before=before)) == [""]


def ran(text, line, name, **values):
    return analysis(
        text, kernel(Span(line, 5, line, 10), "simulated", name, key=key(line, name), launches=1.0, **values)
    )


def test_an_old_run_is_kept_as_long_as_no_newer_one_tells_of_its_kernels():
    kept = Measured()
    texts = ["\n" * number + TEXT for number in range(5)]
    now = analysis(texts[4], source_kernel(6))
    kept.take(ran(texts[0], 2, "scale"), True)
    kept.take(ran(texts[1], 3, "other"), True)
    kept.take(former(compiled_kernel(4), text=texts[2]), True)
    assert [one.text for one in chain(kept, now)] == [texts[2], texts[1], texts[0]]
    kept.take(ran(texts[3], 5, "scale"), True)
    assert [one.text for one in chain(kept, now)] == [texts[3], texts[1]]
    kept.forget()
    assert chain(kept, now) == []


def test_half_an_analysis_does_not_push_out_a_whole_one():
    kept = Measured()
    texts = ["\n" * number + TEXT for number in range(4)]
    now = analysis(texts[3], source_kernel(5))
    for text, whole in ((texts[0], True), (texts[1], False), (texts[2], False)):
        kept.take(former(compiled_kernel(2), text=text), whole)
    assert [one.text for one in chain(kept, now)] == [texts[2], texts[0]]
    # What is kept of the very text that is asked about is no earlier one's.
    assert [one.text for one in chain(kept, former(text=texts[2]))] == [texts[0]]


def chain(kept, now):
    found, one = [], kept.before(now)
    while one is not None:
        found.append(one.document)
        one = one.former
    return found
