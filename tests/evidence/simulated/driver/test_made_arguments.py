"""Arguments that are made up lie in the parameters as those of launches that Numba makes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Program = Callable[..., str]
COMPARE = """
from advisor.evidence.simulated.simt.launch import parameter_offsets
from advisor.evidence.simulated.simt.ptx.ptx_reader import read_ptx
from advisor.evidence.simulated.synthesis.arguments import Content, make_arguments
from advisor.model.machine_code.kernel_code import ParameterSlot

def parts(function, space):
    offsets, _ = parameter_offsets(function.parameters)
    return [space[offsets[one.name] :][: one.size] for one in function.parameters]

def number(part):
    return int.from_bytes(part, "little")

def differences(slots, values):
    # Where the parameters of the last launch differ from made up ones: `array: offset of the data`.
    launch, note = machine.launches[-1]
    (function,) = (one for one in read_ptx(machine.texts[-1]).functions.values() if one.entry)
    shapes = {one.name: np.shape(values[one.name]) for one in slots}
    content = Content(
        lambda slot: np.asarray(values[slot.name]).reshape(-1, order="F" if slot.layout == "F" else "C"),
        lambda slot: np.asarray(values[slot.name], slot.dtype)[()],
    )
    made = make_arguments(function, slots, shapes, content)
    real = [one.address for one in note.arguments if one.address is not None]
    begins = [span.begin for span in made.spans.values()]
    assert [made.names[function.parameters[one.parameter].name] for one in made.arrays] == list(made.spans)
    pairs = zip(parts(function, launch.parameters), parts(function, made.parameters), strict=True)
    found = [(number(one), number(other)) for one, other in pairs if one != other]
    assert found == list(zip(real, begins, strict=True)), (found, real, begins)
    lasting = [one for one in slots if one.kind == "array"]
    for (address, begin), span in zip(found[: len(lasting)], made.spans.values()):
        size = span.end - span.begin
        assert machine.memory.view(address, size).tobytes() == made.memory.view(begin, size).tobytes()
    print(len(parts(function, made.parameters)), "parameters,", len(found), "addresses")

"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_all_numbers_of_axes(program: Program, order: str) -> None:
    out = program(
        COMPARE
        + f"""
@cuda.jit
def touch(zero, one, two, three):
    one[0] = two[0, 0] + three[0, 0, 0] + zero[()]

values = dict(
    zero=np.array(3.0),
    one=np.arange(5, dtype=np.float32),
    two=np.asarray(np.arange(6.0).reshape(2, 3), order="{order}"),
    three=np.asarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4), order="{order}"),
)
touch[1, 1](*(cuda.to_device(one) for one in values.values()))
slots = [
    ParameterSlot("zero", "array", "<f8", 0, "C"),
    ParameterSlot("one", "array", "<f4", 1, "C"),
    ParameterSlot("two", "array", "<f8", 2, "{order}"),
    ParameterSlot("three", "array", "<i2", 3, "{order}"),
]
differences(slots, values)
"""
    )
    # Five fixed ones for each array, then shape and strides: 4 * 5 + 2 * (0 + 1 + 2 + 3).
    assert out == "32 parameters, 4 addresses\n"


def test_scalars_of_all_types(program: Program) -> None:
    out = program(
        COMPARE
        + """
@cuda.jit
def touch(a, b, c, d, e, f, g, h, i):
    pass

types = ["<i8", "|i1", "<u2", "<u4", "|b1", "<f2", "<f4", "<f8", "<c8"]
kinds = [np.int64, np.int8, np.uint16, np.uint32, np.bool_, np.float16, np.float32, np.float64, np.complex64]
given = [kind(value) for kind, value in zip(kinds, [-5, -3, 65535, 7, 1, 0.5, 0.25, 2.5, 1 - 2j])]
touch[1, 1](*given)
slots = [ParameterSlot(name, "scalar", text) for name, text in zip("abcdefghi", types)]
differences(slots, dict(zip("abcdefghi", given)))
"""
    )
    assert out == "10 parameters, 0 addresses\n"


def test_tuples_records_and_elements_that_are_records(program: Program) -> None:
    out = program(
        COMPARE
        + """
@cuda.jit
def touch(pair, third, record):
    pair[0][0] = pair[1] + third[0].count
    record.weight = 1

kind = np.dtype([("count", "<i4"), ("weight", "<f8")], align=True)
first, third = np.arange(3.0), np.zeros(2, kind)
record = np.ones(1, kind)[0]
text = str({"names": ["count", "weight"], "formats": ["<i4", "<f8"], "offsets": [0, 8], "itemsize": 16})
touch[1, 1]((cuda.to_device(first), 5), cuda.to_device(third), record)
slots = [
    ParameterSlot("pair.0", "array", "<f8", 1, "C"),
    ParameterSlot("pair.1", "scalar", "<i8"),
    ParameterSlot("third", "array", text, 1, "C"),
    ParameterSlot("record", "record", text),
]
differences(slots, {"pair.0": first, "pair.1": 5, "third": third, "record": record})
"""
    )
    assert out == "16 parameters, 3 addresses\n"
