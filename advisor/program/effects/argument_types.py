"""Typings of a kernel's parameters that its code allows, from the most to the least likely."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.model.compilation_unit import ArgumentTypes
from advisor.program.effects.declared_layouts import DeclaredLayout
from advisor.program.effects.parameter_use import Use
from advisor.program.effects.record_layouts import RecordLayout, record_layouts

# Behind the element's type, for an array of which only that is known.
OF_SOME_DIMENSIONS = "[?]"
RANDOM_STATES = "xoroshiro128p_type"
_MOST = 4
_INDEX, _COUNT = "int32", "int64"
# A Python float is a float64 to Numba; NumPy's float32 scalars are rare.
_SCALAR = "float64"
_TRUTH = "boolean"
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def array_type(element: str, dims: int, column_major: bool = False) -> str:
    """The Numba type of a contiguous array, in C order `float32[:,::1]`."""
    if column_major:
        return f"{element}[::1{',:' * (dims - 1)}]"
    return f"{element}[{':,' * (dims - 1)}::1]"


def with_dimensions(
    types: Mapping[str, str], uses: Mapping[str, Use], in_c_order: Collection[str]
) -> dict[str, str]:
    """The types of parameters, with as many dimensions as the code indexes for arrays `in_c_order` of which
    only the elements are known; what the code only computes with is a number.
    """
    found = dict(types)
    for name, text in types.items():
        element, use = text.removesuffix(OF_SOME_DIMENSIONS), uses[name]
        if element != text and use.dims and name in in_c_order:
            found[name] = array_type(element, use.dims)
        elif element != text and not (use.dims or use.tuple_length or use.random_states):
            found[name] = element
    return found


def assumed_types(
    parameters: Sequence[str],
    uses: Mapping[str, Use],
    known: Mapping[str, str] | None = None,
    declared: Mapping[str, DeclaredLayout] | None = None,
) -> tuple[ArgumentTypes, ...]:
    """At most four typings, each saying what it assumes; empty when records of records are among them that
    are not `declared`.

    `known` are types that need no assumption, those of arrays whose dimensions are not known apart.
    """
    known, declared = known or {}, declared or {}
    elements = {
        name: text.removesuffix(OF_SOME_DIMENSIONS)
        for name, text in known.items()
        if text.endswith(OF_SOME_DIMENSIONS)
    }
    known = {name: text for name, text in known.items() if name not in elements}
    floats = _float_element([*elements.values(), *known.values()])
    layouts = {
        name: record_layouts(uses[name], floats)
        for name in parameters
        if uses[name].fields and name not in known and name not in declared
    }
    records = {name: found for name, found in layouts.items() if found is not None}
    if len(records) < len(layouts):
        return ()
    attempts = [
        {name: _likely(uses[name], floats) for name in parameters},
        {name: _likely(uses[name], floats, counters=True) for name in parameters},
        {name: _likely(uses[name], floats, hints=False) for name in parameters},
        {name: _likely(uses[name], floats, integers=True) for name in parameters},
    ]
    arrays = {
        name: array_type(element, uses[name].dims) for name, element in elements.items() if uses[name].dims
    }
    first, other = ({name: _record_type(pair[n]) for name, pair in records.items()} for n in (0, 1))
    stated = {name: one for name, one in declared.items() if name not in known}
    first |= {name: _record_array(one.record, one.dims) for name, one in stated.items()}
    other |= {name: _record_array(one.other, one.dims) for name, one in stated.items()}
    attempts = [{**attempt, **arrays, **first} for attempt in attempts]
    found: list[ArgumentTypes] = []
    for attempt in attempts:
        types = tuple(known.get(name, text) for name, text in attempt.items())
        if types not in [earlier.types for earlier in found]:
            guessed = {name: text for name, text in attempt.items() if name not in known}
            plain = {name: text for name, text in guessed.items() if name not in (*first, *arrays)}
            said = (
                *_sentences(plain, uses),
                *_of_dimensions([name for name in arrays if name not in first]),
                *_of_records(records),
                *(one.in_words(name) for name, one in stated.items()),
            )
            alternative = tuple(known.get(name, text) for name, text in {**attempt, **other}.items())
            numbers = (name for name in guessed if uses[name].is_truth and uses[name].tested_as_number)
            found.append(
                ArgumentTypes(
                    types,
                    said,
                    tuple(name for name in guessed if not uses[name].random_states),
                    alternative=alternative if other != first else (),
                    maybe_bytes=tuple(numbers),
                    known_elements=tuple(name for name in arrays if name not in first),
                )
            )
    return tuple(found[:_MOST])


def _record_type(layout: RecordLayout) -> str:
    return _record_array(layout.element_type(), layout.dims)


def _record_array(record: str, dims: int) -> str:
    return array_type(record, dims) if dims else record


def _of_records(records: Mapping[str, tuple[RecordLayout, RecordLayout]]) -> tuple[str, ...]:
    return tuple(
        f"{'Array parameter' if layout.dims else 'Parameter'} {name} is taken to hold packed records of "
        f"{layout.in_words()}; what is otherwise with further fields is left out."
        for name, (layout, _) in records.items()
    )


def _float_element(known: Iterable[str]) -> str:
    """The element of float arrays of unknown type: float64 where the kernel's known ones are."""
    found = {text.partition("[")[0] for text in known if "[" in text}
    wide = found & {"float64", "complex128"} and not found & {"float32", "complex64"}
    return "float64" if wide else "float32"


def _likely(use: Use, floats: str, hints: bool = True, counters: bool = False, integers: bool = False) -> str:
    scalar, element = (_COUNT, _INDEX) if integers else (_SCALAR, floats)
    if use.random_states:
        return f"{RANDOM_STATES}[::1]"
    if use.tuple_length:
        return f"UniTuple({_COUNT if use.integer or use.likely_integer else scalar}, {use.tuple_length})"
    if use.dims:
        if hints and use.is_truth and not use.tested_as_number and not use.fields:
            return array_type(_TRUTH, use.dims)
        integer = use.integer or (hints and use.likely_integer) or (counters and use.maybe_integer)
        return array_type(_COMPLEX[floats] if use.complex else _INDEX if integer else element, use.dims)
    return _COUNT if use.integer else _COMPLEX["float64"] if use.complex else scalar


def _sentences(types: Mapping[str, str], uses: Mapping[str, Use]) -> tuple[str, ...]:
    arrays: dict[str, list[str]] = {}
    scalars: dict[str, list[str]] = {}
    for name, text in types.items():
        if uses[name].random_states:
            continue
        if uses[name].dims and not uses[name].tuple_length:
            arrays.setdefault(text.partition("[")[0], []).append(name)
        else:
            scalars.setdefault(text, []).append(name)
    sentences = [
        f"{_subject('Array parameter', names)} taken to be {kind}, C-contiguous."
        for kind, names in arrays.items()
    ]
    sentences += [f"{_subject('Parameter', names)} taken to be {kind}." for kind, names in scalars.items()]
    return tuple(sentences)


def _of_dimensions(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    subject = _subject("Array parameter", names)
    return (f"{subject} taken to be C-contiguous, with as many dimensions as indices.",)


def _subject(noun: str, names: Sequence[str]) -> str:
    return f"{noun} {names[0]} is" if len(names) == 1 else f"{noun}s {', '.join(names)} are"
