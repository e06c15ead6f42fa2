"""What functions of NumPy, CuPy, `numba.cuda` and OpenCV, and methods of arrays, make of their arguments.

Positions of arguments, defaults and orders are those of NumPy's reference ("Array creation routines", "Array
manipulation routines", "Random sampling"), of CuPy's for the same names, and of Numba's "Memory management".
Flags and types of OpenCV are those of its reference ("Image file reading and writing", "Image Filtering",
"Geometric Image Transformations", "Color Space Conversions"): images of files have bytes, and what changes an
image keeps its type. Modes of Pillow's images are those of its handbook ("Concepts", "Modes"); that of a file
is not known before it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from advisor.program.arrays.host_values import SIZE, UNKNOWN, Array, Number, Order, Other, Place, Value

# What the sizes are taken from: an argument that gives them (`size` may be left out, for one number), all
# arguments, one each, the array at the first place, or what is read (a "line" has one dimension); None where
# they are not known.
Sizes: TypeAlias = (
    Literal["shape", "size", "arguments", "square", "arange", "linspace", "array", "flat", "view", "diagonal"]
    | Literal["joined", "grid", "line"]
    | None
)


@dataclass(frozen=True)
class ArrayFunction:
    """An array by the arguments that decide it; `…_at` are their positions, None where only a name is taken.

    `dtype` is that without an argument for it, None for that of the array or where it is not known. `order`
    "K" is that of the array.
    """

    sizes: Sizes
    sizes_at: int | None = 0
    dtype: str | None = None
    dtype_at: int | None = None
    order: Literal["K"] | Order = "C"
    order_at: int | None = None
    place: Place | None = None
    of_argument: bool = False


def _filled(dtype_at: int, order_at: int, place: Place | None = None) -> ArrayFunction:
    default = None if dtype_at == 2 else "float64"
    return ArrayFunction("shape", 0, default, dtype_at, order_at=order_at, place=place)


def _alike(
    dtype_at: int | None = None,
    order_at: int | None = None,
    order: Literal["K"] | Order = "K",
    place: Place | None = None,
    of_argument: bool = False,
) -> ArrayFunction:
    return ArrayFunction("array", 0, None, dtype_at, order, order_at, place, of_argument)


def _drawn(size_at: int | None, dtype: str | None = "float64") -> ArrayFunction:
    return ArrayFunction("size", size_at, dtype)


_SOME = ArrayFunction(None, order=None)
# Of NumPy and CuPy.
CREATORS = {
    "zeros": _filled(1, 2), "ones": _filled(1, 2), "empty": _filled(1, 2), "full": _filled(2, 3),
    "eye": ArrayFunction("square", 0, "float64", 3, order_at=4),
    "identity": ArrayFunction("square", 0, "float64", 1),
    "arange": ArrayFunction("arange", dtype_at=3), "linspace": ArrayFunction("linspace", dtype_at=5),
    "array": _alike(1), "asarray": _alike(1, 2), "asanyarray": _alike(1, 2),
    "ascontiguousarray": _alike(1, order="C"), "asfortranarray": _alike(1, order="F"),
    "copy": _alike(None, 1, of_argument=True), "asnumpy": _alike(None, 2, "C", "host"),
    "zeros_like": _alike(1, 2, of_argument=True), "ones_like": _alike(1, 2, of_argument=True),
    "empty_like": _alike(1, 2, of_argument=True), "full_like": _alike(2, 3, of_argument=True),
    "diag": ArrayFunction("diagonal", order="unknown"), "meshgrid": ArrayFunction("grid", order=None),
    **dict.fromkeys(
        ("concatenate", "stack", "hstack", "vstack", "column_stack"), ArrayFunction("joined", order=None)
    ),
    **dict.fromkeys(("repeat", "tile", "pad", "fromfunction"), _SOME),
    **dict.fromkeys(
        ("fromfile", "frombuffer", "fromstring", "fromiter"), ArrayFunction("line", None, "float64", 1)
    ),
}  # fmt: skip
# Of NumPy alone.
NUMPY_CREATORS = {
    **dict.fromkeys(
        ("load", "genfromtxt", "merge_arrays", "append_fields", "drop_fields", "unstructured_to_structured"),
        _SOME,
    ),
    "loadtxt": ArrayFunction(None, None, "float64", 1, order=None),
}
# Of `numba.cuda`, behind whose `order` a device array has its stream.
CUDA_ARRAYS = {
    "device_array": _filled(1, 3, "device"), "pinned_array": _filled(1, 3, "pinned"),
    "mapped_array": _filled(1, 3, "mapped"), "managed_array": _filled(1, 3, "managed"),
    "device_array_like": _alike(place="device"), "pinned_array_like": _alike(place="pinned"),
    "mapped_array_like": _alike(place="mapped"), "to_device": _alike(place="device"),
    "as_cuda_array": _alike(place="device"),
}  # fmt: skip
# Numbers drawn at random, with the place of `size`.
_FLOATS = {
    0: ("random", "random_sample", "ranf", "sample", "standard_normal", "standard_exponential",
        "standard_cauchy"),
    1: ("exponential", "rayleigh", "chisquare", "pareto", "power", "weibull", "standard_t", "standard_gamma"),
    2: ("uniform", "normal", "beta", "gamma", "gumbel", "laplace", "logistic", "lognormal", "vonmises",
        "wald", "f"),
    3: ("triangular",),
}  # fmt: skip
_INTEGERS = {
    1: ("poisson", "geometric", "zipf"),
    2: ("randint", "integers", "random_integers", "binomial"),
    3: ("hypergeometric",),
}
DRAWN = {
    **{name: _drawn(at) for at, names in _FLOATS.items() for name in names},
    **{name: _drawn(at, "int64") for at, names in _INTEGERS.items() for name in names},
    "choice": _drawn(1, None), "rand": ArrayFunction("arguments", None, "float64"),
    "randn": ArrayFunction("arguments", None, "float64"),
    **dict.fromkeys(("permutation", "permuted", "multivariate_normal", "dirichlet", "multinomial"), _SOME),
}  # fmt: skip
GENERATORS = frozenset({"default_rng", "RandomState"})

# Methods of arrays of NumPy, CuPy and Numba that give an array of the same library and in the same memory.
METHODS = {
    "astype": _alike(0, 1), "copy": _alike(None, 0, "C"),
    "view": ArrayFunction("view", dtype_at=0, order="K"), "ravel": ArrayFunction("flat"),
    "flatten": ArrayFunction("flat"),
}  # fmt: skip
# Methods that bring an array of the device to the host: Numba keeps the order, CuPy's default is "C".
TO_HOST = {"copy_to_host": _alike(place="host"), "get": _alike(None, 1, "C", "host")}
# Functions of NumPy and CuPy that compute a float from each element.
OF_EACH_ELEMENT = frozenset({
    "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin",
    "arccos", "arctan", "sinh", "cosh", "tanh", "deg2rad", "rad2deg", "degrees", "radians",
})  # fmt: skip

# Numba's name of a type by what NumPy calls it, by the name of Python's type, or by the letters for it.
DTYPES = {
    **{name: name for kind, widths in (("int", (8, 16, 32, 64)), ("uint", (8, 16, 32, 64)),
       ("float", (16, 32, 64)), ("complex", (64, 128))) for width in widths for name in [f"{kind}{width}"]},
    **{f"{letter}{width}": f"{kind}{8 * width}" for letter, kind, widths in (
       ("f", "float", (2, 4, 8)), ("i", "int", (1, 2, 4, 8)), ("u", "uint", (1, 2, 4, 8)),
       ("c", "complex", (8, 16))) for width in widths},
    "half": "float16", "single": "float32", "double": "float64", "float": "float64", "float_": "float64",
    "int": "int64", "int_": "int64", "intp": "int64", "bool": "boolean", "bool_": "boolean",
    "boolean": "boolean", "complex": "complex128", "byte": "int8", "ubyte": "uint8", "short": "int16",
    "intc": "int32", "uintp": "uint64",
}  # fmt: skip

# The place of the flags of what reads an image, and the flags without them.
_READERS = {"imread": (1, "IMREAD_COLOR"), "imdecode": (1, None)}
# How many colours a pixel has by the flags with which all are read in bytes.
_COLOURS = {
    "IMREAD_GRAYSCALE": 1,
    "IMREAD_COLOR": 3,
    "IMREAD_COLOR_BGR": 3,
    "IMREAD_COLOR_RGB": 3,
    0: 1,
    1: 3,
}
# The type of the elements and the axes of a Pillow image by its mode, and methods that keep the mode.
_MODES = {
    "1": ("boolean", 2), "L": ("uint8", 2), "P": ("uint8", 2), "RGB": ("uint8", 3), "RGBA": ("uint8", 3),
    "CMYK": ("uint8", 3), "YCbCr": ("uint8", 3), "LAB": ("uint8", 3), "HSV": ("uint8", 3), "I": ("int32", 2),
    "F": ("float32", 2),
}  # fmt: skip
KEEPS_MODE = frozenset({"copy", "crop", "filter", "resize", "rotate", "transpose"})
OF_PILLOW = "image"
_KEEPS_TYPE = frozenset(
    {
        "GaussianBlur", "bilateralFilter", "blur", "copyMakeBorder", "cvtColor", "dilate", "erode", "flip",
        "medianBlur", "resize", "rotate", "warpAffine", "warpPerspective",
    }
)  # fmt: skip

_COLOUR_SPACES = frozenset(
    {"BGR", "RGB", "GRAY", "BGRA", "RGBA", "HSV", "HLS", "LAB", "Lab", "LUV", "Luv", "XYZ", "YCrCb", "YUV"}
)


def array_of_image(image: Other) -> Value:
    """The array that NumPy makes of a Pillow image whose mode is known."""
    known = _MODES.get(image.what.removeprefix(OF_PILLOW).strip())
    return Array("python", None, known[0], (SIZE,) * known[1], "C") if known else UNKNOWN


def image_of(name: str, given: Callable[[int, str], object], first: Callable[[], Value]) -> Value:
    """What a function of `cv2` gives.

    `given` tells an argument by its place and name: the name of a flag, a number, None where there is none;
    `first` is the value of the first argument.
    """
    if name in _READERS:
        at, default = _READERS[name]
        flags = given(at, "flags")
        colours = _COLOURS.get(default if flags is None else flags)
        if colours is None:
            return UNKNOWN
        sizes = (SIZE, SIZE) if colours == 1 else (SIZE, SIZE, Number("int64", colours, colours))
        return Array("numpy", "host", "uint8", sizes, "C")
    image = first() if name in _KEEPS_TYPE else UNKNOWN
    if not isinstance(image, Array):
        return UNKNOWN
    dims = image.dims if name != "cvtColor" else _dims_of_colours(given(1, "code"))
    return Array("numpy", "host", image.dtype, None if dims is None else (SIZE,) * dims, "C")


def _dims_of_colours(code: object) -> int | None:
    """The axes of an image in other colours, two for shades of grey; None for any other code."""
    before, _, after = code.removeprefix("COLOR_").partition("2") if isinstance(code, str) else ("", "", "")
    known = before in _COLOUR_SPACES and after in _COLOUR_SPACES
    return (2 if after == "GRAY" else 3) if known else None
