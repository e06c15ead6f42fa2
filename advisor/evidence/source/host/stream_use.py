"""Streams in host code of Numba: copies on a stream from pageable memory, launches that leave it out."""

from __future__ import annotations

import ast

from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.evidence.source.host.host_calls import HostCall
from advisor.program.launches.launches import Launch
from advisor.program.syntax.calls import keyword_value


def stream_of(call: ast.Call) -> ast.expr | None:
    """The stream that a copy of Numba is given, None where it is given none."""
    named = keyword_value(call, "stream")
    found = named or (call.args[1] if len(call.args) > 1 else None)
    return None if isinstance(found, ast.Constant) else found


def has_stream(call: ast.Call, placement: Placement) -> bool | None:
    """Whether a copy of Numba is given a stream; None for the caller's, which may be the default."""
    stream = stream_of(call)
    if isinstance(stream, ast.Name):
        return None if None in placement.bindings.reaching(stream.id, stream) else True
    return stream is not None


def source_pinned(call: HostCall, placement: Placement) -> bool | None:
    """Whether the host memory of a copy is page-locked; None where the source does not tell."""
    if not call.node.args:
        return False if call.call == "copy_to_host" else None
    place = placement.of(call.node.args[0])
    if place is None or place.library != "numpy":
        return None
    return place.pinned


def leaves_stream_out(launch: Launch, placement: Placement) -> bool | None:
    """Whether a launch names no stream though an argument was copied to the device on one.

    None where the launch's configuration is not written out.
    """
    function = launch.node.func
    if not isinstance(function, ast.Subscript) or not isinstance(function.slice, ast.Tuple):
        return None
    if len(function.slice.elts) != 2:
        return False
    for argument in launch.node.args:
        if not isinstance(argument, ast.Name):
            continue
        bound = [one.value if one else None for one in placement.bindings.reaching(argument.id, argument)]
        calls = [one for one in bound if isinstance(one, ast.Call) and _copies(one)]
        if calls and len(calls) == len(bound) and all(_named_stream(one) for one in calls):
            return True
    return False


def _copies(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "to_device"


def _named_stream(call: ast.Call) -> bool:
    stream = stream_of(call)
    return isinstance(stream, ast.Name | ast.Subscript | ast.Attribute)
