"""The values of calls in host code: of libraries, of methods, and of functions of the workspace."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.program.arrays.host_values import (
    NOTHING,
    OTHER,
    SIZE,
    UNKNOWN,
    Array,
    Dtype,
    Instance,
    Items,
    Number,
    Other,
    Place,
    Value,
    joined,
)
from advisor.program.arrays.operations.array_arithmetic import of_each_element, of_universal
from advisor.program.arrays.operations.array_functions import (
    CREATORS,
    CUDA_ARRAYS,
    DRAWN,
    DTYPES,
    GENERATORS,
    KEEPS_MODE,
    METHODS,
    NUMPY_CREATORS,
    OF_EACH_ELEMENT,
    OF_PILLOW,
    TO_HOST,
    ArrayFunction,
    image_of,
)
from advisor.program.arrays.operations.array_results import Arguments, made, reshaped, transposed_by
from advisor.program.arrays.operations.derived_arrays import (
    of_array_function,
    of_array_method,
    of_other_library,
)
from advisor.program.arrays.operations.number_ranges import FUNCTIONS, largest, least, length, of_function
from advisor.program.kernels.called_functions import CalledFunctions
from advisor.program.kernels.declarations import cuda_member
from advisor.program.kernels.universal_functions import universal_function
from advisor.program.names.object_attributes import enclosing_class
from advisor.program.names.scope_names import parameter_defaults
from advisor.program.names.workspace import KNOWN_LIBRARIES
from advisor.program.syntax.module import ModuleSyntax

if TYPE_CHECKING:
    from advisor.program.arrays.host_evaluator import Frame, HostValues

# In how many ways one function is called before its parameters count as unknown.
_CONTEXTS = 8
# Libraries whose values are no NumPy arrays.
_OTHER_LIBRARIES = ("cupy.", "torch.", "rmm.", "cudf.")
# With one argument the places of its elements that are not zero, an array for each of its dimensions.
_FINDS_PLACES = frozenset({"where", "nonzero"})
_MOST_DIMENSIONS = 3
_MOVED_AXES = frozenset({"swapaxes", "moveaxis", "rollaxis"})


class HostCalls:
    """The values of calls."""

    def __init__(self, values: HostValues) -> None:
        self.values = values
        self._contexts: dict[ast.AST, set[Frame]] = {}
        self._running: list[ast.AST] = []
        self._called = CalledFunctions(values.workspace)

    def value(self, node: ast.Call, frame: Frame) -> Value:
        """The value of a call."""
        dotted = self.values.library_name(node.func, frame)
        given = Arguments(
            node,
            lambda one: self.values.value(one, frame),
            lambda one: self.values.constant(one, frame),
            lambda one: self._is_zero(one, frame),
        )
        if dotted is not None and dotted.startswith("cv2."):
            return self._of_opencv(dotted.removeprefix("cv2."), given, frame)
        if dotted is not None:
            found = self._of_library(dotted, given)
            if found is None:
                found = self._of_universal(node, frame, given)
            if found is None:
                found = self._of_workspace(node, frame, given)
            if found is None:
                found = self._object(dotted, frame)
            if found is not None:
                return found
        if isinstance(node.func, ast.Attribute):
            own = self._own_method(node.func, frame)
            if own is not None:
                return self._returned(frame.module, own, given, frame)
            return self._of_method(node.func, given, frame)
        return UNKNOWN

    @staticmethod
    def _own_method(function: ast.Attribute, frame: Frame) -> ast.FunctionDef | None:
        """The method of the class around that a call of `self` runs, where no other class of the module has
        one of its name.
        """
        module = frame.module
        owner = enclosing_class(module, frame.function)
        if owner is None or not isinstance(function.value, ast.Name) or function.value.id != "self":
            return None
        found = module.functions_by_name.get(function.attr, ())
        only = found[0] if len(found) == 1 else None
        fits = isinstance(only, ast.FunctionDef) and only in owner.body and not only.decorator_list
        return only if fits and isinstance(only, ast.FunctionDef) else None

    def _of_library(self, dotted: str, given: Arguments) -> Value | None:
        """What a function of a library gives, None for one of the workspace or a method."""
        name = dotted.rpartition(".")[2]
        member = cuda_member(dotted)
        if member is not None and member in CUDA_ARRAYS:
            function = CUDA_ARRAYS[member]
            library = "numba" if function.place == "device" else "numpy"
            return made(function, given, library, function.place)
        counted = _number(dotted, given)
        if counted is not None:
            return counted
        if dotted == "PIL.Image.open":
            return Other(OF_PILLOW)
        if dotted.startswith(("numpy.", "cupy.")):
            return self._of_numpy(dotted, name, given)
        if dotted in ("min", "max") and not given.unpacked and len(given.call.args) > 1:
            return _least_or_largest(dotted, [given.value_of(one) for one in given.call.args])
        if dotted == "range":
            return self._range(given)
        if dotted.startswith("numba.") and name in DTYPES:
            return Number(DTYPES[name], python=False)
        if member is not None or dotted.startswith(_OTHER_LIBRARIES):
            return OTHER
        derived = of_other_library(dotted, given)
        if derived is not None:
            return derived
        return UNKNOWN if dotted.partition(".")[0] in KNOWN_LIBRARIES else None

    def _of_opencv(self, name: str, given: Arguments, frame: Frame) -> Value:
        def flag(place: int, keyword: str) -> object:
            node = given.node(place, keyword)
            if node is None:
                return None
            named = self.values.library_name(node, frame) or ""
            return named.removeprefix("cv2.") if named.startswith("cv2.") else given.constant(node)

        def first() -> Value:
            node = given.node(0, "src")
            return given.value_of(node) if node is not None else UNKNOWN

        return UNKNOWN if given.unpacked else image_of(name, flag, first)

    def _of_numpy(self, dotted: str, name: str, given: Arguments) -> Value:
        library = "numpy" if dotted.startswith("numpy.") else "cupy"
        place: Place = "host" if library == "numpy" else "device"
        # CuPy's functions give its arrays, or numbers.
        otherwise = UNKNOWN if library == "numpy" else Array(library, place, element=True)
        if ".random." in dotted:
            if name in GENERATORS:
                return Other(f"{library} generator")
            return made(DRAWN[name], given, library, place) if name in DRAWN else otherwise
        if ".fft." in dotted:
            return Array(library, place)
        if name in DTYPES:
            return _converted(given, DTYPES[name], library, place)
        if name in ("dtype", "reshape", "transpose", *_MOVED_AXES, *OF_EACH_ELEMENT):
            node = given.node(0)
            first = given.value_of(node) if node is not None else UNKNOWN
            if name == "dtype":
                dtype = given.dtype(node) if node is not None else None
                return Dtype(dtype) if dtype else UNKNOWN
            if name in OF_EACH_ELEMENT:
                return of_each_element(first)
            return _rearranged(name, first, given, 1)
        if name in _FINDS_PLACES and len(given.call.args) == 1 and not given.unpacked:
            return _places(given, library, place)
        function = CREATORS.get(name) or (NUMPY_CREATORS.get(name) if library == "numpy" else None)
        if function is None:
            derived = of_array_function(name, given, library, place)
            return otherwise if derived is None else derived
        if name == "asnumpy":
            return made(function, given, "numpy", "host")
        return made(function, given, library, place)

    def _range(self, given: Arguments) -> Value:
        found = made(CREATORS["arange"], given, "python", None)
        return replace(found, dtype="int64") if isinstance(found, Array) else found

    def _of_method(self, function: ast.Attribute, given: Arguments, frame: Frame) -> Value:
        owner, name = self.values.value(function.value, frame), function.attr
        if owner == NOTHING:
            return NOTHING
        if isinstance(owner, Other) and owner.what.endswith("generator") and name in DRAWN:
            library = owner.what.partition(" ")[0]
            return made(DRAWN[name], given, library, "host" if library == "numpy" else "device")
        if isinstance(owner, Other) and owner.what.startswith(OF_PILLOW):
            return _of_image(owner, name, given)
        if name == "copy_to_host" or (name == "get" and isinstance(owner, Array)):
            receiver = owner if isinstance(owner, Array) else Array()
            return made(TO_HOST[name], given, "numpy", "host", receiver)
        if name in ("reshape", "transpose", *_MOVED_AXES):
            return _rearranged(name, owner, given, 0)
        if isinstance(owner, Number) and name in ("astype", "view", "copy"):
            return _converted_number(owner, name, given)
        if name in METHODS and (isinstance(owner, Array) or name == "astype"):
            known = owner if isinstance(owner, Array) else Array(element=True)
            moved = name != "view" and known.place == "pinned"
            return made(METHODS[name], given, known.library, "host" if moved else known.place, known)
        derived = of_array_method(name, owner)
        if derived is not None:
            return derived
        if name in CREATORS and owner == UNKNOWN and isinstance(CREATORS[name].sizes, str):
            # A module that may be NumPy's or CuPy's, or one with the same interface.
            return self._of_some_module(CREATORS[name], given)
        return UNKNOWN

    def _of_some_module(self, function: ArrayFunction, given: Arguments) -> Value:
        found = made(function, given, None, None)
        if (
            function.sizes != "shape"
            or not isinstance(found, Array)
            or not isinstance(given.node(0), ast.Tuple)
        ):
            return UNKNOWN
        return replace(found, dtype=found.dtype if given.node(function.dtype_at, "dtype") else None)

    def _of_universal(self, node: ast.Call, frame: Frame, given: Arguments) -> Value | None:
        """What a function that `vectorize` or `guvectorize` made gives, None for any other."""
        function = universal_function(node.func, frame.module, self.values.workspace)
        if function is None:
            return None
        out = given.node(None, "out")
        if out is not None or given.unpacked:
            return given.value_of(out) if out is not None else UNKNOWN
        return of_universal(function, [given.value_of(one) for one in node.args])

    def _of_workspace(self, node: ast.Call, frame: Frame, given: Arguments) -> Value | None:
        """What a plain function of the workspace returns for the arguments of a call."""
        found = self._called.of(node.func, frame.module, frame.function) or []
        module, function = found[0] if len(found) == 1 else (frame.module, None)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list or module.scope_of(function):
            return None
        return self._returned(module, function, given, frame)

    def _object(self, dotted: str, frame: Frame) -> Value | None:
        """The object that a class of the workspace makes, None for any other name."""
        place = self.values.workspace.member(dotted, frame.module)
        found = place[0].top_level.get(place[1]) if place else None
        return Instance(found, place[0]) if place and isinstance(found, ast.ClassDef) else None

    def _returned(
        self, module: ModuleSyntax, function: ast.FunctionDef, given: Arguments, frame: Frame
    ) -> Value:
        """What a function or method returns for the arguments of a call."""
        inner = self._entered(module, function, given, frame)
        if inner is None:
            return NOTHING
        self._running.append(function)
        try:
            return self.values.returned(inner)
        finally:
            self._running.pop()

    def _entered(
        self, module: ModuleSyntax, function: ast.FunctionDef, given: Arguments, frame: Frame
    ) -> Frame | None:
        """The frame that a call enters, None where an argument has no value yet.

        One in which the parameters are unknown stands for recursion and for a function with many callers.
        """
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        # The object itself is no argument.
        first = 0 if enclosing_class(module, function) is None else 1
        every = [*names, *(one.arg for one in function.args.kwonlyargs)]
        values: dict[str, Value] = dict.fromkeys(every, UNKNOWN)
        unknown = self.values.frame(module, function, values.items())
        if given.unpacked or function in self._running:
            return unknown
        around = self.values.frame(module, None)
        for name, default in parameter_defaults(function).items():
            values[name] = self.values.value(default, around)
        passed = [*zip(names[first:], given.call.args, strict=False)]
        passed += [(one.arg, one.value) for one in given.call.keywords if one.arg in values and one.arg]
        values |= {name: self._argument(one, given, frame) for name, one in passed}
        if NOTHING in values.values():
            return None
        found = self.values.frame(module, function, values.items())
        contexts = self._contexts.setdefault(function, set())
        if found not in contexts and len(contexts) >= _CONTEXTS:
            return unknown
        contexts.add(found)
        return found

    def _argument(self, node: ast.expr, given: Arguments, frame: Frame) -> Value:
        """The value of an argument, with its number where that is a constant."""
        value = given.value_of(node)
        number = self.values.whole(node, frame)
        if number is not None and (value == UNKNOWN or isinstance(value, Number)):
            return Number("int64", number, number)
        return UNKNOWN if isinstance(value, Items) and not value.fixed else value

    def _is_zero(self, size: ast.expr, frame: Frame) -> bool:
        """Whether a size is a module's constant that is written as 0, whatever functions make of it later."""
        module = frame.module
        dotted = module.dotted(size) if isinstance(size, ast.Name | ast.Attribute) else None
        place = self.values.workspace.member(dotted, module) if dotted else None
        if place is None:
            return False
        values = place[0].assigned.get(place[1], [])
        return bool(values) and all(isinstance(one, ast.Constant) and one.value == 0 for one in values)


def _number(name: str, given: Arguments) -> Value | None:
    """What a function gives that makes a number of one value, None for another function."""
    if name == "bool":
        return Number("boolean")
    if name != "len" and name not in FUNCTIONS:
        return None
    node = given.node(0)
    value = given.value_of(node) if node is not None and len(given.call.args) == 1 else UNKNOWN
    if name == "len":
        return length(value)
    return of_function(name, value)


def _least_or_largest(name: str, values: list[Value]) -> Value:
    found = joined(values)
    if not isinstance(found, Number):
        return NOTHING if found == NOTHING else UNKNOWN
    numbers = [one for one in values if isinstance(one, Number)]
    low, high = (
        (least if name == "min" else largest)(numbers) if len(numbers) == len(values) else (None, None)
    )
    return replace(found, low=low, high=high)


def _places(given: Arguments, library: str, place: Place) -> Value:
    """An array of indices for each dimension of what is searched, for as many as there may be."""
    searched = given.value_of(given.call.args[0])
    if searched == NOTHING:
        return NOTHING
    dims = searched.dims if isinstance(searched, Array) else None
    return Items((Array(library, place, "int64", (SIZE,), "C"),) * (dims or _MOST_DIMENSIONS))


def _of_image(image: Other, name: str, given: Arguments) -> Value:
    """What a method of a Pillow image gives: another image."""
    if name in KEEPS_MODE:
        return image
    mode = given.node(0, "mode") if name == "convert" and not given.unpacked else None
    stated = given.constant(mode) if mode is not None else None
    return Other(f"{OF_PILLOW} {stated}") if isinstance(stated, str) else UNKNOWN


def _converted_number(owner: Number, name: str, given: Arguments) -> Value:
    """What `astype`, `view` and `copy` make of a number of NumPy's: another one."""
    if owner.python and name != "astype":
        return UNKNOWN
    node = None if name == "copy" else given.node(0, "dtype")
    if node is None:
        return UNKNOWN if name == "astype" or given.unpacked else owner
    return Number(given.dtype(node), python=False)


def _converted(given: Arguments, dtype: str, library: str, place: Place) -> Value:
    """What a dtype that is called makes of a value: of a number one, of an array one."""
    node = given.node(0)
    first = given.value_of(node) if node is not None else UNKNOWN
    if isinstance(first, Number):
        return Number(dtype, python=False)
    if isinstance(first, Array):
        return replace(first, dtype=dtype)
    if isinstance(first, Items):
        return made(ArrayFunction("array", 0, dtype), given, library, place)
    # Of whatever else it is given it makes a number or an array of its own type.
    return NOTHING if first == NOTHING else Array(library, place, dtype, element=True)


def _rearranged(name: str, array: Value, given: Arguments, at: int) -> Value:
    """What `reshape`, `transpose` and the like make of an array; their other arguments begin at `at`."""
    if array == NOTHING:
        return NOTHING
    if isinstance(array, Number):
        return array if name == "transpose" and at == 0 else UNKNOWN
    if name == "transpose":
        return transposed_by(array, given, at)
    known = array if isinstance(array, Array) else Array(element=True)
    if name in _MOVED_AXES:
        sizes = known.sizes and (SIZE,) * len(known.sizes)
        return replace(known, sizes=sizes, order="unknown")
    arguments = given.call.args[at:]
    shape = arguments[0] if len(arguments) == 1 else None
    if len(arguments) > 1 and at == 0:
        shape = ast.copy_location(ast.Tuple(elts=arguments, ctx=ast.Load()), given.call)
    sizes = None if given.unpacked else given.sizes(shape or given.node(None, "shape", "newshape"))
    order = given.node(None, "order") or (arguments[1] if at == 1 and len(arguments) > 1 else None)
    stated = given.constant(order) if order is not None else None
    if order is not None and stated not in ("C", "F"):
        return replace(known, sizes=sizes, order="unknown", element=known.element and not sizes)
    return reshaped(known, sizes, "F" if stated == "F" else "C")
