"""Sizes of element types and the names of functions that convert or cost much."""

from __future__ import annotations

_ITEMSIZE = {
    "float16": 2, "float32": 4, "float64": 8, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "uint8": 1,
    "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "bool_": 1, "boolean": 1, "complex64": 8,
    "complex128": 16, "float_": 8, "f2": 2, "f4": 4, "f8": 8, "i1": 1, "i2": 2, "i4": 4, "i8": 8, "u1": 1,
    "u2": 2, "u4": 4, "u8": 8, "b1": 1, "c8": 8, "c16": 16, "half": 2, "single": 4, "double": 8, "csingle": 8,
    "cdouble": 16, "byte": 1, "ubyte": 1, "short": 2, "ushort": 2, "intc": 4, "uintc": 4, "intp": 8,
    "uintp": 8, "longlong": 8, "ulonglong": 8,
}  # fmt: skip
COSTLY = frozenset({
    "sin", "cos", "tan", "sincos", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "pow",
    "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "erf", "erfc", "gamma", "lgamma", "hypot",
    "arcsin", "arccos", "arctan", "arctan2",
})  # fmt: skip
INTEGER_CASTS = frozenset(
    {"int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp"}
)
FLOAT_CASTS = frozenset({"float", "float16", "float32", "float64"})


def itemsize_of(dtype: str | None) -> int | None:
    """Bytes of one element of a dtype given by its last name, whatever its byte order, None when it is not
    known.
    """
    return _ITEMSIZE.get(dtype.rpartition(".")[2].lstrip("<>=|")) if dtype else None
