"""Compiles one unit inside a worker: typings in turn, PTX, cubin; the answer is JSON values."""

from __future__ import annotations

import base64
import contextlib
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from advisor.evidence.compiled.compilers.cuda_text import CudaProblem, cuda_ptx
from advisor.evidence.compiled.compilers.executable_code import executable_codes
from advisor.evidence.compiled.compilers.literals import NotLiteral, argument_type, constant_value
from advisor.evidence.compiled.compilers.namespace import BadUnit, UnitText, define
from advisor.evidence.compiled.float64.narrowings import narrowings
from advisor.evidence.compiled.float64.promotions import promotions
from advisor.evidence.compiled.float64.typed_functions import FunctionKey, TypedFunctions, typed_functions
from advisor.evidence.compiled.float64.value_origins import ValueOrigins
from advisor.evidence.compiled.instructions.ptx import count_ptx, static_shared_bytes, unit_function
from advisor.model.machine_code.nvjitlink import (
    LinkFailure,
    UndefinedFunction,
    assemble,
    assemble_together,
)

Json = dict[str, Any]

_AT = re.compile(r"(unit-function-\d+\.py)\D{1,3}(?:line )?(\d+)")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_WHERE = re.compile(r"\s*Raised from \S*unit-function-\d+\.py.*")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_NUMBER = re.compile(r"\b(float|int|uint|complex)(?:8|16|32|64|128)\b")
_OF_OTHER_WIDTH = {
    "float32": "float64",
    "float64": "float32",
    "int32": "int64",
    "int64": "int32",
    "uint8": "uint32",
    "complex64": "complex128",
    "complex128": "complex64",
}
# One for each function on the way to the one at fault.
_STEPS = re.compile(r"^(?:Failed in \w+ mode pipeline \(step: [^)]*\)\s*)+")


class _Rejected(Exception):
    """A typing that the compiler refuses; `answer` is the problem as a JSON value."""

    def __init__(self, answer: Json) -> None:
        super().__init__(answer["message"])
        self.answer = answer


def stand_in_for_device(capability: tuple[int, int]) -> None:
    """Make Numba believe in a device of that compute capability.

    Compiling for a given capability needs no device, but numba-cuda asks for the current one when a kernel
    calls a device function. The names below are private to numba-cuda; a test pins them.
    """
    from numba import cuda
    from numba.cuda import api, compiler, dispatcher

    device = type("DeviceStandIn", (), {"compute_capability": capability, "id": 0})()
    for module in (cuda, api, compiler, dispatcher):
        if hasattr(module, "get_current_device"):
            module.get_current_device = lambda: device


def compile_unit(request: Json) -> Json:
    """The machine code of a unit, or its problem.

    `request` holds functions, constants, aliases, candidates, known, options and capability; the answer holds
    candidate (its number), cubin (base64), assembly (what it was made with), resources, shared_bytes, ptx (a
    list of function, line, counts), promotions and narrowings, and as `refused` the problem of a candidate
    before it whose types are `known`; or problem (function, line, message, the candidate that was refused,
    and whether other numbers in its types are refused `alike`). A kernel that calls foreign code has an empty
    cubin. With `keep_ptx` in the request the answer has the PTX as `text`; with `keep_code` it has `codes`,
    as `executable_codes` gives them. A request with `cuda` is one for a kernel in CUDA C++; nothing is known
    of the widths that its author meant. One with `together` has the PTX of kernels that one process has
    compiled, and is answered with the cubin of all of them.
    """
    capability = (int(request["capability"][0]), int(request["capability"][1]))
    if "together" in request:
        return _together(request["together"], request["assembly"], capability)
    if "cuda" in request:
        return _cuda_unit(request["cuda"], capability)
    stand_in_for_device(capability)
    functions = tuple((name, source, device) for name, source, device in request["functions"])
    text = UnitText(functions, request["constants"], request["aliases"])
    kernel_number = next((n for n, (_, _, device) in enumerate(functions) if not device), 0)
    first: Json | None = None
    try:
        options = {name: constant_value(value) for name, value in request["options"].items()}
        _, kernel = define(text)
        typed: TypedFunctions = {}
        number = 0

        def alike(problem: Json) -> bool:
            others = _other_types(request["candidates"][problem["candidate"]])
            asked = (_refused(kernel, types, capability, options, kernel_number) for types in others)
            return bool(others) and all(_is_alike(problem, one) for one in asked)

        for number, types in enumerate(request["candidates"]):
            try:
                with typed_functions() as compiled:
                    ptx = _ptx(kernel, types, capability, options, kernel_number)
            except _Rejected as rejected:
                first = first or rejected.answer | {"candidate": number}
                continue
            finally:
                # A device function is compiled once for its types, perhaps for a typing that was refused.
                typed |= compiled
            widths = _widths(typed, (kernel_number, tuple(argument_type(one) for one in types)))
            kept: Json = {"text": ptx} if request.get("keep_ptx") else {}
            if request.get("keep_code"):

                def another(types: Sequence[str]) -> str | None:
                    try:
                        return _ptx(kernel, types, capability, options, kernel_number)
                    except _Rejected:
                        return None

                kept["codes"] = executable_codes(kernel, ptx, types, request["others"][number], another)
            code = _machine_code(ptx, capability, options)
            if first is not None and request["known"][first["candidate"]]:
                kept["refused"] = first | {"alike": alike(first)}
            return {"candidate": number, **code, **widths, **kept}
    except BadUnit as problem:
        at = kernel_number if problem.function is None else problem.function
        return {"problem": {"function": at, "line": 1, "message": str(problem)}}
    except NotLiteral as problem:
        return {"problem": {"function": kernel_number, "line": 1, "message": str(problem)}}
    except LinkFailure as problem:
        at_link = {"function": kernel_number, "line": 1, "message": str(problem)}
        return {"problem": at_link | {"candidate": number}}
    if first is None:
        nothing = {"function": kernel_number, "line": 1, "message": "no typing of its parameters is known"}
        return {"problem": nothing}
    return {"problem": first | {"alike": alike(first)}}


def _other_types(types: Sequence[str]) -> list[list[str]]:
    """Typings with other numbers: of another width, and with whole numbers and fractions exchanged in arrays;
    none where the types have no numbers to exchange.
    """
    wider = [_NUMBER.sub(lambda one: _OF_OTHER_WIDTH.get(one[0], one[0]), text) for text in types]
    exchanged = [
        _NUMBER.sub(lambda one: "int64" if one[1] == "float" else "float64", text) if "[" in text else other
        for text, other in zip(types, wider, strict=True)
    ]
    return [wider, exchanged] if wider != list(types) else []


def _refused(
    kernel: Any, types: Sequence[str], capability: tuple[int, int], options: Json, number: int
) -> Json | None:
    """The problem of a typing; None where it is compiled."""
    try:
        _ptx(kernel, types, capability, options, number)
    except _Rejected as rejected:
        return rejected.answer
    return None


def _is_alike(one: Json, other: Json | None) -> bool:
    """Whether a typing is refused at the same place for the same reason, whatever types that names."""
    if other is None or (one["function"], one["line"]) != (other["function"], other["line"]):
        return False
    first, second = (str(each["message"]).partition(" found for signature")[0] for each in (one, other))
    return _NUMBER.sub("", first) == _NUMBER.sub("", second)


def _together(texts: Sequence[str], assembly: Json, capability: tuple[int, int]) -> Json:
    """The cubin of kernels, or why there is none."""
    try:
        cubin = assemble_together(texts, capability, assembly["registers"], assembly["optimise"])
    except LinkFailure as problem:
        return {"failure": str(problem)}
    return {"cubin": base64.b64encode(cubin).decode()}


def _cuda_unit(asked: Json, capability: tuple[int, int]) -> Json:
    """The machine code of a kernel in CUDA C++, or its problem."""
    try:
        ptx = cuda_ptx(asked["text"], asked["name"], asked["options"], capability)
        code = _machine_code(ptx, capability, {})
    except CudaProblem as problem:
        return {"problem": {"function": 0, "line": problem.line, "message": str(problem)}}
    except LinkFailure as problem:
        return {"problem": {"function": 0, "line": 1, "message": str(problem)}}
    return {"candidate": 0, **code, "promotions": [], "narrowings": []}


def _widths(typed: TypedFunctions, kernel: FunctionKey) -> Json:
    """What the types say of widths: float64 that no data asks for, and float64 data that becomes float32."""
    if kernel not in typed:
        return {"promotions": [], "narrowings": []}
    origins = ValueOrigins(typed, kernel)
    return {"promotions": promotions(origins), "narrowings": narrowings(origins)}


def _ptx(kernel: Any, types: Sequence[str], capability: tuple[int, int], options: Json, number: int) -> str:
    from numba import cuda

    arguments: Json = {}
    debug = bool(options.get("debug"))
    if debug or options.get("opt") is False:
        arguments["opt"] = False
    if options.get("launch_bounds"):
        arguments["launch_bounds"] = options["launch_bounds"]
    try:
        signature = tuple(argument_type(text) for text in types)
        ptx, _ = cuda.compile(
            kernel,
            signature,
            device=False,
            abi="numba",
            output="ptx",
            cc=capability,
            lineinfo=not debug,
            debug=debug,
            fastmath=bool(options.get("fastmath")),
            **arguments,
        )
    except (KeyboardInterrupt, MemoryError):
        raise
    except Exception as problem:
        raise _Rejected(_described(problem, number)) from None
    return str(ptx)


def _machine_code(ptx: str, capability: tuple[int, int], options: Json) -> Json:
    asked = options.get("max_registers")
    most = asked if isinstance(asked, int) else None
    optimise = not options.get("debug") and options.get("opt") is not False
    try:
        cubin, resources = assemble(ptx, capability, most, optimise)
    except UndefinedFunction:
        # The kernel calls code that is linked in when it is launched; what PTX tells holds nevertheless.
        cubin, resources = b"", None
    counts = count_ptx(ptx)
    return {
        "cubin": base64.b64encode(cubin).decode(),
        "assembly": {"registers": most, "optimise": optimise},
        "resources": asdict(resources) if resources else {},
        "shared_bytes": static_shared_bytes(ptx),
        "ptx": [[*(place or (None, None)), dict(kinds)] for place, kinds in counts.items()],
    }


def _described(problem: Exception, number: int) -> Json:
    """The problem's essential sentence and the place in the unit it names, else the kernel's `def`."""
    text = _ANSI.sub("", str(problem)) or type(problem).__name__
    function, line = number, 1
    places = [(unit_function(file), int(at)) for file, at in _AT.findall(text)]
    location = getattr(problem, "loc", None) or _constraint(problem)
    if places:
        function, line = places[0][0] or 0, places[0][1]
    elif location is not None and unit_function(str(location.filename)) is not None:
        function, line = unit_function(str(location.filename)) or 0, int(location.line)
    return {"function": function, "line": max(line, 1), "message": essential(text)}


def _constraint(problem: Exception) -> Any:
    """The place of the innermost constraint that type inference was at; some problems name no place."""
    found, trace = None, problem.__traceback__
    while trace is not None:
        place = getattr(trace.tb_frame.f_locals.get("self"), "loc", None)
        if unit_function(str(getattr(place, "filename", ""))) is not None:
            found = place
        trace = trace.tb_next
    return found


def essential(text: str) -> str:
    """The sentence of Numba's message that says what is wrong, with the call that it names."""
    text = _ADDRESS.sub("", _STEPS.sub("", text)).strip()
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    sentence = _WHERE.sub("", lines[0]).strip() if lines else "the compiler gives no reason"
    with contextlib.suppress(StopIteration):
        call = next(line[4:] for line in lines if line.startswith(">>> "))
        sentence = f"{sentence.rstrip(':')}: {call}"
    return sentence if len(sentence) <= 300 else sentence[:297] + "..."
