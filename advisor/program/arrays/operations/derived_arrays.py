"""What functions make of arrays that they are given, or read from a file, beside those that create arrays.

Which function gives an array, of which shape and type, is told by the references of NumPy ("Array
manipulation routines", "Mathematical functions", "Sorting, searching, and counting"), SciPy ("ndimage",
"signal", "sparse"), scikit-image, imageio, Matplotlib, pandas and scikit-learn ("model_selection"). CuPy's
functions of the same names do the same. Functions that may give a number, a sparse matrix or several things
are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.program.arrays.host_values import (
    NOTHING,
    SIZE,
    UNKNOWN,
    Array,
    Items,
    Number,
    Order,
    Other,
    Place,
    Value,
)
from advisor.program.arrays.operations.array_arithmetic import combined
from advisor.program.arrays.operations.array_results import Arguments

# An array of the shape and the type of the first argument: in its order, in row-major order, or a view of it.
_ALIKE: dict[str, Order] = {
    **dict.fromkeys(("sort", "round", "around", "nan_to_num", "negative", "positive"), None),
    **dict.fromkeys(("roll", "clip", "triu", "tril"), "C"),
    **dict.fromkeys(("flip", "fliplr", "flipud"), "unknown"),
}
# An array with the dimensions of the first argument: sizes, or types, are its own.
_OF_SAME_DIMENSIONS = frozenset(
    {"rot90", "diff", "absolute", "abs", "sign", "square", "floor", "ceil", "real", "imag"}
)
# The arithmetic whose shape and type those of a function of two arrays are.
_PAIRS: dict[str, ast.operator] = {
    **dict.fromkeys(("add", "maximum", "minimum", "fmax", "fmin"), ast.Add()), "subtract": ast.Sub(),
    "multiply": ast.Mult(), "divide": ast.Div(), "true_divide": ast.Div(), "floor_divide": ast.FloorDiv(),
    "mod": ast.Mod(), "remainder": ast.Mod(), "power": ast.Pow(), "matmul": ast.MatMult(),
    **dict.fromkeys(("arctan2", "hypot"), ast.Div()),
}  # fmt: skip
# An array of which nothing else is told.
_ARRAYS = frozenset({
    "append", "delete", "insert", "resize", "broadcast_to", "expand_dims", "atleast_1d", "atleast_2d",
    "atleast_3d", "kron", "outer", "block", "tri", "vander", "indices", "convolve", "correlate", "cumsum",
    "cumprod", "argsort", "bincount", "packbits", "unpackbits", "logspace", "geomspace", "dstack",
    "row_stack", "hanning", "hamming", "blackman", "bartlett", "kaiser", "compress", "argwhere",
    "flatnonzero", "inv", "pinv", "cholesky",
})  # fmt: skip
# A place for each element of the argument with this number.
_PLACES = {"argsort": 0, "digitize": 0, "searchsorted": 1}
_SPLITS = frozenset({"split", "array_split", "hsplit", "vsplit", "dsplit"})
_MOST_PARTS = 64
# Objects of NumPy that brackets make arrays of.
BRACKETED = frozenset({"numpy.c_", "numpy.r_", "numpy.mgrid"})

# Functions of other libraries that read an array of NumPy, or all of a module.
_READERS = (
    "skimage.io.imread", "imageio.imread", "imageio.v2.imread", "imageio.v3.imread",
    "matplotlib.pyplot.imread", "matplotlib.image.imread", "scipy.misc.imread", "scipy.misc.face",
    "scipy.misc.ascent", "scipy.datasets.face", "scipy.datasets.ascent", "tifffile.imread", "skimage.data.",
)  # fmt: skip
# Functions of other libraries that make an array of NumPy's of as many dimensions of another one.
_CONVERSIONS = frozenset({"img_as_float", "img_as_float32", "img_as_float64", "img_as_ubyte"})
_FILTERS = {
    "scipy.ndimage": frozenset({
        "gaussian_filter", "uniform_filter", "median_filter", "maximum_filter", "minimum_filter",
        "percentile_filter", "sobel", "prewitt", "laplace", "gaussian_laplace", "convolve", "correlate",
        "zoom", "rotate", "shift", "binary_erosion", "binary_dilation", "grey_erosion", "grey_dilation",
    }),
    "scipy.signal": frozenset({
        "convolve", "convolve2d", "fftconvolve", "correlate", "correlate2d", "medfilt", "medfilt2d",
        "filtfilt", "detrend", "hilbert",
    }),
    "skimage.transform": frozenset({"resize", "rotate", "rescale", "warp"}),
    "skimage.filters": frozenset({"gaussian", "sobel", "median", "laplace"}),
    "skimage.util": frozenset({"random_noise", "invert", *_CONVERSIONS}),
    "skimage": _CONVERSIONS,
    "skimage.exposure": frozenset({"rescale_intensity", "equalize_hist", "adjust_gamma"}),
    "skimage.color": frozenset({"rgb2hsv", "rgb2lab", "hsv2rgb", "lab2rgb", "rgb2hed", "rgb2yuv"}),
}  # fmt: skip
_GREYS = frozenset({"skimage.color.rgb2gray", "skimage.color.rgb2grey"})


@dataclass(frozen=True)
class _Kind:
    """Objects of a library: what makes one, what of one is another one, and which attributes are arrays."""

    makers: tuple[str, ...]
    alike: frozenset[str]
    arrays: frozenset[str]
    sizes: tuple[Number, ...] | None = None


_KINDS = {
    "table": _Kind(
        ("pandas.read_", "pandas.DataFrame", "pandas.Series", "pandas.concat", "pandas.merge"),
        frozenset({
            "drop", "dropna", "fillna", "head", "tail", "sample", "sort_values", "sort_index", "reset_index",
            "set_index", "astype", "copy", "query", "iloc", "loc", "drop_duplicates", "rename", "replace",
        }),
        frozenset({"values"}),
    ),
    "sparse": _Kind(
        ("scipy.sparse.csr_", "scipy.sparse.csc_", "scipy.sparse.coo_", "scipy.sparse.random"),
        frozenset({"tocsr", "tocsc", "tocoo", "transpose", "copy", "astype", "T"}),
        frozenset({"data", "indices", "indptr", "row", "col"}),
        (SIZE,),
    ),
}  # fmt: skip


def of_array_function(name: str, given: Arguments, library: str, place: Place) -> Value | None:
    """What a function of NumPy or CuPy gives that gets arrays, None for one that is not known here."""
    places = _places(name, given, library, place)
    if places is not None:
        return places
    if name in _ARRAYS:
        return Array(library, place)
    if name == "where" and len(given.call.args) == 3:
        return _chosen(given, library, place)
    if name in _PAIRS and len(given.call.args) >= 2:
        sides = [given.value_of(one) for one in given.call.args[:2]]
        return NOTHING if NOTHING in sides else combined(_PAIRS[name], sides[0], sides[1])
    if name not in _ALIKE and name not in _OF_SAME_DIMENSIONS and name not in _SPLITS:
        return None
    first = _first(given)
    if not isinstance(first, Array) or first.element:
        return first if first == NOTHING else None
    here = _home(first, library, place)
    if name in _ALIKE:
        return replace(here, order=_ALIKE[name] or here.order)
    return _of_dimensions(here) if name in _OF_SAME_DIMENSIONS else _split(here, given)


def _places(name: str, given: Arguments, library: str, place: Place) -> Value | None:
    """The whole numbers that a function finds for each element of an array; None for other functions, and
    along another axis than the last.
    """
    along = name == "argsort" and len(given.call.args) > 1
    if name not in _PLACES or along or any(one.arg == "axis" for one in given.call.keywords):
        return None
    node = given.node(_PLACES[name])
    value = UNKNOWN if node is None or given.unpacked else given.value_of(node)
    if not isinstance(value, Array) or value.element or value.dims is None:
        return None
    return replace(_home(value, library, place), dtype="int64", order="C")


def of_other_library(dotted: str, given: Arguments) -> Value | None:
    """What a function of Python's own or another library gives that gets or reads arrays, None for others."""
    if dotted in ("copy.copy", "copy.deepcopy"):
        return _first(given)
    if dotted.startswith(_READERS):
        return Array("numpy", "host")
    if dotted == "sklearn.model_selection.train_test_split":
        return _parts_for_training(given)
    kind = next((name for name, one in _KINDS.items() if dotted.startswith(one.makers)), None)
    if kind is not None:
        return Other(kind)
    module, _, name = dotted.rpartition(".")
    grey = dotted in _GREYS
    if not grey and name not in _FILTERS.get(module, ()):
        return None
    first = _first(given)
    if not isinstance(first, Array) or (first.element and not grey):
        return first if first == NOTHING else None
    return (
        Array("numpy", "host", None, (SIZE, SIZE)) if grey else _of_dimensions(_home(first, "numpy", "host"))
    )


def of_array_method(name: str, owner: Value) -> Value | None:
    """What a method gives that makes an array of NumPy's of an object of another library, or of an array
    another one; None for others.
    """
    if name in ("numpy", "to_numpy") and not isinstance(owner, Array):
        return Array("numpy", "host")
    if not isinstance(owner, Array) or owner.element or owner.library not in ("numpy", "cupy"):
        return attribute_of_other(owner, name)
    own = _home(owner, owner.library, owner.place or "host")
    if name in ("clip", "round"):
        return own
    if name in ("cumsum", "cumprod", "argsort", "repeat"):
        return replace(own, dtype=None, sizes=None, order=None)
    return None


def attribute_of_other(value: Value, name: str) -> Value | None:
    """What a table of pandas or a sparse matrix of SciPy has by a name, None for any other value."""
    kind = _KINDS.get(value.what) if isinstance(value, Other) else None
    if kind is None:
        return None
    if name in kind.arrays:
        return Array("numpy", "host", sizes=kind.sizes)
    return value if name in kind.alike else UNKNOWN


def column(value: Value) -> Value | None:
    """What brackets pick of a table of pandas, another one, None for any other value."""
    return value if value == Other("table") else None


def _first(given: Arguments) -> Value:
    node = given.node(0) or (given.call.keywords[0].value if given.call.keywords else None)
    return UNKNOWN if node is None or given.unpacked else given.value_of(node)


def _home(array: Array, library: str, place: Place) -> Array:
    """An array that is made of another one, in its library: NumPy's functions give CuPy's arrays of those."""
    own = array.library if array.library in ("numpy", "cupy") else library
    here: Place | None = "host" if own == "numpy" else array.place if array.library == own else place
    return replace(array, library=own, place=here, empty=False)


def _of_dimensions(array: Array) -> Array:
    return replace(array, dtype=None, sizes=None if array.dims is None else (SIZE,) * array.dims, order=None)


def _chosen(given: Arguments, library: str, place: Place) -> Value | None:
    """What `where` picks of two values by a condition: an array where any of the three is one."""
    values = [given.value_of(one) for one in given.call.args]
    if NOTHING in values:
        return NOTHING
    arrays = [one for one in values if isinstance(one, Array) and not one.element]
    if not arrays:
        return None
    alone = len(arrays) == 1 and sum(isinstance(one, Number) for one in values) == 2
    sizes = arrays[0].sizes if alone else None
    return replace(_home(arrays[0], library, place), dtype=None, sizes=sizes, order=None)


def _split(array: Array, given: Arguments) -> Value | None:
    """The parts that an array is split into, where their number is written."""
    node = given.node(1, "indices_or_sections")
    parts = given.constant(node) if node is not None else None
    few = isinstance(parts, int) and 0 < parts <= _MOST_PARTS
    return Items((_of_dimensions(array),) * parts) if few and isinstance(parts, int) else None


def _parts_for_training(given: Arguments) -> Value | None:
    """Two parts of each array that is divided for training and testing."""
    if given.unpacked or not given.call.args:
        return None
    return Items(tuple(one for node in given.call.args for one in _two_parts(given.value_of(node))))


def _two_parts(value: Value) -> Sequence[Value]:
    if not isinstance(value, Array) or value.element:
        return (value if value == NOTHING else UNKNOWN,) * 2
    sizes = None if value.sizes is None else (SIZE, *value.sizes[1:])
    return (replace(_home(value, "numpy", "host"), sizes=sizes, order=None),) * 2
