"""What host code says about its names: NumPy arrays, device arrays, sizes of data."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from advisor.model.text.syntax_trees import expression_tree
from advisor.program.arrays.random_draws import draws_one, parameters_drawn_with
from advisor.program.kernels.declarations import cuda_member
from advisor.program.names.host_bindings import assignments_anywhere, self_assignments
from advisor.program.names.reaching_values import bound_before, reaches_from_start, reaching_values
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_CREATORS = frozenset({
    "zeros", "ones", "empty", "full", "array", "arange", "linspace", "zeros_like", "ones_like", "empty_like",
    "full_like", "asarray", "ascontiguousarray", "copy", "eye", "random", "rand", "randn", "randint",
    "random_sample",
    "uniform", "normal", "standard_normal", "integers", "concatenate", "stack", "repeat", "tile",
    "fromfunction", "meshgrid", "loadtxt", "load", "genfromtxt", "deg2rad", "pad", "fft", "hstack", "vstack",
    "merge_arrays", "append_fields", "drop_fields", "unstructured_to_structured",
})  # fmt: skip
# What has the library of its argument: of a CuPy array they make another one.
_AS_ARGUMENT = frozenset({"zeros_like", "ones_like", "empty_like", "full_like", "copy"})
_CONVERSIONS = frozenset({"float32", "float64", "int32", "int64", "uint32", "uint8"})
_ARRAY_METHODS = frozenset({"astype", "copy", "reshape", "ravel", "flatten", "view", "transpose"})
_GENERATORS = frozenset({"default_rng", "RandomState"})
_DEPTH = 6
# How far assignments are followed to the place that makes an array.
_ASSIGNMENTS = 40


class HostScope:
    """The names of one host function, looked up in the function, its class and the module."""

    def __init__(
        self,
        module: ModuleSyntax,
        function: FunctionNode | None,
        workspace: Workspace,
        given: Mapping[str, bool | None] | None = None,
    ) -> None:
        """`given` tells of parameters whether a call gives them a NumPy array."""
        self.module, self.function, self.workspace = module, function, workspace
        self._given = given or {}
        self._known: dict[tuple[str, str, int, int], bool | None] = {}
        self._asked: dict[tuple[str, str, int, int], None] = {}
        self._circular = False

    @staticmethod
    def bound(module: ModuleSyntax, function: FunctionNode | None, name: str) -> list[ast.expr]:
        """Every value that the function, or else the module, binds to a name."""
        if function is not None:
            local = module.once(assignments_anywhere, function).get(name)
            if local:
                return local
        return module.assigned.get(name, [])

    def host_arrays(self, arguments: Sequence[ast.expr]) -> tuple[str, ...] | None:
        """The arguments that are NumPy arrays for certain, None when nothing is known of any argument."""
        verdicts = [(ast.unparse(argument), self.is_host_array(argument)) for argument in arguments]
        if all(verdict is None for _, verdict in verdicts):
            return None
        return tuple(name for name, verdict in verdicts if verdict)

    def is_host_array(self, node: ast.expr) -> bool | None:
        """True for a NumPy array, False for something else, None when the source does not tell."""
        return self._verdict(node, _ASSIGNMENTS)

    def _verdict(self, node: ast.expr, depth: int, parts: bool = False) -> bool | None:
        """Whether a value is a NumPy array, with `parts` also whether it is an array or element of one."""
        if depth == 0:
            return None
        if isinstance(node, ast.Call):
            return self._call_result(node, depth)
        if isinstance(node, ast.Constant):
            return False
        if isinstance(node, ast.Name):
            return self._name(node, depth, parts)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return self._all(self._attribute_values(node.attr), depth, parts)
        if isinstance(node, ast.BinOp):
            # NumPy takes no array of another library, so that one side tells.
            sides = [self._verdict(side, depth - 1, parts) for side in (node.left, node.right)]
            return True if True in sides else None if None in sides else False
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self._verdict(node.operand, depth - 1, parts)
        if isinstance(node, ast.Subscript):
            return self._part(node, depth - 1, parts)
        return None

    def _part(self, node: ast.Subscript, depth: int, parts: bool) -> bool | None:
        # What can be cut is no single element.
        several = isinstance(node.slice, ast.Slice)
        inner = self._verdict(node.value, depth, parts or several)
        return inner if parts or several or not inner or self._picks_several(node.slice, depth) else None

    def _picks_several(self, index: ast.expr, depth: int) -> bool:
        """Whether brackets hold a field, a mask, a list or an array of places, or a slice."""
        if isinstance(index, ast.Tuple):
            return any(isinstance(one, ast.Slice) for one in index.elts)
        if isinstance(index, ast.Constant):
            return isinstance(index.value, str)
        return isinstance(index, ast.Compare | ast.List) or bool(self._verdict(index, depth))

    def _name(self, node: ast.Name, depth: int, parts: bool) -> bool | None:
        key = ("part" if parts else "array", node.id, node.lineno, node.col_offset)
        if key in self._known:
            return self._known[key]
        if key in self._asked:
            # A turn of a loop goes on with what the one before it left: what leads into the loop tells.
            self._circular = True
            return True
        outermost = not self._asked
        self._asked[key] = None
        found = self._of_values(node, depth, parts)
        if found is None and not parts and self._has_shape(node.id):
            found = self._of_values(node, depth, True)
        del self._asked[key]
        if outermost or not self._circular:
            self._known[key] = found
        self._circular &= not outermost
        return found

    def _of_values(self, node: ast.Name, depth: int, parts: bool) -> bool | None:
        values = self._values(node)
        verdict = self._all(values, depth, parts)
        if not self._keeps_argument(node):
            return verdict
        given = self._given.get(node.id)
        return given if not values or given == verdict else None

    def _keeps_argument(self, node: ast.Name) -> bool:
        """Whether a name may stand for what the caller of the function gives."""
        if self.function is None or all(one.arg != node.id for one in _parameters(self.function)):
            return False
        return reaches_from_start(self.module, self.function, node.id, node)

    def _has_shape(self, name: str) -> bool:
        """Whether the function asks for a size of what a name stands for, which a single element has not."""
        if self.function is None:
            return False
        return any(
            isinstance(one.value, ast.Attribute)
            and one.value.attr == "shape"
            and isinstance(one.value.value, ast.Name)
            and one.value.value.id == name
            for one in self.module.inside(self.function, ast.Subscript)
        )

    def _values(self, name: ast.Name) -> list[ast.expr]:
        """The values that a name may have where it is used; all that it has where that is not clear."""
        every = self.bound(self.module, self.function, name.id)
        if len(every) < 2:
            return every
        if self.function is None:
            return bound_before(self.module, name) or every
        reaching = reaching_values(self.module, self.function, name.id, name) or [None]
        known = [one for one in reaching if one is not None]
        return known if len(known) == len(reaching) else every

    def _all(self, values: list[ast.expr], depth: int, parts: bool = False) -> bool | None:
        verdicts = [self._verdict(value, depth - 1, parts) for value in values]
        if not verdicts or any(verdict is None for verdict in verdicts):
            return None
        return all(verdicts) if all(verdicts) or not any(verdicts) else None

    def _call_result(self, node: ast.Call, depth: int) -> bool | None:
        dotted = self.module.dotted(node.func)
        if dotted is not None:
            known = dotted.partition(".")[0] in KNOWN_LIBRARIES
            place = None if known else self.workspace.member(dotted, self.module)
            if place is not None:
                return self._returned(node, place[0], place[0].top_level.get(place[1]), depth // 2)
            dotted = self.workspace.library_name(dotted, self.module)
            if cuda_member(dotted) or dotted.startswith(("cupy.", "torch.", "rmm.", "cudf.")):
                return False
            if dotted.startswith("numpy."):
                return self._made_by_numpy(node, dotted, depth)
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _ARRAY_METHODS:
                return self._verdict(node.func.value, depth - 1)
            if node.func.attr in ("copy_to_host", "get"):
                return True if node.func.attr == "copy_to_host" else None
            if self.is_generator(node.func.value):
                return self._drawn(node, node.func.attr, depth)
        return None

    def _made_by_numpy(self, node: ast.Call, dotted: str, depth: int) -> bool | None:
        name = dotted.rpartition(".")[2]
        first = node.args[0] if node.args else None
        if name in _GENERATORS:
            return None
        if name in _CONVERSIONS:
            # A number stays a number, an array an array.
            return None if first is None else isinstance(first, ast.List) or self._verdict(first, depth - 1)
        if name in _AS_ARGUMENT and first is not None and self._verdict(first, depth - 1) is False:
            return False
        if ".random." in dotted:
            return self._drawn(node, name, depth)
        return True if name in _CREATORS or ".fft." in dotted else None

    def _drawn(self, node: ast.Call, name: str, depth: int) -> bool | None:
        """Whether a random function gives an array: it is given a size, or parameters that are arrays."""
        if not draws_one(node, name):
            return True
        verdicts = [self._verdict(one, depth - 1) for one in parameters_drawn_with(node)]
        return True if True in verdicts else None if None in verdicts else False

    def _returned(
        self, node: ast.Call, module: ModuleSyntax, function: ast.AST | None, depth: int
    ) -> bool | None:
        """What a plain function of the workspace returns for the arguments of a call."""
        if not isinstance(function, ast.FunctionDef) or function.decorator_list or depth <= 0:
            return None
        names = [parameter.arg for parameter in function.args.args]
        given = {name: self._verdict(value, depth) for name, value in zip(names, node.args, strict=False)}
        given |= {one.arg: self._verdict(one.value, depth) for one in node.keywords if one.arg}
        inner = HostScope(module, function, self.workspace, given)
        values = [one.value for one in module.inside(function, ast.Return)]
        return inner._all([one for one in values if one is not None], depth) if all(values) else None

    def is_generator(self, node: ast.expr) -> bool:
        """Whether an expression is one of NumPy's random generators."""
        if isinstance(node, ast.Name):
            return any(self.is_generator(value) for value in self.bound(self.module, self.function, node.id))
        if isinstance(node, ast.Call):
            dotted = self.module.dotted(node.func) or ""
            return dotted.startswith("numpy.random.") and dotted.rpartition(".")[2] in _GENERATORS
        return False

    def _attribute_values(self, name: str) -> list[ast.expr]:
        """Every value that the class (and its bases in the workspace) binds to `self.name`."""
        found: list[ast.expr] = []
        classes = (
            [scope for scope in self.module.scopes(self.function) if isinstance(scope, ast.ClassDef)]
            if self.function
            else []
        )
        for owner in classes[:1]:
            found += self_assignments(self.module, owner).get(name, [])
            if found:
                return found
            for parent in owner.bases:
                dotted = self.module.dotted(parent)
                place = self.workspace.member(dotted, self.module) if dotted else None
                base = place[0].top_level.get(place[1]) if place else None
                if place is not None and isinstance(base, ast.ClassDef):
                    inner = HostScope(place[0], None, self.workspace)
                    values = self_assignments(place[0], base).get(name, [])
                    if values and all(inner.is_host_array(value) for value in values):
                        return (
                            [expression_tree("numpy.zeros(1)")]
                            if "numpy" in self.module.imports
                            else _numpy_call(self.module)
                        )
        return found

    def follows_data(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether a block size is taken from a size of the data (`x.shape[0]`, `len(x)`)."""
        if depth == 0:
            return False
        if isinstance(node, ast.Tuple):
            return any(self.follows_data(item, depth) for item in node.elts)
        if isinstance(node, ast.Name):
            key = ("data", node.id, depth, 0)
            if key not in self._known:
                values = self.bound(self.module, self.function, node.id)
                self._known[key] = bool(values) and all(self.follows_data(one, depth - 1) for one in values)
            return bool(self._known[key])
        if isinstance(node, ast.Subscript):
            return self.follows_data(node.value, depth)
        if isinstance(node, ast.Attribute):
            return node.attr in ("shape", "size")
        if isinstance(node, ast.Call):
            name = (
                node.func.id
                if isinstance(node.func, ast.Name)
                else node.func.attr
                if isinstance(node.func, ast.Attribute)
                else ""
            )
            return name in ("len", "size") or (
                name == "int" and bool(node.args) and self.follows_data(node.args[0], depth)
            )
        return False


def _numpy_call(module: ModuleSyntax) -> list[ast.expr]:
    name = next((alias for alias, target in module.imports.items() if target.dotted == "numpy"), "numpy")
    return [expression_tree(f"{name}.zeros(1)")]


def _parameters(function: FunctionNode) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]
