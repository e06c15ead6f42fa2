"""C functions that CuPy's modules offer each other, as the names of their capsules state them.

Cython keeps for each such function a capsule in the module's `__pyx_capi__`; the capsule's name is the
function's C type (https://cython.readthedocs.io/en/latest/src/userguide/sharing_declarations.html).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.model.errors import AdvisorError

Kind: TypeAlias = Literal["int", "unsigned", "long", "size", "float", "object", "dispatch", "defaults"]

_PLAIN: dict[str, Kind] = {
    "int": "int",
    "cudaMemcpyKind": "int",
    "unsigned int": "unsigned",
    "intptr_t": "long",
    "size_t": "size",
    "uintmax_t": "size",
    "float": "float",
    "PyObject *": "object",
}
_FORM = re.compile(r"(?P<result>.*?)\((?P<arguments>.*)\)")
_OBJECT = re.compile(r"struct __pyx_obj_\w+ \*")
# Whether the method of a subclass is to be looked for, and a structure of the arguments that have defaults.
_DISPATCH = "int __pyx_skip_dispatch"
_DEFAULTS = re.compile(r"struct __pyx_opt_args_\w+ \*__pyx_optional_args")
LEFT_OUT: tuple[Kind, ...] = ("dispatch", "defaults")


@dataclass(frozen=True)
class Signature:
    """What a C function gives and takes; `LEFT_OUT` is not handed on to a Python function in its place."""

    result: Kind
    arguments: tuple[Kind, ...]


def signature(text: str) -> Signature:
    """The signature that a capsule's name states; raises AdvisorError for one with other types."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise AdvisorError(f"The C function {text} of CuPy is of a form that is not known.")
    arguments = [one.strip() for one in found["arguments"].split(",")]
    kinds = tuple(_kind(one, text) for one in arguments if one != "void")
    return Signature(_kind(found["result"].strip(), text), kinds)


def _kind(name: str, text: str) -> Kind:
    if name == _DISPATCH:
        return "dispatch"
    if _DEFAULTS.fullmatch(name):
        return "defaults"
    if _OBJECT.fullmatch(name):
        return "object"
    if name not in _PLAIN:
        raise AdvisorError(f"The C function {text} of CuPy has the type {name}, which is not known.")
    return _PLAIN[name]
