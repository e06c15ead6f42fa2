"""Where the arrays of host code live, as far as the source tells: torch, cupy, numba and numpy."""

from __future__ import annotations

import ast

from advisor.evidence.source.host.data_flow.call_options import constant_truth, loader_pins
from advisor.evidence.source.host.data_flow.device_names import (
    DeviceNames,
    asks_for_gpu,
    attribute_values,
    destination,
)
from advisor.evidence.source.host.data_flow.placed import (
    ASKED_OF_SHAPE,
    ATTRIBUTES_OF_SHAPE,
    LIKE_A_MODULE,
    NO_ARRAYS,
    READS,
    TORCH_CREATORS,
    TORCH_LIKE,
    WRAPPERS_OF_MODULES,
    Placed,
)
from advisor.program.arrays.operations.array_functions import (
    CREATORS,
    CUDA_ARRAYS,
    DRAWN,
    GENERATORS,
    OF_EACH_ELEMENT,
)
from advisor.program.kernels.declarations import cuda_member
from advisor.program.names.scope_bindings import Binding, bound_at
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.values.call_sites import values_of_parameter

_DEPTH = 24
_OPEN = Placed("", "")
_NUMBER = Placed("python", "host", "number")
_GENERATOR = Placed("numpy", "host", "generator")
_LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader", "torch_geometric.loader")


class Placement:
    """Where the values of one module's expressions live."""

    def __init__(self, module: ModuleSyntax, workspace: Workspace) -> None:
        self.module, self.workspace = module, workspace
        self.devices = DeviceNames(module)
        self.torch = module.mentions("torch")
        self._default_moved = module.mentions("set_default_device") or module.mentions(
            "set_default_tensor_type"
        )
        self._known: dict[ast.AST, Placed | None] = {}
        self._open: set[ast.AST] = set()

    def of(self, node: ast.expr, depth: int = _DEPTH) -> Placed | None:
        """Where a value lives, None where the source does not tell."""
        if depth <= 0:
            return None
        if node not in self._known:
            outermost = not self._open
            self._open.add(node)
            self._known[node] = _OPEN
            self._known[node] = self._found(node, depth - 1)
            if outermost:
                # What a cycle left open is only known from within it.
                for one in self._open:
                    if self._known.get(one) == _OPEN:
                        del self._known[one]
                self._open.clear()
                return self._known.get(node)
        return self._known[node]

    def on_gpu(self, node: ast.expr) -> bool:
        """Whether an expression is for certain an array in the GPU's memory."""
        found = self.of(node)
        return found is not None and found.on_gpu

    def _found(self, node: ast.expr, depth: int) -> Placed | None:
        if isinstance(node, ast.Name):
            return self._name(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, depth)
        if isinstance(node, ast.Subscript):
            base = self.of(node.value, depth)
            return base if base is not None and base.kind in ("array", "number") else None
        if isinstance(node, ast.BinOp):
            return _joined([self.of(node.left, depth), self.of(node.right, depth)])
        if isinstance(node, ast.Compare):
            if any(isinstance(one, ast.Is | ast.IsNot | ast.In | ast.NotIn) for one in node.ops):
                return _NUMBER
            return _joined([self.of(one, depth) for one in (node.left, *node.comparators)])
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand, depth) if not isinstance(node.op, ast.Not) else _NUMBER
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return _NUMBER
        return None

    def _name(self, node: ast.Name, depth: int) -> Placed | None:
        found, gpu = [], None
        for one in bound_at(self.module, node):
            place = self._given(node, depth) if one is None else self._bound(one, depth)
            if place is not None and place.where == "gpu" and one is not None and self._if_gpu(one.node):
                gpu = place
            found.append(place)
        known = [one for one in found if one != _OPEN]
        if gpu is not None:
            return gpu
        if not known:
            return _OPEN if found else None
        return known[0] if all(one == known[0] for one in known) else None

    def _given(self, name: ast.Name, depth: int) -> Placed | None:
        """Where the values of a parameter live that the calls in the module give, if all do alike."""
        found = [self.of(one, depth) for one in values_of_parameter(self.module, name)]
        known = [one for one in found if one != _OPEN]
        return known[0] if known and all(one == known[0] for one in known) else None

    def _bound(self, one: Binding, depth: int) -> Placed | None:
        if isinstance(one.node, ast.AugAssign):
            # `a += b` changes the array that `a` is, and leaves it where it lies.
            return self.of(one.node.target, depth)
        value = one.value or one.items
        if value is None:
            return None
        place = self.of(value, depth)
        if place is None and isinstance(one.node, ast.For) and self._says_loader(value):
            return Placed("torch", "host", batch=True)
        if place is None or (one.items is None and one.part is None):
            return place
        if place.kind == "loader":
            return Placed("torch", "host", pinned=place.pinned, batch=True)
        return place if place.kind in ("array", "number") else None

    def _says_loader(self, node: ast.expr) -> bool:
        """Whether a value that is iterated goes by the name of a loader, in a module that has torch."""
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        return self.torch and "loader" in name.lower()

    def _if_gpu(self, statement: ast.AST) -> bool:
        """Whether a statement stands in an `if` that asks for a GPU."""
        parent = self.module.parents.get(statement)
        return isinstance(parent, ast.If) and asks_for_gpu(parent.test)

    def _attribute(self, node: ast.Attribute, depth: int) -> Placed | None:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            values = attribute_values(self.module, node)
            found = [one for one in (self.of(value, depth) for value in values) if one != _OPEN]
            return found[0] if found and all(one == found[0] for one in found) else None
        base = self.of(node.value, depth)
        if base is None:
            return None
        if node.attr in ATTRIBUTES_OF_SHAPE:
            return _NUMBER if base.kind == "array" else None
        return base if base.kind == "array" else None

    def _call(self, node: ast.Call, depth: int) -> Placed | None:
        dotted = self.module.dotted(node.func)
        root = dotted.split(".")[0] if dotted else ""
        if dotted is not None and root in (
            "torch",
            "cupy",
            "numpy",
            "numba",
            "torch_geometric",
            "torchvision",
        ):
            return self._library(node, dotted, root, depth)
        named = isinstance(node.func, ast.Attribute) and node.func.attr in CUDA_ARRAYS
        if dotted is not None and named and root in self.module.imports:
            # Only now: what a name stands for may have to be looked up in other files.
            member = cuda_member(self.workspace.library_name(dotted, self.module))
            return _numba(member) if member else None
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, depth)
        if isinstance(node.func, ast.Name) and node.func.id in (
            "float",
            "int",
            "len",
            "bool",
            "str",
            "range",
        ):
            return _NUMBER
        return self._applied(node, self.of(node.func, depth), depth) or self._loss(node)

    def _loss(self, node: ast.Call) -> Placed | None:
        """What a function that is not known makes of arrays of the GPU, where gradients are taken of it: a
        tensor with a history lies where its inputs do.
        """
        parent = self.module.parents.get(node)
        target = parent.targets[0] if isinstance(parent, ast.Assign) else None
        if not self.torch or not isinstance(target, ast.Name):
            return None
        scope = self.module.scope_of(node) or self.module.tree
        uses = [self.module.parents.get(one) for one in self.module.loads(target.id, scope)]
        taken = any(isinstance(use, ast.Attribute) and use.attr == "backward" for use in uses)
        return Placed("torch", "gpu") if taken and any(self.on_gpu(one) for one in node.args) else None

    def _applied(self, node: ast.Call, callee: Placed | None, depth: int) -> Placed | None:
        """What calling a torch module gives: an array where the module or its arguments are."""
        if callee is None or callee.kind != "module":
            return None
        if callee.where == "gpu":
            return Placed("torch", "gpu")
        given = [self.of(one, depth) for one in node.args]
        return next((one for one in given if one is not None and one.on_gpu), None)

    def _method(self, node: ast.Call, function: ast.Attribute, depth: int) -> Placed | None:
        name = function.attr
        if self.torch and name in ("to", "cuda"):
            return self._sent(node, function, depth)
        base = self.of(function.value, depth)
        # NumbaPro called it `to_host`.
        if name in ("copy_to_host", "to_host", "get") and base is not None and base.on_gpu:
            return Placed("numpy", "host", pinned=False)
        if self.torch and name in ("cpu", "numpy", "pin_memory"):
            if name == "pin_memory":
                return Placed("torch", "host", pinned=True)
            return (
                None if base is None else Placed("torch" if name == "cpu" else "numpy", "host", pinned=False)
            )
        if base is None:
            return self._applied(node, self.of(function, depth), depth) if _is_self(function) else None
        if base.kind == "generator":
            return _drawn(node, name)
        if base.kind == "module":
            return base if name in LIKE_A_MODULE else None
        if name in READS or name in ASKED_OF_SHAPE:
            return _NUMBER
        return base if base.kind == "array" and not base.batch else None

    def _sent(self, node: ast.Call, function: ast.Attribute, depth: int) -> Placed | None:
        """What `.to(…)` and `.cuda(…)` give."""
        base = self.of(function.value, depth) or Placed("torch", "host", "unknown")
        if base.library != "torch":
            return None
        target = destination(node, self.devices)
        if target is None:
            return base if base.kind != "unknown" and _is_type(node, self.module) else None
        kind = self._kind_sent(function.value) if base.kind == "unknown" else base.kind
        return Placed(
            "torch", target if target == "gpu" else "host", kind, False if target == "cpu" else None
        )

    def _kind_sent(self, node: ast.expr) -> str:
        """Whether what is sent to a device is a module by its name, or an array."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[:1].isupper():
            return "module"
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        words = ("model", "net", "encoder", "decoder", "generator", "discriminator", "criterion", "module")
        return "module" if any(word in name.lower() for word in words) else "array"

    def _library(self, node: ast.Call, dotted: str, root: str, depth: int) -> Placed | None:
        name = dotted.rpartition(".")[2]
        if root == "numpy":
            return self._numpy(node, name, ".random." in dotted, depth)
        if root == "numba":
            member = cuda_member(dotted)
            return _numba(member) if member else None
        if root == "cupy":
            return _cupy(dotted, name)
        if root == "torchvision" or dotted.startswith(("torch.cuda.", "torch.distributed", "torch.optim")):
            return None
        if dotted.startswith(_LOADERS):
            return Placed("torch", "host", "loader", loader_pins(node))
        if name in WRAPPERS_OF_MODULES:
            return self.of(node.args[0], depth) if node.args else None
        if dotted.startswith("torch.nn.") and name[:1].isupper():
            return Placed("torch", "host", "module")
        return self._torch_function(node, name, depth)

    def _numpy(self, node: ast.Call, name: str, random: bool, depth: int) -> Placed | None:
        if random:
            return _GENERATOR if name in GENERATORS else _drawn(node, name)
        if name in OF_EACH_ELEMENT and node.args:
            given = self.of(node.args[0], depth)
            return given if given is not None and given.library == "numpy" else None
        return Placed("numpy", "host", pinned=False) if name in CREATORS else None

    def _torch_function(self, node: ast.Call, name: str, depth: int) -> Placed | None:
        keywords = {one.arg: one.value for one in node.keywords if one.arg}
        if "device" in keywords:
            where = self.devices.of(keywords["device"])
            return None if where is None else Placed("torch", "gpu" if where == "gpu" else "host")
        if any(one.arg is None for one in node.keywords) or name in NO_ARRAYS:
            return None
        if name in TORCH_CREATORS or name == "from_numpy":
            pinned = constant_truth(keywords.get("pin_memory"))
            return None if self._default_moved else Placed("torch", "host", pinned=pinned)
        given: list[ast.expr] = []
        for one in node.args:
            given += one.elts if isinstance(one, ast.List | ast.Tuple) else [one]
        if name in TORCH_LIKE:
            return self.of(given[0], depth) if given else None
        return _joined([self.of(one, depth) for one in given])


def _drawn(call: ast.Call, name: str) -> Placed | None:
    """What a generator of NumPy draws: an array where it is asked for several numbers."""
    drawn = DRAWN.get(name)
    if drawn is None:
        return None
    several = any(one.arg == "size" for one in call.keywords)
    if drawn.sizes == "size" and drawn.sizes_at is not None:
        several = several or len(call.args) > drawn.sizes_at
    else:
        several = several or bool(call.args)
    return Placed("numpy", "host", pinned=False) if several else _NUMBER


def _is_type(node: ast.Call, module: ModuleSyntax) -> bool:
    """Whether `.to(…)` is given nothing but a type of torch."""
    given = [*node.args, *(one.value for one in node.keywords if one.arg == "dtype")]
    names = [module.dotted(one) or "" for one in given]
    return len(names) == 1 and names[0].startswith("torch.")


def _is_self(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == "self"


def _joined(found: list[Placed | None]) -> Placed | None:
    """An operation's result: an array of the GPU where one operand is; else known only if all are."""
    gpu = next((one for one in found if one is not None and one.on_gpu), None)
    if gpu is not None:
        return gpu
    if not found or any(one is None for one in found):
        return None
    arrays = [one for one in found if one is not None and one.kind == "array" and one != _OPEN]
    return arrays[0].moved(arrays[0].where) if arrays else found[0]


def _cupy(dotted: str, name: str) -> Placed | None:
    if name == "asnumpy":
        return Placed("numpy", "host", pinned=False)
    parts = dotted.split(".")
    public = len(parts) == 2 or (len(parts) == 3 and parts[1] in ("linalg", "random", "fft"))
    return Placed("cupy", "gpu") if public and name not in NO_ARRAYS and name[:1] != "_" else None


def _numba(member: str) -> Placed | None:
    made = CUDA_ARRAYS.get(member)
    if made is None or made.place is None:
        return None
    if made.place == "device":
        return Placed("numba", "gpu")
    return Placed("numpy", "host", pinned=True, shared=made.place in ("mapped", "managed"))
